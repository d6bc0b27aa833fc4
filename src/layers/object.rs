//! Object literals whose properties are worked out on a path: `{ ok: false, retryable: response.status >= 500 }`.

use super::machine::{Machine, Outcome};
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::*;
use crate::link::token::{ContainerKind, Tok, Token};
use std::rc::Rc;

/// An object is handed back with what is written on it in at most so many ways.
const WAYS: usize = 3;
/// At most so many paths come out of one literal.
const PATHS: usize = 32;

impl<'p> Machine<'p, '_, '_> {
    /// An object literal: its properties are what this path makes of them, as far as link does not know them.
    pub fn object(&mut self, e: ExprId, entries: &'p [Entry], state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        let ir = self.ir(&state);
        let made = self.of_link(&state, e);
        let mut paths: Vec<(State, Vec<(Rc<str>, Val)>)> = vec![(state, Vec::new())];
        for entry in entries {
            let mut next = Vec::new();
            for (state, so_far) in paths {
                match *entry {
                    Entry::Pair(key, value) => {
                        let name = match &ir.expr(key).kind {
                            ExprKind::Literal(Literal::Str(name)) => Some(Rc::from(ir.name(*name))),
                            _ => None,
                        };
                        for (state, value) in self.eval(value, state, exits) {
                            let mut so_far = so_far.clone();
                            so_far.extend(self.mark_of_call(&state, &value));
                            so_far.extend(name.clone().map(|name| (name, value)));
                            next.push((state, so_far));
                        }
                    }
                    Entry::Spread(other) => {
                        for (state, value) in self.eval(other, state, exits) {
                            let mut so_far = so_far.clone();
                            so_far.extend(written_on(&state, &value));
                            so_far.extend(self.mark_of_call(&state, &value));
                            next.push((state, so_far));
                        }
                    }
                    Entry::Getter(..) => next.push((state, so_far)),
                }
            }
            next.truncate(PATHS);
            paths = next;
        }
        let Val::Tok(object) = made else { return paths.into_iter().map(|(state, _)| (state, made.clone())).collect() };
        for (state, properties) in &mut paths {
            self.keep(state, object, properties);
        }
        paths.into_iter().map(|(state, _)| (state, made.clone())).collect()
    }

    /// `Object.assign(target, …)`: what is given last holds. False if the target is none that can be followed.
    pub fn assigned_object(&mut self, given: &super::calls::Given, state: &mut State) -> bool {
        let Some((Val::Tok(target), sources)) = given.positional.split_first() else { return false };
        for source in sources {
            let Some(keys) = self.elements(source) else {
                // What is copied from something unknown may say otherwise.
                state.heap.retain(|(object, _), value| {
                    object != target || super::switches::unless_a_switch(value.clone()) == *value
                });
                continue;
            };
            for key in keys {
                let Val::Text(key) = key else { continue };
                let value = self.attribute_on(state, source, &key);
                self.keep(state, *target, &[(key, value)]);
            }
        }
        true
    }

    /// What a function hands back, with what its path wrote on it: whoever called it has another path. Not of many ways
    /// to write on the same object: these are data, no verdict.
    pub(super) fn packed(&self, state: &State, value: &Val, others: &[Outcome]) -> Val {
        if let Val::Good(inner) = value {
            return Val::Good(Box::new(self.packed(state, inner, others)));
        }
        let Val::Tok(tok) = value else { return value.clone() };
        let is_literal = matches!(self.view.token(*tok), Token::Container { kind: ContainerKind::Dict, .. });
        if !is_literal && !self.put_together.borrow().contains(tok) {
            return value.clone();
        }
        let mut written = written_on(state, value);
        if !is_literal {
            // Of what else a struct holds, whoever gets it seldom asks.
            written.retain(|(_, value)| matches!(value, Val::Answer(_)));
        }
        written.retain(|(_, value)| match value {
            Val::Null | Val::Bool(_) | Val::Text(_) | Val::Answer(_) | Val::Error(_) => true,
            Val::Num(n) => n.value().is_some(),
            _ => false,
        });
        let same = |v: &Val| matches!(v, Val::With(t, _) if t == tok);
        let alike = others.iter().filter(|o| match o {
            Outcome::Value(Val::Good(inner)) => same(inner),
            Outcome::Value(value) => same(value),
            Outcome::Raise(_) => false,
        });
        let alike = alike.count();
        if written.is_empty() || alike >= WAYS {
            return value.clone();
        }
        Val::With(*tok, Rc::new(written))
    }

    fn keep(&self, state: &mut State, object: Tok, properties: &[(Rc<str>, Val)]) {
        for (name, value) in properties {
            let plain =
                matches!(value, Val::Null | Val::Bool(_) | Val::Num(_) | Val::Text(_) | Val::Error(_) | Val::Answer(_));
            let key = (object, name.clone());
            if plain && self.view.field(object, name).as_ref() != Some(value) {
                state.heap.insert(key, value.clone());
            } else {
                state.heap.remove(&key);
            }
        }
    }
}

/// Writes on a path what the one who made an object wrote on it.
pub(super) fn unpack(state: &mut State, value: &mut Val) {
    if let Val::Good(inner) = value {
        unpack(state, inner);
        return;
    }
    let Val::With(tok, entries) = value else { return };
    let tok = *tok;
    for (name, value) in entries.iter() {
        state.heap.insert((tok, name.clone()), value.clone());
    }
    *value = Val::Tok(tok);
}

/// What a path has written on an object.
pub(super) fn written_on(state: &State, value: &Val) -> Vec<(Rc<str>, Val)> {
    let Val::Tok(object) = value else { return Vec::new() };
    let mut all: Vec<(Rc<str>, Val)> = state
        .heap
        .iter()
        .filter(|((tok, _), _)| tok == object)
        .map(|((_, name), v)| (name.clone(), v.clone()))
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}
