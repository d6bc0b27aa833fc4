//! Failures that a caller cannot tell from a success: a function gives for them what it may give after a success as well.
//! Where the caller then does something of its own that has to go well, and asks again, it asks because of that. So it is
//! where an answer says that something is missing: it is made in between.

use super::compose::Composer;
use crate::ir::ExprId;
use crate::layers::machine::{Callee, CalleeKey, Outcome};
use crate::layers::unit::OwnLayer;
use crate::layers::val::Val;
use crate::link::component::{Target, Via};
use crate::link::token::CompId;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A function that turns a failure into something else is short.
const STEPS: usize = 4_000;
/// What a function calls is followed so far.
const REACH: usize = 256;

impl Composer<'_, '_, '_> {
    /// The layers that repeat a failure: not the calls that stand there once more after other work, if the first one's
    /// failure looks as a success may.
    pub(super) fn told_apart(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        outcome: &Outcome,
        layers: &[OwnLayer],
    ) -> Option<Vec<OwnLayer>> {
        let Callee::Comp(target) = key.target else { return None };
        if !layers.iter().any(|l| l.in_a_row) || key.handed_to.is_some() {
            return None;
        }
        let other = is_missing(outcome) || (says_something(outcome) && self.may_mean_success(target, outcome));
        if !other || !self.works_between(comp, target) {
            return None;
        }
        Some(layers.iter().filter(|l| !l.in_a_row).cloned().collect())
    }

    /// Whether a component calls something else that sends after the first call of the target.
    fn works_between(&self, comp: CompId, target: CompId) -> bool {
        let file = self.view.file(comp);
        let start = |e: ExprId| file.exprs.get(e.index()).map_or(0, |e| e.span.start);
        let calls = self.view.all_calls(comp);
        let first = calls.iter().filter(|c| c.target == Target::Comp(target)).map(|c| start(c.expr)).min();
        let Some(first) = first else { return false };
        calls.iter().any(|call| match call.target {
            Target::Comp(other) if other != target && call.via == Via::Call && start(call.expr) > first => {
                self.reaching[other.0 as usize] && !self.leads_to(other, target)
            }
            _ => false,
        })
    }

    fn leads_to(&self, from: CompId, to: CompId) -> bool {
        let (mut seen, mut pending) = (FxHashSet::default(), vec![from]);
        while let Some(at) = pending.pop() {
            if at == to || seen.len() > REACH {
                return true;
            }
            if seen.insert(at) {
                let targets = self.view.all_calls(at).iter().filter_map(|c| match c.target {
                    Target::Comp(t) if self.reaching[t.0 as usize] => Some(t),
                    _ => None,
                });
                pending.extend(targets);
            }
        }
        false
    }

    /// Whether a function that gave this for a failure may give it after a success.
    fn may_mean_success(&mut self, target: CompId, outcome: &Outcome) -> bool {
        let alone: Rc<FxHashSet<CompId>> = Rc::new(std::iter::once(target).collect());
        let ran: Vec<(CalleeKey, Outcome)> = self
            .memo
            .iter()
            .filter(|((comp, _, others), _)| *comp == target && !others)
            .flat_map(|((_, key, _), list)| list.iter().map(move |(failed, result)| (key, failed, result)))
            .filter(|(.., result)| result.outcomes.contains(outcome))
            .map(|(key, failed, _)| (key.clone(), failed.clone()))
            .collect();
        ran.into_iter().any(|(key, failed)| {
            self.machine.budget = STEPS;
            self.machine.used = 0;
            let ends = self.machine.ends_after_success(target, &key, &alone, &failed);
            self.spent += self.machine.used;
            ends.is_some_and(|ends| ends.contains(outcome))
        })
    }
}

/// Whether an outcome is an answer that something is not there, or in the way.
fn is_missing(outcome: &Outcome) -> bool {
    let answers = |value: &Val| matches!(value, Val::Answer(a) if matches!(a.status, 404 | 409));
    match outcome {
        Outcome::Value(Val::Good(inner)) => answers(inner),
        Outcome::Value(value) => answers(value),
        Outcome::Raise(_) => false,
    }
}

/// Whether an outcome is a plain word: yes, no, nothing.
fn says_something(outcome: &Outcome) -> bool {
    let plain = |value: &Val| matches!(value, Val::Null | Val::Bool(_) | Val::Num(_) | Val::Text(_));
    match outcome {
        Outcome::Value(Val::Good(inner)) => plain(inner),
        Outcome::Value(value) => plain(value),
        Outcome::Raise(_) => false,
    }
}
