//! Expressions: with several outcomes where calls have them, plain where not.

use super::calls::Given;
use super::machine::Machine;
use super::questions::is_question;
use super::state::{Exits, State};
use super::val::{Num, Val};
use crate::ir::*;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::token::*;
use std::rc::Rc;

/// Comprehensions over more elements are not built.
const MOST_BUILT: u32 = 256;
/// So many ways through an expression are not looked at more closely.
const FEW: usize = 8;
/// At most so many ways lead out of an expression.
const WAYS: usize = 32;

impl<'p> Machine<'p, '_, '_> {
    /// Evaluates an expression on a path; what it raises goes to `exits`.
    pub fn eval(&mut self, e: ExprId, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        let ir = self.ir(&state);
        let is_object = ir.language == Language::JavaScript && may_be_literal(ir, e, 0);
        if !is_object && let Some(value) = self.pure(e, &state) {
            return vec![(state, value)];
        }
        if self.steps == 0 {
            self.cut = true;
            return vec![(state, Val::Unknown)];
        }
        if self.deep >= super::machine::DEEP {
            self.cut = true;
            return vec![(state, Val::Unknown)];
        }
        self.steps -= 1;
        self.deep += 1;
        let results = self.parts(e, state, exits);
        self.deep -= 1;
        self.few(results)
    }

    /// The ways an expression goes on, each once, and not too many: every further part of it takes all of them.
    pub fn few(&mut self, results: Vec<(State, Val)>) -> Vec<(State, Val)> {
        if results.len() <= FEW {
            return results;
        }
        let mut kept: Vec<(State, Val)> = Vec::with_capacity(results.len().min(WAYS));
        for (state, value) in results {
            let stands_for = |k: &State| {
                let (more, less) = if self.fewest { (&state, k) } else { (k, &state) };
                more.calls() >= less.calls() && self.may_join(k, &state)
            };
            if !kept.iter().any(|(k, v)| *v == value && k.same_future(&state) && stands_for(k)) {
                kept.push((state, value));
            }
        }
        if kept.len() > WAYS {
            if self.fewest {
                kept.sort_by_key(|(state, _)| state.calls());
            } else {
                kept.sort_by_key(|(state, _)| std::cmp::Reverse(state.calls()));
            }
            kept.truncate(WAYS);
        }
        kept
    }

    /// Evaluates a test: of what decides it without the rest being looked at, only whether it holds is of interest.
    pub fn eval_test(&mut self, e: ExprId, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        let negated = match self.ir(&state).expr(e).kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.pure(inner, &state).filter(is_question),
            _ => None,
        };
        if let Some(question) = negated {
            let answers = self.answered(state, question);
            return answers
                .into_iter()
                .map(|(state, v)| (state, self.truth(&v).map_or(v, |b| Val::Bool(!b))))
                .collect();
        }
        if let Some(value) = self.pure(e, &state) {
            return self.answered(state, value);
        }
        if self.steps == 0 || self.deep >= super::machine::DEEP {
            self.cut = true;
            return vec![(state, Val::Unknown)];
        }
        self.deep += 1;
        let results = match self.ir(&state).expr(e).kind {
            ExprKind::And(a, b) => self.eval_either(a, b, false, state, exits),
            ExprKind::Or(a, b) => self.eval_either(a, b, true, state, exits),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let results = self.eval_test(inner, state, exits);
                let not = |m: &mut Self, value: &Val| m.truth(value).map_or(Val::Unknown, |b| Val::Bool(!b));
                results.into_iter().map(|(state, value)| (state, not(self, &value))).collect()
            }
            _ => {
                let results = self.eval(e, state, exits);
                results.into_iter().flat_map(|(state, value)| self.answered(state, value)).collect()
            }
        };
        self.deep -= 1;
        if results.len() <= FEW {
            return results;
        }
        // Only whether it holds is of interest.
        let holds = |m: &mut Self, value: &Val| m.truth(value).map_or(Val::Unknown, Val::Bool);
        let results = results.into_iter().map(|(state, value)| (state, holds(self, &value))).collect();
        self.few(results)
    }

    fn eval_either(&mut self, a: ExprId, b: ExprId, stops: bool, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        let mut out = Vec::new();
        for (state, value) in self.eval_test(a, state, exits) {
            let truth = self.truth(&value);
            if truth != Some(!stops) {
                out.push((state.clone(), Val::Bool(stops)));
            }
            if truth != Some(stops) {
                out.extend(self.eval_test(b, state, exits));
            }
        }
        out
    }

    /// Evaluates an argument: of an object literal only what link knows is of interest, its properties are options.
    pub fn eval_argument(&mut self, e: ExprId, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        if self.rescue.is_some() {
            // Made of the settings of the failed call, it sends that again.
            return self.eval(e, state, exits);
        }
        match self.pure(e, &state) {
            Some(value) => vec![(state, value)],
            None => self.eval(e, state, exits),
        }
    }

    /// Evaluates an expression by its parts.
    fn parts(&mut self, e: ExprId, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        let ir = self.ir(&state);
        match &ir.expr(e).kind {
            ExprKind::Call { callee, args, .. } => self.call(e, *callee, args, state, exits),
            ExprKind::Await(inner) => {
                let mut out = Vec::new();
                for (mut state, value) in self.eval(*inner, state, exits) {
                    // What is sent only when it is waited for.
                    let value = match self.sent_by_waiting(e, &mut state) {
                        Some(super::machine::Outcome::Raise(error)) => Val::Fail(error),
                        Some(super::machine::Outcome::Value(value)) => value,
                        None => value.waited(),
                    };
                    match value {
                        Val::Fail(error) if ir.language != Language::Rust => exits.raises.push((state, error)),
                        value if ir.language == Language::Rust => self.awaited(e, value, state, &mut out, exits),
                        value => out.push((state, value)),
                    }
                }
                out
            }
            ExprKind::Propagate(inner) => {
                let mut out = Vec::new();
                for (state, value) in self.eval(*inner, state, exits) {
                    match value {
                        Val::Fail(error) => {
                            let passed = self.passed_on(error, state);
                            exits.returns.extend(passed.into_iter().map(|(state, e)| (state, Val::Fail(e))));
                        }
                        // A variable of the surroundings: set where the program runs.
                        Val::Null if self.is_outside(&state, *inner) => out.push((state, Val::Unknown)),
                        Val::Null => exits.returns.push((state, Val::Null)),
                        Val::Good(inner) => out.push((state, *inner)),
                        value => out.push((state, value)),
                    }
                }
                out
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let stops = matches!(ir.expr(e).kind, ExprKind::Or(..));
                let mut out = Vec::new();
                for (state, value) in self.eval(*a, state, exits) {
                    let truth = self.truth(&value);
                    if truth == Some(stops) {
                        out.push((state, value));
                        continue;
                    }
                    if truth.is_none() {
                        out.push((state.clone(), if stops { value } else { Val::Bool(false) }));
                    }
                    out.extend(self.eval(*b, state, exits));
                }
                out
            }
            ExprKind::Coalesce(a, b) => {
                let mut out = Vec::new();
                for (state, value) in self.eval(*a, state, exits) {
                    match value {
                        Val::Null => out.extend(self.eval(*b, state, exits)),
                        Val::Unknown if self.is_left_out(*a, &state) => out.extend(self.eval(*b, state, exits)),
                        Val::Unknown => {
                            out.push((state.clone(), Val::Unknown));
                            out.extend(self.eval(*b, state, exits));
                        }
                        value => out.push((state, value)),
                    }
                }
                out
            }
            ExprKind::Conditional { test, then, otherwise } => {
                let mut out = Vec::new();
                for (state, value) in self.eval_test(*test, state, exits) {
                    let truth = self.truth(&value);
                    if truth != Some(false) {
                        let mut state = state.clone();
                        self.assume(&mut state, *test, true);
                        out.extend(self.eval(*then, state, exits));
                    }
                    if truth != Some(true) {
                        let mut state = state;
                        self.assume(&mut state, *test, false);
                        out.extend(self.eval(*otherwise, state, exits));
                    }
                }
                out
            }
            ExprKind::Assign { target, value, op } => {
                let mut out = Vec::new();
                for (mut state, mut result) in self.eval(*value, state, exits) {
                    if let Some(op) = op {
                        let old = self.read_target(&state, *target);
                        result = self.augmented(*op, &old, &result);
                    }
                    self.bind_counted(&mut state, *target, Some(*value), *op, &result);
                    out.push((state, result));
                }
                out
            }
            ExprKind::Increment { target, operand, by, fix } => {
                let mut state = state;
                let old = self.pure(*operand, &state).unwrap_or(Val::Unknown);
                let new = match old.as_num() {
                    Some(n) => Val::Num(n.combine(Num::exact(*by as f64), |a, b| a + b)),
                    None => Val::Unknown,
                };
                self.bind_counted(&mut state, *target, None, None, &new);
                vec![(state, if *fix == Fix::Prefix { new } else { old })]
            }
            ExprKind::Matches { subject, pattern, guard } => {
                let mut out = Vec::new();
                for (mut state, value) in self.eval(*subject, state, exits) {
                    let mut held = self.matches_pattern(&mut state, *pattern, &value);
                    if let Some(guard) = guard
                        && held != Some(false)
                    {
                        let value = self.pure(*guard, &state).unwrap_or(Val::Unknown);
                        let truth = self.truth(&value);
                        held = if truth == Some(true) { held } else { truth };
                    }
                    out.push((state, held.map_or(Val::Unknown, Val::Bool)));
                }
                out
            }
            ExprKind::Block { block, result } => {
                let ends = self.block(vec![state], *block, exits);
                let mut out = Vec::new();
                for state in ends {
                    match result {
                        Some(e) => out.extend(self.eval(*e, state, exits)),
                        None => out.push((state, Val::Null)),
                    }
                }
                out
            }
            ExprKind::Comprehension { clauses, element, key, .. } => {
                if key.is_none()
                    && let Some(list) = self.built(clauses, *element, &state)
                {
                    return vec![(state, Val::List(Rc::new(list)))];
                }
                // The element is evaluated once: what fails, fails.
                let mut states = vec![state];
                for clause in clauses {
                    let mut next = Vec::new();
                    for state in states {
                        for (mut state, iter) in self.eval(clause.iter, state, exits) {
                            if let Val::Fail(error) = iter
                                && ir.language != Language::Rust
                            {
                                exits.raises.push((state, error));
                                continue;
                            }
                            self.bind(&mut state, clause.target, &Val::Unknown);
                            next.push(state);
                        }
                    }
                    states = next;
                }
                let mut out = Vec::new();
                for state in states {
                    for (state, value) in self.eval(key.unwrap_or(*element), state, exits) {
                        let failed = matches!(value, Val::Fail(_));
                        out.push((state, if failed { Val::List(Rc::new(vec![value])) } else { Val::Unknown }));
                    }
                }
                out
            }
            ExprKind::Dict(entries) if ir.language == Language::JavaScript => self.object(e, entries, state, exits),
            ExprKind::Closure(_) => self.async_block(e, state, exits),
            ExprKind::Struct { entries, .. } if ir.language == Language::Rust => {
                self.struct_made(e, entries, state, exits)
            }
            ExprKind::Yield(inner) if !self.consumers.is_empty() => {
                let values = match inner {
                    Some(inner) => self.eval(*inner, state, exits),
                    None => vec![(state, Val::Null)],
                };
                let mut out = Vec::new();
                for (state, value) in values {
                    out.extend(self.yielded(state, value, exits));
                }
                out
            }
            ExprKind::YieldFrom(inner) if ir.language == Language::JavaScript => {
                let mut out = Vec::new();
                for (mut state, value) in self.eval(*inner, state, exits) {
                    // An effect that is handed to whoever runs the generator.
                    let value = match self.sent_by_waiting(e, &mut state) {
                        Some(super::machine::Outcome::Raise(error)) => Val::Fail(error),
                        Some(super::machine::Outcome::Value(value)) => value,
                        None => value,
                    };
                    match value {
                        Val::Fail(error) | Val::Error(error) => exits.raises.push((state, error)),
                        value => out.push((state, value)),
                    }
                }
                out
            }
            ExprKind::YieldFrom(inner) => self.eval(*inner, state, exits),
            ExprKind::Typed(inner, _) => self.eval(*inner, state, exits),
            ExprKind::Unary(op, inner) => {
                let results = self.eval(*inner, state, exits);
                results
                    .into_iter()
                    .map(|(state, value)| {
                        let value = self.unary(*op, &value);
                        (state, value)
                    })
                    .collect()
            }
            ExprKind::Binary(op, a, b) => {
                let mut out = Vec::new();
                for (state, left) in self.eval(*a, state, exits) {
                    for (state, right) in self.eval(*b, state, exits) {
                        let combined = self.combined(self.comp(&state), e, &left, &right);
                        let value = combined.unwrap_or_else(|| self.binary(*op, &left, &right));
                        out.push((state, value));
                    }
                }
                out
            }
            ExprKind::Compare(op, a, b) => {
                let mut out = Vec::new();
                for (state, left) in self.eval(*a, state, exits) {
                    for (state, right) in self.eval(*b, state, exits) {
                        let value = match self.may_be_earlier(&state, (*a, &left), (*b, &right)) {
                            true => None,
                            false => self.compare(*op, &left, &right),
                        };
                        let value = value.or_else(|| self.said_before(&state, *op, *a, *b));
                        out.push((state, value.map_or(Val::Unknown, Val::Bool)));
                    }
                }
                out
            }
            ExprKind::Attr { object, name, .. } => {
                let name = ir.name(*name);
                let getters = self.getters(&state, e);
                let mut out = Vec::new();
                for (state, value) in self.eval(*object, state, exits) {
                    if !getters.is_empty() {
                        self.run_targets(e, &getters, &value, true, &Given::default(), state, &mut out, exits);
                        continue;
                    }
                    if value == Val::Null && super::missing::is_skipped(ir, e) {
                        out.push((state, Val::Null));
                        continue;
                    }
                    match self.error_of_lacking(&value, name, ir.language) {
                        Some(error) => exits.raises.push((state, error)),
                        None => {
                            let value = self.attribute_on(&state, &value, name);
                            out.push((state, value));
                        }
                    }
                }
                out
            }
            ExprKind::Index { object, index } => {
                let mut out = Vec::new();
                for (state, object) in self.eval(*object, state, exits) {
                    for (state, index) in self.eval(*index, state, exits) {
                        let value = self.index(&state, &object, &index);
                        out.push((state, value));
                    }
                }
                out
            }
            ExprKind::Seq(_, args) => {
                let mut states = vec![(state, Vec::new(), None)];
                for arg in args {
                    let mut next = Vec::new();
                    for (state, list, failed) in states {
                        for (state, value) in self.eval(arg.value(), state, exits) {
                            let mut list: Vec<Val> = list.clone();
                            let failed = if let Val::Fail(e) = &value { Some(e.clone()) } else { failed.clone() };
                            match arg {
                                Arg::Spread(_) => self.spread_into(&value, &mut list),
                                _ => list.push(value),
                            }
                            next.push((state, list, failed));
                        }
                    }
                    states = next;
                }
                states.into_iter().map(|(s, list, _)| (s, Val::List(Rc::new(list)))).collect()
            }
            _ => {
                // Anything else: its parts are evaluated for what they do.
                let mut parts = Vec::new();
                super::relevant::children(ir, e, &mut parts);
                let mut states = vec![state];
                for part in parts {
                    let mut next = Vec::new();
                    for state in states {
                        next.extend(self.eval(part, state, exits).into_iter().map(|(s, _)| s));
                    }
                    states = self.merge(next);
                }
                if let ExprKind::Element { component, .. } = ir.expr(e).kind {
                    return self.rendered(e, component, states, exits);
                }
                states.into_iter().map(|s| (s, Val::Unknown)).collect()
            }
        }
    }

    /// An element of a page: its component is called, its handlers are by and by. Each is a way of its own, which ends
    /// there: what another element starts is another thing.
    fn rendered(
        &mut self,
        e: ExprId,
        component: Option<ExprId>,
        states: Vec<State>,
        exits: &mut Exits,
    ) -> Vec<(State, Val)> {
        let Some(first) = states.first() else { return Vec::new() };
        let comp = self.comp(first);
        let leads = self.view.all_calls(comp).iter().any(|call| {
            call.expr == e
                && (self.fails(comp, e, call) || matches!(call.target, Target::Comp(c) if self.plan.unit.contains(&c)))
        });
        if leads {
            for state in &states {
                let given = Given { open: true, ..Given::default() };
                let mut ways = Vec::new();
                let on = Val::Unknown;
                self.dispatch(e, component.unwrap_or(e), false, &on, given, state.clone(), &mut ways, exits);
                exits.returns.extend(ways.into_iter().map(|(state, _)| (state, Val::Unknown)));
            }
        }
        states.into_iter().map(|state| (state, Val::Unknown)).collect()
    }

    /// The elements of a comprehension over known ones, if making them sends nothing.
    fn built(&mut self, clauses: &'p [CompClause], element: ExprId, state: &State) -> Option<Vec<Val>> {
        let [clause] = clauses else { return None };
        let mut exits = Exits::default();
        let mut iterables = self.eval(clause.iter, state.clone(), &mut exits);
        let (after, iterable) = iterables.pop().filter(|_| iterables.is_empty() && exits.raises.is_empty())?;
        let items = self.iterated(&iterable)?;
        let n = items.len().filter(|n| *n <= MOST_BUILT && after.calls() == state.calls())?;
        let mut list = Vec::new();
        'items: for i in 0..n {
            let mut state = after.clone();
            self.bind(&mut state, clause.target, &items.at(i));
            for &condition in &clause.conditions {
                let value = self.pure(condition, &state)?;
                match self.truth(&value) {
                    Some(true) => {}
                    Some(false) => continue 'items,
                    None => return None,
                }
            }
            let calls = state.calls();
            let mut values = self.eval(element, state, &mut exits);
            let (state, value) = values.pop().filter(|_| values.is_empty() && exits.raises.is_empty())?;
            if state.calls() != calls || matches!(value, Val::Fail(_)) {
                return None;
            }
            list.push(value);
        }
        Some(list)
    }

    fn spread_into(&self, value: &Val, list: &mut Vec<Val>) {
        match self.iterated(value) {
            Some(items) if items.len().is_some_and(|n| n <= 4_096) => {
                let n = items.len().unwrap_or(0);
                list.extend((0..n).map(|i| items.at(i)));
            }
            _ => list.push(value.clone()),
        }
    }

    /// The functions that reading an attribute runs: `get limit() { … }`, a property.
    pub(super) fn getters(&self, state: &State, e: ExprId) -> Vec<(CompId, CallRecord)> {
        let records = self.view.calls(self.comp(state), e).iter();
        let implicit = records.filter(|r| r.via == Via::Implicit);
        implicit.filter_map(|r| if let Target::Comp(t) = r.target { Some((t, *r)) } else { None }).collect()
    }
}

/// An expression without the types that are said of it.
fn untyped(ir: &File, e: ExprId) -> ExprId {
    let mut at = e;
    while let ExprKind::Typed(inner, _) = ir.expr(at).kind {
        at = inner;
    }
    at
}

/// Whether a value may be an object literal, whose properties this path works out.
fn may_be_literal(ir: &File, e: ExprId, depth: usize) -> bool {
    match ir.expr(untyped(ir, e)).kind {
        ExprKind::Dict(_) => true,
        ExprKind::Conditional { then, otherwise, .. } if depth < 8 => {
            may_be_literal(ir, then, depth + 1) || may_be_literal(ir, otherwise, depth + 1)
        }
        _ => false,
    }
}
