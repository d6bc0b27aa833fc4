//! Failures that nobody outside of a function sees: it ends as it would after a success, and leaves nothing behind. What
//! goes round further out goes round for another reason.

use super::compose::Composer;
use crate::ir::*;
use crate::layers::machine::{CalleeKey, Outcome};
use crate::layers::unit::UnitResult;
use crate::layers::val::Val;
use crate::link::component::Target;
use crate::link::token::*;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Methods of the language's own lists, maps, cells and channels by which something is left behind.
const LEAVING: [&str; 24] = [
    "add",
    "append",
    "clear",
    "extend",
    "fetch_add",
    "fetch_sub",
    "insert",
    "notify_one",
    "pop",
    "pop_front",
    "push",
    "push_back",
    "put",
    "put_nowait",
    "remove",
    "replace",
    "retain",
    "send",
    "set",
    "store",
    "swap",
    "take",
    "try_send",
    "update",
];

/// What an unseen failure comes to: all went well.
fn well(language: Language) -> Outcome {
    let value = match language {
        Language::Rust => Val::Good(Box::new(Val::Unknown)),
        _ => Val::Unknown,
    };
    Outcome::Value(Val::Settled(Box::new(value)))
}

/// What is handed on where a failure went unseen.
pub(super) fn unseen(outcome: &Outcome, language: Language) -> Option<Outcome> {
    match outcome {
        Outcome::Value(Val::Settled(value)) if language != Language::JavaScript => {
            Some(Outcome::Value((**value).clone()))
        }
        _ => None,
    }
}

impl Composer<'_, '_, '_> {
    /// The end of a unit whose callee's failure nobody outside sees.
    pub(super) fn unseen_end(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        outcome: &Outcome,
        unit: &Rc<FxHashSet<CompId>>,
        result: &UnitResult,
    ) -> Option<Outcome> {
        let language = self.view.file(comp).language;
        if language == Language::JavaScript
            || !result.reached
            || result.cut
            || result.exhausted
            || result.outcomes.is_empty()
            || !result.outcomes.iter().all(|end| self.is_plain(comp, end))
            || self.leave_something(comp, unit)
        {
            return None;
        }
        let ends = self.machine.ends_after_success(comp, key, unit, outcome)?;
        let alike = ends.len() == result.outcomes.len() && ends.iter().all(|end| result.outcomes.contains(end));
        alike.then(|| well(language))
    }

    /// Whether an end says all that it says, and nothing of a failure.
    fn is_plain(&self, comp: CompId, end: &Outcome) -> bool {
        let said = |value: &Val| matches!(value, Val::Null | Val::Bool(_) | Val::Num(_) | Val::Text(_));
        match end {
            Outcome::Raise(error) => !error.injected && !error.is_never() && error.fields.is_empty(),
            Outcome::Value(Val::Good(inner)) => said(inner),
            Outcome::Value(Val::Unknown) => self.hands_back_its_own(comp),
            Outcome::Value(value) => said(value),
        }
    }

    /// Whether all that a function returns are parameters that nobody writes to.
    fn hands_back_its_own(&self, comp: CompId) -> bool {
        let file = self.view.file(comp);
        let is_param = |var: VarId| {
            let mut bound = Vec::new();
            for param in &file.function(file.var(var).owner).params {
                crate::layers::relevant::bound_vars(file, param.pattern, &mut bound);
            }
            bound.contains(&var)
        };
        let written = |var: VarId| {
            let binds = |target: &PatId| {
                let mut bound = Vec::new();
                crate::layers::relevant::bound_vars(file, *target, &mut bound);
                bound.contains(&var)
            };
            file.stmts.iter().any(|s| matches!(s, Stmt::Assign { targets, .. } if targets.iter().any(binds)))
                || file.exprs.iter().any(|e| match &e.kind {
                    ExprKind::Assign { target, .. } | ExprKind::Increment { target, .. } => binds(target),
                    _ => false,
                })
        };
        let (stmts, _) = self.inside(comp);
        let mut returned = stmts.iter().filter_map(|s| match file.stmt(*s) {
            Stmt::Return(e) => Some(*e),
            _ => None,
        });
        returned.all(|e| match e.map(|e| &file.expr(e).kind) {
            None => true,
            Some(ExprKind::Var(var)) => is_param(*var) && !written(*var),
            Some(_) => false,
        })
    }

    /// Whether functions leave anything behind by which a failure may be seen later.
    pub(super) fn leave_something(&self, comp: CompId, unit: &FxHashSet<CompId>) -> bool {
        let called = |c: CompId| {
            self.view.all_calls(c).iter().filter_map(|call| match call.target {
                Target::Comp(target) => Some(target),
                _ => None,
            })
        };
        let mut all: Vec<CompId> = unit.iter().copied().chain([comp]).collect();
        all.extend(unit.iter().copied().chain([comp]).flat_map(called).collect::<Vec<_>>());
        all.into_iter().any(|c| {
            let file = self.view.file(c);
            self.leaves_marks(c)
                || self.inside(c).1.into_iter().any(|e| match &file.expr(e).kind {
                    ExprKind::Call { callee, .. } => {
                        match file.expr(*callee).kind {
                            ExprKind::Attr { name, .. } => {
                                LEAVING.contains(&file.name(name))
                                    && self.view.calls(c, e).iter().all(|r| {
                                        self.view.known(r.callee).is_none_or(|k| k.callable.outbound.is_none())
                                    })
                            }
                            _ => false,
                        }
                    }
                    _ => false,
                })
        })
    }

    /// The statements and expressions of a function.
    fn inside(&self, comp: CompId) -> (Vec<StmtId>, Vec<ExprId>) {
        let file = self.view.file(comp);
        let mut open: Vec<StmtId> = file.block(self.view.function(comp).body).to_vec();
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
}
