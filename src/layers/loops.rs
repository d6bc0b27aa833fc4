//! Loops with a test, and how turns of any loop end.

use super::about::{again, only_for_items};
use super::countdown::{COUNTING_TURNS, Left};
use super::machine::Machine;
use super::relevant::LoopFacts;
use super::state::{Exits, Slot, State};
use super::statements::pass_on;
use crate::ir::*;
use std::rc::Rc;

/// A loop is followed for at most so many turns.
pub(super) const TURNS: u32 = 2_000;
/// A loop whose end an unknown number decides is followed for so many turns.
pub(super) const OPEN_TURNS: u32 = 8;
/// A loop without an end is followed so far for its waits: from a millisecond they have doubled to more than an hour.
const GROWING_TURNS: u32 = 24;

/// The parts of a loop with a test.
pub struct WhileLoop {
    /// The test before each turn.
    pub before: Option<ExprId>,
    pub(super) body: BlockId,
    pub(super) update: Option<BlockId>,
    pub(super) after: Option<ExprId>,
    /// What runs when the test fails.
    pub otherwise: Option<BlockId>,
    pub(super) label: Option<Name>,
    pub(super) header: Span,
}

impl Machine<'_, '_, '_> {
    /// Facts about a loop's body, worked out once.
    pub fn loop_facts(
        &mut self,
        state: &State,
        body: BlockId,
        tests: &[ExprId],
        target: Option<PatId>,
    ) -> Rc<LoopFacts> {
        let func = self.view.func(self.comp(state));
        let key = (func.file, body, self.plan.key.as_ref().map(|k| k.target));
        if let Some(facts) = self.facts.get(&key) {
            return facts.clone();
        }
        let runs = self.run_in_place(self.comp(state));
        let sleeps = self.sleeps_in(self.comp(state));
        let facts = Rc::new(LoopFacts::of(self.ir(state), body, tests, target, &runs, &sleeps));
        self.facts.insert(key, facts.clone());
        facts
    }

    /// A loop never ends on a path; in a generator that is being run, the loop over it does not either.
    pub(super) fn note_endless(&mut self, place: crate::source::Place, state: &State) {
        self.endless.push((place, state.timed));
        if let Some(around) = self.consumed_at(state) {
            self.endless.push((around, state.timed));
        }
    }

    pub(super) fn loop_end(
        &mut self,
        state: State,
        otherwise: Option<BlockId>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        match otherwise {
            Some(block) => next.extend(self.block(vec![state], block, exits)),
            None => next.push(state),
        }
    }

    /// Sorts the ways out of a turn: what goes on to the next turn is returned.
    pub fn turn_ends(
        &mut self,
        mut ends: Vec<State>,
        inner: &mut Exits,
        label: Option<Name>,
        outer: &Rc<Vec<Slot>>,
        body: BlockId,
        next: &mut Vec<State>,
    ) -> Vec<State> {
        for (mut state, to) in std::mem::take(&mut inner.breaks) {
            if to.is_none() || to == label {
                state.slots = outer.clone();
                next.push(state);
            } else {
                state.slots = outer.clone();
                inner.breaks.push((state, to));
            }
        }
        for (state, to) in std::mem::take(&mut inner.continues) {
            if to.is_none() || to == label {
                ends.push(state);
            } else {
                inner.continues.push((state, to));
            }
        }
        for (state, _) in &mut inner.returns {
            state.slots = outer.clone();
        }
        for (state, _) in &mut inner.raises {
            state.slots = outer.clone();
        }
        self.forget_after_turn(&mut ends, body);
        self.forget_dead(&mut ends);
        self.merge(ends)
    }

    /// A path that never leaves a loop ends here; what it did counts.
    pub(super) fn leave_endless(&mut self, mut state: State, outer: &Rc<Vec<Slot>>, exits: &mut Exits) {
        state.slots = outer.clone();
        exits.raises.push((state, self.never()));
    }

    /// A loop is left because it goes on for too long. It may have no end; if time for looking is up, nobody knows.
    pub(super) fn gives_up(
        &mut self,
        place: crate::source::Place,
        state: State,
        outer: &Rc<Vec<Slot>>,
        exits: &mut Exits,
    ) {
        self.cut = true;
        if self.steps > 0 && !only_for_items(&state, place) {
            self.note_endless(place, &state);
        }
        self.leave_endless(state, outer, exits);
    }

    pub(super) fn while_loop(&mut self, state: State, parts: &WhileLoop, next: &mut Vec<State>, exits: &mut Exits) {
        let place = self.view.place(self.comp(&state), parts.header);
        let outer = state.slots.clone();
        let tests: Vec<ExprId> = parts.before.iter().chain(&parts.after).copied().collect();
        let facts = self.loop_facts(&state, parts.body, &tests, None);
        let per_item = !(facts.of_item.is_empty() && facts.stepped.is_empty());
        let mut live = vec![state];
        let mut turn: u32 = 0;
        let mut seen: Vec<State> = Vec::new();
        let left = Left::now(next, exits);
        loop {
            let mut going = Vec::new();
            for mut state in std::mem::take(&mut live) {
                let mut slots = (*outer).clone();
                slots.push(Slot { place, turn, recursion: false, body: parts.body, per_item });
                state.slots = Rc::new(slots);
                match parts.before {
                    None => going.push(state),
                    Some(test) => self.loop_test(state, test, &outer, parts.otherwise, &mut going, next, exits),
                }
            }
            // Where a number that is not known decides, some turns say as much as many.
            if turn > OPEN_TURNS {
                going.retain(|s| s.open.is_none() || s.timed);
            }
            // A turn that starts exactly like an earlier one never ends.
            let mut fresh = Vec::new();
            for state in going {
                if let Some(old) = seen.iter().find(|old| facts.same(old, &state)) {
                    if turn < GROWING_TURNS && super::widen::waits_on(&facts, &seen, &state) {
                        fresh.push(state);
                        continue;
                    }
                    let counts = self.counted_since(old, &state, |var| facts.relevant.contains(&var));
                    if counts && turn < COUNTING_TURNS {
                        fresh.push(state);
                        continue;
                    }
                    if counts && left.by_number(next, exits) {
                        continue;
                    }
                    // Going around without another call is no retry, even for ever.
                    if again(old, &state, place) {
                        self.note_endless(place, &state);
                    }
                    self.leave_endless(state, &outer, exits);
                } else {
                    fresh.push(state);
                }
            }
            if fresh.is_empty() {
                break;
            }
            if let [state] = &fresh[..]
                && self.runs_away(turn, seen.last(), state, &facts, parts, &outer)
            {
                if seen.last().is_some_and(|old| again(old, state, place)) {
                    self.note_endless(place, state);
                }
                self.leave_endless(state.clone(), &outer, exits);
                break;
            }
            seen.extend(fresh.iter().cloned());
            if seen.len() > 96 {
                seen.drain(..48);
            }
            live = self.turn(fresh, parts, &outer, next, exits);
            turn += 1;
            if turn > TURNS || self.steps == 0 {
                for state in std::mem::take(&mut live) {
                    self.gives_up(place, state, &outer, exits);
                }
                break;
            }
        }
    }

    /// One turn of a loop whose test in front was passed: what goes on to the next one.
    pub fn turn(
        &mut self,
        fresh: Vec<State>,
        parts: &WhileLoop,
        outer: &Rc<Vec<Slot>>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) -> Vec<State> {
        let mut inner = Exits::default();
        let ends = self.block(fresh, parts.body, &mut inner);
        let mut ends = self.turn_ends(ends, &mut inner, parts.label, outer, parts.body, next);
        pass_on(inner, exits);
        if let Some(update) = parts.update {
            ends = self.block(ends, update, exits);
        }
        let Some(test) = parts.after else { return ends };
        let mut live = Vec::new();
        for state in ends {
            self.loop_test(state, test, outer, parts.otherwise, &mut live, next, exits);
        }
        live
    }

    /// Evaluates a loop's test: what goes around, and what is done.
    pub fn loop_test(
        &mut self,
        state: State,
        test: ExprId,
        outer: &Rc<Vec<Slot>>,
        otherwise: Option<BlockId>,
        going: &mut Vec<State>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        for (mut state, value) in self.eval_test(test, state, exits) {
            let truth = self.truth(&value);
            state.timed |= self.clock_read;
            if truth.is_none() {
                self.note_open(&mut state, test);
                self.note_guess(&state, test);
            }
            if truth != Some(true) {
                let mut ended = state.clone();
                if truth.is_none() {
                    self.ends_by_chance(&mut ended, test);
                } else if self.is_known_by_hearsay(test, &ended) {
                    // Another test of a number that nobody knows went this way before (`if (i < count - 1) wait()`).
                    ended.ran_out.extend(ended.slots.last().map(|slot| slot.place));
                }
                self.assume(&mut ended, test, false);
                ended.slots = outer.clone();
                self.loop_end(ended, otherwise, next, exits);
            }
            if truth != Some(false) {
                self.assume(&mut state, test, true);
                going.push(state);
            }
        }
        self.clock_read = false;
    }
}
