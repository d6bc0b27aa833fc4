//! Failures that nobody outside of a function sees: it ends as it would after a success, and leaves nothing behind. What
//! goes round further out goes round for another reason.

use super::compose::Composer;
use crate::ir::*;
use crate::layers::machine::{Callee, CalleeKey, Outcome};
use crate::layers::unit::UnitResult;
use crate::layers::val::Val;
use crate::link::component::{CallRecord, Target};
use crate::link::token::*;
use rustc_hash::{FxHashMap, FxHashSet};
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

/// A function that swallows a failure is short.
const STEPS: usize = 4_000;

/// What was found out already.
#[derive(Default)]
pub struct Unseen {
    /// Failures that were looked at, by the unit and its callee, and whether they go unseen.
    ends: FxHashMap<(CompId, CalleeKey), Vec<(Outcome, bool)>>,
    /// Functions that leave something behind.
    leaving: FxHashMap<FuncRef, bool>,
}

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
            || self.machine.others_fail
        {
            return None;
        }
        let slot = (comp, key.clone());
        if let Some(known) = self.unseen.ends.get(&slot).and_then(|l| l.iter().find(|(o, _)| o == outcome)) {
            return known.1.then(|| well(language));
        }
        let is = result.outcomes.iter().all(|end| self.is_plain(comp, end))
            && !self.leave_something(comp, unit)
            && self.ends_alike(comp, key, outcome, unit, result);
        self.unseen.ends.entry(slot).or_default().push((outcome.clone(), is));
        is.then(|| well(language))
    }

    /// Whether a unit ends after a success as it does after a failure.
    fn ends_alike(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        outcome: &Outcome,
        unit: &Rc<FxHashSet<CompId>>,
        result: &UnitResult,
    ) -> bool {
        self.machine.budget = STEPS;
        self.machine.used = 0;
        let ends = self.machine.ends_after_success(comp, key, unit, outcome);
        self.spent += self.machine.used;
        ends.is_some_and(|ends| {
            ends.len() == result.outcomes.len() && ends.iter().all(|end| result.outcomes.contains(end))
        })
    }

    /// Whether an end says all that it says, and nothing of a failure.
    fn is_plain(&self, comp: CompId, end: &Outcome) -> bool {
        let said = |value: &Val| matches!(value, Val::Null | Val::Bool(_) | Val::Num(_) | Val::Text(_));
        match end {
            Outcome::Raise(error) => !error.injected && !error.is_never() && error.fields.is_empty(),
            Outcome::Value(Val::Good(inner)) => said(inner),
            Outcome::Value(value) => said(value) || self.hands_back_its_own(comp),
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

    /// Whether a unit's callee may fail or not, all goes on alike: its loops go round for something else.
    pub(super) fn makes_no_difference(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        outcome: &Outcome,
        unit: &Rc<FxHashSet<CompId>>,
        result: &UnitResult,
    ) -> bool {
        // Where each turn has other rows, it does not matter what is said or noted of those before.
        if self.has_other_rows(comp, unit, &result.layers) {
            return self.machine.makes_no_difference(comp, key, unit, outcome);
        }
        if result.cut {
            return false;
        }
        let says_nothing = match outcome {
            Outcome::Raise(_) => true,
            Outcome::Value(value) => matches!(value, Val::Null | Val::Bool(_) | Val::Text(_)),
        };
        let marks = match key.target {
            Callee::Comp(target) => self.leave_something(target, &FxHashSet::default()),
            Callee::External(_) => false,
        };
        says_nothing
            && !marks
            && !self.keeps_errors(comp, unit)
            && self.machine.makes_no_difference(comp, key, unit, outcome)
    }

    /// Whether a unit gathers what became of several calls, failures among them, and goes on with that.
    fn keeps_errors(&mut self, comp: CompId, unit: &FxHashSet<CompId>) -> bool {
        unit.iter().copied().chain([comp]).any(|c| {
            let file = self.view.file(c);
            let gathers =
                |r: &&CallRecord| self.view.known(r.callee).is_some_and(|k| k.callable.keeps_errors.is_some());
            let gathered: Vec<ExprId> = self.view.all_calls(c).iter().filter(gathers).map(|r| r.expr).collect();
            let unused = self.unused.entry(self.view.func(c).file).or_insert_with(|| super::in_place::unused(file));
            gathered.iter().any(|e| !unused.contains(e))
        })
    }

    /// Whether functions leave anything behind by which a failure may be seen later.
    fn leave_something(&mut self, comp: CompId, unit: &FxHashSet<CompId>) -> bool {
        let view = self.view;
        let called = |c: CompId| {
            view.all_calls(c).iter().filter_map(|call| match call.target {
                Target::Comp(target) => Some(target),
                _ => None,
            })
        };
        let mut all: Vec<CompId> = unit.iter().copied().chain([comp]).collect();
        all.extend(unit.iter().copied().chain([comp]).flat_map(called).collect::<Vec<_>>());
        all.into_iter().any(|c| self.leaves(c))
    }

    fn leaves(&mut self, comp: CompId) -> bool {
        let func = self.view.func(comp);
        if let Some(known) = self.unseen.leaving.get(&func) {
            return *known;
        }
        let file = self.view.file(comp);
        let by_method = |e: ExprId| {
            let ExprKind::Call { callee, .. } = file.expr(e).kind else { return false };
            let ExprKind::Attr { object, name, .. } = file.expr(callee).kind else { return false };
            let sends = |callee: Tok| self.view.known(callee).is_some_and(|k| k.callable.outbound.is_some());
            LEAVING.contains(&file.name(name))
                && !(OWNED.contains(&file.name(name)) && is_its_own(file, object, func.id))
                && !self.view.calls(comp, e).iter().any(|r| sends(r.callee))
        };
        let leaves = self.leaves_marks(comp) || self.inside(comp).1.into_iter().any(by_method);
        self.unseen.leaving.insert(func, leaves);
        leaves
    }

    /// The statements and expressions of a function.
    pub(super) fn inside(&self, comp: CompId) -> (Vec<StmtId>, Vec<ExprId>) {
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

/// Those of them that change a list or a map, and nothing where it is a variable's own.
const OWNED: [&str; 11] =
    ["append", "clear", "extend", "insert", "pop", "pop_front", "push", "push_back", "remove", "retain", "update"];

/// Methods that lend what belongs to somebody else, or share it.
const LENDING: [&str; 14] = [
    "as_deref_mut",
    "as_mut",
    "borrow_mut",
    "clone",
    "entry",
    "get_mut",
    "get_or_insert_with",
    "iter_mut",
    "last_mut",
    "lock",
    "or_default",
    "or_insert",
    "upgrade",
    "write",
];

/// Whether something is a variable of a function (Rust) that holds what a call or a literal gave it, and that is gone
/// when the function ends.
fn is_its_own(file: &File, object: ExprId, function: FunctionId) -> bool {
    let ExprKind::Var(var) = file.expr(object).kind else { return false };
    if file.language != Language::Rust || file.var(var).owner != function {
        return false;
    }
    let mut values = file.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Assign { targets, value, .. } => {
            let binds = targets.iter().any(|t| matches!(file.pattern(*t), Pattern::Bind(v) if *v == var));
            binds.then_some(*value)
        }
        _ => None,
    });
    let (Some(Some(value)), None) = (values.next(), values.next()) else { return false };
    let mut pending = vec![value];
    let mut makes = false;
    while let Some(e) = pending.pop() {
        match &file.expr(e).kind {
            ExprKind::Call { callee, .. } => {
                makes = true;
                if let ExprKind::Attr { name, .. } = file.expr(*callee).kind
                    && LENDING.contains(&file.name(name))
                {
                    return false;
                }
            }
            ExprKind::Seq(..) | ExprKind::Dict(_) | ExprKind::Struct { .. } => makes = true,
            _ => {}
        }
        crate::layers::relevant::children(file, e, &mut pending);
    }
    makes
}
