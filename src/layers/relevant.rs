//! What decides a loop's further course: the variables that its tests read, directly or through
//! assignments in the body. Two turns that start alike in these go alike.

use super::state::State;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Facts about one loop.
#[derive(Default, Debug)]
pub struct LoopFacts {
    /// Variables that decide.
    pub relevant: FxHashSet<VarId>,
    /// Variables that carry an element of what is iterated, or something made of it.
    pub of_item: FxHashSet<VarId>,
    /// Variables that go up by steps: what stands at such a place of a list is an element of its own.
    pub stepped: FxHashSet<VarId>,
    /// Variables that hold such an element, with the variable that says where it stands.
    pub held: Vec<(VarId, VarId)>,
    /// Variables that say how long the loop waits.
    pub waiting: FxHashSet<VarId>,
    /// Whether the loop's own variable decides anything.
    pub target_matters: bool,
    /// Whether the loop waits for as long as its own variable says.
    pub target_waits: bool,
    /// Whether the loop's turns do the same work each (its variable is not what the work is about).
    pub repeats: bool,
    /// Whether tests read the clock, or fields of objects (then everything decides).
    pub everything: bool,
}

impl LoopFacts {
    /// Works out the facts of a loop.
    pub fn of(
        file: &File,
        body: BlockId,
        tests: &[ExprId],
        target: Option<PatId>,
        runs: &FxHashSet<ExprId>,
        sleeps: &FxHashSet<ExprId>,
    ) -> Self {
        let mut walk = Walk { sleeps: Some(sleeps), ..Walk::new(file, runs) };
        for &test in tests {
            walk.test(test);
        }
        walk.block(body, 0);
        let waiting = walk.made_of(&walk.waits);
        let mut facts = LoopFacts { relevant: walk.deciding(), waiting, ..LoopFacts::default() };
        if let Some(target) = target {
            let mut bound = Vec::new();
            bound_vars(file, target, &mut bound);
            facts.target_matters = bound.iter().any(|v| facts.relevant.contains(v));
            facts.target_waits = bound.iter().any(|v| facts.waiting.contains(v));
            facts.of_item.extend(bound);
            walk.spread(&mut facts.of_item);
            facts.repeats = !walk.calls.iter().any(|v| facts.of_item.contains(v));
        } else {
            // What each turn takes out of a queue is what the turn is about.
            facts.of_item.extend(walk.taken.iter().copied());
            facts.stepped = stepped(file);
            let (held, new) = elements_at(file, &facts.stepped);
            facts.held = held;
            facts.of_item.extend(new);
            walk.spread(&mut facts.of_item);
            facts.repeats = true;
        }
        facts
    }

    /// The variables of a function's body that hold what was taken out of a queue.
    pub fn taken(file: &File, body: BlockId) -> FxHashSet<VarId> {
        let runs = FxHashSet::default();
        let mut walk = Walk::new(file, &runs);
        walk.block(body, 0);
        let mut taken = walk.taken.iter().copied().collect();
        walk.spread(&mut taken);
        taken
    }

    /// The variables of a loop's body that hold what its turn came by of itself, or something made of it.
    pub fn fresh(file: &File, body: BlockId) -> FxHashSet<VarId> {
        let runs = FxHashSet::default();
        let mut walk = Walk::new(file, &runs);
        walk.block(body, 0);
        let mut fresh = walk.fresh.iter().copied().collect();
        walk.spread(&mut fresh);
        fresh
    }

    /// Parameters that decide how a function that calls itself goes on.
    pub fn of_recursion(
        file: &File,
        function: &Function,
        recursive: &[ExprId],
        runs: &FxHashSet<ExprId>,
    ) -> FxHashSet<VarId> {
        let others: FxHashSet<ExprId> = runs.iter().copied().filter(|e| !recursive.contains(e)).collect();
        let mut walk = Walk::new(file, &others);
        walk.block(function.body, 0);
        // What is handed on to a parameter decides if the parameter does; which one it is, is not told apart where
        // arguments and parameters do not simply correspond.
        let mut params = Vec::new();
        let mut simple = true;
        for param in &function.params {
            simple &= matches!(param.kind, ParamKind::Normal | ParamKind::Receiver | ParamKind::PositionalOnly);
            bound_vars(file, param.pattern, &mut params);
        }
        let skipped = usize::from(function.params.first().is_some_and(|p| p.kind == ParamKind::Receiver));
        simple &= params.len() == function.params.len();
        for &call in recursive {
            let ExprKind::Call { args, .. } = &file.expr(call).kind else { continue };
            for (i, arg) in args.iter().enumerate() {
                let mut from = Vec::new();
                walk.vars(arg.value(), &mut from);
                let to = match arg {
                    Arg::Positional(_) if simple => params.get(i + skipped).copied(),
                    Arg::Keyword(name, _) if simple => params.iter().copied().find(|v| file.var(*v).name == *name),
                    _ => None,
                };
                match to {
                    Some(to) => walk.flows.push((to, from)),
                    None => walk.tests.extend(from),
                }
            }
        }
        let deciding = walk.deciding();
        params.into_iter().filter(|v| deciding.contains(v)).collect()
    }

    /// Whether two turns start alike in what decides.
    pub fn same(&self, a: &State, b: &State) -> bool {
        let (Some(x), Some(y)) = (a.stack.last(), b.stack.last()) else { return false };
        a.stack.len() == b.stack.len()
            && a.stack[..a.stack.len() - 1] == b.stack[..b.stack.len() - 1]
            && x.comp == y.comp
            && self.relevant.iter().all(|v| x.env.get(v) == y.env.get(v))
            && a.heap == b.heap
            && a.caught.is_some() == b.caught.is_some()
            && (!(a.timed || b.timed) || a.clock == b.clock)
    }
}

/// The variables that a pattern binds.
pub fn bound_vars(file: &File, pattern: PatId, out: &mut Vec<VarId>) {
    let mut stack = vec![pattern];
    while let Some(p) = stack.pop() {
        match file.pattern(p) {
            Pattern::Bind(var) => out.push(*var),
            Pattern::As(inner, var) => {
                out.push(*var);
                stack.push(*inner);
            }
            Pattern::Sequence(list) | Pattern::Or(list) => stack.extend(list),
            Pattern::Rest(inner) => stack.extend(inner),
            Pattern::Object { entries, rest } => {
                stack.extend(entries.iter().map(|e| e.1));
                stack.extend(rest);
            }
            Pattern::Default(inner, _) => stack.push(*inner),
            Pattern::Variant { args, fields, .. } => {
                stack.extend(args);
                stack.extend(fields.iter().map(|f| f.1));
            }
            _ => {}
        }
    }
}

struct Walk<'f> {
    file: &'f File,
    /// Variables that tests read.
    tests: Vec<VarId>,
    /// Assignments: variable, variables it is made of.
    flows: Vec<(VarId, Vec<VarId>)>,
    /// Variables that calls mention.
    calls: Vec<VarId>,
    /// Variables that hold what was taken out of a queue or a list.
    taken: Vec<VarId>,
    /// Variables that hold what the turn came by of itself, asking for nothing that was there before.
    fresh: Vec<VarId>,
    /// What is put into objects: variable, variables that it is made of.
    put: Vec<(VarId, Vec<VarId>)>,
    /// Calls that are run in place.
    runs: &'f FxHashSet<ExprId>,
    /// Calls that wait.
    sleeps: Option<&'f FxHashSet<ExprId>>,
    /// Variables that waits are made of.
    waits: Vec<VarId>,
}

impl<'f> Walk<'f> {
    fn new(file: &'f File, runs: &'f FxHashSet<ExprId>) -> Self {
        Self {
            file,
            tests: Vec::new(),
            flows: Vec::new(),
            calls: Vec::new(),
            taken: Vec::new(),
            fresh: Vec::new(),
            put: Vec::new(),
            runs,
            sleeps: None,
            waits: Vec::new(),
        }
    }

    /// What tests read, and what that is made of.
    fn deciding(&self) -> FxHashSet<VarId> {
        self.made_of(&self.tests)
    }

    /// Some variables, and what they are made of.
    fn made_of(&self, of: &[VarId]) -> FxHashSet<VarId> {
        let mut made_of: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
        for (to, from) in &self.flows {
            made_of.entry(*to).or_default().extend(from);
        }
        let mut deciding = FxHashSet::default();
        let mut pending = of.to_vec();
        while let Some(var) = pending.pop() {
            if deciding.insert(var) {
                pending.extend(made_of.get(&var).into_iter().flatten());
            }
        }
        deciding
    }

    /// Adds what is made of variables, or holds them.
    fn spread(&self, vars: &mut FxHashSet<VarId>) {
        loop {
            let before = vars.len();
            for (to, from) in self.flows.iter().chain(&self.put) {
                if from.iter().any(|v| vars.contains(v)) {
                    vars.insert(*to);
                }
            }
            if vars.len() == before {
                break;
            }
        }
    }

    fn test(&mut self, e: ExprId) {
        let mut vars = Vec::new();
        self.vars(e, &mut vars);
        self.tests.extend(vars);
        self.expr(e);
    }

    /// Every variable that an expression mentions.
    fn vars(&self, e: ExprId, out: &mut Vec<VarId>) {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if let ExprKind::Var(v) = self.file.expr(e).kind {
                out.push(v);
            }
            children(self.file, e, &mut stack);
        }
    }

    fn flow(&mut self, target: PatId, value: Option<ExprId>) {
        let mut to = Vec::new();
        bound_vars(self.file, target, &mut to);
        let mut from = Vec::new();
        if let Some(value) = value {
            self.vars(value, &mut from);
            // What is put back comes again.
            if takes(self.file, value) && !to.iter().any(|&v| super::queues::is_put_back(self.file, value, v)) {
                self.taken.extend(&to);
            }
            if asks_for_nothing(self.file, value) {
                self.fresh.extend(&to);
            }
        }
        // `object.field = …`, `list[i] = …`: the object changes.
        if let Pattern::Attr { object, .. } | Pattern::Index { object, .. } | Pattern::Deref(object) =
            self.file.pattern(target)
        {
            let mut owners = Vec::new();
            self.vars(*object, &mut owners);
            to.extend(owners);
        }
        for var in to {
            self.flows.push((var, from.clone()));
        }
    }

    /// Tests and assignments inside expressions.
    fn expr(&mut self, e: ExprId) {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            match &self.file.expr(e).kind {
                ExprKind::Conditional { test, .. } => {
                    let mut vars = Vec::new();
                    self.vars(*test, &mut vars);
                    self.tests.extend(vars);
                }
                ExprKind::And(a, _) | ExprKind::Or(a, _) => {
                    let mut vars = Vec::new();
                    self.vars(*a, &mut vars);
                    self.tests.extend(vars);
                }
                ExprKind::Matches { subject, pattern, .. } => {
                    self.flow(*pattern, Some(*subject));
                    let mut vars = Vec::new();
                    self.vars(*subject, &mut vars);
                    self.tests.extend(vars);
                }
                ExprKind::Assign { target, value, op } => {
                    self.flow(*target, Some(*value));
                    if op.is_some() {
                        self.self_flow(*target);
                    }
                }
                ExprKind::Increment { target, .. } => self.self_flow(*target),
                ExprKind::Call { callee, args, .. } => {
                    let mut vars = Vec::new();
                    self.vars(*callee, &mut vars);
                    for arg in args {
                        self.vars(arg.value(), &mut vars);
                    }
                    // `form.append(row)`
                    if let ExprKind::Attr { object, .. } = self.file.expr(*callee).kind
                        && let ExprKind::Var(holder) = self.file.expr(object).kind
                    {
                        let mut from = Vec::new();
                        args.iter().for_each(|arg| self.vars(arg.value(), &mut from));
                        self.put.push((holder, from));
                    }
                    // What a helper is told may decide what it does.
                    if self.runs.contains(&e) {
                        self.tests.extend(&vars);
                    }
                    if self.sleeps.is_some_and(|sleeps| sleeps.contains(&e)) {
                        self.waits.extend(&vars);
                    }
                    self.calls.extend(vars);
                }
                ExprKind::Block { block, .. } => self.block(*block, 1),
                ExprKind::Closure(f) if self.file.function(*f).kind == FunctionKind::AsyncBlock => {
                    self.block(self.file.function(*f).body, 1);
                }
                _ => {}
            }
            children(self.file, e, &mut stack);
        }
    }

    fn self_flow(&mut self, target: PatId) {
        let mut to = Vec::new();
        bound_vars(self.file, target, &mut to);
        for var in to {
            self.flows.push((var, vec![var]));
        }
    }

    fn block(&mut self, block: BlockId, depth: usize) {
        if depth > 200 {
            return;
        }
        for &stmt in self.file.block(block) {
            match self.file.stmt(stmt) {
                Stmt::Expr(e) => self.expr(*e),
                Stmt::Assert(e) => self.test(*e),
                Stmt::Assign { targets, value, op, .. } => {
                    if let Some(value) = value {
                        self.expr(*value);
                    }
                    for &target in targets {
                        self.flow(target, *value);
                        if op.is_some() {
                            self.self_flow(target);
                        }
                    }
                }
                Stmt::Return(Some(e)) => self.expr(*e),
                Stmt::Break(_, Some(e)) => self.expr(*e),
                Stmt::Raise { error, .. } => {
                    if let Some(e) = error {
                        self.expr(*e);
                    }
                }
                Stmt::If { test, then, otherwise } => {
                    self.test(*test);
                    self.block(*then, depth + 1);
                    if let Some(block) = otherwise {
                        self.block(*block, depth + 1);
                    }
                }
                Stmt::ForEach { target, iter, body, otherwise, .. } => {
                    self.test(*iter);
                    self.flow(*target, Some(*iter));
                    self.block(*body, depth + 1);
                    if let Some(block) = otherwise {
                        self.block(*block, depth + 1);
                    }
                }
                Stmt::Loop { before, body, update, after, otherwise, .. } => {
                    for e in [before, after].into_iter().flatten() {
                        self.test(*e);
                    }
                    for block in [Some(body), update.as_ref(), otherwise.as_ref()].into_iter().flatten() {
                        self.block(*block, depth + 1);
                    }
                }
                Stmt::Try { body, handlers, otherwise, finally } => {
                    self.block(*body, depth + 1);
                    for handler in handlers {
                        self.block(handler.body, depth + 1);
                    }
                    for block in [otherwise, finally].into_iter().flatten() {
                        self.block(*block, depth + 1);
                    }
                }
                Stmt::With { items, body, .. } => {
                    for (e, pattern) in items {
                        self.expr(*e);
                        if let Some(pattern) = pattern {
                            self.flow(*pattern, Some(*e));
                        }
                    }
                    self.block(*body, depth + 1);
                }
                Stmt::Match { subject, arms, .. } => {
                    self.test(*subject);
                    for arm in arms {
                        self.flow(arm.pattern, Some(*subject));
                        if let Some(guard) = arm.guard {
                            self.test(guard);
                        }
                        self.block(arm.body, depth + 1);
                    }
                }
                Stmt::Block(block, _) => self.block(*block, depth + 1),
                _ => {}
            }
        }
    }
}

/// Variables by which elements of lists are taken, and that are counted up, or given what a counter was before
/// (`const at = next++`).
fn stepped(file: &File) -> FxHashSet<VarId> {
    if file.language == Language::Python {
        return FxHashSet::default();
    }
    let places: FxHashSet<VarId> = file
        .exprs
        .iter()
        .filter_map(|e| match e.kind {
            ExprKind::Index { index, .. } => match file.expr(index).kind {
                ExprKind::Var(at) => Some(at),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let bound = |target: PatId| match *file.pattern(target) {
        Pattern::Bind(var) => Some(var),
        _ => None,
    };
    let is_step = |e: ExprId| matches!(file.expr(e).kind, ExprKind::Increment { .. });
    let by_stmt = file.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Assign { targets, value: Some(value), op, .. } if is_step(*value) || op.is_some() => {
            targets.first().copied().and_then(bound)
        }
        _ => None,
    });
    let by_expr = file.exprs.iter().filter_map(|e| match e.kind {
        ExprKind::Increment { target, .. } => bound(target),
        _ => None,
    });
    by_stmt.chain(by_expr).filter(|var| places.contains(var)).collect()
}

/// Variables that hold what stands at such places (`const item = items[at]`), with the variable that says where; and
/// those that hold a new element each time (`const item = items[next++]`).
fn elements_at(file: &File, stepped: &FxHashSet<VarId>) -> (Vec<(VarId, VarId)>, Vec<VarId>) {
    let (mut held, mut new) = (Vec::new(), Vec::new());
    for stmt in file.stmts.iter().filter(|_| file.language != Language::Python) {
        let Stmt::Assign { targets, value: Some(value), .. } = stmt else { continue };
        let ExprKind::Index { index, .. } = file.expr(*value).kind else { continue };
        let mut bound = Vec::new();
        targets.iter().for_each(|target| bound_vars(file, *target, &mut bound));
        match file.expr(index).kind {
            ExprKind::Var(at) if stepped.contains(&at) => held.extend(bound.into_iter().map(|var| (var, at))),
            ExprKind::Increment { .. } => new.extend(bound),
            _ => {}
        }
    }
    (held, new)
}

/// Whether an expression takes an element out of a list or queue, or waits for the next one.
pub fn takes(file: &File, e: ExprId) -> bool {
    let mut at = e;
    while let ExprKind::Await(inner) | ExprKind::Propagate(inner) | ExprKind::Typed(inner, _) = file.expr(at).kind {
        at = inner;
    }
    let ExprKind::Call { callee, args, .. } = &file.expr(at).kind else { return false };
    match &file.expr(*callee).kind {
        ExprKind::Attr { name, .. } => match file.name(*name) {
            "pop" | "popleft" | "popitem" | "shift" | "get_nowait" | "pop_front" | "pop_back" => true,
            // What somebody sends or types next.
            "recv" | "readline" | "read_line" | "question" | "__next__" | "__anext__" => true,
            name if name == "receive" || name.starts_with("receive_") => true,
            name if name.starts_with("dequeue") => true,
            // What comes next in whatever is gone through.
            "next" | "try_next" => args.is_empty(),
            // A queue's, not a dictionary's.
            "get" => !args.iter().any(|a| matches!(a, Arg::Positional(_))),
            _ => false,
        },
        ExprKind::Free(name) => matches!(file.name(*name), "input" | "prompt" | "next" | "anext"),
        _ => false,
    }
}

/// Whether an expression is a call that is told nothing but constants: what it gives comes from outside.
fn asks_for_nothing(file: &File, e: ExprId) -> bool {
    let mut at = e;
    while let ExprKind::Await(inner) | ExprKind::Propagate(inner) | ExprKind::Typed(inner, _) = file.expr(at).kind {
        at = inner;
    }
    let ExprKind::Call { args, .. } = &file.expr(at).kind else { return false };
    // (`Duration::from_secs(60)` comes from nowhere.)
    let constant = |arg: &Arg| matches!(file.expr(arg.value()).kind, ExprKind::Literal(_));
    if file.language == Language::Rust { args.is_empty() } else { args.iter().all(constant) }
}

/// Whether an expression asks for one of some variables.
pub fn mentions(file: &File, e: ExprId, is_one: impl Fn(VarId) -> bool) -> bool {
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if matches!(file.expr(e).kind, ExprKind::Var(var) if is_one(var)) {
            return true;
        }
        children(file, e, &mut stack);
    }
    false
}

/// Direct parts of an expression (blocks inside expressions are walked as blocks).
pub fn children(file: &File, e: ExprId, out: &mut Vec<ExprId>) {
    match &file.expr(e).kind {
        ExprKind::Unknown(parts) | ExprKind::Template(parts) => out.extend(parts),
        ExprKind::Attr { object, .. } => out.push(*object),
        ExprKind::Index { object, index } => out.extend([*object, *index]),
        ExprKind::Slice { object, bounds } => {
            out.push(*object);
            out.extend(bounds);
        }
        ExprKind::Call { callee, args, .. } => {
            out.push(*callee);
            out.extend(args.iter().map(|a| a.value()));
        }
        ExprKind::Struct { path, entries } => {
            out.push(*path);
            entry_children(entries, out);
        }
        ExprKind::Await(e) | ExprKind::Propagate(e) | ExprKind::YieldFrom(e) | ExprKind::Typed(e, _) => out.push(*e),
        ExprKind::Yield(e) => out.extend(e),
        ExprKind::Seq(_, args) => out.extend(args.iter().map(|a| a.value())),
        ExprKind::Dict(entries) => entry_children(entries, out),
        ExprKind::Range { start, end, .. } => out.extend([*start, *end].into_iter().flatten()),
        ExprKind::Unary(_, e) => out.push(*e),
        ExprKind::Binary(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Coalesce(a, b)
        | ExprKind::InstanceOf(a, b) => out.extend([*a, *b]),
        ExprKind::Conditional { test, then, otherwise } => out.extend([*test, *then, *otherwise]),
        ExprKind::Matches { subject, guard, .. } => {
            out.push(*subject);
            out.extend(guard);
        }
        ExprKind::Assign { value, .. } => out.push(*value),
        ExprKind::Increment { operand, .. } => out.push(*operand),
        ExprKind::Comprehension { clauses, element, key, .. } => {
            out.push(*element);
            out.extend(key);
            for clause in clauses {
                out.push(clause.iter);
                out.extend(&clause.conditions);
            }
        }
        ExprKind::Block { result, .. } => out.extend(result),
        ExprKind::Element { component, attributes, children } => {
            out.extend(component);
            entry_children(attributes, out);
            out.extend(children);
        }
        _ => {}
    }
}

fn entry_children(entries: &[Entry], out: &mut Vec<ExprId>) {
    for entry in entries {
        match *entry {
            Entry::Pair(k, v) | Entry::Getter(k, v) => out.extend([k, v]),
            Entry::Spread(e) => out.push(e),
        }
    }
}
