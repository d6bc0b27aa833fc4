//! Runs in which the call succeeds: they are the same for every failure that they are held against.

use super::machine::{CalleeKey, End, Machine, Outcome, Plan};
use super::state::State;
use super::val::Val;
use crate::link::token::CompId;
use crate::source::Place;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// How a unit goes if the call succeeds.
#[derive(Debug)]
pub struct Success {
    /// The paths with the fewest calls, and their ends.
    pub ends: Vec<(State, End)>,
    /// Loops without an end, and whether time bounds them.
    pub endless: Vec<(Place, bool)>,
    /// It was left where it stood, for want of steps.
    pub exhausted: bool,
    looked: bool,
}

/// The runs of one unit, by what the call gives.
#[derive(Debug, Default)]
pub struct Successes {
    of: Option<(CompId, CalleeKey, Rc<FxHashSet<CompId>>, bool)>,
    runs: Vec<(Val, Rc<Success>)>,
}

impl Machine<'_, '_, '_> {
    /// How a unit ends if the call succeeds that failed in some way; none if that is not known.
    pub fn ends_after_success(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        unit: &Rc<FxHashSet<CompId>>,
        failed: &Outcome,
    ) -> Option<Vec<Outcome>> {
        self.cut = false;
        let success = self.success(comp, key, unit, self.success_of(comp, failed));
        let mut found = Vec::new();
        for (_, end) in success.ends.iter().filter(|(state, _)| state.calls() > 0) {
            let end = match end {
                End::Return(Val::Fail(error)) | End::Raise(error) => Outcome::Raise(error.clone()),
                End::Return(value) => Outcome::Value(value.clone()),
            };
            if !found.contains(&end) {
                found.push(end);
            }
        }
        (!success.exhausted && !self.cut).then_some(found)
    }

    /// Runs a unit with a callee that succeeds.
    pub(super) fn success(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        unit: &Rc<FxHashSet<CompId>>,
        value: Val,
    ) -> Rc<Success> {
        let of = Some((comp, key.clone(), unit.clone(), self.others_fail));
        if self.successes.of != of {
            self.successes = Successes { of, runs: Vec::new() };
        }
        let known = self.successes.runs.iter().find(|(v, run)| *v == value && !run.exhausted);
        let run = match known {
            Some((_, run)) => run.clone(),
            None => {
                let saved = (self.reads_header, self.by_status);
                let looked = self.looked.replace(false);
                let outcome = Outcome::Value(value.clone());
                self.fewest = true;
                let ends = self.run(comp, Plan { key: Some(key.clone()), outcome, unit: unit.clone() });
                self.fewest = false;
                (self.reads_header, self.by_status) = saved;
                let run = Rc::new(Success {
                    ends,
                    endless: std::mem::take(&mut self.endless),
                    exhausted: self.steps == 0,
                    looked: self.looked.replace(looked),
                });
                self.successes.runs.push((value, run.clone()));
                run
            }
        };
        self.looked.set(self.looked.get() || run.looked);
        run
    }
}
