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
        let (stmts, exprs) = inside(file, func);
        let mut note = |target: PatId| match *file.pattern(target) {
            Pattern::Attr { name, .. } => drop(self.fields.insert(file.name(name))),
            Pattern::Bind(var) if file.var(var).owner != func.id => drop(self.variables.insert((func.file, var))),
            // `cache[key] = value`
            Pattern::Index { object, .. } => match file.expr(object).kind {
                ExprKind::Attr { name, .. } => drop(self.fields.insert(file.name(name))),
                ExprKind::Var(var) => drop(self.variables.insert((func.file, var))),
                _ => {}
            },
            _ => {}
        };
        for stmt in stmts {
            if let Stmt::Assign { targets, .. } = file.stmt(stmt) {
                targets.iter().for_each(|t| note(*t));
            }
        }
        for e in exprs {
            if let ExprKind::Assign { target, .. } | ExprKind::Increment { target, .. } = &file.expr(e).kind {
                note(*target);
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
        inside(file, func).1.into_iter().any(|e| self.is_mark(file, func.file, e))
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
        inside(file, func)
            .0
            .into_iter()
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

/// The statements and expressions of a function.
fn inside(file: &File, func: FuncRef) -> (Vec<StmtId>, Vec<ExprId>) {
    let mut open: Vec<StmtId> = file.block(file.function(func.id).body).to_vec();
    let (mut stmts, mut exprs, mut roots) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(stmt) = open.pop() {
        stmts.push(stmt);
        super::in_place::parts_of_stmt(file, stmt, &mut open, &mut roots);
    }
    while let Some(e) = roots.pop() {
        exprs.push(e);
        crate::layers::relevant::children(file, e, &mut roots);
    }
    (stmts, exprs)
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
