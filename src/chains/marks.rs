//! What functions leave behind: fields, and variables of functions around them. By these, what failed in one shows in
//! another that is not told.

use super::compose::Composer;
use super::part::Part;
use crate::ir::*;
use crate::layers::machine::{Callee, CalleeKey, Outcome};
use crate::link::component::Target;
use crate::link::token::*;
use rustc_hash::FxHashSet;

/// Of the functions that a function calls, so many are looked at.
const MOST_CALLED: usize = 16;

/// Names of fields, and variables by their file.
#[derive(Default)]
struct Marks<'p> {
    fields: FxHashSet<&'p str>,
    variables: FxHashSet<(u32, VarId)>,
}

impl<'p> Marks<'p> {
    fn left_by(&mut self, file: &'p File, func: FuncRef) {
        let inside = Inside::of(file, func);
        let owned = |var: VarId| inside.holds(file.function(file.var(var).owner).span);
        let mut keep = |e: ExprId| match file.expr(e).kind {
            ExprKind::Attr { name, .. } if !says(file.name(name)) => drop(self.fields.insert(file.name(name))),
            ExprKind::Var(var) if !owned(var) => drop(self.variables.insert((func.file, var))),
            _ => {}
        };
        // `this.errors.push(error)`
        for e in inside.exprs(file) {
            if let ExprKind::Call { callee, .. } = &file.expr(e).kind
                && let ExprKind::Attr { object, .. } = file.expr(*callee).kind
            {
                keep(object);
            }
        }
        let mut targets: Vec<PatId> = Vec::new();
        for stmt in inside.stmts(file) {
            if let Stmt::Assign { targets: written, .. } = file.stmt(stmt) {
                targets.extend(written);
            }
        }
        for e in inside.exprs(file) {
            if let ExprKind::Assign { target, .. } | ExprKind::Increment { target, .. } = &file.expr(e).kind {
                targets.push(*target);
            }
        }
        for target in targets {
            match *file.pattern(target) {
                Pattern::Attr { name, .. } => drop(self.fields.insert(file.name(name))),
                Pattern::Bind(var) if !owned(var) => drop(self.variables.insert((func.file, var))),
                // `cache[key] = value`
                Pattern::Index { object, .. } => match file.expr(object).kind {
                    ExprKind::Attr { name, .. } => drop(self.fields.insert(file.name(name))),
                    ExprKind::Var(var) if !owned(var) => drop(self.variables.insert((func.file, var))),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    fn is_mark(&self, file: &File, at: u32, e: ExprId) -> bool {
        match file.expr(e).kind {
            ExprKind::Attr { name, .. } => self.fields.contains(file.name(name)),
            ExprKind::Var(var) => self.variables.contains(&(at, var)),
            _ => false,
        }
    }

    /// Whether a function looks at one of them.
    fn are_asked_in(&self, file: &File, func: FuncRef) -> bool {
        Inside::of(file, func).exprs(file).any(|e| self.is_mark(file, func.file, e))
    }

    fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.variables.is_empty()
    }
}

impl<'p> Composer<'p, '_, '_> {
    /// A function, and the first ones that it calls.
    fn with_called(&self, comp: CompId) -> impl Iterator<Item = CompId> {
        let called = self.view.all_calls(comp).iter().filter_map(|call| match call.target {
            Target::Comp(other) => Some(other),
            _ => None,
        });
        [comp].into_iter().chain(called.take(MOST_CALLED))
    }

    fn marks_of(&self, comps: impl Iterator<Item = CompId>) -> Marks<'p> {
        let mut marks = Marks::default();
        for comp in comps {
            marks.left_by(self.view.file(comp), self.view.func(comp));
        }
        marks
    }

    /// Whether a function may refuse to do anything, by what it or a function that it calls has noted before: a test of
    /// such a mark around a `throw` or `return`.
    pub(super) fn refuses(&self, comp: CompId) -> bool {
        let (file, func) = (self.view.file(comp), self.view.func(comp));
        let marks = self.marks_of(self.with_called(comp));
        if marks.is_empty() {
            return false;
        }
        let asks = |test: ExprId| {
            let mut open = vec![test];
            while let Some(e) = open.pop() {
                // `if (this.isOpen()) …`
                let by_method = self
                    .view
                    .targets(comp, e)
                    .any(|(other, _)| marks.are_asked_in(self.view.file(other), self.view.func(other)));
                if by_method || marks.is_mark(file, func.file, e) {
                    return true;
                }
                crate::layers::relevant::children(file, e, &mut open);
            }
            false
        };
        Inside::of(file, func)
            .stmts(file)
            .any(|stmt| matches!(file.stmt(stmt), Stmt::If { test, then, .. } if leaves(file, *then) && asks(*test)))
    }

    /// Whether nobody around sees that a callee failed: it swallows the failure, what it gives is used nowhere, and what
    /// it leaves behind is not looked at.
    pub(super) fn goes_unseen(
        &mut self,
        unit: &FxHashSet<CompId>,
        key: &CalleeKey,
        call: (CompId, ExprId),
        inner: &Part,
    ) -> bool {
        let Callee::Comp(_) = key.target else { return false };
        let mut ends = inner.outcomes.iter().flatten().peekable();
        if ends.peek().is_none() || !ends.all(|end| matches!(end, Outcome::Value(_))) {
            return false;
        }
        // A callback says what came of it.
        let file = self.view.file(call.0);
        let is_told = matches!(&file.expr(call.1).kind, ExprKind::Call { args, .. }
            if args.iter().any(|arg| matches!(file.expr(arg.value()).kind, ExprKind::Closure(_))));
        if is_told || !self.uses_nothing_of(unit, key) {
            return false;
        }
        let below: Vec<CompId> = inner.path.iter().map(|(comp, _)| *comp).collect();
        let marks = self.marks_of(below.iter().flat_map(|&comp| self.with_called(comp)));
        let around = unit.iter().flat_map(|&comp| self.with_called(comp)).filter(|comp| !below.contains(comp));
        let mut around = around.collect::<Vec<_>>().into_iter();
        !around.any(|comp| marks.are_asked_in(self.view.file(comp), self.view.func(comp)))
    }
}

/// What stands in a function, and in the functions inside it.
#[derive(Clone, Copy)]
struct Inside(Span);

impl Inside {
    fn of(file: &File, func: FuncRef) -> Self {
        Self(file.function(func.id).span)
    }

    fn holds(self, span: Span) -> bool {
        self.0.start <= span.start && span.end <= self.0.end
    }

    fn exprs(self, file: &File) -> impl Iterator<Item = ExprId> {
        let found = file.exprs.iter().enumerate().filter(move |(_, e)| self.holds(e.span));
        found.map(|(at, _)| ExprId(at as u32))
    }

    fn stmts(self, file: &File) -> impl Iterator<Item = StmtId> {
        let found = file.stmt_spans.iter().enumerate().filter(move |(_, span)| self.holds(**span));
        found.map(|(at, _)| StmtId(at as u32))
    }
}

/// What only tells somebody, by its name.
fn says(name: &str) -> bool {
    let name = name.trim_start_matches(['_', '#']).to_lowercase();
    matches!(name.as_str(), "logger" | "log" | "console" | "metrics" | "tracer" | "span" | "telemetry")
}

/// Whether a block leaves its function on some way.
fn leaves(file: &File, block: BlockId) -> bool {
    let mut stmts: Vec<StmtId> = file.block(block).to_vec();
    while let Some(stmt) = stmts.pop() {
        if matches!(file.stmt(stmt), Stmt::Return(_) | Stmt::Raise { .. }) {
            return true;
        }
        super::in_place::parts_of_stmt(file, stmt, &mut stmts, &mut Vec::new());
    }
    false
}
