//! Calls in abstract execution: the failing one, waits, answers' methods, helpers run in place.

use super::about::About;
use super::machine::{Callee, CalleeKey, End, INLINE, Machine, Outcome, RECURSION};
use super::state::{Activation, Entry, Exits, Happening, Slot, State};
use super::val::{Num, Val};
use crate::ir::*;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::store::Addr;
use crate::link::token::*;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Helpers longer than this are not run in place.
const HELPER: usize = 80;
/// Longer lists are not followed as they change.
const LONGEST: usize = 64;
/// Helpers are run in place at most so deep.
const HELPERS: usize = 8;

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

/// The texts of a list that holds nothing else; none of an empty one.
fn texts(list: &[Val]) -> Option<Vec<&str>> {
    let texts = list.iter().map(|v| if let Val::Text(t) = v { Some(&**t) } else { None });
    texts.collect::<Option<Vec<&str>>>().filter(|t| !t.is_empty())
}

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
        for (state, on) in states.drain(..) {
            let mut list = vec![(state, Given::default())];
            for arg in args {
                let mut next = Vec::new();
                for (state, so_far) in list {
                    for (state, value) in self.eval_argument(arg.value(), state, exits) {
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
            self.dispatch(e, callee, object.is_some(), &on, given, state, &mut out, exits);
        }
        self.few(out)
    }

    fn spread_keywords(&mut self, value: &Val, given: &mut Given) {
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

    #[allow(clippy::too_many_arguments)]
    fn dispatch(
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
            self.promise_method(error.clone(), name, given, state, out, exits);
            return;
        }
        if method == Some("catch") && ir.language == Language::JavaScript && self.is_fulfilled(callee, comp) {
            out.push((state, on.clone()));
            return;
        }
        let records = self.view.calls(comp, e).to_vec();
        let rust = ir.language == Language::Rust;
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
        if !by_and_by && records.iter().any(|r| self.fails(comp, e, r)) {
            self.happened(e, &mut state);
            let outcome = self.plan.outcome.clone();
            self.deliver(outcome, &records, state, out, exits);
            return;
        }
        if self.others_fail && records.iter().any(|r| self.is_outbound(r)) {
            // Something else may fail first (a provider that this one stands in for).
            let error = Rc::new(self.unknown_error());
            self.deliver(Outcome::Raise(error), &records, state.clone(), out, exits);
        }
        if rust && let Some(name) = method {
            let object = match ir.expr(callee).kind {
                ExprKind::Attr { object, .. } => Some(object),
                _ => None,
            };
            state = match self.rust_call(e, object, on, name, &records, &given, state, out, exits) {
                None => return,
                Some(state) => state,
            };
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
        if rust
            && method.is_some()
            && let Some(value) = self.time_since(e, on, &records, &given, &mut state)
        {
            out.push((state, value));
            return;
        }
        let own = rust && records.iter().any(|r| r.via == Via::Call && matches!(r.target, Target::Comp(_)));
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
        let value_callee = if is_method { self.attribute_on(&state, on, method.unwrap_or("")) } else { on.clone() };
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
                if state.stack.iter().filter(|a| a.comp == target).count() >= RECURSION {
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
        if let Some(value) = self.external_call(&records, &value_callee, &given, &mut state, e) {
            match value {
                Outcome::Raise(error) => exits.raises.push((state, error)),
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

    /// What a method reads off the clock that is called on a time read off it before: how long ago that was.
    fn time_since(
        &mut self,
        e: ExprId,
        on: &Val,
        records: &[CallRecord],
        given: &Given,
        state: &mut State,
    ) -> Option<Val> {
        let Val::Num(start) = on else { return None };
        let reads = |r: &CallRecord| self.view.known(r.callee).is_some_and(|k| k.callable.value.is_some());
        if !start.clock || !records.iter().any(reads) {
            return None;
        }
        match self.external_call(records, &Val::Unknown, given, state, e)? {
            Outcome::Value(Val::Num(now)) if now.clock => Some(Val::Num(now.combine(*start, |now, start| now - start))),
            _ => None,
        }
    }

    /// The failing callee's outcome, if an `await` is what calls it.
    pub fn sent_by_waiting(&mut self, e: ExprId, state: &mut State) -> Option<Outcome> {
        let comp = self.comp(state);
        let records = self.view.calls(comp, e);
        if !records.iter().any(|r| self.fails(comp, e, r)) {
            return None;
        }
        self.happened(e, state);
        Some(self.plan.outcome.clone())
    }

    /// The function of the unit that a timer starts, and after how long: the recursion goes on through it.
    fn timed(&mut self, records: &[CallRecord], given: &Given, state: &mut State, e: ExprId) -> Option<Val> {
        let callee = records.iter().find(|r| matches!(r.target, Target::External(_)))?.callee;
        let known = self.view.known(callee)?;
        let after = known.callable.after.as_ref()?;
        let callback = given.positional.iter().find(|v| {
            let Val::Tok(tok) = v else { return false };
            let Token::Function { func, env } = *self.view.token(*tok) else { return false };
            self.view.component_of(func, env).is_some_and(|comp| self.plan.unit.contains(&comp))
        })?;
        let Target::External(made) = records.iter().find(|r| matches!(r.target, Target::External(_)))?.target else {
            return None;
        };
        self.now = state.clock;
        let scope = self.scope_of(callee, Some(made));
        self.given = Some((made, given.clone()));
        self.sleep(e, after, &scope, state);
        self.given = None;
        Some(callback.clone())
    }

    fn is_outbound(&self, record: &CallRecord) -> bool {
        matches!(record.target, Target::External(_))
            && self.view.known(record.callee).is_some_and(|k| k.callable.outbound.is_some())
    }

    /// The callable that an external call runs at once, without a layer of its own (`new Promise(executor)`).
    fn called_now(&self, records: &[CallRecord], given: &Given) -> Option<Val> {
        for record in records {
            let Target::External(_) = record.target else { continue };
            let Some(known) = self.view.known(record.callee) else { continue };
            for calls in &known.callable.calls {
                if calls.how != "now" || calls.layered {
                    continue;
                }
                let at = known.callable.params.iter().position(|p| *p == calls.callable)?;
                let value = given.positional.get(at).filter(|v| matches!(v, Val::Tok(_)));
                if let Some(value) = value {
                    return Some(value.clone());
                }
            }
        }
        None
    }

    /// Whether a call record is of the failing callee.
    pub fn fails(&self, comp: CompId, e: ExprId, record: &CallRecord) -> bool {
        let Some(key) = &self.plan.key else { return false };
        let same = match (record.target, key.target) {
            (Target::Comp(target), Callee::Comp(failing)) => target == failing,
            (Target::External(_), Callee::External(failing)) => self.request(comp, record.callee) == failing,
            _ => false,
        };
        same && self.key_of(comp, e, record).is_some_and(|k| k == *key)
    }

    /// What a call record calls, as far as one fault goes.
    pub fn key_of(&self, comp: CompId, e: ExprId, record: &CallRecord) -> Option<CalleeKey> {
        let wrappers: Vec<Tok> = self.view.wrappers(record.callee).into_iter().map(|(by, _)| by).collect();
        match record.target {
            Target::Comp(target) => {
                let handed_to = if record.via == Via::Handed {
                    self.view.calls(comp, e).iter().find_map(|r| match r.target {
                        Target::External(_) => Some(r.callee),
                        _ => None,
                    })
                } else {
                    None
                };
                Some(CalleeKey { target: Callee::Comp(target), wrappers, handed_to })
            }
            Target::External(_) => {
                let callee = self.request(comp, record.callee);
                Some(CalleeKey { target: Callee::External(callee), wrappers, handed_to: None })
            }
            Target::Unresolved => None,
        }
    }

    /// Writes down that the failing call was executed.
    pub fn happened(&mut self, e: ExprId, state: &mut State) {
        let comp = self.comp(state);
        let ir = self.ir(state);
        let mut hasher = FxHasher::default();
        if let ExprKind::Call { args, .. } = &ir.expr(e).kind {
            for arg in args {
                let span = ir.expr(arg.value()).span;
                let text = self.source_text(comp, span);
                match self.pure(arg.value(), state) {
                    Some(Val::Text(t)) => t.hash(&mut hasher),
                    Some(Val::List(list)) if texts(&list).is_some() => texts(&list).hash(&mut hasher),
                    _ => text.hash(&mut hasher),
                }
            }
        }
        // Work that is about an element of what a loop goes over is other work each turn.
        let about = self.about(e, state);
        about.hash(&mut hasher);
        let slots = state.slots.clone();
        state.trace.push(Happening::Call { site: (comp, e), work: hasher.finish(), about, slots });
    }

    fn source_text(&self, comp: CompId, span: Span) -> (u32, u32) {
        // Same bytes are same text; other places with the same text are compared by the sources.
        let file = self.view.func(comp).file;
        match self.texts.get(file as usize) {
            Some(text) => {
                let slice = text.get(span.start as usize..span.end as usize).unwrap_or("");
                let mut hasher = FxHasher::default();
                slice.hash(&mut hasher);
                let h = hasher.finish();
                ((h >> 32) as u32, h as u32)
            }
            None => (span.start, span.end),
        }
    }

    /// Delivers the outcome of the failing callee at a call.
    pub fn deliver(
        &mut self,
        outcome: Outcome,
        records: &[CallRecord],
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) {
        let language = self.ir(&state).language;
        match outcome {
            Outcome::Value(value) => out.push((state, value)),
            Outcome::Raise(error) => {
                let deferred = language != Language::Python
                    || records.iter().any(|r| match r.target {
                        Target::Comp(t) => self.view.function(t).is_async,
                        Target::External(_) => self.view.known(r.callee).is_some_and(|k| k.callable.is_async),
                        Target::Unresolved => false,
                    });
                let throws = language == Language::JavaScript
                    && records.iter().any(|r| match r.target {
                        Target::Comp(t) => {
                            let f = self.view.function(t);
                            !f.is_async && self.throws_at_once.contains(&t)
                        }
                        _ => false,
                    });
                // Started by something that hands back a future: the failure is in that.
                let started = self.plan.key.as_ref().and_then(|k| k.handed_to).is_some_and(|by| {
                    self.view.known(by).is_some_and(|k| k.callable.calls.iter().any(|c| c.how == "later"))
                });
                if (deferred || started) && !throws {
                    out.push((state, Val::Fail(error)));
                } else {
                    exits.raises.push((state, error));
                }
            }
        }
    }

    /// Whether a promise whose `.catch` is called comes from the call that is looked at, which did not fail: what was
    /// handed to `.catch` is not called.
    fn is_fulfilled(&self, callee: ExprId, comp: CompId) -> bool {
        let file = self.view.file(comp);
        let mut at = callee;
        // As many links as anybody writes.
        for _ in 0..64 {
            let ExprKind::Attr { object, .. } = file.expr(at).kind else { return false };
            let ExprKind::Call { callee, .. } = file.expr(object).kind else { return false };
            if self.view.calls(comp, object).iter().any(|r| self.fails(comp, object, r)) {
                return true;
            }
            match &file.expr(callee).kind {
                ExprKind::Attr { name, .. } if matches!(file.name(*name), "catch" | "finally") => at = callee,
                _ => return false,
            }
        }
        false
    }

    /// `.then`, `.catch`, `.finally` and the like on a failed promise; anything else lets it pass.
    fn promise_method(
        &mut self,
        error: Rc<super::val::Error>,
        name: &str,
        given: Given,
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) {
        if self.ir(&state).language == Language::Python {
            // A future: asking for its result raises.
            match name {
                "result" | "get" => exits.raises.push((state, error)),
                "exception" => out.push((state, Val::Error(error))),
                "done" => out.push((state, Val::Bool(true))),
                "cancelled" => out.push((state, Val::Bool(false))),
                _ => out.push((state, Val::Fail(error))),
            }
            return;
        }
        let handler = match name {
            "catch" => given.positional.first().cloned(),
            "then" => given.positional.get(1).cloned(),
            _ => None,
        };
        let handler = handler.filter(|h| !matches!(h, Val::Null));
        match handler {
            Some(handler) => {
                let mut inner = Exits::default();
                let results = self.call_closure(&handler, vec![Val::Error(error.clone())], state, &mut inner);
                out.extend(results);
                // What the handler throws is the promise's new failure.
                for (state, error) in inner.raises {
                    if error.is_never() {
                        exits.raises.push((state, error));
                    } else {
                        out.push((state, Val::Fail(error)));
                    }
                }
                exits.returns.extend(inner.returns);
            }
            None => out.push((state, Val::Fail(error))),
        }
    }

    /// Writes back what a call changed in place: to a variable, or to a field.
    pub fn write_back(&mut self, e: ExprId, value: Val, state: &mut State) {
        let ir = self.ir(state);
        match &ir.expr(e).kind {
            ExprKind::Var(var) => self.write_var(state, *var, value),
            ExprKind::Attr { object, name, .. } => {
                if let Some(Val::Tok(tok)) = self.pure(*object, state) {
                    state.heap.insert((tok, Rc::from(ir.name(*name))), value);
                }
            }
            _ => {}
        }
    }

    /// A method that changes a list whose elements are known; none if it is none.
    fn list_changed(
        &mut self,
        callee: ExprId,
        on: &Val,
        method: Option<&str>,
        given: &Given,
        state: &mut State,
    ) -> Option<Val> {
        let javascript = self.ir(state).language == Language::JavaScript;
        // The same methods by their other names.
        let name = match method? {
            "shift" if javascript => "popleft",
            "unshift" if javascript => "appendleft",
            "push" if javascript => "append",
            name => name,
        };
        if !matches!(
            name,
            "append" | "appendleft" | "extend" | "insert" | "pop" | "popleft" | "clear" | "remove" | "reverse"
        ) {
            return None;
        }
        let ExprKind::Attr { object, .. } = self.ir(state).expr(callee).kind else { return None };
        let mut items = match on {
            Val::List(items) => (**items).clone(),
            // A list of another function: as long as it is only taken from here.
            Val::Tok(_) if name.starts_with("pop") => self.elements(on)?,
            _ => return None,
        };
        let first = given.positional.first();
        let mut result = Val::Null;
        match (name, first) {
            ("append", Some(value)) => items.push(value.clone()),
            ("appendleft", Some(value)) => items.insert(0, value.clone()),
            ("insert", Some(at)) => {
                let at = at.as_exact().unwrap_or(0.0).max(0.0) as usize;
                items.insert(at.min(items.len()), given.positional.get(1).cloned().unwrap_or(Val::Unknown));
            }
            ("extend", Some(more)) => items.extend(self.elements(more)?),
            ("pop" | "popleft", _) => {
                if items.is_empty() && javascript {
                    return Some(Val::Null);
                }
                let at = if name == "popleft" { Some(0.0) } else { first.map_or(Some(-1.0), Val::as_exact) }?;
                let at = if at < 0.0 { items.len().checked_sub(-at as usize)? } else { at as usize };
                if at >= items.len() {
                    return None;
                }
                result = items.remove(at);
            }
            ("clear", _) => items.clear(),
            ("reverse", _) => items.reverse(),
            _ => return None,
        }
        // One that grows for ever is not followed.
        let value = if items.len() > LONGEST { Val::Unknown } else { Val::List(Rc::new(items)) };
        self.write_back(object, value, state);
        Some(result)
    }

    /// `next(iterator)`: the next element of one whose elements are known, none at its end.
    fn next_element(&mut self, e: ExprId, callee: &Val, given: &Given, state: &mut State) -> Option<Option<Val>> {
        let Val::Tok(tok) = callee else { return None };
        let Token::External(symbol) = *self.view.token(*tok) else { return None };
        if self.view.text(symbol) != "builtins.next" {
            return None;
        }
        let items = match given.positional.first()? {
            Val::List(items) => super::matching::Items::List(items.clone()),
            Val::Range(from, to, step) => super::matching::Items::Range(*from, *to, *step),
            _ => return None,
        };
        if items.ends_at(0) {
            return Some(given.positional.get(1).cloned());
        }
        let ExprKind::Call { args, .. } = &self.ir(state).expr(e).kind else { return None };
        let iterator = args.first()?.value();
        let rest = match &items {
            super::matching::Items::List(list) => Val::List(Rc::new(list.get(1..).unwrap_or_default().to_vec())),
            super::matching::Items::Endless(_) => Val::Unknown,
            super::matching::Items::Range(from, to, step) => Val::Range(from + step, *to, *step),
        };
        self.write_back(iterator, rest, state);
        Some(Some(items.at(0)))
    }

    /// A method of keyword arguments; what it changes is written to the variable it is called on.
    fn dict_method(
        &mut self,
        entries: &Rc<Vec<(Rc<str>, Val)>>,
        name: &str,
        given: &Given,
        callee: ExprId,
        state: &mut State,
    ) -> Val {
        let ir = self.ir(state);
        let variable = match &ir.expr(callee).kind {
            ExprKind::Attr { object, .. } => match ir.expr(*object).kind {
                ExprKind::Var(var) => Some(var),
                _ => None,
            },
            _ => None,
        };
        let changed = |m: &Self, state: &mut State, value: Val| {
            if let Some(var) = variable {
                m.write_var(state, var, value);
            }
        };
        let default = given.positional.get(1).cloned().unwrap_or(Val::Null);
        match (name, given.positional.first()) {
            ("get" | "pop" | "setdefault", Some(Val::Text(key))) => {
                let found = entries.iter().find(|(n, _)| n == key).map(|(_, v)| v.clone());
                match name {
                    "pop" => {
                        let rest = entries.iter().filter(|(n, _)| n != key).cloned().collect();
                        changed(self, state, Val::Dict(Rc::new(rest)));
                    }
                    "setdefault" if found.is_none() => {
                        let more = super::matching::with_entry(entries, key, &default);
                        changed(self, state, Val::Dict(Rc::new(more)));
                    }
                    _ => {}
                }
                found.unwrap_or(default)
            }
            ("update", first) => {
                let mut all = (**entries).clone();
                if let Some(Val::Dict(more)) = first {
                    for (key, value) in more.iter() {
                        all = super::matching::with_entry(&all, key, value);
                    }
                }
                for (key, value) in &given.keywords {
                    all = super::matching::with_entry(&all, key, value);
                }
                let known = matches!(first, None | Some(Val::Dict(_)));
                changed(self, state, if known { Val::Dict(Rc::new(all)) } else { Val::Unknown });
                Val::Null
            }
            ("copy", _) => Val::Dict(entries.clone()),
            ("values", _) => Val::List(Rc::new(entries.iter().map(|(_, v)| v.clone()).collect())),
            ("keys", _) => Val::List(Rc::new(entries.iter().map(|(n, _)| Val::Text(n.clone())).collect())),
            ("items", _) => Val::List(Rc::new(
                entries.iter().map(|(n, v)| Val::List(Rc::new(vec![Val::Text(n.clone()), v.clone()]))).collect(),
            )),
            ("clear" | "popitem", _) => {
                changed(self, state, Val::Unknown);
                Val::Unknown
            }
            _ => Val::Unknown,
        }
    }

    fn described_method(&mut self, object: &super::val::Described, name: &str) -> Val {
        let found = self.view.solver.catalogue.method(&object.class, name);
        match found.and_then(|(_, _, m)| m.callable.value.as_ref()) {
            Some(value) => {
                let scope = object.scope();
                self.formula(value, &scope).unwrap_or(Val::Null)
            }
            None => Val::Unknown,
        }
    }

    /// A method of an answer or error: raising for its status, or a look at it.
    fn answer_method(&mut self, on: &Val, name: &str, state: State, out: &mut Vec<(State, Val)>, exits: &mut Exits) {
        self.looked.set(true);
        let (class, status) = match on {
            Val::Answer(a) => (a.class.clone(), Some(a.status)),
            Val::Error(e) => match &e.class {
                super::val::ErrorClass::Known(c) => (c.clone(), e.status),
                _ => {
                    out.push((state, self.attribute(on, name)));
                    return;
                }
            },
            _ => {
                let value = self.attribute(on, name);
                out.push((state, value));
                return;
            }
        };
        let catalogue = self.view.solver.catalogue;
        if let Some((_, _, method)) = catalogue.method(&class, name) {
            if let Some(raises) = &method.callable.raises_for_status {
                let failing = status.is_some_and(|s| s >= 400);
                self.by_status |= false;
                if failing {
                    let class_of_failure = match on {
                        Val::Answer(a) => a.class_of_failure,
                        _ => None,
                    };
                    let error = Rc::new(super::val::Error {
                        class: super::val::ErrorClass::Known(Rc::from(raises.as_str())),
                        status,
                        fields: Vec::new(),
                        token: None,
                        injected: true,
                        class_of_failure,
                    });
                    if self.ir(&state).language == Language::Rust {
                        out.push((state, Val::Fail(error)));
                    } else {
                        exits.raises.push((state, error));
                    }
                } else if self.ir(&state).language == Language::Rust {
                    out.push((state, Val::Good(Box::new(on.clone()))));
                } else {
                    out.push((state, on.clone()));
                }
                return;
            }
            if let Some(value) = &method.callable.value {
                let looks = catalogue.bases(&class).any(|(_, c)| c.status_attributes.iter().any(|a| a == name));
                self.by_status |= looks;
                let error = if let Val::Error(e) = on { Some(e.clone()) } else { None };
                let failure = error
                    .as_ref()
                    .and_then(|e| e.class_of_failure)
                    .and_then(|i| crate::chains::Failure::ALL.get(i as usize).copied().map(|f| (f, status)));
                let scope = super::formula::Scope {
                    receiver: Some(on.clone()),
                    error,
                    failure,
                    ..super::formula::Scope::default()
                };
                let value = self.formula(value, &scope).unwrap_or(Val::Unknown);
                out.push((state, value));
                return;
            }
        }
        let value = match self.attribute(on, name) {
            Val::Part(..) => Val::Unknown,
            value => value,
        };
        out.push((state, value));
    }

    /// Runs functions of the program in place.
    #[allow(clippy::too_many_arguments)]
    pub fn run_targets(
        &mut self,
        e: ExprId,
        targets: &[(CompId, CallRecord)],
        on: &Val,
        is_method: bool,
        given: &Given,
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) {
        let depth = state.stack.len();
        let helper =
            |m: &Self, t: CompId| m.view.file(t).block(m.view.function(t).body).len() <= HELPER && depth <= HELPERS;
        let constructs = targets.iter().all(|(t, _)| {
            self.view
                .function(*t)
                .name
                .is_some_and(|n| matches!(self.view.file(*t).name(n), "__init__" | "constructor"))
        });
        let made = self.made_at(&state, e);
        let mut ran = false;
        let mut done: Vec<CompId> = Vec::new();
        for (target, record) in targets {
            let in_unit = self.plan.unit.contains(target);
            let levels = state.stack.iter().filter(|a| a.comp == *target).count();
            if levels >= RECURSION {
                ran = true;
                self.recurses_for_ever(&state, exits);
                continue;
            }
            let fits = if in_unit { depth <= INLINE || levels > 0 } else { helper(self, *target) };
            if done.contains(target) || !fits || self.steps == 0 {
                continue;
            }
            // Handed to the language itself (a promise's executor, an array's method): it runs, with arguments of its own.
            let by_language = record.via == Via::Handed && !in_unit;
            done.push(*target);
            let function = self.view.function(*target);
            ran = true;
            let receiver = match (&made, is_method) {
                (Some(tok), _) if constructs => Some(Val::Tok(*tok)),
                (_, true) => Some(on.clone()),
                _ => match *self.view.token(record.callee) {
                    Token::Bound { this, .. } => Some(Val::Tok(this)),
                    _ => None,
                },
            };
            if function.is_generator && !in_unit {
                let given = given.clone();
                let pending = super::generator::Pending { comp: *target, receiver, given };
                out.push((state.clone(), Val::Generator(Rc::new(pending))));
                continue;
            }
            let mut entered = state.clone();
            if levels > 0 {
                self.recurse(e, *target, &mut entered);
            }
            let outer = state.slots.clone();
            let helper = state.helper;
            if !in_unit && helper.is_none() && !by_language {
                // Where a helper waits is where it is called.
                entered.helper = Some(self.view.call_place(self.comp(&state), e));
            }
            let given = if by_language {
                Given { open: true, about: given.about.clone(), ..Given::default() }
            } else {
                given.clone()
            };
            let receiver = if by_language { None } else { receiver };
            for (mut after, end) in self.enter(*target, receiver, given, entered) {
                after.slots = outer.clone();
                after.helper = helper;
                match end {
                    End::Return(_) if constructs => {
                        let value = made.map_or(Val::Unknown, Val::Tok);
                        out.push((after, value));
                    }
                    End::Return(value) if by_language && !matches!(value, Val::Fail(_)) => {
                        out.push((after, Val::Unknown))
                    }
                    End::Return(value) => out.push((after, value)),
                    End::Raise(error) => {
                        let by_value = function.is_async || self.view.file(*target).language == Language::Rust;
                        if by_value && !error.is_never() {
                            out.push((after, Val::Fail(error)));
                        } else {
                            exits.raises.push((after, error));
                        }
                    }
                }
            }
        }
        if !ran {
            let value = made.map_or(Val::Unknown, Val::Tok);
            out.push((state, value));
        }
    }

    /// A recursion that does not end, as far as anybody can see.
    fn recurses_for_ever(&mut self, state: &State, exits: &mut Exits) {
        // What goes down into other elements each time is no repetition.
        let descends = state.stack.last().is_some_and(|a| !a.about.is_empty());
        if let Some(slot) = state.slots.iter().rev().find(|s| s.recursion)
            && !descends
        {
            self.endless.push((slot.place, state.timed));
        }
        exits.raises.push((state.clone(), self.never()));
    }

    fn recurse(&mut self, e: ExprId, target: CompId, state: &mut State) {
        let mut place = self.view.call_place(self.comp(state), e);
        // One that calls itself at several places is one recursion: it stands where the function does.
        let members = self.plan.unit.iter();
        let sites = members.flat_map(|&c| {
            self.view.all_calls(c).iter().filter(|r| r.target == Target::Comp(target)).map(move |r| (c, r.expr))
        });
        if sites.collect::<FxHashSet<_>>().len() > 1 {
            place = self.view.place(target, self.view.function(target).name_span);
        }
        let mut slots = (*state.slots).clone();
        match slots.iter().position(|s| s.recursion && s.place == place) {
            Some(at) => {
                slots.truncate(at + 1);
                slots[at].turn += 1;
            }
            None => slots.push(Slot { place, turn: 1, recursion: true, body: BlockId(0), per_item: false }),
        }
        state.slots = Rc::new(slots);
    }

    /// The object that a call makes, by link's account.
    fn made_at(&self, state: &State, e: ExprId) -> Option<Tok> {
        let site = Site { comp: self.comp(state), expr: e };
        let callee = match &self.ir(state).expr(e).kind {
            ExprKind::Call { callee, .. } => *callee,
            _ => return None,
        };
        let value = {
            let ir = self.ir(state);
            match ir.expr(callee).kind {
                ExprKind::Var(var) => self.read_var(state, var),
                _ => return self.view.solver.made_by_site.get(&site).copied(),
            }
        };
        if let Val::Tok(class) = value {
            return self.view.solver.tokens.find(&Token::Object { site, class });
        }
        None
    }

    /// Enters a component with arguments and runs it to its ends; the activation is left behind.
    pub fn enter(&mut self, comp: CompId, receiver: Option<Val>, given: Given, mut state: State) -> Vec<(State, End)> {
        let handling = std::mem::take(&mut state.handling);
        let about = given.about.clone();
        state.stack.push(Activation { comp, env: Default::default(), entry: None, about });
        self.bind_given(comp, receiver, given, &mut state);
        let mut ends = if self.note_entry(comp, &mut state) {
            self.body(comp, state)
        } else {
            let mut exits = Exits::default();
            self.recurses_for_ever(&state, &mut exits);
            exits.raises.into_iter().map(|(s, e)| (s, End::Raise(e))).collect()
        };
        for (state, end) in &mut ends {
            let left = state.stack.pop();
            state.handling = handling.clone();
            if let (End::Return(value), Some(left)) = (end, left)
                && Self::calls_of(value)
            {
                // Its closures live on, with what they captured.
                let owner = Tok(u32::MAX - comp.0);
                let kept = left.env.iter().map(|(var, v)| ((owner, Rc::from(format!("var {}", var.0))), v.clone()));
                state.heap.extend(kept);
            }
        }
        let mut kept: Vec<(State, End)> = Vec::new();
        for (state, end) in ends {
            let same = |other: &End| match (other, &end) {
                (End::Return(a), End::Return(b)) => a == b,
                (End::Raise(a), End::Raise(b)) => a == b,
                _ => false,
            };
            match kept.iter_mut().find(|(k, o)| same(o) && k.same_future(&state)) {
                Some(old) => {
                    if state.calls() > old.0.calls() {
                        *old = (state, end);
                    }
                }
                None => kept.push((state, end)),
            }
        }
        if kept.len() > 16 {
            self.cut = true;
            kept.truncate(16);
        }
        kept
    }

    /// Writes down how the running activation was entered. False: it was entered like this before, and never ends.
    pub fn note_entry(&mut self, comp: CompId, state: &mut State) -> bool {
        if !self.plan.unit.contains(&comp) {
            return true;
        }
        let Some(deciding) = self.deciding(comp) else { return true };
        let Some((running, others)) = state.stack.split_last_mut() else { return true };
        let entry = Entry { env: running.env.clone(), heap: state.heap.clone(), clock: state.clock };
        let alike = |old: &Entry| {
            deciding.iter().all(|v| old.env.get(v) == entry.env.get(v))
                && old.heap == entry.heap
                && (!state.timed || old.clock == entry.clock)
        };
        // Twice, so that what is done over shows.
        let before = others.iter().filter(|a| a.comp == comp).filter_map(|a| a.entry.as_ref()).filter(|e| alike(e));
        let again = before.count() >= 2;
        running.entry = Some(Rc::new(entry));
        !again
    }

    /// Parameters that decide how a recursion goes on; none if the function does not come back to itself.
    fn deciding(&mut self, comp: CompId) -> Option<Rc<FxHashSet<VarId>>> {
        if let Some(known) = self.deciding.get(&comp) {
            return known.clone();
        }
        // A closure goes on as what it captures says: the function around it, entered as often, decides.
        let around = self.view.solver.comps[comp.0 as usize].key.parent;
        if around.is_some_and(|around| self.plan.unit.contains(&around)) {
            self.deciding.insert(comp, None);
            return None;
        }
        let recursive: Vec<ExprId> = self
            .view
            .all_calls(comp)
            .iter()
            .filter(|c| matches!(c.target, Target::Comp(t) if self.plan.unit.contains(&t)))
            .map(|c| c.expr)
            .collect();
        let found = if recursive.is_empty() {
            None
        } else if self.plan.unit.len() > 1 {
            let function = self.view.function(comp);
            let mut all = Vec::new();
            for param in &function.params {
                super::relevant::bound_vars(self.view.file(comp), param.pattern, &mut all);
            }
            Some(Rc::new(all.into_iter().collect()))
        } else {
            let runs = self.run_in_place(comp);
            let facts = super::relevant::LoopFacts::of_recursion(
                self.view.file(comp),
                self.view.function(comp),
                &recursive,
                &runs,
            );
            Some(Rc::new(facts))
        };
        self.deciding.insert(comp, found.clone());
        found
    }

    /// Calls of a component whose callee is run in place, or may be: what they are told decides what they do.
    pub fn run_in_place(&self, comp: CompId) -> FxHashSet<ExprId> {
        let fails = self.plan.key.as_ref().map(|k| k.target);
        let runs = |c: &&CallRecord| match c.target {
            Target::Comp(target) => c.via != Via::Decorate && fails != Some(Callee::Comp(target)),
            _ => false,
        };
        self.view.all_calls(comp).iter().filter(runs).map(|c| c.expr).collect()
    }

    fn bind_given(&mut self, comp: CompId, receiver: Option<Val>, given: Given, state: &mut State) {
        let function = self.view.function(comp);
        let ir = self.view.file(comp);
        let mut positional = given.positional.into_iter();
        let mut receiver = receiver;
        for (i, param) in function.params.iter().enumerate() {
            let mut value = match param.kind {
                ParamKind::Receiver => receiver.take().or_else(|| positional.next()),
                ParamKind::PositionalOnly | ParamKind::Normal => positional.next(),
                ParamKind::VarArgs => Some(Val::List(Rc::new(positional.by_ref().collect()))),
                ParamKind::KwArgs | ParamKind::KeywordOnly => None,
            };
            if value.is_none()
                && let Some(name) = param.name
                && let Some((_, given)) = given.keywords.iter().find(|(n, _)| &**n == ir.name(name))
            {
                value = Some(given.clone());
            }
            let value = match value {
                Some(Val::Unknown) | None if param.kind != ParamKind::KwArgs => {
                    let missing = value.is_none() && !given.open;
                    self.param_from_link(comp, i as u32, missing, state)
                }
                Some(value) => value,
                None if given.open => Val::Unknown,
                None => {
                    let own = |name: &str| {
                        function
                            .params
                            .iter()
                            .any(|p| p.kind != ParamKind::PositionalOnly && p.name.is_some_and(|n| ir.name(n) == name))
                    };
                    let rest = given.keywords.iter().filter(|(name, _)| !own(name)).cloned().collect();
                    Val::Dict(Rc::new(rest))
                }
            };
            self.bind(state, param.pattern, &value);
        }
    }

    /// Binds all parameters to what link knows of them.
    pub fn bind_from_link(&mut self, comp: CompId, state: &mut State) {
        let function = self.view.function(comp);
        for (i, param) in function.params.iter().enumerate() {
            let value = match param.kind {
                ParamKind::VarArgs | ParamKind::KwArgs => {
                    let kind =
                        if param.kind == ParamKind::VarArgs { ContainerKind::Tuple } else { ContainerKind::Dict };
                    let rest = self.view.solver.tokens.find(&Token::Rest { comp, param: i as u32, kind });
                    match rest {
                        Some(tok) if kind == ContainerKind::Dict => {
                            let mut collected = Given::default();
                            self.spread_keywords(&Val::Tok(tok), &mut collected);
                            // What a call of itself hands on says nothing about the first call.
                            if self.view.all_calls(comp).iter().any(|c| c.target == Target::Comp(comp)) {
                                collected.keywords.retain(|(_, value)| *value != Val::Unknown);
                            }
                            if collected.open { Val::Tok(tok) } else { Val::Dict(Rc::new(collected.keywords)) }
                        }
                        Some(tok) => Val::Tok(tok),
                        None => Val::Unknown,
                    }
                }
                _ => self.param_from_link(comp, i as u32, false, state),
            };
            self.bind(state, param.pattern, &value);
        }
    }

    fn param_from_link(&mut self, comp: CompId, param: u32, missing: bool, state: &State) -> Val {
        let key = &self.view.solver.comps[comp.0 as usize].key;
        if let Some(&(_, tok)) = key.context.iter().find(|(at, _)| *at == param)
            && tok != Tok::MISSING
            && !missing
        {
            return self.view.val(&Value::of(tok));
        }
        let stored = self.view.solver.store.get(Addr::Param(comp, param));
        let known = stored.map_or(Val::Unknown, |v| self.view.val(v));
        let known = match known {
            Val::Unknown if !missing => self.from_outside(comp, param),
            known => known,
        };
        let omitted = missing || stored.is_none_or(|v| v.contains(Tok::MISSING)) || self.view.only_calls_itself(comp);
        if !omitted {
            return known;
        }
        // Left out by some call: the default may hold; several numbers: the worst counts.
        let default = self.default_of(comp, param, state);
        match (known.as_exact(), default.as_exact()) {
            (Some(a), Some(b)) if !missing => Val::num(a.max(b)),
            _ if missing || known == Val::Unknown => default,
            _ => known,
        }
    }

    /// What calls from outside of a circle hand to a function that comes back to itself: what it hands on to itself
    /// says nothing about the first call.
    fn from_outside(&mut self, comp: CompId, param: u32) -> Val {
        let rust = self.view.file(comp).language == Language::Rust;
        let recursive = self.plan.unit.len() > 1 || self.view.callers(comp).iter().any(|(c, _)| *c == comp);
        if !rust || !recursive || !self.plan.unit.contains(&comp) {
            return Val::Unknown;
        }
        let skipped = u32::from(self.view.function(comp).params.first().is_some_and(|p| p.kind == ParamKind::Receiver));
        let Some(at) = param.checked_sub(skipped) else { return Val::Unknown };
        let mut worst: Option<f64> = None;
        for &(caller, expr) in self.view.callers(comp) {
            if self.plan.unit.contains(&caller) {
                continue;
            }
            let ExprKind::Call { args, .. } = &self.view.file(caller).expr(expr).kind else { return Val::Unknown };
            let Some(arg) = args.get(at as usize).map(|a| a.value()) else { return Val::Unknown };
            let state = State::at(caller, 0.0);
            match self.pure(arg, &state).and_then(|v| v.as_exact()) {
                Some(n) => worst = Some(worst.map_or(n, |w| w.max(n))),
                None => return Val::Unknown,
            }
        }
        worst.map_or(Val::Unknown, Val::num)
    }

    fn default_of(&mut self, comp: CompId, param: u32, state: &State) -> Val {
        let function = self.view.function(comp);
        let Some(default) = function.params.get(param as usize).and_then(|p| p.default) else { return Val::Unknown };
        let ir = self.view.file(comp);
        if ir.language == Language::Python {
            let Some(parent) = self.view.solver.comps[comp.0 as usize].key.parent else { return Val::Unknown };
            let func = self.view.func(comp).id;
            return self.view.read(Addr::Default(parent, func.0, param));
        }
        self.pure(default, state).unwrap_or(Val::Unknown)
    }

    /// Calls something external whose effect is known: waits, numbers, errors.
    pub fn external_call(
        &mut self,
        records: &[CallRecord],
        callee: &Val,
        given: &Given,
        state: &mut State,
        e: ExprId,
    ) -> Option<Outcome> {
        let language = self.ir(state).language;
        if let Val::Tok(tok) = callee
            && let Token::External(symbol) = self.view.token(*tok)
        {
            let path = self.view.text(*symbol);
            if path == "globals:Object.assign" && self.assigned_object(given, state) {
                return given.positional.first().cloned().map(Outcome::Value);
            }
            if language == Language::Rust && matches!(path, "Err" | "Result::Err" | "std::result::Result::Err") {
                let first = given.positional.first().unwrap_or(&Val::Unknown);
                return Some(Outcome::Value(Val::Fail(self.error_from(first, None, state))));
            }
            if let Some(value) = self.native(language, path, &given.positional) {
                return Some(Outcome::Value(value));
            }
        }
        let mut candidates: Vec<(Tok, Tok)> = records
            .iter()
            .filter_map(|r| if let Target::External(made) = r.target { Some((r.callee, made)) } else { None })
            .collect();
        if let Val::Tok(tok) = callee
            && candidates.is_empty()
            && matches!(self.view.token(*tok), Token::External(_))
        {
            candidates.push((*tok, *tok));
        }
        for (called, made) in candidates {
            let Some(known) = self.view.known(called) else { continue };
            self.now = state.clock;
            let mut scope = self.scope_of(called, Some(made));
            scope.error = state.handling.last().cloned();
            self.given = Some((made, given.clone()));
            if let Some(sleep) = &known.callable.sleep {
                self.sleep(e, sleep, &scope, state);
                self.given = None;
                return Some(Outcome::Value(Val::Null));
            }
            if let Some(after) = &known.callable.after {
                // A timer whose callback is not ours (it settles a promise) is a wait.
                let ours =
                    given.positional.iter().any(|v| matches!(v, Val::Tok(t) if self.view.solver.is_callable(*t)));
                if !ours {
                    self.sleep(e, after, &scope, state);
                }
                self.given = None;
                return Some(Outcome::Value(Val::Unknown));
            }
            if let Some(value) = &known.callable.value {
                let value = self.formula(value, &scope);
                self.given = None;
                if let Some(Val::Num(n)) = &value
                    && n.clock
                {
                    return Some(Outcome::Value(self.clock(state)));
                }
                return Some(Outcome::Value(value.unwrap_or(Val::Unknown)));
            }
            let spared = known.callable.raises_unless.as_ref().map(|f| self.formula_truth(f, &scope) != Some(false));
            self.given = None;
            if let Some(raises) = known.callable.raises.as_ref().filter(|_| spared != Some(true)) {
                let handled = state.handling.last();
                self.looked.set(self.looked.get() || handled.is_some());
                let error = Rc::new(super::val::Error {
                    class: super::val::ErrorClass::Known(Rc::from(raises.as_str())),
                    status: None,
                    fields: Vec::new(),
                    token: Some(made),
                    injected: handled.is_some_and(|e| e.injected),
                    class_of_failure: handled.and_then(|e| e.class_of_failure),
                });
                return Some(Outcome::Raise(error));
            }
            if known.callable.outbound.is_some() {
                // Another outbound call: it succeeds.
                let good = language == Language::Rust;
                return Some(Outcome::Value(if good { Val::Good(Box::new(Val::Unknown)) } else { Val::Unknown }));
            }
            if language == Language::Rust && known.callable.deadline.is_some() {
                return Some(Outcome::Value(self.in_time(&known, given)));
            }
            let handed = given.positional.iter().chain(given.keywords.iter().map(|k| &k.1));
            let failed = handed.into_iter().find_map(|value| match value {
                Val::Fail(_) => Some(value.clone()),
                Val::List(items) => items.iter().find(|v| matches!(v, Val::Fail(_))).cloned(),
                _ => None,
            });
            if let Some(Val::Fail(error)) = failed {
                // A group of tasks fails as one when it is left.
                let group = known.class.is_some_and(|c| c.new.concurrency.as_deref() == Some("gather"));
                if group && !known.is_constructor && language == Language::Python {
                    return Some(Outcome::Raise(error));
                }
                self.given = Some((made, given.clone()));
                let kept = known.callable.keeps_errors.as_ref().and_then(|f| self.formula(f, &scope));
                self.given = None;
                let kept = kept.unwrap_or(Val::Bool(false));
                let list = |values: Vec<Val>| Val::List(Rc::new(values));
                return Some(Outcome::Value(match (&kept, self.truth(&kept)) {
                    (Val::Text(what), _) if **what == *"tasks" => list(vec![Val::Fail(error)]),
                    (Val::Text(_), _) => list(vec![list(vec![Val::Fail(error)]), list(Vec::new())]),
                    (_, Some(true)) if language == Language::Python => list(vec![Val::Error(error)]),
                    (_, Some(true)) => Val::Unknown,
                    _ => Val::Fail(error),
                }));
            }
            let is_error = known.class.is_some_and(|c| {
                known.is_constructor
                    && self
                        .view
                        .solver
                        .catalogue
                        .is_subclass(c.path.first().map_or("", String::as_str), base_of_errors(language))
            });
            if is_error {
                let error = self.made_error(made, &known, given, state);
                return Some(Outcome::Value(Val::Error(Rc::new(error))));
            }
            return Some(Outcome::Value(Val::Tok(made)));
        }
        None
    }

    /// An error that the code makes from a package's class, with its arguments as attributes.
    fn made_error(
        &self,
        made: Tok,
        known: &crate::link::known::Known<'p>,
        given: &Given,
        state: &State,
    ) -> super::val::Error {
        let class = known.class.and_then(|c| c.path.first()).map_or("", String::as_str);
        let mut fields: Vec<(Rc<str>, Val)> = given.keywords.clone();
        for (name, value) in known.callable.params.iter().zip(&given.positional) {
            fields.push((Rc::from(name.as_str()), value.clone()));
        }
        // The status that it was given is the status that it carries.
        let status = known.class.and_then(|c| {
            let named = |(n, _): &&(Rc<str>, Val)| c.status_attributes.iter().any(|a| **a == **n);
            let given = fields.iter().find(named).and_then(|(_, v)| v.as_exact()).map(|s| s as u16);
            given.or_else(|| c.statuses.first().copied())
        });
        let held = given.positional.iter().find_map(|v| match v {
            Val::Error(e) => Some(e),
            _ => None,
        });
        let handled = state.handling.last().or(held);
        self.looked.set(self.looked.get() || handled.is_some());
        super::val::Error {
            class: super::val::ErrorClass::Known(Rc::from(class)),
            status: status.or(held.and_then(|e| e.status)),
            fields,
            token: Some(made),
            injected: handled.is_some_and(|e| e.injected),
            class_of_failure: handled.and_then(|e| e.class_of_failure),
        }
    }

    fn sleep(
        &mut self,
        e: ExprId,
        formula: &crate::catalogue::Formula,
        scope: &super::formula::Scope<'p>,
        state: &mut State,
    ) {
        let place = state.helper.unwrap_or_else(|| self.view.call_place(self.comp(state), e));
        let wait = self.formula(formula, scope).and_then(|v| v.as_num());
        let known = wait.filter(|n| n.lo.is_finite());
        let n = known.unwrap_or(Num::exact(0.0));
        let lo = n.lo.max(0.0);
        let slots = state.slots.clone();
        state.clock += lo;
        state.trace.push(Happening::Sleep {
            lo,
            hi: n.hi.max(lo),
            random: n.random,
            asked: n.asked,
            unknown: known.is_none(),
            place,
            slots,
        });
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

    /// Calls a callable of the program on a path.
    pub fn call_closure(&mut self, callee: &Val, args: Vec<Val>, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        let Val::Tok(tok) = callee else { return vec![(state, Val::Unknown)] };
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
        if state.stack.len() > INLINE || self.steps == 0 {
            return vec![(state, Val::Unknown)];
        }
        let Some(comp) = self.view.component_of(func, env) else { return vec![(state, Val::Unknown)] };
        let recursive = state.stack.iter().any(|a| a.comp == comp);
        let outer = state.slots.clone();
        let _ = recursive;
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

/// What all errors of a language come from.
fn base_of_errors(language: Language) -> &'static str {
    match language {
        Language::Rust => "std::error::Error",
        _ => "builtins.BaseException",
    }
}
