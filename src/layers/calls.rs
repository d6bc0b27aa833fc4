//! Calls in abstract execution: the receiver, the arguments, and what the call is of.

use super::about::About;
use super::machine::{Machine, Outcome};
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::*;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

/// Evaluated arguments.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Given {
    /// By position.
    pub positional: Vec<Val>,
    /// By keyword.
    pub keywords: Vec<(Rc<str>, Val)>,
    /// More of them, not known.
    pub open: bool,
    /// The elements of loops that the call is for.
    pub about: About,
}

/// A closure is asked about at most so many elements.
const MOST_ASKED: usize = 64;

impl<'p> Machine<'p, '_, '_> {
    /// A call expression.
    pub fn call(
        &mut self,
        e: ExprId,
        callee: ExprId,
        args: &'p [Arg],
        state: State,
        exits: &mut Exits,
    ) -> Vec<(State, Val)> {
        let ir = self.ir(&state);
        // The receiver first: it may be a call of its own.
        let object = match &ir.expr(callee).kind {
            ExprKind::Attr { object, .. } => Some(*object),
            _ => None,
        };
        let mut states: Vec<(State, Val)> = match object {
            Some(object) => self.eval(object, state, exits),
            None => match self.pure(callee, &state) {
                Some(value) => vec![(state, value)],
                None => self.eval(callee, state, exits),
            },
        };
        let mut given: Vec<(State, Val, Given)> = Vec::new();
        // What a recursion hands on to itself in an object decides how it goes on.
        let comes_back = states.first().is_some_and(|(state, _)| {
            ir.language == Language::JavaScript
                && self.view.targets(self.comp(state), e).any(|(t, _)| self.plan.unit.contains(&t))
        });
        // So does what an answer is made of.
        let comes_back = comes_back || states.first().is_some_and(|(_, on)| self.makes_answers(on));
        for (state, on) in states.drain(..) {
            let goes_off = self.goes_off(e, &state);
            let mut list = vec![(state, Given::default())];
            for arg in args {
                let mut next = Vec::new();
                for (state, so_far) in list {
                    let values = match comes_back {
                        _ if goes_off && is_block(ir, arg.value()) => vec![(state, Val::Unknown)],
                        true => self.eval(arg.value(), state, exits),
                        false => self.eval_argument(arg.value(), state, exits),
                    };
                    for (state, value) in values {
                        let mut so_far = so_far.clone();
                        match arg {
                            Arg::Positional(_) => so_far.positional.push(value),
                            Arg::Keyword(name, _) => so_far.keywords.push((Rc::from(ir.name(*name)), value)),
                            Arg::Spread(_) => match self.elements(&value) {
                                Some(items) => so_far.positional.extend(items),
                                None => so_far.open = true,
                            },
                            Arg::KeywordSpread(_) => self.spread_keywords(&value, &mut so_far),
                        }
                        next.push((state, so_far));
                    }
                }
                list = next;
            }
            given.extend(list.into_iter().map(|(s, g)| {
                let about = self.about(e, &s);
                (s, on.clone(), Given { about, ..g })
            }));
        }
        let mut out = Vec::new();
        for (state, on, given) in given {
            if let Some((at, seen)) = &mut self.watched
                && *at == (state.stack.last().map_or(CompId(0), |a| a.comp), e)
            {
                seen.push(given.clone());
            }
            self.dispatch(e, callee, object.is_some(), &on, given, state, &mut out, exits);
        }
        self.few(out)
    }

    pub(super) fn spread_keywords(&mut self, value: &Val, given: &mut Given) {
        if let Val::Dict(entries) = value {
            given.keywords.extend(entries.iter().cloned());
            return;
        }
        let Val::Tok(tok) = value else {
            given.open = true;
            return;
        };
        let store = &self.view.solver.store;
        given.open |= store.get(Addr::Element(*tok)).is_some();
        if let Some(keys) = store.get(Addr::Keys(*tok)) {
            for key in keys.iter() {
                if let Token::Str(symbol) = self.view.token(key) {
                    let name = self.view.text(*symbol);
                    if let Some(value) = self.view.field(*tok, name) {
                        given.keywords.push((Rc::from(name), value));
                    }
                }
            }
        }
    }

    /// `list.some(…)`, `list.every(…)`: what a closure says to known elements.
    fn some_or_every(
        &mut self,
        some: bool,
        items: Vec<Val>,
        given: &Given,
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) {
        let closure = given.positional.first().cloned().unwrap_or(Val::Unknown);
        let mut live = vec![(state, true)];
        for item in items {
            let mut next: Vec<(State, bool)> = Vec::new();
            for (state, sure) in live {
                for (state, said) in self.call_closure(&closure, vec![item.clone()], state, exits) {
                    match self.truth(&said) {
                        Some(truth) if truth == some => out.push((state, Val::Bool(some))),
                        Some(_) => next.push((state, sure)),
                        None => next.push((state, false)),
                    }
                }
            }
            live = next;
        }
        out.extend(live.into_iter().map(|(s, sure)| (s, if sure { Val::Bool(!some) } else { Val::Unknown })));
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn dispatch(
        &mut self,
        e: ExprId,
        callee: ExprId,
        is_method: bool,
        on: &Val,
        given: Given,
        mut state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) {
        let ir = self.ir(&state);
        let comp = self.comp(&state);
        let method = match &ir.expr(callee).kind {
            ExprKind::Attr { name, .. } => Some(ir.name(*name)),
            _ => None,
        };
        // A failed outcome that goes on through a method chain.
        if let (Val::Fail(error), Some(name)) = (on, method)
            && ir.language != Language::Rust
        {
            let outer = self.handing.replace((comp, e));
            self.promise_method(error.clone(), name, given, state, out, exits);
            self.handing = outer;
            return;
        }
        if let Val::Settles(..) = on
            && method.is_none()
        {
            let results = self.call_closure(on, given.positional, state, exits);
            out.extend(results);
            return;
        }
        if let Val::Settled(inner) = on {
            if method == Some("catch") {
                out.push((state, on.clone()));
                return;
            }
            let before = out.len();
            self.dispatch(e, callee, is_method, inner, given, state, out, exits);
            if let Some("then" | "finally") = method {
                for (_, value) in
                    out.iter_mut().skip(before).filter(|(_, v)| !matches!(v, Val::Fail(_) | Val::Settled(_)))
                {
                    *value = Val::Settled(Box::new(std::mem::replace(value, Val::Null)));
                }
            }
            return;
        }
        if method == Some("catch") && ir.language == Language::JavaScript && self.is_fulfilled(callee, comp) {
            out.push((state, on.clone()));
            return;
        }
        let mut records = self.view.calls(comp, e).to_vec();
        let rust = ir.language == Language::Rust;
        if ir.language == Language::JavaScript && matches!(method, Some("emit" | "dispatchEvent")) {
            self.keep_those_who_hear(on, given.positional.first(), &mut records);
        }
        if rust
            && let Some(name) = method
            && self.passes_over(on, name)
        {
            // What it was handed is not called: no failure of that comes out.
            if let Some(state) = self.outcome_call(e, on, name, &given, state, out, exits) {
                out.push((state, on.clone()));
            }
            return;
        }
        let makes_iterator = rust && matches!(method, Some("repeat_with" | "from_fn"));
        let by_and_by = makes_iterator || rust && method.is_some_and(|name| self.is_search(on, name));
        let failing = records.iter().find(|r| self.fails(comp, e, r) && !self.only_if_rejected(r, method, &given));
        if !by_and_by && let Some(record) = failing {
            // `.then(send)`
            let by_promise = record.via == Via::Handed && matches!(method, Some("then" | "catch" | "finally"));
            self.happened_with(e, !by_promise, &mut state);
            let outcome = self.plan.outcome.clone();
            for state in self.answer_to_callback(&outcome, record, &given, state, exits) {
                self.deliver(outcome.clone(), &records, state, out, exits);
            }
            return;
        }
        if ir.language == Language::JavaScript && self.goes_on_with(on, method, &given, &state, out, exits) {
            return;
        }
        if ir.language == Language::JavaScript
            && (self.makes_promise(e, on, &given, &state, out, exits)
                || self.at_end_of_answer(on, method, &given, &state, out, exits))
        {
            return;
        }
        if self.sends_again(e, &records, &given, &mut state, out, exits) {
            return;
        }
        if self.others_fail && records.iter().any(|r| self.is_outbound(r)) {
            // Something else may fail first (a provider that this one stands in for).
            let error = Rc::new(self.unknown_error());
            self.deliver(Outcome::Raise(error), &records, state.clone(), out, exits);
        }
        if let (true, Val::Error(error), Some("into")) = (rust, on, method)
            && let Some(target) = records.iter().find_map(|r| match r.target {
                Target::Comp(target) if r.via == Via::Implicit => Some(target),
                _ => None,
            })
        {
            let made = self.converted_error(target, error, state);
            out.extend(made.into_iter().map(|(state, error)| (state, Val::Error(error))));
            return;
        }
        if rust && let Some(name) = method {
            state = match self.rust_call(e, object_of(ir, callee), on, name, &records, &given, state, out, exits) {
                None => return,
                Some(state) => state,
            };
        }
        if ir.language == Language::JavaScript && self.over_list(e, on, method, &given, &state, out, exits) {
            return;
        }
        if let (Val::Tok(map), Some(name)) = (on, method)
            && let Token::Container { kind: ContainerKind::Map, site } = *self.view.token(*map)
            && let Some(value) = self.map_method(*map, site, name, args_of(ir, e), &given, &mut state)
        {
            out.push((state, value));
            return;
        }
        if ir.language != Language::Rust
            && let Some(value) = self.list_changed(callee, on, method, &given, &mut state)
        {
            out.push((state, value));
            return;
        }
        if ir.language == Language::Python
            && let Some(next) = self.next_element(e, on, &given, &mut state)
        {
            match next {
                Some(value) => out.push((state, value)),
                None => {
                    let class = super::val::ErrorClass::Known(Rc::from("builtins.StopIteration"));
                    let error = super::val::Error { class, ..self.unknown_error() };
                    exits.raises.push((state, Rc::new(error)));
                }
            }
            return;
        }
        if ir.language == Language::JavaScript && self.steps_by_hand(callee, on, method, &state, out, exits) {
            return;
        }
        if let (Val::Dict(entries), Some(name)) = (on, method) {
            let value = self.dict_method(entries, name, &given, callee, &mut state);
            out.push((state, value));
            return;
        }
        if ir.language == Language::JavaScript
            && let Some(name @ ("entries" | "keys" | "values" | "slice" | "includes" | "concat")) = method
            && matches!(on, Val::Tok(tok) if matches!(self.view.token(*tok), Token::Container { kind: ContainerKind::List, .. }))
            && let Some(items) = self.elements(on)
            && let Some(value) = self.native_method(ir.language, &Val::List(Rc::new(items)), name, &given.positional)
            && value != Val::Unknown
        {
            out.push((state, value));
            return;
        }
        if ir.language == Language::JavaScript
            && let Some(name @ ("some" | "every")) = method
            && let Some(items) = self.elements(on).filter(|items| items.len() <= MOST_ASKED)
        {
            self.some_or_every(name == "some", items, &given, state, out, exits);
            return;
        }
        if rust
            && method.is_some()
            && let Some(value) = self.time_since(e, on, &records, &given, &mut state)
        {
            out.push((state, value));
            return;
        }
        let own = rust && records.iter().any(|r| r.via == Via::Call && matches!(r.target, Target::Comp(_)));
        if rust
            && !own
            && let Some(name) = method
            && let Some(value) = self.cell_call(object_of(ir, callee), on, name, &given, &mut state)
        {
            out.push((state, value));
            return;
        }
        if let Some(name) = method
            && !own
            && let Some(value) = self.native_method(ir.language, on, name, &given.positional)
        {
            out.push((state, value));
            return;
        }
        if let (Val::Described(object), Some(name)) = (on, method) {
            match self.described_method(object, name) {
                Val::Fail(error) => exits.raises.push((state, error)),
                value => out.push((state, value)),
            }
            return;
        }
        if rust
            && let Some(name) = method
            && let Some(target) = self.foreign_method(on, name).or_else(|| {
                // What a library asks a closure: nothing but the failure says what its parameter is.
                let asked = self.plan.key.is_none() && !records.iter().any(|r| matches!(r.target, Target::External(_)));
                let untold = asked && !own;
                if untold { self.method_of_error(on, name) } else { None }
            })
        {
            self.run_foreign(e, target, on, given, state, out, exits);
            return;
        }
        if let Val::Answer(_) | Val::Error(_) | Val::Part(..) = on
            && let Some(name) = method
            && !own
        {
            self.answer_method(on, name, state, out, exits);
            return;
        }
        if rust
            && records.iter().all(|r| r.via != Via::Call || r.target == Target::Unresolved)
            && let Some(path) = self.path_text(callee, &state)
            && let Some(value) = self.native(Language::Rust, &path, &given.positional)
            && !matches!(&*path, "Err" | "Result::Err")
        {
            let value = match value {
                Val::Iter(iter) if makes_iterator => Val::Iter(Rc::new(iter.made_at(comp, e))),
                value => value,
            };
            out.push((state, value));
            return;
        }
        if rust
            && method == Some("default")
            && given.positional.is_empty()
            && !own
            && let Some(made) = self.derived_default(e, comp, &mut state)
        {
            out.push((state, made));
            return;
        }
        let value_callee = match (is_method, method) {
            (true, name) => self.attribute_on(&state, on, name.unwrap_or("")),
            (false, _) => on.clone(),
        };
        let value_callee = match (value_callee, object_of(ir, callee), method) {
            (Val::Unknown, Some(object), Some(name)) if rust => {
                self.constant_of_type(&state, callee, object, name).unwrap_or(Val::Unknown)
            }
            (value, ..) => value,
        };
        // Components of the program: run in place where they matter.
        let targets: Vec<(CompId, CallRecord)> = records
            .iter()
            .filter(|r| r.via != Via::Decorate)
            .filter_map(|r| if let Target::Comp(t) = r.target { Some((t, *r)) } else { None })
            .filter(|(t, _)| !matches!(self.view.function(*t).kind, FunctionKind::ClassBody))
            .collect();
        // What the language does with the result (iterates it, enters it) is no part of the call.
        let called: Vec<(CompId, CallRecord)> = targets.iter().filter(|t| t.1.via != Via::Implicit).copied().collect();
        let targets = if called.is_empty() { targets } else { called };
        let handed = records.iter().any(|r| matches!(r.target, Target::External(_)));
        if !targets.is_empty() && !handed {
            self.run_targets(e, &targets, on, is_method, &given, state, out, exits);
            return;
        }
        if let Some(callback) = self.timed(&records, &given, &mut state, e) {
            if let Val::Tok(tok) = callback
                && let Token::Function { func, env } = *self.view.token(tok)
                && let Some(target) = self.view.component_of(func, env)
                && state.stack.iter().any(|a| a.comp == target)
            {
                if self.is_bottomless(state.stack.iter().filter(|a| a.comp == target).count()) {
                    self.recurses_for_ever(&state, exits);
                    return;
                }
                self.recurse(e, target, &mut state);
            }
            let handed = given.positional.get(2..).unwrap_or_default().to_vec();
            let results = self.call_closure(&callback, handed, state, exits);
            out.extend(results.into_iter().map(|(s, _)| (s, Val::Unknown)));
            return;
        }
        if let Some(callback) = self.called_now(&records, &given) {
            let results = self.call_closure(&callback, vec![Val::Unknown, Val::Unknown], state, exits);
            out.extend(results.into_iter().map(|(s, v)| (s, if matches!(v, Val::Fail(_)) { v } else { Val::Unknown })));
            return;
        }
        if let Val::Tok(class) = value_callee
            && rust
            && targets.is_empty()
            && matches!(self.view.token(class), Token::Class { .. } | Token::Variant { .. })
            && let Some(&made) = self.view.solver.made_by_site.get(&Site { comp, expr: e })
        {
            // A tuple struct or variant, with its parts as this path has them.
            for (i, value) in given.positional.iter().enumerate().filter(|(_, v)| **v != Val::Unknown) {
                self.put_part(&mut state, made, &i.to_string(), value.clone());
            }
            out.push((state, Val::Tok(made)));
            return;
        }
        if let Val::Tok(class) = value_callee
            && targets.is_empty()
            && matches!(self.view.token(class), Token::Class { .. })
            && let Some(made) = self.made_at(&state, e)
        {
            // A class without a constructor of its own.
            out.push((state, Val::Tok(made)));
            return;
        }
        if let Some(value) = self.started(&records, &given, &state) {
            out.push((state, value));
            return;
        }
        if let Some(value) = self.external_call(&records, &value_callee, &given, &mut state, e) {
            match value {
                Outcome::Raise(error) => {
                    if std::mem::take(&mut self.may_be_spared) {
                        out.push((state.clone(), Val::Null));
                    }
                    exits.raises.push((state, error));
                }
                Outcome::Value(value) => out.push((state, value)),
            }
            return;
        }
        if let Val::Num(_) | Val::Bool(_) = value_callee {
            // `response.status()` where the status is a method.
            out.push((state, value_callee));
            return;
        }
        if matches!(value_callee, Val::Tok(_)) && records.is_empty() {
            let value = self.call_value(&value_callee, given.positional);
            out.push((state, value));
            return;
        }
        if !targets.is_empty() {
            // Handed to something external that calls it: what it does is not ours here.
            let failing =
                given.positional.iter().chain(given.keywords.iter().map(|k| &k.1)).find(|v| matches!(v, Val::Fail(_)));
            out.push((state, failing.cloned().unwrap_or(Val::Unknown)));
            return;
        }
        // Nothing is known of it: a failed outcome handed to it comes out of it.
        let failing = given.positional.iter().find(|v| matches!(v, Val::Fail(_))).cloned();
        let failing = failing.or_else(|| {
            given.positional.iter().find_map(|v| match v {
                Val::List(items) => items.iter().find(|v| matches!(v, Val::Fail(_))).cloned(),
                _ => None,
            })
        });
        out.push((state, failing.unwrap_or(Val::Unknown)));
    }

    /// Whether a callable is handed to a promise as what is called where that is rejected: `.then(use, send)`.
    fn only_if_rejected(&self, record: &CallRecord, method: Option<&str>, given: &Given) -> bool {
        let is = |at: usize| matches!(given.positional.get(at), Some(Val::Tok(t)) if *t == record.callee);
        record.via == Via::Handed && method == Some("then") && is(1) && !is(0)
    }

    /// Whether a call in a helper starts something that runs by itself (Rust): what that does comes after nothing that
    /// fails here.
    fn goes_off(&self, e: ExprId, state: &State) -> bool {
        let later = |record: &CallRecord| {
            matches!(record.target, Target::External(_))
                && self.view.known(record.callee).is_some_and(|k| k.callable.calls.iter().any(|c| c.how == "later"))
        };
        let comp = self.comp(state);
        state.helper.is_some()
            && self.ir(state).language == Language::Rust
            && self.view.calls(comp, e).iter().any(later)
    }

    fn is_outbound(&self, record: &CallRecord) -> bool {
        matches!(record.target, Target::External(_))
            && self.view.known(record.callee).is_some_and(|k| k.callable.outbound.is_some())
    }
}

/// An `async` block.
fn is_block(ir: &File, e: ExprId) -> bool {
    matches!(ir.expr(e).kind, ExprKind::Closure(f) if ir.function(f).kind == FunctionKind::AsyncBlock)
}

/// What a method is called on.
fn object_of(ir: &File, callee: ExprId) -> Option<ExprId> {
    match ir.expr(callee).kind {
        ExprKind::Attr { object, .. } => Some(object),
        _ => None,
    }
}

/// What is written between the parentheses of a call.
fn args_of(ir: &File, e: ExprId) -> &[Arg] {
    match &ir.expr(e).kind {
        ExprKind::Call { args, .. } => args,
        _ => &[],
    }
}
