//! Failures that make no difference: what was set going by itself fails, and the loop that did so goes on as it would have.

use super::machine::{CalleeKey, End, Machine, Outcome, Plan};
use super::state::State;
use super::val::Val;
use crate::link::component::Target;
use crate::link::token::CompId;
use crate::source::Place;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The shortest ways through a unit whose callee fails.
pub(super) struct Shortest {
    /// The ends.
    pub ends: Vec<(State, End)>,
    /// Loops without an end, and whether time bounds them.
    pub endless: Vec<(Place, bool)>,
}

impl Machine<'_, '_, '_> {
    /// The ends of a unit by the shortest ways.
    pub(super) fn shortest(&mut self, comp: CompId, plan: Plan) -> Shortest {
        let saved = (self.reads_header, self.by_status, self.decided);
        let rows = std::mem::take(&mut self.row_places);
        self.fewest = true;
        let ends = self.run(comp, plan);
        self.fewest = false;
        (self.reads_header, self.by_status, self.decided) = saved;
        self.row_places = rows;
        Shortest { ends, endless: self.endless.clone() }
    }

    /// Whether a unit sets its callee going and goes on in the same ways, whether that fails or not.
    pub(super) fn goes_on_alike(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        unit: &Rc<FxHashSet<CompId>>,
        failed: &Outcome,
        shortest: &Shortest,
    ) -> bool {
        if !unit.iter().chain([&comp]).all(|&c| self.sets_going(c)) {
            return false;
        }
        let success = self.success(comp, key, unit, self.success_of(comp, failed));
        !success.exhausted && ways(&success.ends, &success.endless) == ways(&shortest.ends, &shortest.endless)
    }

    /// Whether a unit goes on in the same ways, by the shortest and by the longest, whether its callee fails or not: what
    /// goes round in it goes round for something else.
    pub fn makes_no_difference(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        unit: &Rc<FxHashSet<CompId>>,
        failed: &Outcome,
    ) -> bool {
        let well = self.success_of(comp, failed);
        let success = self.success(comp, key, unit, well.clone());
        let plan = |outcome| Plan { key: Some(key.clone()), outcome, unit: unit.clone() };
        let shortest = self.shortest(comp, plan(failed.clone()));
        if success.exhausted || ways(&success.ends, &success.endless) != ways(&shortest.ends, &shortest.endless) {
            return false;
        }
        let longest = |machine: &mut Self, outcome| {
            let ends = machine.run(comp, plan(outcome));
            (machine.steps > 0).then(|| ways(&ends, &machine.endless))
        };
        let failing = longest(self, failed.clone());
        failing.is_some() && failing == longest(self, Outcome::Value(well))
    }

    /// Whether every failing call of a component is handed to something that starts it and does not wait for it.
    fn sets_going(&self, comp: CompId) -> bool {
        let file = self.view.file(comp);
        let calls = self.view.all_calls(comp);
        let starters = calls.iter().filter(|call| {
            matches!(call.target, Target::External(_))
                && self.view.known(call.callee).is_some_and(|k| k.callable.calls.iter().any(|c| c.how == "later"))
        });
        let spans: Vec<_> = starters.map(|call| file.expr(call.expr).span).collect();
        calls.iter().filter(|call| self.fails(comp, call.expr, call)).all(|call| {
            let at = file.expr(call.expr).span;
            spans.iter().any(|span| span.start <= at.start && at.end <= span.end)
        })
    }
}

/// What tells ends apart: the calls before them, and whether they come back.
fn ways(ends: &[(State, End)], endless: &[(Place, bool)]) -> (Vec<(usize, u8, Vec<Place>)>, Vec<Place>) {
    let kind = |end: &End| match end {
        End::Return(Val::Fail(_)) => 1,
        End::Return(_) => 0,
        End::Raise(error) if error.is_never() => 2,
        End::Raise(_) => 1,
    };
    let mut ways: Vec<_> = ends.iter().map(|(s, end)| (s.calls(), kind(end), s.ran_out.clone())).collect();
    ways.sort();
    ways.dedup();
    let mut places: Vec<Place> = endless.iter().map(|(place, _)| *place).collect();
    places.sort();
    places.dedup();
    (ways, places)
}
