//! Callees that are run in place, as parts of who calls them: what they are given, and what they leave behind in fields
//! and variables, decides how often they are called.

use super::compose::Composer;
use super::part::Part;
use crate::ir::*;
use crate::layers::machine::{Callee, CalleeKey, Outcome};
use crate::link::token::*;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl Composer<'_, '_, '_> {
    /// Whether what is sent is sent by the callee itself, a function that can be run in place.
    pub(super) fn may_be_told(&self, key: &CalleeKey, inner: &Part) -> bool {
        let Callee::Comp(target) = key.target else { return false };
        key.handed_to.is_none()
            && key.wrappers.is_empty()
            && inner.path.first().is_some_and(|(at, _)| *at == target)
            && (!self.view.function(target).params.is_empty() || self.leaves_marks(target))
    }

    /// The chain with the callee run in place, where that says more.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn better_in_place(
        &mut self,
        comp: CompId,
        unit: &Rc<FxHashSet<CompId>>,
        key: &CalleeKey,
        at: CompId,
        expr: ExprId,
        inner: &Part,
        part: Part,
    ) -> Part {
        let Callee::Comp(target) = key.target else { return part };
        let endless = part.is_endless();
        let returns = inner.outcomes.iter().flatten().any(|end| matches!(end, Outcome::Value(_)));
        let alone = part.layers.len() == inner.layers.len();
        let marks = alone && returns && self.loops(comp) && self.leaves_marks(target);
        let folds = alone && self.is_fold(at, expr);
        let makes = alone && returns && self.is_executor(at, expr);
        // A breaker of the program's own: after some failures it refuses, and nothing is sent any more.
        let refuses = !alone && self.loops(comp) && self.refuses(target);
        if !endless && !marks && !folds && !makes && !refuses {
            return part;
        }
        let raises = |part: &Part| part.outcomes.iter().flatten().any(|end| matches!(end, Outcome::Raise(_)));
        match self.in_place(comp, unit, key, at, expr, inner) {
            Some(better) if endless && !better.is_endless() && better.weight() > 1 => better,
            Some(better) if !endless && better.weight() > part.weight() => better,
            Some(better) if refuses && !better.is_endless() && better.weight() < part.weight() => better,
            // What it rejects the promise with.
            Some(better) if makes && better.weight() == part.weight() && raises(&better) => better,
            _ => part,
        }
    }

    fn in_place(
        &mut self,
        comp: CompId,
        unit: &Rc<FxHashSet<CompId>>,
        key: &CalleeKey,
        at: CompId,
        expr: ExprId,
        inner: &Part,
    ) -> Option<Part> {
        let Callee::Comp(target) = key.target else { return None };
        let &(_, inside) = inner.path.first()?;
        let mut whole = (**unit).clone();
        whole.insert(target);
        let whole = Rc::new(whole);
        let record = self.view.calls(target, inside).iter().find(|r| {
            self.machine.key_of(target, inside, r).is_some_and(|k| match k.target {
                Callee::Comp(other) => !whole.contains(&other) && inner.path.get(1).is_some_and(|p| p.0 == other),
                Callee::External(_) => inner.path.len() == 1,
            })
        })?;
        let key = self.machine.key_of(target, inside, record)?;
        let below = self.inner_parts(&key, target, inside).into_iter().find(|p| p.sink == inner.sink)?;
        let mut part = self.around(comp, &whole, &key, target, inside, below)?;
        part.path.insert(0, (at, expr));
        Some(part)
    }

    /// Whether a function writes to fields, or to variables of the functions around it.
    pub(super) fn leaves_marks(&self, comp: CompId) -> bool {
        let file = self.view.file(comp);
        let function = self.view.func(comp).id;
        let kept = |target: PatId| match *file.pattern(target) {
            Pattern::Attr { .. } | Pattern::Index { .. } => true,
            Pattern::Bind(var) => file.var(var).owner != function,
            _ => false,
        };
        let mut stmts: Vec<StmtId> = file.block(self.view.function(comp).body).to_vec();
        let mut exprs = Vec::new();
        while let Some(stmt) = stmts.pop() {
            if let Stmt::Assign { targets, .. } = file.stmt(stmt)
                && targets.iter().any(|t| kept(*t))
            {
                return true;
            }
            parts_of_stmt(file, stmt, &mut stmts, &mut exprs);
        }
        while let Some(e) = exprs.pop() {
            match &file.expr(e).kind {
                ExprKind::Assign { target, .. } | ExprKind::Increment { target, .. } if kept(*target) => return true,
                _ => crate::layers::relevant::children(file, e, &mut exprs),
            }
        }
        false
    }

    /// Whether a function has a loop of its own.
    pub(super) fn loops(&self, comp: CompId) -> bool {
        let file = self.view.file(comp);
        let (mut stmts, mut exprs) = (file.block(self.view.function(comp).body).to_vec(), Vec::new());
        while let Some(stmt) = stmts.pop() {
            if matches!(file.stmt(stmt), Stmt::Loop { .. } | Stmt::ForEach { .. }) {
                return true;
            }
            parts_of_stmt(file, stmt, &mut stmts, &mut exprs);
        }
        false
    }

    /// Whether a call stands in a loop of its function.
    pub(super) fn in_a_loop(&self, at: CompId, expr: ExprId) -> bool {
        let file = self.view.file(at);
        let (mut outside, mut inside) = (file.block(self.view.function(at).body).to_vec(), Vec::new());
        let (mut ignored, mut exprs) = (Vec::new(), Vec::new());
        while let Some(stmt) = outside.pop() {
            match file.stmt(stmt) {
                Stmt::Loop { .. } | Stmt::ForEach { .. } => inside.push(stmt),
                _ => parts_of_stmt(file, stmt, &mut outside, &mut ignored),
            }
        }
        while let Some(stmt) = inside.pop() {
            parts_of_stmt(file, stmt, &mut inside, &mut exprs);
        }
        while let Some(e) = exprs.pop() {
            if e == expr {
                return true;
            }
            crate::layers::relevant::children(file, e, &mut exprs);
        }
        false
    }

    /// `new Promise(f)`
    fn is_executor(&self, at: CompId, expr: ExprId) -> bool {
        let file = self.view.file(at);
        let Some(ExprKind::Call { callee, kind: CallKind::New, .. }) = file.exprs.get(expr.index()).map(|e| &e.kind)
        else {
            return false;
        };
        file.language == Language::JavaScript
            && matches!(&file.expr(*callee).kind, ExprKind::Free(name) if file.name(*name) == "Promise")
    }

    /// `list.reduce(f, …)`: each call of `f` is given what the one before gave.
    fn is_fold(&self, at: CompId, expr: ExprId) -> bool {
        let file = self.view.file(at);
        if file.language != Language::JavaScript {
            return false;
        }
        let Some(ExprKind::Call { callee, .. }) = file.exprs.get(expr.index()).map(|e| &e.kind) else { return false };
        matches!(&file.expr(*callee).kind, ExprKind::Attr { name, .. } if matches!(file.name(*name), "reduce" | "reduceRight"))
    }
}

/// Whether an expression is a statement by itself, so that nobody has what it gives.
pub(super) fn is_statement(file: &File, e: ExprId) -> bool {
    file.stmts.iter().any(|stmt| match stmt {
        Stmt::Expr(whole) => *whole == e,
        Stmt::Assign { targets, value: Some(value), .. } => {
            *value == e && targets.iter().all(|t| matches!(file.pattern(*t), Pattern::Ignore))
        }
        _ => false,
    })
}

/// The statements and expressions that a statement is made of.
pub(super) fn parts_of_stmt(file: &File, stmt: StmtId, stmts: &mut Vec<StmtId>, exprs: &mut Vec<ExprId>) {
    let mut blocks: Vec<BlockId> = Vec::new();
    match file.stmt(stmt) {
        Stmt::Expr(e) | Stmt::Return(Some(e)) => exprs.push(*e),
        Stmt::Assign { value: Some(value), .. } => exprs.push(*value),
        Stmt::If { test, then, otherwise } => {
            exprs.push(*test);
            blocks.push(*then);
            blocks.extend(otherwise);
        }
        Stmt::ForEach { body, otherwise, .. } => {
            blocks.push(*body);
            blocks.extend(otherwise);
        }
        Stmt::Loop { before, after, body, update, otherwise, .. } => {
            exprs.extend(before.iter().chain(after));
            blocks.push(*body);
            blocks.extend(update.iter().chain(otherwise));
        }
        Stmt::Try { body, handlers, otherwise, finally } => {
            blocks.push(*body);
            blocks.extend(handlers.iter().map(|h| h.body));
            blocks.extend(otherwise.iter().chain(finally));
        }
        Stmt::With { body, .. } => blocks.push(*body),
        Stmt::Match { arms, .. } => blocks.extend(arms.iter().map(|arm| arm.body)),
        Stmt::Block(block, _) => blocks.push(*block),
        _ => {}
    }
    for block in blocks {
        stmts.extend(file.block(block));
    }
}

/// Expressions of a file whose values nobody uses: statements, and what they wait for.
pub(super) fn unused(file: &File) -> FxHashSet<ExprId> {
    let mut found = FxHashSet::default();
    for stmt in &file.stmts {
        let Stmt::Expr(e) = stmt else { continue };
        let mut at = *e;
        found.insert(at);
        while let ExprKind::Await(inner) | ExprKind::Typed(inner, _) | ExprKind::Unary(UnaryOp::Void, inner) =
            file.expr(at).kind
        {
            at = inner;
            found.insert(at);
        }
    }
    found
}
