//! Variables that change nothing: what they hold is tested nowhere, is not returned or raised, and is not told to
//! anything that is run or that the catalogue describes. Paths that differ only in those are one path.

use super::machine::{Callee, Machine};
use super::relevant::{bound_vars, children};
use crate::ir::*;
use crate::link::component::{CallRecord, Target};
use crate::link::token::CompId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Blocks nested deeper are not looked into: all they mention matters.
const DEEPEST: usize = 200;

impl Machine<'_, '_, '_> {
    /// Whether a variable of a component changes nothing.
    pub fn is_idle(&self, comp: CompId, var: VarId) -> bool {
        let function = self.view.func(comp).id;
        let declared = self.view.file(comp).var(var);
        declared.owner == function && !declared.captured && !self.what_matters(comp).contains(&var)
    }

    /// Whether all that a pattern binds changes nothing.
    pub fn is_bound_idle(&self, comp: CompId, pattern: PatId) -> bool {
        let mut bound = Vec::new();
        bound_vars(self.view.file(comp), pattern, &mut bound);
        matches!(self.view.file(comp).pattern(pattern), Pattern::Bind(_))
            && bound.iter().all(|v| self.is_idle(comp, *v))
    }

    /// The variables of a component that may change something.
    fn what_matters(&self, comp: CompId) -> Rc<FxHashSet<VarId>> {
        if let Some(known) = self.mattering.borrow().get(&comp) {
            return known.clone();
        }
        let file = self.view.file(comp);
        let function = self.view.function(comp);
        let mut walk = Walk { told: self.told(comp), quiet: self.quiet(comp), ..Walk::new(file) };
        if function.is_generator {
            // What it yields is worked out elsewhere.
            walk.told.extend((0..file.exprs.len()).map(|e| ExprId(e as u32)));
        }
        walk.block(function.body, 0);
        // What is written through a parameter is the caller's.
        for param in &function.params {
            if let Pattern::Bind(var) = *file.pattern(param.pattern)
                && self.is_written_through(comp, var)
            {
                walk.matters.push(var);
            }
        }
        let matters = Rc::new(walk.closed());
        self.mattering.borrow_mut().insert(comp, matters.clone());
        matters
    }

    /// Expressions whose parts are told to something that may look at them.
    fn told(&self, comp: CompId) -> FxHashSet<ExprId> {
        let key = self.plan.key.as_ref();
        let fails = key.filter(|k| k.handed_to.is_none()).map(|k| k.target);
        let looks = |call: &&CallRecord| match call.target {
            Target::Comp(target) => fails != Some(Callee::Comp(target)),
            Target::External(_) => self.view.known(call.callee).is_some_and(|known| {
                let callable = known.callable;
                let sends = callable.outbound.is_some() && callable.layer.is_none() && callable.calls.is_empty();
                !(sends && fails == Some(Callee::External(call.callee)))
            }),
            Target::Unresolved => false,
        };
        self.view.all_calls(comp).iter().filter(looks).map(|call| call.expr).collect()
    }

    /// Arguments that are only sent: nothing that is known of the call asks for them.
    fn quiet(&self, comp: CompId) -> FxHashSet<ExprId> {
        let file = self.view.file(comp);
        let mut quiet = FxHashSet::default();
        let mut asked = Vec::new();
        for call in self.view.all_calls(comp) {
            let Target::External(_) = call.target else { continue };
            let Some(callable) = self.view.known(call.callee).map(|known| known.callable) else { continue };
            let ExprKind::Call { args, .. } = &file.expr(call.expr).kind else { continue };
            let sends = callable.outbound.is_some() && callable.calls.is_empty() && callable.sends_to.is_none();
            for (at, arg) in args.iter().enumerate() {
                let parameter = match *arg {
                    Arg::Positional(_) => callable.params.get(at).map(String::as_str),
                    Arg::Keyword(name, _) => Some(file.name(name)),
                    Arg::Spread(_) | Arg::KeywordSpread(_) => Some("*"),
                };
                let is_asked = parameter.is_some_and(|name| name.starts_with('*') || callable.asks_for(name));
                if sends && !is_asked {
                    quiet.insert(arg.value());
                } else {
                    asked.push(arg.value());
                }
            }
        }
        // What another callee may be asks for it.
        asked.iter().for_each(|e| _ = quiet.remove(e));
        quiet
    }
}

struct Walk<'f> {
    file: &'f File,
    told: FxHashSet<ExprId>,
    /// Arguments that it does not look at.
    quiet: FxHashSet<ExprId>,
    /// Variables that are looked at.
    matters: Vec<VarId>,
    /// What each variable is made of.
    flows: FxHashMap<VarId, Vec<VarId>>,
    /// Variables whose entries are written.
    filled: Vec<VarId>,
    /// Variables that were given anything but a literal: others may hold the same.
    shared: FxHashSet<VarId>,
    /// Variables that were given a literal.
    made: FxHashSet<VarId>,
}

impl<'f> Walk<'f> {
    fn new(file: &'f File) -> Self {
        Self {
            file,
            told: FxHashSet::default(),
            quiet: FxHashSet::default(),
            matters: Vec::new(),
            flows: FxHashMap::default(),
            filled: Vec::new(),
            shared: FxHashSet::default(),
            made: FxHashSet::default(),
        }
    }

    fn closed(self) -> FxHashSet<VarId> {
        let mut found = FxHashSet::default();
        let mut pending = self.matters;
        // What is put into something that others may hold is seen by them.
        pending.extend(self.filled.iter().filter(|var| self.shared.contains(var) || !self.made.contains(var)));
        while let Some(var) = pending.pop() {
            if found.insert(var) {
                pending.extend(self.flows.get(&var).into_iter().flatten());
            }
        }
        found
    }

    /// Every variable that an expression mentions.
    fn mentioned(&self, e: ExprId) -> Vec<VarId> {
        let mut found = Vec::new();
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if let ExprKind::Var(var) = self.file.expr(e).kind {
                found.push(var);
            }
            children(self.file, e, &mut stack);
        }
        found
    }

    /// Whether a variable is a parameter, and what it holds is anybody's.
    fn is_handed(&self, var: VarId) -> bool {
        self.file.language == Language::JavaScript
            && self.file.function(self.file.var(var).owner).params.iter().any(|param| {
                let mut bound = Vec::new();
                bound_vars(self.file, param.pattern, &mut bound);
                bound.contains(&var)
            })
    }

    fn all(&mut self, e: ExprId) {
        let mentioned = self.mentioned(e);
        self.matters.extend(mentioned);
        self.expr(e);
    }

    fn assign(&mut self, target: PatId, from: &[VarId], is_literal: bool) {
        let mut bound = Vec::new();
        bound_vars(self.file, target, &mut bound);
        for var in bound {
            self.flows.entry(var).or_default().extend(from);
            if is_literal {
                self.made.insert(var);
            } else {
                self.shared.insert(var);
            }
        }
        let mut stack = vec![target];
        while let Some(pattern) = stack.pop() {
            match self.file.pattern(pattern) {
                // A new entry of something that this function holds; what else holds it is made of the variable.
                Pattern::Index { object, index } if matches!(self.file.expr(*object).kind, ExprKind::Var(_)) => {
                    let mut from = from.to_vec();
                    from.extend(self.mentioned(*index));
                    if let ExprKind::Var(var) = self.file.expr(*object).kind {
                        self.flows.entry(var).or_default().extend(from);
                        self.filled.push(var);
                    }
                }
                Pattern::Attr { .. } | Pattern::Index { .. } | Pattern::Deref(_) => self.matters.extend(from),
                Pattern::Sequence(parts) | Pattern::Or(parts) => stack.extend(parts),
                Pattern::Object { entries, rest } => {
                    stack.extend(entries.iter().map(|entry| entry.1));
                    stack.extend(rest);
                }
                Pattern::Default(inner, _) | Pattern::As(inner, _) => stack.push(*inner),
                Pattern::Rest(inner) => stack.extend(inner),
                _ => {}
            }
        }
    }

    /// An expression whose own value is not looked at.
    fn expr(&mut self, e: ExprId) {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if self.told.contains(&e) {
                let mut parts = Vec::new();
                children(self.file, e, &mut parts);
                for part in parts.into_iter().filter(|part| !self.quiet.contains(part)) {
                    let mentioned = self.mentioned(part);
                    self.matters.extend(mentioned);
                }
            }
            match &self.file.expr(e).kind {
                ExprKind::Call { callee, args, .. } => match self.file.expr(*callee).kind {
                    ExprKind::Var(var) => {
                        self.matters.push(var);
                        // `resolve(answer)`: what the promise around is told, it gives.
                        if self.is_handed(var) {
                            args.iter().for_each(|a| self.matters.extend(self.mentioned(a.value())));
                        }
                    }
                    // `list.append(x)`
                    ExprKind::Attr { object, .. } => {
                        if let ExprKind::Var(var) = self.file.expr(object).kind {
                            self.filled.push(var);
                        }
                        let from: Vec<VarId> = args.iter().flat_map(|a| self.mentioned(a.value())).collect();
                        for var in self.mentioned(object) {
                            self.flows.entry(var).or_default().extend(&from);
                        }
                    }
                    _ => {}
                },
                ExprKind::Await(inner)
                | ExprKind::Propagate(inner)
                | ExprKind::YieldFrom(inner)
                | ExprKind::Yield(Some(inner)) => {
                    let mut at = *inner;
                    while let ExprKind::Typed(inner, _) | ExprKind::Await(inner) = self.file.expr(at).kind {
                        at = inner;
                    }
                    if !matches!(self.file.expr(at).kind, ExprKind::Call { .. }) {
                        let mentioned = self.mentioned(at);
                        self.matters.extend(mentioned);
                    }
                }
                ExprKind::Conditional { test, .. } => self.look(*test),
                ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) => {
                    self.look(*a);
                    self.look(*b);
                }
                ExprKind::Matches { subject, pattern, guard } => {
                    let from = self.mentioned(*subject);
                    self.assign(*pattern, &from, false);
                    self.look(*subject);
                    if let Some(guard) = guard {
                        self.look(*guard);
                    }
                }
                ExprKind::Assign { target, value, .. } => {
                    let from = self.mentioned(*value);
                    self.assign(*target, &from, false);
                }
                ExprKind::Comprehension { clauses, .. } => {
                    for clause in clauses {
                        let from = self.mentioned(clause.iter);
                        self.assign(clause.target, &from, false);
                        self.look(clause.iter);
                        for &condition in &clause.conditions {
                            self.look(condition);
                        }
                    }
                }
                ExprKind::Block { block, result, .. } => {
                    self.block(*block, 1);
                    if let Some(result) = result {
                        self.look(*result);
                    }
                }
                ExprKind::Closure(f) if self.file.function(*f).kind == FunctionKind::AsyncBlock => {
                    self.block(self.file.function(*f).body, 1);
                }
                _ => {}
            }
            children(self.file, e, &mut stack);
        }
    }

    /// Its value is looked at; its parts are walked by whoever calls.
    fn look(&mut self, e: ExprId) {
        let mentioned = self.mentioned(e);
        self.matters.extend(mentioned);
    }

    fn block(&mut self, block: BlockId, depth: usize) {
        for &stmt in self.file.block(block) {
            if depth > DEEPEST {
                self.told.extend((0..self.file.exprs.len()).map(|e| ExprId(e as u32)));
            }
            self.stmt(stmt, depth);
        }
    }

    fn blocks(&mut self, blocks: &[Option<BlockId>], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for block in blocks.iter().flatten() {
            self.block(*block, depth + 1);
        }
    }

    fn stmt(&mut self, stmt: StmtId, depth: usize) {
        match self.file.stmt(stmt) {
            Stmt::Expr(e) => self.expr(*e),
            Stmt::Assign { targets, value, op, .. } => {
                let Some(value) = value else { return };
                let mut from = self.mentioned(*value);
                if op.is_some() {
                    for &target in targets {
                        bound_vars(self.file, target, &mut from);
                    }
                }
                // `a = b = []` is one list.
                let is_literal = targets.len() == 1 && is_literal(self.file, *value);
                for &target in targets {
                    self.assign(target, &from, is_literal);
                }
                self.expr(*value);
            }
            Stmt::Assert(e) | Stmt::Return(Some(e)) | Stmt::Break(_, Some(e)) => self.all(*e),
            Stmt::Raise { error, cause } => {
                for e in [error, cause].into_iter().flatten() {
                    self.all(*e);
                }
            }
            Stmt::If { test, then, otherwise } => {
                self.all(*test);
                self.blocks(&[Some(*then), *otherwise], depth);
            }
            Stmt::ForEach { target, iter, body, otherwise, .. } => {
                self.all(*iter);
                let from = self.mentioned(*iter);
                self.assign(*target, &from, false);
                self.blocks(&[Some(*body), *otherwise], depth);
            }
            Stmt::Loop { before, body, update, after, otherwise, .. } => {
                for e in [before, after].into_iter().flatten() {
                    self.all(*e);
                }
                self.blocks(&[Some(*body), *update, *otherwise], depth);
            }
            Stmt::Try { body, handlers, otherwise, finally } => {
                self.blocks(&[Some(*body), *otherwise, *finally], depth);
                for handler in handlers {
                    if let Some(types) = handler.types {
                        self.look(types);
                    }
                    self.blocks(&[Some(handler.body)], depth);
                }
            }
            Stmt::With { items, body, .. } => {
                for (e, pattern) in items {
                    self.all(*e);
                    if let Some(pattern) = pattern {
                        let from = self.mentioned(*e);
                        self.assign(*pattern, &from, false);
                    }
                }
                self.blocks(&[Some(*body)], depth);
            }
            Stmt::Match { subject, arms, .. } => {
                self.all(*subject);
                let from = self.mentioned(*subject);
                for arm in arms {
                    self.assign(arm.pattern, &from, false);
                    if let Some(guard) = arm.guard {
                        self.all(guard);
                    }
                    self.blocks(&[Some(arm.body)], depth);
                }
            }
            Stmt::Block(block, _) => self.blocks(&[Some(*block)], depth),
            _ => {}
        }
    }
}

/// A new list or dictionary of nothing that could be told to others.
fn is_literal(file: &File, e: ExprId) -> bool {
    let mut at = e;
    while let ExprKind::Typed(inner, _) = file.expr(at).kind {
        at = inner;
    }
    matches!(file.expr(at).kind, ExprKind::Dict(_) | ExprKind::Seq(..))
}
