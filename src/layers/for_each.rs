//! Loops over elements, over generators and over the attempts of a policy.

use super::generator::Work;
use super::loops::TURNS;
use super::machine::{End, Machine};
use super::state::{Exits, Slot, State};
use super::statements::pass_on;
use super::val::{Error, Val};
use crate::ir::*;
use crate::link::token::*;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The elements of an endless sequence are the same after so many.
const ENDLESS: u32 = 50;
/// So many happenings are written down in a step.
const WRITTEN: usize = 8;
/// At most so much is written down for turns that are not run.
const MOST_REPEATED: usize = 100_000;

pub(super) struct ForEach {
    pub(super) target: PatId,
    pub(super) body: BlockId,
    pub(super) otherwise: Option<BlockId>,
    pub(super) label: Option<Name>,
    pub(super) header: Span,
    pub(super) keys: bool,
}

impl Machine<'_, '_, '_> {
    pub(super) fn for_each(
        &mut self,
        state: State,
        value: &Val,
        each: &ForEach,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        let place = self.view.place(self.comp(&state), each.header);
        if let Val::Fail(error) = value
            && self.ir(&state).language != Language::Rust
        {
            // Of what is read bit by bit (an asynchronous generator), the failure comes when it is read.
            exits.raises.push((state, error.clone()));
            return;
        }
        if let Some(pending) = self.generator_of(value) {
            let work = Work::Loop { target: each.target, body: each.body, label: each.label, place };
            if let Some(ends) = self.consume(state.clone(), &pending, work, next, exits) {
                for (state, end) in ends {
                    match end {
                        End::Return(_) => self.loop_end(state, each.otherwise, next, exits),
                        End::Raise(error) => exits.raises.push((state, error)),
                    }
                }
                return;
            }
        }
        let outer = state.slots.clone();
        let iterator = match value {
            Val::Tok(tok) => {
                ["__next__", "__anext__"].iter().find(|n| self.method_of(*tok, n).is_some()).map(|n| (*tok, *n))
            }
            _ => None,
        };
        let policy = self.policy_of_loop(value);
        let rust = self.ir(&state).language == Language::Rust;
        let lazy = if rust && policy.is_none() { self.iterator_of(value) } else { None };
        let written = lazy.as_ref().and_then(|iter| self.written_out(iter));
        let lazy = lazy.filter(|_| written.is_none());
        let items = if each.keys { None } else { written.or_else(|| self.iterated(value)) };
        let per_item = policy.is_none() && iterator.is_none() && items.as_ref().is_none_or(|i| !i.is_numeric());
        let facts = self.loop_facts(&state, each.body, &[], Some(each.target));
        let key: (Tok, Rc<str>) = (Tok(u32::MAX), Rc::from(format!("iterated {}", place.span.start)));
        let mut state = state;
        if let Some(iter) = &lazy {
            state.heap.insert(key.clone(), Val::Iter(Rc::new(iter.clone())));
        }
        let lengths = if items.is_none() { state.lengths() } else { Vec::new() };
        let mut live = vec![state];
        let mut turn: u32 = 0;
        let mut seen: Vec<State> = Vec::new();
        loop {
            // Which turns there are: a known sequence ends; a policy decides; an unknown one may end or go on.
            let mut going = Vec::new();
            for mut state in std::mem::take(&mut live) {
                if let Some((tok, name)) = iterator {
                    // An iterator of the program: each turn asks it for the next element.
                    let Some(ends) = self.run_method(state.clone(), tok, name, Vec::new()) else {
                        state.slots = outer.clone();
                        state.ran_out.push(place);
                        self.loop_end(state, each.otherwise, next, exits);
                        continue;
                    };
                    for (mut state, end) in ends {
                        match end {
                            End::Return(value) => {
                                self.bind(&mut state, each.target, &value);
                                going.push(state);
                            }
                            End::Raise(error) if self.ends_iteration(&error) => {
                                state.slots = outer.clone();
                                self.loop_end(state, each.otherwise, next, exits);
                            }
                            End::Raise(error) => exits.raises.push((state, error)),
                        }
                    }
                    continue;
                }
                if lazy.is_some()
                    && let Some(Val::Iter(iter)) = state.heap.get(&key).cloned()
                {
                    for (mut state, step, after) in self.next_of(&iter, state, exits) {
                        match step {
                            super::iterators::Next::End => {
                                state.heap.remove(&key);
                                state.slots = outer.clone();
                                self.loop_end(state, each.otherwise, next, exits);
                            }
                            step => {
                                state.heap.insert(key.clone(), Val::Iter(Rc::new(after)));
                                let item = match step {
                                    super::iterators::Next::Item(value) => value,
                                    _ => Val::Unknown,
                                };
                                self.bind(&mut state, each.target, &item);
                                going.push(state);
                            }
                        }
                    }
                    continue;
                }
                if let Some(policy) = &policy {
                    match self.next_attempt(policy, &mut state, turn) {
                        Some(true) => going.push(state),
                        Some(false) => {
                            let error = state.caught.take();
                            match error {
                                Some(error) => {
                                    let end = self.policy_end(policy, &error);
                                    state.slots = outer.clone();
                                    match end {
                                        Some(error) => exits.raises.push((state, error)),
                                        None => self.loop_end(state, each.otherwise, next, exits),
                                    }
                                }
                                None => {
                                    state.slots = outer.clone();
                                    self.loop_end(state, each.otherwise, next, exits);
                                }
                            }
                        }
                        None => {
                            going.push(state);
                        }
                    }
                    continue;
                }
                match &items {
                    Some(items) if items.ends_at(turn) => {
                        state.slots = outer.clone();
                        self.loop_end(state, each.otherwise, next, exits);
                    }
                    Some(_) => going.push(state),
                    None => {
                        if turn > 0 {
                            let mut ended = state.clone();
                            ended.forget_grown(&lengths);
                            ended.slots = outer.clone();
                            ended.ran_out.push(place);
                            self.loop_end(ended, each.otherwise, next, exits);
                        }
                        let mut state = state;
                        // What the call is about tells; a deadline that differs from turn to turn makes no other work of it.
                        let same_work =
                            facts.repeats || (state.calls() > 0 && !super::about::only_for_items(&state, place));
                        if turn > 0 && same_work {
                            let what = format!("@{}:{}:{}", place.file.0, each.header.start, each.header.end);
                            state.open.get_or_insert_with(|| Rc::from(what));
                        }
                        if turn < 2 {
                            going.push(state);
                        }
                    }
                }
            }
            if going.is_empty() {
                break;
            }
            for state in &mut going {
                let item = match (&policy, &items) {
                    (Some(_), _) => Val::Attempt,
                    (None, Some(items)) => items.at(turn),
                    (None, None) => Val::Unknown,
                };
                if iterator.is_none() && lazy.is_none() {
                    self.bind(state, each.target, &item);
                }
                let mut slots = (*outer).clone();
                slots.push(Slot { place, turn, recursion: false, body: each.body, per_item });
                state.slots = Rc::new(slots);
            }
            // A turn that starts like an earlier one will go like it: the rest is known without running it.
            let total = items.as_ref().and_then(|i| i.len());
            if let Some(repeated) = going.iter().position(|s| seen.iter().any(|old| facts.same(old, s)))
                && turn > 1
                && let Some(total) = total
                && total > turn + 2
                && !facts.target_matters
                && (!facts.target_waits || turn > ENDLESS)
            {
                let state = going.swap_remove(repeated);
                let skipped = total - turn - 1;
                let before = state.trace.len();
                let state = repeat_turns(state, place, turn, skipped);
                // Writing it down is work as well.
                self.steps = self.steps.saturating_sub((2 * state.trace.len() - before) / WRITTEN);
                turn = total - 1;
                going = vec![state];
                for state in &mut going {
                    let mut slots = (*outer).clone();
                    slots.push(Slot { place, turn, recursion: false, body: each.body, per_item });
                    state.slots = Rc::new(slots);
                }
            } else if (iterator.is_some()
                || lazy.is_some()
                || (matches!(items, Some(super::items::Items::Endless(_)))
                    && (!facts.target_matters || turn > ENDLESS)))
                && turn > 0
                && let Some(at) = going.iter().position(|s| seen.iter().any(|old| facts.same(old, s)))
            {
                let state = going.swap_remove(at);
                self.note_endless(place, &state);
                self.leave_endless(state, &outer, exits);
                if going.is_empty() {
                    break;
                }
            } else if policy.is_some()
                && turn > 0
                && let Some(at) = going.iter().position(|s| seen.iter().any(|old| facts.same(old, s)))
                && self.policy_is_endless(policy.as_ref(), &going[at])
            {
                let state = going.swap_remove(at);
                self.note_endless(place, &state);
                self.leave_endless(state, &outer, exits);
                if going.is_empty() {
                    break;
                }
            }
            seen.extend(going.iter().cloned());
            if seen.len() > 64 {
                seen.drain(..32);
            }
            let mut inner = Exits::default();
            let ends = self.block(going, each.body, &mut inner);
            live = self.turn_ends(ends, &mut inner, each.label, &outer, each.body, next);
            pass_on(inner, exits);
            if policy.is_some() {
                // A turn without a failure is the last one.
                let (failed, done): (Vec<State>, Vec<State>) = live.into_iter().partition(|s| s.caught.is_some());
                for mut state in done {
                    state.slots = outer.clone();
                    next.push(state);
                }
                live = failed;
            }
            turn += 1;
            if turn > TURNS || self.steps == 0 {
                for state in std::mem::take(&mut live) {
                    self.gives_up(place, state, &outer, exits);
                }
                break;
            }
        }
    }

    /// Whether an error ends an iteration.
    fn ends_iteration(&mut self, error: &Rc<Error>) -> bool {
        self.looked.set(true);
        let ends = ["builtins.StopIteration", "builtins.StopAsyncIteration"];
        matches!(&error.class, super::val::ErrorClass::Known(class) if ends.contains(&&**class))
    }
}

/// A path on which the last turn happens `skipped` times more.
fn repeat_turns(mut state: State, place: crate::source::Place, turn: u32, skipped: u32) -> State {
    use super::state::Happening;
    let around = state.slots.len().saturating_sub(1);
    let outer = state.slots[..around].to_vec();
    let of_turn = |h: &Happening, turn: u32| {
        let slots = match h {
            Happening::Call { slots, .. } | Happening::Sleep { slots, .. } => slots,
        };
        slots.len() > around
            && slots[..around] == outer[..]
            && slots[around].place == place
            && slots[around].turn == turn
    };
    let last: Vec<Happening> = state.trace.to_vec().into_iter().filter(|h| of_turn(h, turn - 1)).collect();
    let limit = (MOST_REPEATED / last.len().max(1)) as u32;
    if skipped > limit {
        state.open.get_or_insert_with(|| Rc::from("there are too many turns to write them all down"));
    }
    for k in 0..skipped.min(limit) {
        for happening in &last {
            let mut copy = happening.clone();
            let slots = match &mut copy {
                Happening::Call { slots, .. } | Happening::Sleep { slots, .. } => slots,
            };
            let mut list = (**slots).clone();
            list[around].turn = turn + k;
            *slots = Rc::new(list);
            match &mut copy {
                Happening::Sleep { lo, .. } => state.clock += *lo,
                // For another element, it is other work.
                Happening::Call { work, about, .. } if about.iter().any(|element| element.is_new_in(place)) => {
                    let mut hasher = FxHasher::default();
                    (*work, turn + k).hash(&mut hasher);
                    *work = hasher.finish();
                }
                Happening::Call { .. } => {}
            }
            state.trace.push(copy);
        }
    }
    state
}
