//! Expressions: with several outcomes where calls have them, plain where not.

use super::calls::Given;
use super::machine::Machine;
use super::state::{Exits, State};
use super::val::{Num, Val};
use crate::ir::*;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::store::Addr;
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
        let is_object =
            ir.language == Language::JavaScript && matches!(ir.expr(untyped(ir, e)).kind, ExprKind::Dict(_));
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
        let outer = std::mem::take(&mut self.loose);
        let results = self.parts(e, state, exits);
        // Where failures are values anyway, what looks at them says so itself.
        if ir.language != Language::Rust {
            if self.loose && !matches!(ir.expr(e).kind, ExprKind::Await(_)) {
                self.looked.set(true);
            }
            self.loose = outer || results.iter().any(|(_, value)| matches!(value, Val::Fail(_)));
        }
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
            if !kept.iter().any(|(k, v)| *v == value && k.same_future(&state) && k.calls() >= state.calls()) {
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
        if let Some(value) = self.pure(e, &state) {
            return vec![(state, value)];
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
            _ => self.eval(e, state, exits),
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
                        None => value,
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
                    self.bind(&mut state, *target, &result);
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
                self.bind(&mut state, *target, &new);
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
                        for (mut state, _) in self.eval(clause.iter, state, exits) {
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
                        let value = self.binary(*op, &left, &right);
                        out.push((state, value));
                    }
                }
                out
            }
            ExprKind::Compare(op, a, b) => {
                let mut out = Vec::new();
                for (state, left) in self.eval(*a, state, exits) {
                    for (state, right) in self.eval(*b, state, exits) {
                        let value = self.compare(*op, &left, &right);
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
                states.into_iter().map(|s| (s, Val::Unknown)).collect()
            }
        }
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

    /// The value of an expression without calls or effects; none if it has any.
    pub fn pure(&mut self, e: ExprId, state: &State) -> Option<Val> {
        let ir = self.ir(state);
        Some(match &ir.expr(e).kind {
            ExprKind::Var(var) => {
                let value = self.read_var(state, *var);
                self.settle(value)
            }
            ExprKind::Free(name) => self.free(state, ir.name(*name)),
            ExprKind::This => self.this(state),
            ExprKind::Literal(literal) => match literal {
                Literal::Null => Val::Null,
                Literal::Bool(b) => Val::Bool(*b),
                Literal::Int(n) => Val::num(*n as f64),
                Literal::Float(x) => Val::num(*x),
                Literal::Str(name) => Val::text(ir.name(*name)),
                Literal::Other => Val::Unknown,
            },
            ExprKind::Template(parts) => {
                let mut text = String::new();
                for &part in parts {
                    match self.pure(part, state)? {
                        Val::Text(t) => text.push_str(&t),
                        _ => return Some(Val::Unknown),
                    }
                }
                Val::text(&text)
            }
            ExprKind::Attr { object, name, .. } => {
                if ir.language == Language::Rust
                    && let Some(value) = self.constant_of_type(state, e, *object, ir.name(*name))
                {
                    return Some(value);
                }
                if let Some(&(getter, _)) = self.getters(state, e).first() {
                    // One that gives a constant need not be run.
                    let value = self.view.read(Addr::Return(getter));
                    return matches!(value, Val::Bool(_) | Val::Num(_) | Val::Text(_)).then_some(value);
                }
                let value = self.pure(*object, state)?;
                self.attribute_on(state, &value, ir.name(*name))
            }
            ExprKind::Index { object, index } => {
                let object = self.pure(*object, state)?;
                let index = self.pure(*index, state)?;
                self.index(state, &object, &index)
            }
            ExprKind::Unary(op, a) if *op != UnaryOp::Delete => {
                let value = self.pure(*a, state)?;
                self.unary(*op, &value)
            }
            ExprKind::Binary(op, a, b) => {
                let left = self.pure(*a, state)?;
                let right = self.pure(*b, state)?;
                self.binary(*op, &left, &right)
            }
            ExprKind::Compare(op, a, b) => {
                let left = self.pure(*a, state)?;
                let right = self.pure(*b, state)?;
                self.compare(*op, &left, &right).map_or(Val::Unknown, Val::Bool)
            }
            ExprKind::And(a, b) => {
                let left = self.pure(*a, state)?;
                match self.truth(&left) {
                    Some(false) => left,
                    Some(true) => self.pure(*b, state)?,
                    None => match self.pure(*b, state)? {
                        right if self.truth(&right) == Some(false) => right,
                        _ => Val::Unknown,
                    },
                }
            }
            ExprKind::Or(a, b) => {
                let left = self.pure(*a, state)?;
                match self.truth(&left) {
                    Some(true) => left,
                    Some(false) => self.pure(*b, state)?,
                    None if matches!(left, Val::Tok(tok) if self.view.solver.is_environment(tok)) => {
                        self.pure(*b, state)?
                    }
                    None => match self.pure(*b, state)? {
                        right if self.truth(&right) == Some(true) && matches!(right, Val::Bool(_)) => right,
                        _ => Val::Unknown,
                    },
                }
            }
            ExprKind::Coalesce(a, b) => match self.pure(*a, state)? {
                Val::Null => self.pure(*b, state)?,
                Val::Tok(tok) if self.view.solver.is_environment(tok) => self.pure(*b, state)?,
                value => value,
            },
            ExprKind::Conditional { test, then, otherwise } => {
                let value = self.pure(*test, state)?;
                match self.truth(&value) {
                    Some(true) => self.pure(*then, state)?,
                    Some(false) => self.pure(*otherwise, state)?,
                    None => return None,
                }
            }
            ExprKind::InstanceOf(a, b) => {
                let value = self.pure(*a, state)?;
                let types = self.pure(*b, state)?;
                self.instance_of(&value, &types).map_or(Val::Unknown, Val::Bool)
            }
            ExprKind::Seq(_, args) => {
                let mut list = Vec::new();
                for arg in args {
                    match arg {
                        Arg::Positional(e) => list.push(self.pure(*e, state)?),
                        Arg::Spread(e) if matches!(ir.expr(*e).kind, ExprKind::Comprehension { .. }) => return None,
                        _ => {
                            if let Arg::Spread(e) = arg
                                && let Some(value) = self.pure(*e, state)
                                && let Some(items) = self.iterated(&value)
                                && let Some(n) = items.len().filter(|n| *n <= 4_096)
                            {
                                list.extend((0..n).map(|i| items.at(i)));
                                continue;
                            }
                            return if self.has_effects(state, arg.value()) {
                                None
                            } else {
                                Some(self.of_link(state, e))
                            };
                        }
                    }
                }
                Val::List(Rc::new(list))
            }
            ExprKind::Dict(entries) => {
                for entry in entries {
                    let parts = match *entry {
                        Entry::Pair(k, v) => vec![k, v],
                        Entry::Spread(e) => vec![e],
                        Entry::Getter(..) => Vec::new(),
                    };
                    for part in parts {
                        self.pure(part, state)?;
                    }
                }
                self.of_link(state, e)
            }
            ExprKind::Range { start, end, inclusive } => {
                let lo = match start {
                    Some(e) => self.pure(*e, state)?.as_exact(),
                    None => Some(0.0),
                };
                let hi = match end {
                    Some(e) => self.pure(*e, state)?.as_exact(),
                    None => Some(f64::INFINITY),
                };
                match (lo, hi) {
                    (Some(lo), Some(hi)) => {
                        let hi = hi.is_finite().then_some(hi as i64 + i64::from(*inclusive));
                        Val::Range(lo as i64, hi, 1)
                    }
                    _ => Val::Unknown,
                }
            }
            ExprKind::Closure(function) if ir.function(*function).kind != FunctionKind::AsyncBlock => {
                self.closure_value(state, *function)
            }
            ExprKind::Typed(inner, _) => self.pure(*inner, state)?,
            ExprKind::Slice { object, bounds } => {
                let value = self.pure(*object, state)?;
                for &bound in bounds {
                    self.pure(bound, state)?;
                }
                if bounds.is_empty() { value } else { Val::Unknown }
            }
            ExprKind::Super(_) => self.this(state),
            ExprKind::Import(_) | ExprKind::Class(_) => Val::Unknown,
            _ => return None,
        })
    }

    fn has_effects(&mut self, state: &State, e: ExprId) -> bool {
        self.pure(e, state).is_none()
    }

    /// What link made of a container at this expression.
    pub fn of_link(&self, state: &State, e: ExprId) -> Val {
        let site = Site { comp: self.comp(state), expr: e };
        for kind in [ContainerKind::Dict, ContainerKind::List, ContainerKind::Tuple, ContainerKind::Set] {
            if let Some(tok) = self.view.solver.tokens.find(&Token::Container { site, kind }) {
                return Val::Tok(tok);
            }
        }
        Val::Unknown
    }

    /// The functions that reading an attribute runs: `get limit() { … }`, a property.
    fn getters(&self, state: &State, e: ExprId) -> Vec<(CompId, CallRecord)> {
        let records = self.view.calls(self.comp(state), e).iter();
        let implicit = records.filter(|r| r.via == Via::Implicit);
        implicit.filter_map(|r| if let Target::Comp(t) = r.target { Some((t, *r)) } else { None }).collect()
    }

    /// A closure made on this path.
    pub fn closure_value(&self, state: &State, function: FunctionId) -> Val {
        let comp = self.comp(state);
        let func = FuncRef { file: self.view.func(comp).file, id: function };
        match self.view.solver.tokens.find(&Token::Function { func, env: comp }) {
            Some(tok) => match self.view.solver.decorated.get(&tok) {
                Some(value) => self.view.val(value),
                None => Val::Tok(tok),
            },
            None => Val::Unknown,
        }
    }

    /// The receiver.
    pub fn this(&self, state: &State) -> Val {
        for activation in state.stack.iter().rev() {
            let function = self.view.function(activation.comp);
            if let Some(receiver) = function.params.first().filter(|p| p.kind == ParamKind::Receiver)
                && let Pattern::Bind(var) = self.view.file(activation.comp).pattern(receiver.pattern)
            {
                return activation.env.get(var).cloned().unwrap_or(Val::Unknown);
            }
            let key = &self.view.solver.comps[activation.comp.0 as usize].key;
            if let Some(&(_, tok)) = key.context.iter().find(|(at, _)| *at == crate::link::component::THIS) {
                return Val::Tok(tok);
            }
            if let Some(value) = self.view.solver.store.get(Addr::This(activation.comp)) {
                return self.view.val(value);
            }
            if function.kind == FunctionKind::Named {
                break;
            }
        }
        // Arrows share the receiver of the function around them.
        let mut at = self.view.solver.comps[self.comp(state).0 as usize].key.parent;
        while let Some(comp) = at {
            if let Some(value) = self.view.solver.store.get(Addr::This(comp)) {
                return self.view.val(value);
            }
            if let Some(value) = self.view.solver.store.get(Addr::Param(comp, 0))
                && self.view.function(comp).params.first().is_some_and(|p| p.kind == ParamKind::Receiver)
            {
                return self.view.val(value);
            }
            at = self.view.solver.comps[comp.0 as usize].key.parent;
        }
        Val::Unknown
    }

    /// Reads a variable: of this activation, of one below it on the stack, or as link knows it.
    pub fn read_var(&self, state: &State, var: VarId) -> Val {
        let comp = self.comp(state);
        let file = self.view.func(comp).file;
        let owner_func = self.view.file(comp).var(var).owner;
        if let Some(activation) = state.stack.last()
            && self.view.func(comp).id == owner_func
            && let Some(value) = activation.env.get(&var)
        {
            return value.clone();
        }
        let Some(owner) = self.view.solver.owner(comp, file, owner_func) else { return Val::Unknown };
        for activation in state.stack.iter().rev() {
            if activation.comp == owner
                && let Some(value) = activation.env.get(&var)
            {
                return value.clone();
            }
        }
        let key: Rc<str> = Rc::from(format!("var {}", var.0));
        if !state.heap.is_empty()
            && let Some(value) = state.heap.get(&(Tok(u32::MAX - owner.0), key))
        {
            return value.clone();
        }
        match self.view.read(Addr::Var(owner, var)) {
            // A counter of a function that is not running: it starts with what it is first given.
            Val::Unknown | Val::Many(_) if self.view.file(owner).language != Language::Rust => {
                self.view.first_value(owner, var).unwrap_or_else(|| self.view.read(Addr::Var(owner, var)))
            }
            value => value,
        }
    }

    /// Writes a variable.
    pub fn write_var(&self, state: &mut State, var: VarId, value: Val) {
        let comp = self.comp(state);
        let file = self.view.func(comp).file;
        let owner_func = self.view.file(comp).var(var).owner;
        if self.view.func(comp).id == owner_func {
            let value = if self.is_idle(comp, var) { Val::Unknown } else { value };
            state.env().insert(var, value);
            return;
        }
        let Some(owner) = self.view.solver.owner(comp, file, owner_func) else { return };
        match state.stack.iter_mut().rev().find(|a| a.comp == owner) {
            Some(activation) => {
                activation.env.insert(var, value);
            }
            None => {
                // A variable of a function that is not running: kept beside the path's objects.
                let key: Rc<str> = Rc::from(format!("var {}", var.0));
                state.heap.insert((Tok(u32::MAX - owner.0), key), value);
            }
        }
    }

    fn free(&self, state: &State, name: &str) -> Val {
        let path = match self.ir(state).language {
            Language::Python => format!("builtins.{name}"),
            Language::JavaScript => format!("globals:{name}"),
            Language::Rust => name.to_string(),
        };
        match name {
            "undefined" | "None" => return Val::Null,
            "NaN" => return Val::Unknown,
            "Infinity" => return Val::num(f64::INFINITY),
            _ => {}
        }
        let file = self.view.func(self.comp(state)).file;
        if let Some(symbol) = self.view.solver.symbols.find(name)
            && let Some(value) = self.view.starred(file, symbol, 0)
        {
            return value;
        }
        let symbol = self.view.solver.symbols.find(&path);
        symbol.and_then(|s| self.view.solver.tokens.find(&Token::External(s))).map_or(Val::Unknown, Val::Tok)
    }

    fn unary(&mut self, op: UnaryOp, value: &Val) -> Val {
        match op {
            UnaryOp::Not => self.truth(value).map_or(Val::Unknown, |b| Val::Bool(!b)),
            UnaryOp::Neg => match value.as_num() {
                Some(n) => Val::Num(Num { lo: -n.hi, hi: -n.lo, ..n }),
                None => Val::Unknown,
            },
            UnaryOp::Plus => value.clone(),
            _ => Val::Unknown,
        }
    }

    /// The value of an augmented assignment.
    pub fn augmented(&mut self, op: AssignOp, old: &Val, new: &Val) -> Val {
        match op {
            AssignOp::Binary(op) => self.binary(op, old, new),
            AssignOp::Or => match self.truth(old) {
                Some(true) => old.clone(),
                Some(false) => new.clone(),
                None => Val::Unknown,
            },
            AssignOp::And => match self.truth(old) {
                Some(true) => new.clone(),
                Some(false) => old.clone(),
                None => Val::Unknown,
            },
            AssignOp::Coalesce => match old {
                Val::Null => new.clone(),
                Val::Unknown => Val::Unknown,
                _ => old.clone(),
            },
        }
    }

    /// Arithmetic.
    pub fn binary(&mut self, op: BinaryOp, left: &Val, right: &Val) -> Val {
        if let (Val::List(a), Val::List(b), BinaryOp::Add) = (left, right, op) {
            return Val::List(Rc::new(a.iter().chain(b.iter()).cloned().collect()));
        }
        // Tuples and lists that link knows: `TRANSIENT + (ValueError,)`.
        if op == BinaryOp::Add
            && let (Val::Tok(_), Val::Tok(_) | Val::List(_)) | (Val::List(_), Val::Tok(_)) = (left, right)
            && let (Some(mut all), Some(more)) = (self.elements(left), self.elements(right))
        {
            all.extend(more);
            return Val::List(Rc::new(all));
        }
        if let (Val::List(a), Some(n), BinaryOp::Mul) = (left, right.as_exact(), op) {
            let times = (n.max(0.0) as usize).min(1_000);
            return Val::List(Rc::new(a.iter().cloned().cycle().take(a.len() * times).collect()));
        }
        if let (Val::Text(a), Val::Text(b), BinaryOp::Add) = (left, right, op) {
            return Val::text(&format!("{a}{b}"));
        }
        if let (Val::Tok(_) | Val::Many(_), _, BinaryOp::BitOr) | (_, Val::Tok(_), BinaryOp::BitOr) = (left, right, op)
        {
            return Val::List(Rc::new(vec![left.clone(), right.clone()]));
        }
        let (Some(x), Some(y)) = (left.as_num(), right.as_num()) else {
            // Chance that reaches a wait stays visible even where the number is not known.
            let random = [left, right].iter().any(|v| v.as_num().is_some_and(|n| n.random));
            if random {
                return Val::Num(Num { lo: 0.0, hi: f64::INFINITY, random: true, clock: false, asked: false });
            }
            return Val::Unknown;
        };
        let f: fn(f64, f64) -> f64 = match op {
            BinaryOp::Add => |a, b| a + b,
            BinaryOp::Sub => |a, b| a - b,
            BinaryOp::Mul => |a, b| if a == 0.0 || b == 0.0 { 0.0 } else { a * b },
            BinaryOp::Div => |a, b| a / b,
            BinaryOp::FloorDiv => |a, b| (a / b).floor(),
            BinaryOp::Mod => f64::rem_euclid,
            BinaryOp::Pow => f64::powf,
            BinaryOp::Shl => |a, b| a * b.exp2(),
            BinaryOp::Shr => |a, b| (a / b.exp2()).floor(),
            BinaryOp::BitOr => |a, b| ((a as i64) | (b as i64)) as f64,
            BinaryOp::BitAnd => |a, b| ((a as i64) & (b as i64)) as f64,
            BinaryOp::BitXor => |a, b| ((a as i64) ^ (b as i64)) as f64,
            BinaryOp::MatMul => |_, _| f64::NAN,
        };
        let result = x.combine(y, f);
        if result.lo.is_infinite() && result.hi.is_infinite() && result.lo != result.hi {
            return Val::Unknown;
        }
        Val::Num(result)
    }

    /// Compares; none: not known.
    pub fn compare(&mut self, op: CompareOp, left: &Val, right: &Val) -> Option<bool> {
        if matches!((left, right), (Val::Part(..), o) | (o, Val::Part(..)) if *o != Val::Null) {
            self.looked.set(true);
            return match op {
                CompareOp::In => super::wording::contains(right, left),
                CompareOp::NotIn => super::wording::contains(right, left).map(|b| !b),
                _ => None,
            };
        }
        match op {
            CompareOp::Eq | CompareOp::Is => self.equal(left, right),
            CompareOp::NotEq | CompareOp::IsNot => self.equal(left, right).map(|b| !b),
            CompareOp::In => self.contains(right, left),
            CompareOp::NotIn => self.contains(right, left).map(|b| !b),
            CompareOp::Lt | CompareOp::LtEq | CompareOp::Gt | CompareOp::GtEq => {
                let clock = |v: &Val| v.as_num().is_some_and(|n| n.clock);
                self.clock_read |= clock(left) || clock(right);
                // What is not there is neither more nor less than a number.
                if matches!((left, right), (Val::Null, Val::Num(_)) | (Val::Num(_), Val::Null)) {
                    return Some(false);
                }
                let (x, y) = (left.as_num()?, right.as_num()?);
                let (sure, never) = match op {
                    CompareOp::Lt => (x.hi < y.lo, x.lo >= y.hi),
                    CompareOp::LtEq => (x.hi <= y.lo, x.lo > y.hi),
                    CompareOp::Gt => (x.lo > y.hi, x.hi <= y.lo),
                    _ => (x.lo >= y.hi, x.hi < y.lo),
                };
                if sure {
                    Some(true)
                } else if never {
                    Some(false)
                } else {
                    None
                }
            }
        }
    }

    /// Narrows the path by the outcome of a test.
    pub fn assume(&mut self, state: &mut State, test: ExprId, outcome: bool) {
        let ir = self.ir(state);
        match &ir.expr(test).kind {
            ExprKind::Unary(UnaryOp::Not, e) => self.assume(state, *e, !outcome),
            ExprKind::And(a, b) if outcome => {
                self.assume(state, *a, true);
                self.assume(state, *b, true);
            }
            ExprKind::Or(a, b) if !outcome => {
                self.assume(state, *a, false);
                self.assume(state, *b, false);
            }
            ExprKind::Compare(CompareOp::Is | CompareOp::Eq, a, b)
                if matches!(ir.expr(*b).kind, ExprKind::Literal(Literal::Null)) && outcome =>
            {
                if let ExprKind::Var(var) = ir.expr(*a).kind
                    && self.read_var(state, var) == Val::Unknown
                {
                    self.write_var(state, var, Val::Null);
                }
            }
            ExprKind::Var(var) => {
                // A flag that was unknown is now known.
                if self.read_var(state, *var) == Val::Unknown && !outcome {
                    self.write_var(state, *var, Val::Bool(false));
                }
            }
            _ => {}
        }
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
