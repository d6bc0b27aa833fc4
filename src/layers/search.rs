//! Methods of iterators that go on until a closure says it is enough (Rust): `(0..3).find_map(|_| fetch().ok())`. They
//! are loops.

use super::calls::Given;
use super::iterators::{Iter, Next};
use super::machine::{Callee, Machine, Outcome};
use super::state::{Exits, Slot, State};
use super::val::Val;
use crate::ir::ExprId;
use crate::link::token::Token;
use std::rc::Rc;

/// At most so many elements are looked at one by one.
const TURNS: u32 = 400;
/// Where there is no end, so many turns show it.
const ENDLESS: u32 = 4;

/// What a turn says about the ones after it.
enum Turn {
    /// Enough: the result.
    Done(Val),
    /// The next element.
    On,
    /// Nobody knows.
    Open(Val),
}

/// Whether a method looks for something among elements.
fn searches(name: &str) -> bool {
    matches!(name, "find_map" | "find" | "any" | "all" | "position" | "try_for_each" | "for_each")
}

impl Machine<'_, '_, '_> {
    /// Whether an iterator's method calls what it is handed by and by.
    pub fn is_search(&mut self, on: &Val, name: &str) -> bool {
        searches(name) && self.repeats(on)
    }

    /// Whether elements say nothing that the work could be about: numbers, or what a closure gives.
    fn repeats(&mut self, on: &Val) -> bool {
        match on {
            Val::Range(..) => true,
            Val::Iter(iter) => iter.is_plain(),
            Val::List(list) => list.iter().all(|v| matches!(v, Val::Num(_))),
            _ => false,
        }
    }

    /// Runs a search; the path is handed back if it is none.
    #[allow(clippy::too_many_arguments)]
    pub fn search(
        &mut self,
        e: ExprId,
        on: &Val,
        name: &str,
        given: &Given,
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> Option<State> {
        if !self.is_search(on, name) {
            return Some(state);
        }
        let Some(iter) = self.iterator_of(on) else { return Some(state) };
        let closure = given.positional.first().cloned().unwrap_or(Val::Unknown);
        let comp = self.comp(&state);
        let place = self.view.call_place(comp, e);
        let body = self.view.function(comp).body;
        let outer = state.slots.clone();
        let before = state.calls();
        let mut live: Vec<(State, Iter)> = vec![(state, iter)];
        let mut turn = 0;
        while !live.is_empty() && self.steps > 0 {
            let mut next: Vec<(State, Iter)> = Vec::new();
            for (mut state, iter) in live {
                let endless = self.is_endless(&iter);
                if turn >= TURNS || (endless && turn >= ENDLESS) {
                    self.cut |= !endless;
                    if state.calls() > before {
                        self.endless.push((place, state.timed));
                    }
                    state.slots = outer.clone();
                    exits.raises.push((state, self.never()));
                    continue;
                }
                let mut slots = (*outer).clone();
                slots.push(Slot { place, turn, recursion: false, body, per_item: false });
                state.slots = Rc::new(slots);
                for (state, element, after) in self.next_of(&iter, state, exits) {
                    match element {
                        Next::End => out.push((left(state, &outer), ended(name))),
                        Next::Unknown => out.push((left(state, &outer), Val::Unknown)),
                        Next::Item(value) => {
                            for (state, said) in self.asked(e, &closure, value.clone(), state, exits) {
                                match self.turn_of(name, &said, &value) {
                                    Turn::Done(result) => out.push((left(state, &outer), result)),
                                    Turn::On => next.push((state, after.clone())),
                                    Turn::Open(result) => {
                                        out.push((left(state.clone(), &outer), result));
                                        next.push((state, after.clone()));
                                    }
                                }
                            }
                        }
                    }
                }
            }
            live = self.merged(next);
            turn += 1;
        }
        for (state, _) in live {
            out.push((left(state, &outer), Val::Unknown));
        }
        None
    }

    /// Paths that go on alike are one.
    fn merged(&mut self, paths: Vec<(State, Iter)>) -> Vec<(State, Iter)> {
        let mut kept: Vec<(State, Iter)> = Vec::new();
        for (state, iter) in paths {
            match kept.iter_mut().find(|(k, i)| *i == iter && k.same_future(&state)) {
                Some((old, _)) if (state.calls() > old.calls()) != self.fewest => *old = state,
                Some(_) => {}
                None => kept.push((state, iter)),
            }
        }
        kept.truncate(8);
        kept
    }

    /// What a closure says to an element. It may be what fails.
    fn asked(&mut self, e: ExprId, closure: &Val, value: Val, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        match self.failing_closure(closure) {
            Some(outcome) => {
                let mut state = state;
                self.happened(e, &mut state);
                vec![(state, outcome)]
            }
            None => self.applied(e, closure, value, state, exits),
        }
    }

    /// What calling a closure comes to, if it is what fails.
    pub fn failing_closure(&self, closure: &Val) -> Option<Val> {
        let (Val::Tok(tok), Some(key)) = (closure, &self.plan.key) else { return None };
        let Token::Function { func, env } = *self.view.token(*tok) else { return None };
        let comp = self.view.component_of(func, env)?;
        (key.target == Callee::Comp(comp)).then(|| match &self.plan.outcome {
            Outcome::Raise(error) => Val::Fail(error.clone()),
            Outcome::Value(value) => value.clone(),
        })
    }

    fn turn_of(&mut self, name: &str, said: &Val, element: &Val) -> Turn {
        match name {
            "find_map" => match said {
                Val::Good(_) => Turn::Done(said.clone()),
                Val::Null => Turn::On,
                _ => Turn::Open(Val::Unknown),
            },
            "for_each" => Turn::On,
            "try_for_each" => match said {
                Val::Fail(_) => Turn::Done(said.clone()),
                Val::Good(_) | Val::Null => Turn::On,
                _ => Turn::Open(Val::Unknown),
            },
            _ => {
                let stops = name != "all";
                let result = match name {
                    "any" | "all" => Val::Bool(stops),
                    "find" => Val::Good(Box::new(element.clone())),
                    _ => Val::Good(Box::new(Val::Unknown)),
                };
                match self.truth(said) {
                    Some(truth) if truth == stops => Turn::Done(result),
                    Some(_) => Turn::On,
                    None => Turn::Open(result),
                }
            }
        }
    }
}

fn left(mut state: State, outer: &Rc<Vec<Slot>>) -> State {
    state.slots = outer.clone();
    state
}

/// What a search comes to that went through all elements.
fn ended(name: &str) -> Val {
    match name {
        "any" => Val::Bool(false),
        "all" => Val::Bool(true),
        "try_for_each" => Val::Good(Box::new(Val::Null)),
        _ => Val::Null,
    }
}
