//! Calls of functions that are values.

use super::calls::Given;
use super::machine::{End, INLINE, Machine};
use super::state::{Exits, State};
use super::val::{Num, Val};
use crate::ir::*;
use crate::link::component::{CallRecord, Target};
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// The callable that an external call runs at once, without a layer of its own (`new Promise(executor)`).
    pub(super) fn called_now(&self, records: &[CallRecord], given: &Given) -> Option<Val> {
        for record in records {
            let Target::External(_) = record.target else { continue };
            let Some(known) = self.view.known(record.callee) else { continue };
            for calls in &known.callable.calls {
                if calls.how != "now" || calls.layered {
                    continue;
                }
                let at = known.callable.params.iter().position(|p| *p == calls.callable)?;
                let idles = |tok: Tok| match *self.view.token(tok) {
                    Token::Made { callee, .. } => self.view.known(callee).is_some_and(|k| k.callable.idles),
                    _ => false,
                };
                let value = given.positional.get(at).filter(|v| matches!(v, Val::Tok(tok) if !idles(*tok)));
                if let Some(value) = value {
                    return Some(value.clone());
                }
            }
        }
        None
    }

    /// Calls a value for its result only: predicates, wait functions, callbacks of policies.
    pub fn call_value(&mut self, callee: &Val, args: Vec<Val>) -> Val {
        // Settings that take a value or a function that gives it.
        if !matches!(callee, Val::Tok(_) | Val::Many(_) | Val::Unknown) {
            return callee.clone();
        }
        let mut exits = Exits::default();
        let state = State::outside(self.now);
        let plan_key = self.plan.key.take();
        let results = self.call_closure(callee, args, state, &mut exits);
        self.plan.key = plan_key;
        let mut values: Vec<Val> = results.into_iter().map(|(_, v)| v).collect();
        values.dedup();
        match values.len() {
            1 => values.pop().unwrap_or(Val::Unknown),
            // It raises whatever happens.
            0 => exits.raises.pop().map_or(Val::Unknown, |(_, e)| Val::Fail(e)),
            _ => {
                let numbers: Option<Vec<Num>> = values.iter().map(Val::as_num).collect();
                match numbers {
                    Some(list) => {
                        let lo = list.iter().map(|n| n.lo).fold(f64::INFINITY, f64::min);
                        let hi = list.iter().map(|n| n.hi).fold(f64::NEG_INFINITY, f64::max);
                        Val::Num(Num {
                            lo,
                            hi,
                            random: list.iter().any(|n| n.random),
                            clock: false,
                            asked: list.iter().any(|n| n.asked),
                        })
                    }
                    None => Val::Unknown,
                }
            }
        }
    }

    /// What a method of an object of the program gives; of what has no such method, what it gives itself if called.
    pub(super) fn call_method(&mut self, on: &Val, name: &str, args: Vec<Val>) -> Val {
        let Val::Tok(tok) = on else { return self.call_value(on, args) };
        let plan_key = self.plan.key.take();
        let ends = self.run_method(State::outside(self.now), *tok, name, args.clone());
        self.plan.key = plan_key;
        let Some(ends) = ends else { return self.call_value(on, args) };
        let mut values: Vec<Val> = Vec::new();
        for (_, end) in ends {
            if let End::Return(value) = end
                && !values.contains(&value)
            {
                values.push(value);
            }
        }
        match (values.pop(), values.is_empty()) {
            (Some(value), true) => value,
            _ => Val::Unknown,
        }
    }

    /// Calls a callable of the program on a path.
    pub fn call_closure(&mut self, callee: &Val, args: Vec<Val>, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        if let Val::Settles(site, rejects) = callee {
            let mut state = state;
            self.settle_promise(*site, *rejects, &args, &mut state);
            return vec![(state, Val::Null)];
        }
        let Val::Tok(tok) = callee else { return vec![(state, Val::Unknown)] };
        if let Some((here, e)) = self.handing
            && self.comp(&state) == here
            && self.hands_failing(here, e, *tok)
        {
            // `.catch(send)`
            let (mut state, mut out) = (state, Vec::new());
            self.happened_with(e, false, &mut state);
            let outcome = self.plan.outcome.clone();
            self.deliver(outcome, &[], state, &mut out, exits);
            return out;
        }
        let mut at = *tok;
        let mut receiver = None;
        let mut args = args;
        loop {
            match *self.view.token(at) {
                Token::Bound { func, this } => {
                    receiver = Some(Val::Tok(this));
                    at = func;
                }
                Token::Wrapped { inner, .. } => at = inner,
                Token::Partial { site, func } => {
                    let mut all = Vec::new();
                    while let Some(value) = self.view.solver.store.get(Addr::Arg(site, all.len() as u32)) {
                        all.push(self.view.val(value));
                    }
                    all.append(&mut args);
                    args = all;
                    at = func;
                }
                _ => break,
            }
        }
        if let Token::Object { .. } | Token::Instance { .. } = self.view.token(at)
            && let Some(Val::Tok(method)) = self.view.field(at, "__call__")
        {
            // An object that is called like a function.
            receiver = Some(Val::Tok(at));
            at = method;
            while let Token::Wrapped { inner, .. } = *self.view.token(at) {
                at = inner;
            }
        }
        if let Some(raises) = self.view.known(at).and_then(|k| k.callable.raises.as_ref()) {
            // A function of a library that fails whatever it is given (`.catch(retry)`).
            let cause = match args.first() {
                Some(Val::Error(error)) => (**error).clone(),
                _ => self.unknown_error(),
            };
            let class = super::val::ErrorClass::Known(Rc::from(raises.as_str()));
            exits.raises.push((state, Rc::new(super::val::Error { class, ..cause })));
            return Vec::new();
        }
        let Token::Function { func, env } = *self.view.token(at) else {
            if let Token::External(symbol) = self.view.token(at) {
                let path = self.view.text(*symbol);
                let language = crate::link::modules::language_of_path(path);
                let value = self.native(language, path, &args).unwrap_or(Val::Unknown);
                return vec![(state, value)];
            }
            return vec![(state, Val::Unknown)];
        };
        let Some(comp) = self.view.component_of(func, env) else { return vec![(state, Val::Unknown)] };
        // A closure that leads back to itself goes down as far as a function that does.
        let levels = state.stack.iter().filter(|a| a.comp == comp).count();
        if self.is_bottomless(levels) {
            self.recurses_for_ever(&state, exits);
            return Vec::new();
        }
        if self.steps == 0 || (levels == 0 && state.stack.len() > INLINE) {
            return vec![(state, Val::Unknown)];
        }
        let outer = state.slots.clone();
        let given = Given { positional: args, ..Given::default() };
        let is_async = self.view.function(comp).is_async || self.view.file(comp).language == Language::Rust;
        let mut out = Vec::new();
        for (mut after, end) in self.enter(comp, receiver, given, state) {
            after.slots = outer.clone();
            match end {
                End::Return(value) => out.push((after, value)),
                End::Raise(error) if is_async && !error.is_never() => out.push((after, Val::Fail(error))),
                End::Raise(error) => exits.raises.push((after, error)),
            }
        }
        out
    }
}
