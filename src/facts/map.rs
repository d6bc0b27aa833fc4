//! Where everything stands in a file: what is around each expression and statement, where variables get their
//! values, and what functions return. Worked out once for a file that matters.

use crate::ir::*;
use crate::layers::relevant::children;
use rustc_hash::FxHashMap;

/// No expression or statement.
const NONE: u32 = u32::MAX;

/// Which part of a statement a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The body of a loop.
    Turn,
    /// What runs once a loop is over.
    After,
    /// Where a test holds.
    Then,
    /// Where it does not.
    Otherwise,
    /// The guarded statements of a `try`.
    Try,
    /// A handler.
    Handler(u32),
    /// `else` and `finally` of a `try`.
    Finally,
    /// The body of a `with`.
    With,
    /// An arm of a match.
    Arm(u32),
    /// A plain block, or one inside an expression.
    Plain,
}

/// How a value gets into a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The whole value of an expression.
    Whole(ExprId),
    /// A part of it (destructuring).
    Part(ExprId, Option<Name>),
    /// Its elements, one a turn.
    Each(ExprId),
    /// What entering it gives.
    Entered(ExprId),
    /// A parameter, or a part of one.
    Param(u32),
    /// The error that a handler caught.
    Caught(StmtId),
    /// A named function.
    Function(FunctionId),
}

/// One definition of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Def {
    /// Where its value comes from.
    pub source: Source,
    /// The statement; none for parameters.
    pub stmt: Option<StmtId>,
    /// It changes what was there before (`+=`).
    pub adds: bool,
}

/// Something put into a container or object that a variable holds.
#[derive(Clone, Copy, Debug)]
pub struct Addition {
    /// Under this constant key or attribute.
    pub key: Option<Name>,
    /// The value.
    pub value: ExprId,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug)]
pub struct StmtAt {
    /// Its function.
    pub function: FunctionId,
    /// The statement around it.
    parent: u32,
    /// Which part of that it is in.
    pub role: Role,
    /// Its block.
    pub block: BlockId,
    /// Its position there.
    pub index: u32,
}

/// A file's map.
#[derive(Default)]
pub struct FileMap {
    parents: Vec<u32>,
    stmt_of: Vec<u32>,
    stmts: Vec<Option<StmtAt>>,
    /// Definitions by variable, in order.
    pub defs: FxHashMap<VarId, Vec<Def>>,
    /// What is put into what a variable holds.
    pub additions: FxHashMap<VarId, Vec<Addition>>,
    /// Assignments to attributes, by name: where and what.
    pub fields: FxHashMap<Name, Vec<(FunctionId, ExprId)>>,
    /// What functions return or yield.
    pub returns: FxHashMap<FunctionId, Vec<ExprId>>,
    /// Calls of each function, inner before outer.
    pub calls: FxHashMap<FunctionId, Vec<ExprId>>,
    /// Expressions of each function.
    pub exprs: FxHashMap<FunctionId, Vec<ExprId>>,
    /// Statements of each function.
    pub stmts_of: FxHashMap<FunctionId, Vec<StmtId>>,
    /// Loops by header.
    pub loops: FxHashMap<Span, StmtId>,
}

enum Work {
    Block(BlockId, u32, Role),
    Expr(ExprId, u32, u32),
}

struct Walk<'f> {
    file: &'f File,
    map: FileMap,
    function: FunctionId,
    work: Vec<Work>,
}

impl FileMap {
    /// The map of a file.
    pub fn of(file: &File) -> Self {
        let map = FileMap {
            parents: vec![NONE; file.exprs.len()],
            stmt_of: vec![NONE; file.exprs.len()],
            stmts: vec![None; file.stmts.len()],
            ..FileMap::default()
        };
        let mut walk = Walk { file, map, function: MODULE, work: Vec::new() };
        for (id, function) in file.functions.iter().enumerate() {
            walk.function = FunctionId(id as u32);
            for (i, param) in function.params.iter().enumerate() {
                walk.bind(param.pattern, Source::Param(i as u32), None, false);
                if let Some(default) = param.default {
                    walk.work.push(Work::Expr(default, NONE, NONE));
                }
            }
            walk.work.push(Work::Block(function.body, NONE, Role::Plain));
            walk.run();
        }
        let mut map = walk.map;
        for exprs in map.exprs.values_mut() {
            exprs.sort_unstable();
        }
        for stmts in map.stmts_of.values_mut() {
            stmts.sort_by_key(|s| (file.stmt_spans.get(s.index()).copied().unwrap_or_default().start, *s));
        }
        for defs in map.defs.values_mut() {
            defs.sort_by_key(|d| d.stmt.and_then(|s| file.stmt_spans.get(s.index())).map_or(0, |s| s.start));
        }
        for calls in map.calls.values_mut() {
            calls.sort_by_key(|&e| (file.expr(e).span.end, std::cmp::Reverse(file.expr(e).span.start), e));
            calls.dedup();
        }
        map
    }

    /// The expression around an expression.
    pub fn parent(&self, e: ExprId) -> Option<ExprId> {
        self.parents.get(e.index()).copied().filter(|&p| p != NONE).map(ExprId)
    }

    /// The statement that an expression belongs to.
    pub fn stmt_of(&self, e: ExprId) -> Option<StmtId> {
        self.stmt_of.get(e.index()).copied().filter(|&s| s != NONE).map(StmtId)
    }

    /// Where a statement stands.
    pub fn at(&self, stmt: StmtId) -> Option<StmtAt> {
        self.stmts.get(stmt.index()).copied().flatten()
    }

    /// The statements around a statement, innermost first, with the part of them that it is in.
    pub fn around(&self, stmt: StmtId) -> impl Iterator<Item = (StmtId, Role)> + '_ {
        let mut at = Some(stmt);
        std::iter::from_fn(move || {
            let here = self.at(at?)?;
            let parent = (here.parent != NONE).then_some(StmtId(here.parent))?;
            at = Some(parent);
            Some((parent, here.role))
        })
    }

    /// The expressions of a function.
    pub fn exprs_of(&self, function: FunctionId) -> &[ExprId] {
        self.exprs.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The statements of a function.
    pub fn stmts_of(&self, function: FunctionId) -> &[StmtId] {
        self.stmts_of.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The definitions of a variable.
    pub fn defs(&self, var: VarId) -> &[Def] {
        self.defs.get(&var).map_or(&[], Vec::as_slice)
    }
}

impl Walk<'_> {
    fn run(&mut self) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Block(block, parent, role) => {
                    for (index, &stmt) in self.file.block(block).iter().enumerate() {
                        let at = StmtAt { function: self.function, parent, role, block, index: index as u32 };
                        if let Some(slot) = self.map.stmts.get_mut(stmt.index()) {
                            *slot = Some(at);
                        }
                        self.map.stmts_of.entry(self.function).or_default().push(stmt);
                        self.stmt(stmt);
                    }
                }
                Work::Expr(e, parent, stmt) => self.expr(e, parent, stmt),
            }
        }
    }

    fn block(&mut self, block: BlockId, stmt: StmtId, role: Role) {
        self.work.push(Work::Block(block, stmt.0, role));
    }

    fn value(&mut self, e: ExprId, stmt: StmtId) {
        self.work.push(Work::Expr(e, NONE, stmt.0));
    }

    fn stmt(&mut self, id: StmtId) {
        let file = self.file;
        match file.stmt(id) {
            Stmt::Expr(e) | Stmt::Assert(e) => self.value(*e, id),
            Stmt::Assign { targets, value, op, .. } => {
                for &target in targets {
                    self.target(target, id);
                    if let Some(value) = value {
                        self.bind(target, Source::Whole(*value), Some(id), op.is_some());
                    }
                }
                if let Some(value) = value {
                    self.value(*value, id);
                }
            }
            Stmt::Return(e) => {
                if let Some(e) = e {
                    self.map.returns.entry(self.function).or_default().push(*e);
                    self.value(*e, id);
                }
            }
            Stmt::Raise { error, cause } => {
                for &e in error.iter().chain(cause) {
                    self.value(e, id);
                }
            }
            Stmt::If { test, then, otherwise } => {
                self.value(*test, id);
                self.block(*then, id, Role::Then);
                if let Some(block) = otherwise {
                    self.block(*block, id, Role::Otherwise);
                }
            }
            Stmt::ForEach { target, iter, body, otherwise, header, .. } => {
                self.map.loops.insert(*header, id);
                self.bind(*target, Source::Each(*iter), Some(id), false);
                self.value(*iter, id);
                self.block(*body, id, Role::Turn);
                if let Some(block) = otherwise {
                    self.block(*block, id, Role::After);
                }
            }
            Stmt::Loop { before, body, update, after, otherwise, header, .. } => {
                self.map.loops.insert(*header, id);
                for &e in before.iter().chain(after) {
                    self.value(e, id);
                }
                self.block(*body, id, Role::Turn);
                for (block, role) in [(update, Role::Turn), (otherwise, Role::After)] {
                    if let Some(block) = block {
                        self.block(*block, id, role);
                    }
                }
            }
            Stmt::Try { body, handlers, otherwise, finally } => {
                self.block(*body, id, Role::Try);
                for (i, handler) in handlers.iter().enumerate() {
                    if let Some(types) = handler.types {
                        self.value(types, id);
                    }
                    if let Some(binding) = handler.binding {
                        self.bind(binding, Source::Caught(id), Some(id), false);
                    }
                    self.block(handler.body, id, Role::Handler(i as u32));
                }
                for block in otherwise.iter().chain(finally) {
                    self.block(*block, id, Role::Finally);
                }
            }
            Stmt::With { items, body, .. } => {
                for (e, pattern) in items {
                    self.value(*e, id);
                    if let Some(pattern) = pattern {
                        self.bind(*pattern, Source::Entered(*e), Some(id), false);
                    }
                }
                self.block(*body, id, Role::With);
            }
            Stmt::Match { subject, arms, .. } => {
                self.value(*subject, id);
                for (i, arm) in arms.iter().enumerate() {
                    self.bind(arm.pattern, Source::Part(*subject, None), Some(id), false);
                    if let Some(guard) = arm.guard {
                        self.value(guard, id);
                    }
                    self.block(arm.body, id, Role::Arm(i as u32));
                }
            }
            Stmt::Break(_, Some(e)) => self.value(*e, id),
            Stmt::Function { function, target } => {
                if let Some(target) = target {
                    let def = Def { source: Source::Function(*function), stmt: Some(id), adds: false };
                    self.map.defs.entry(*target).or_default().push(def);
                }
                for &e in &file.function(*function).decorators {
                    self.value(e, id);
                }
            }
            Stmt::Block(block, _) => self.block(*block, id, Role::Plain),
            Stmt::Export(Export::Name(_, e) | Export::Default(e) | Export::Whole(e)) => self.value(*e, id),
            _ => {}
        }
    }

    fn expr(&mut self, e: ExprId, parent: u32, stmt: u32) {
        let file = self.file;
        if let (Some(p), Some(s)) = (self.map.parents.get_mut(e.index()), self.map.stmt_of.get_mut(e.index())) {
            (*p, *s) = (parent, stmt);
        }
        self.map.exprs.entry(self.function).or_default().push(e);
        let id = (stmt != NONE).then_some(StmtId(stmt));
        match &file.expr(e).kind {
            ExprKind::Call { callee, args, .. } => {
                self.map.calls.entry(self.function).or_default().push(e);
                // `list.append(x)`: x is in the list then.
                if let ExprKind::Attr { object, .. } = &file.expr(*callee).kind
                    && let ExprKind::Var(var) = file.expr(*object).kind
                    && id.is_some_and(|id| matches!(file.stmt(id), Stmt::Expr(top) if is_bare(file, *top, e)))
                {
                    let key = match args.as_slice() {
                        [first, _, ..] => constant(file, first.value()),
                        _ => None,
                    };
                    if let Some(last) = args.last() {
                        self.map.additions.entry(var).or_default().push(Addition { key, value: last.value() });
                    }
                }
            }
            ExprKind::Assign { target, value, op } => {
                self.target_of(*target, e.0, stmt);
                self.bind(*target, Source::Whole(*value), id, op.is_some());
            }
            ExprKind::Matches { subject, pattern, .. } => self.bind(*pattern, Source::Part(*subject, None), id, false),
            ExprKind::Comprehension { clauses, .. } => {
                for clause in clauses {
                    self.bind(clause.target, Source::Each(clause.iter), id, false);
                }
            }
            ExprKind::Yield(Some(inner)) | ExprKind::YieldFrom(inner) => {
                self.map.returns.entry(self.function).or_default().push(*inner);
            }
            ExprKind::Block { block, .. } => self.work.push(Work::Block(*block, stmt, Role::Plain)),
            _ => {}
        }
        let mut parts = Vec::new();
        children(file, e, &mut parts);
        self.work.extend(parts.into_iter().map(|part| Work::Expr(part, e.0, stmt)));
    }

    /// Expressions inside an assignment's target.
    fn target(&mut self, target: PatId, stmt: StmtId) {
        self.target_of(target, NONE, stmt.0);
    }

    fn target_of(&mut self, target: PatId, parent: u32, stmt: u32) {
        match self.file.pattern(target) {
            Pattern::Attr { object, .. } | Pattern::Deref(object) => {
                self.work.push(Work::Expr(*object, parent, stmt));
            }
            Pattern::Index { object, index } => {
                self.work.push(Work::Expr(*object, parent, stmt));
                self.work.push(Work::Expr(*index, parent, stmt));
            }
            _ => {}
        }
    }

    fn bind(&mut self, pattern: PatId, source: Source, stmt: Option<StmtId>, adds: bool) {
        let file = self.file;
        let mut pending = vec![(pattern, source)];
        while let Some((pattern, source)) = pending.pop() {
            let part = |name: Option<Name>| match source {
                Source::Whole(e) | Source::Part(e, _) => Source::Part(e, name),
                other => other,
            };
            let mut add = |var: VarId| self.map.defs.entry(var).or_default().push(Def { source, stmt, adds });
            match file.pattern(pattern) {
                Pattern::Bind(var) => add(*var),
                Pattern::As(inner, var) => {
                    add(*var);
                    pending.push((*inner, source));
                }
                Pattern::Sequence(list) | Pattern::Or(list) => {
                    pending.extend(list.iter().map(|p| (*p, part(None))));
                }
                Pattern::Rest(Some(inner)) => pending.push((*inner, part(None))),
                Pattern::Object { entries, rest } => {
                    pending.extend(entries.iter().map(|(name, p)| (*p, part(Some(*name)))));
                    pending.extend(rest.iter().map(|p| (*p, part(None))));
                }
                Pattern::Default(inner, default) => {
                    pending.push((*inner, source));
                    pending.push((*inner, Source::Whole(*default)));
                }
                Pattern::Variant { args, fields, .. } => {
                    pending.extend(args.iter().map(|p| (*p, part(None))));
                    pending.extend(fields.iter().map(|(name, p)| (*p, part(Some(*name)))));
                }
                Pattern::Attr { object, name, .. } => {
                    if let Source::Whole(value) = source {
                        self.map.fields.entry(*name).or_default().push((self.function, value));
                        self.add_to(*object, Addition { key: Some(*name), value });
                    }
                }
                Pattern::Index { object, index } => {
                    if let Source::Whole(value) = source {
                        let key = constant(file, *index);
                        self.add_to(*object, Addition { key, value });
                    }
                }
                _ => {}
            }
        }
    }

    fn add_to(&mut self, object: ExprId, addition: Addition) {
        if let ExprKind::Var(var) = self.file.expr(object).kind {
            self.map.additions.entry(var).or_default().push(addition);
        }
    }
}

/// The constant text of an expression.
pub fn constant(file: &File, e: ExprId) -> Option<Name> {
    match file.expr(e).kind {
        ExprKind::Literal(Literal::Str(name)) => Some(name),
        _ => None,
    }
}

/// Whether a statement's expression is this call, awaited or not.
fn is_bare(file: &File, top: ExprId, call: ExprId) -> bool {
    let mut at = top;
    for _ in 0..8 {
        if at == call {
            return true;
        }
        match file.expr(at).kind {
            ExprKind::Await(e) | ExprKind::Propagate(e) => at = e,
            _ => return false,
        }
    }
    false
}

/// Whether control never runs off the end of a block.
pub fn leaves(file: &File, block: BlockId) -> bool {
    leaves_deep(file, block, 0)
}

fn leaves_deep(file: &File, block: BlockId, depth: usize) -> bool {
    let Some(&last) = file.block(block).last() else { return false };
    if depth > 60 {
        return false;
    }
    match file.stmt(last) {
        Stmt::Return(_) | Stmt::Raise { .. } | Stmt::Break(..) | Stmt::Continue(_) => true,
        Stmt::If { then, otherwise: Some(otherwise), .. } => {
            leaves_deep(file, *then, depth + 1) && leaves_deep(file, *otherwise, depth + 1)
        }
        Stmt::Block(block, None) => leaves_deep(file, *block, depth + 1),
        Stmt::With { body, .. } => leaves_deep(file, *body, depth + 1),
        _ => false,
    }
}

/// The bytes of a block.
pub fn block_span(file: &File, block: BlockId) -> Option<Span> {
    let list = file.block(block);
    let span = |id: &StmtId| file.stmt_spans.get(id.index()).copied();
    let (first, last) = (span(list.first()?)?, span(list.last()?)?);
    Some(Span { start: first.start, end: last.end.max(first.end) })
}
