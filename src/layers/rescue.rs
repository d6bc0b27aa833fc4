//! Handlers that a client runs where a call of it fails, and that may send the call again: what an interceptor does.
//! The settings of the failed call are an object of the path, on which handlers keep their counters.

use super::calls::Given;
use super::machine::{End, Machine, Outcome, Plan, RECURSION};
use super::state::{Exits, Happening, Slot, State};
use super::unit::{OwnLayer, UnitResult};
use super::val::{Error, Val, Whole};
use crate::chains::Count;
use crate::ir::{BlockId, ExprId};
use crate::link::component::{CallRecord, Target};
use crate::link::token::{CompId, Tok, Token};
use crate::source::Place;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What stands for "made of the settings of the failed call" among an object's properties: no name that code can write.
const MADE_OF_CALL: &str = " call";

/// One outbound call with its client's handlers.
#[derive(Debug)]
pub struct Rescue {
    /// The call's result, which stands for its settings.
    pub made: Tok,
    /// What is called.
    pub callee: Tok,
    /// The handlers, in their order.
    pub handlers: Vec<Val>,
    /// The attribute of the error that holds the settings.
    pub attribute: Rc<str>,
    /// Settings that are always there.
    pub listed: Vec<String>,
    /// The call.
    pub at: (CompId, ExprId),
    /// The error.
    pub error: Rc<Error>,
    /// Where a handler sends the call again.
    pub again: Cell<Option<(CompId, ExprId)>>,
    /// What paths had written when they came to a handler that is still running.
    pub entered: RefCell<Vec<State>>,
}

impl<'p> Machine<'p, '_, '_> {
    /// How often a call is sent, with the handlers that its client runs where it fails, and what comes of it.
    pub fn rescued(&mut self, rescue: Rescue, unit: &Rc<FxHashSet<CompId>>) -> (UnitResult, Option<(CompId, ExprId)>) {
        let outcome = Outcome::Raise(rescue.error.clone());
        self.cut = false;
        self.begin(Plan { key: None, outcome, unit: unit.clone() });
        let rescue = Rc::new(rescue);
        self.rescue = Some(rescue.clone());
        let mut state = State::outside(0.0);
        let slots = state.slots.clone();
        state.trace.push(Happening::Call { site: rescue.at, work: 0, about: Default::default(), slots });
        let handlers = rescue.handlers.clone();
        let ends = self.handlers(&rescue, &handlers, Val::Tok(rescue.made), state);
        self.rescue = None;
        (self.read_off(ends), rescue.again.get())
    }

    fn read_off(&mut self, ends: Vec<(State, End)>) -> UnitResult {
        let mut result = UnitResult { reached: true, cut: self.cut, ..UnitResult::default() };
        for (_, end) in &ends {
            let outcome = match end {
                End::Return(Val::Fail(error)) => Outcome::Raise(error.clone()),
                End::Return(value) => Outcome::Value(value.clone()),
                End::Raise(error) if error.is_never() => continue,
                End::Raise(error) => Outcome::Raise(error.clone()),
            };
            if !result.outcomes.contains(&outcome) {
                result.outcomes.push(outcome);
            }
        }
        let is_never = |end: &End| matches!(end, End::Raise(e) if e.is_never());
        let worst = ends.iter().max_by_key(|(state, end)| (is_never(end), state.calls()));
        let Some((state, end)) = worst.filter(|(state, _)| state.calls() > 1) else { return result };
        let trace = state.trace.to_vec();
        let events = super::events::from_the_first_level(super::events::events_all(&trace));
        let mut layers: Vec<OwnLayer> = Vec::new();
        self.row_places.clear();
        self.decompose(&events, 0, &trace, &mut layers);
        for layer in &mut layers {
            layer.waits.reads_retry_after = self.reads_header;
            layer.by_status = self.by_status;
            match (layer.count, &state.open) {
                _ if is_never(end) && state.timed => layer.count = Count::Time(None),
                _ if is_never(end) => layer.count = Count::Unbounded,
                (Count::Exact(n), Some(why)) => {
                    layer.count = Count::Unknown(n.min(1));
                    layer.reason = Some(self.why(why));
                }
                (Count::Exact(n), _) if state.timed => layer.count = Count::Time(Some(n)),
                (Count::Exact(n), _) if self.steps == 0 => layer.count = Count::Unknown(n),
                _ => {}
            }
        }
        result.layers = layers;
        result
    }

    /// Runs handlers one after the other, each with the failure that the one before it left.
    fn handlers(&mut self, rescue: &Rescue, handlers: &[Val], call: Val, state: State) -> Vec<(State, End)> {
        let mut error = (*rescue.error).clone();
        error.fields.retain(|(name, _)| *name != rescue.attribute);
        error.fields.push((rescue.attribute.clone(), call));
        let mut failed = vec![(state, Rc::new(error))];
        let mut ends = Vec::new();
        for handler in handlers {
            let mut still = Vec::new();
            for (state, error) in failed {
                let mut inner = Exits::default();
                for (state, value) in self.call_closure(handler, vec![Val::Error(error)], state, &mut inner) {
                    match value {
                        Val::Fail(error) => still.push((state, error)),
                        value => ends.push((state, End::Return(value))),
                    }
                }
                for (state, error) in inner.raises {
                    if error.is_never() {
                        ends.push((state, End::Raise(error)));
                    } else {
                        still.push((state, error));
                    }
                }
            }
            failed = still;
        }
        ends.extend(failed.into_iter().map(|(state, error)| (state, End::Raise(error))));
        ends
    }

    /// A call that sends the failed call's settings again fails again, and its client's handlers run.
    pub(super) fn sends_again(
        &mut self,
        e: ExprId,
        records: &[CallRecord],
        given: &Given,
        state: &mut State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> bool {
        let Some(rescue) = self.rescue.clone() else { return false };
        let mut args = given.positional.iter().chain(given.keywords.iter().map(|(_, v)| v));
        let Some(call) = args.find(|v| self.is_of_call(state, v)).cloned() else { return false };
        let Some((handlers, record)) = records.iter().find_map(|r| Some((self.handlers_of(r)?, r))) else {
            return false;
        };
        let comp = self.comp(state);
        rescue.again.set(rescue.again.get().or(Some((comp, e))));
        let (first, at) = rescue.again.get().unwrap_or((comp, e));
        let place = self.view.call_place(first, at);
        let outer = state.slots.clone();
        let turn = self.enter_again(state, place);
        let slots = state.slots.clone();
        state.trace.push(Happening::Call { site: (comp, e), work: 0, about: Default::default(), slots });
        let alike = rescue.entered.borrow().iter().filter(|s| s.heap == state.heap && !state.timed).count();
        if alike >= 2 || turn as usize >= RECURSION {
            self.endless.push((place, state.timed));
            exits.raises.push((state.clone(), self.never()));
            return true;
        }
        rescue.entered.borrow_mut().push(State { stack: Vec::new(), ..state.clone() });
        // The handler runs from the event loop, not from what sends: it starts with nothing on the stack.
        let mut entered = state.clone();
        let stack = std::mem::take(&mut entered.stack);
        let handling = std::mem::take(&mut entered.handling);
        let ends = self.handlers(&rescue, &handlers, call, entered);
        rescue.entered.borrow_mut().pop();
        for (mut after, end) in ends {
            after.stack = stack.clone();
            after.handling = handling.clone();
            after.slots = outer.clone();
            match end {
                End::Raise(error) if error.is_never() => exits.raises.push((after, error)),
                End::Raise(error) => {
                    self.deliver(Outcome::Raise(error), std::slice::from_ref(record), after, out, exits)
                }
                End::Return(value) => out.push((after, value)),
            }
        }
        true
    }

    fn enter_again(&self, state: &mut State, place: Place) -> u32 {
        let mut slots = (*state.slots).clone();
        let turn = match slots.iter().position(|s| s.recursion && s.place == place) {
            Some(at) => {
                slots.truncate(at + 1);
                slots[at].turn += 1;
                slots[at].turn
            }
            None => {
                slots.push(Slot { place, turn: 1, recursion: true, body: BlockId(0), per_item: false });
                1
            }
        };
        state.slots = Rc::new(slots);
        turn
    }

    /// The handlers of the client that an outbound call goes through; none if the call is no outbound one.
    fn handlers_of(&mut self, record: &CallRecord) -> Option<Vec<Val>> {
        let Target::External(made) = record.target else { return None };
        let outbound = self.view.known(record.callee)?.callable.outbound.as_ref()?;
        let scope = self.scope_of(record.callee, Some(made));
        let handlers = outbound.rescued_by.as_ref().and_then(|f| self.formula(f, &scope));
        Some(self.callables_in(handlers))
    }

    /// The program's own callables among values.
    pub fn callables_in(&self, value: Option<Val>) -> Vec<Val> {
        let mut pending: Vec<Val> = value.into_iter().collect();
        let mut found: Vec<Val> = Vec::new();
        while let Some(value) = pending.pop() {
            match value {
                Val::List(items) => pending.extend(items.iter().rev().cloned()),
                Val::Many(several) => pending.extend(several.iter().map(Val::Tok)),
                Val::Tok(tok) if self.view.solver.is_callable(tok) && !found.contains(&Val::Tok(tok)) => {
                    found.push(Val::Tok(tok));
                }
                _ => {}
            }
        }
        found
    }

    /// Whether a value is the settings of the failed call, or made of them.
    fn is_of_call(&self, state: &State, value: &Val) -> bool {
        let Some(rescue) = &self.rescue else { return false };
        match value {
            Val::Tok(tok) => *tok == rescue.made || state.heap.contains_key(&(*tok, Rc::from(MADE_OF_CALL))),
            _ => false,
        }
    }

    /// What an object that is made of a value has to be marked with, if the value is of the failed call.
    pub(super) fn mark_of_call(&self, state: &State, value: &Val) -> Option<(Rc<str>, Val)> {
        let rescue = self.rescue.as_ref()?;
        let part = matches!(value, Val::Part(_, path) if path.starts_with(&*rescue.attribute));
        (part || self.is_of_call(state, value)).then(|| (Rc::from(MADE_OF_CALL), Val::Bool(true)))
    }

    /// A setting of the failed call that nothing on the path has written.
    pub(super) fn setting_of_call(&mut self, state: &State, value: &Val, name: &str) -> Option<Val> {
        let rescue = self.rescue.clone()?;
        let Val::Tok(tok) = value else { return None };
        if !self.is_of_call(state, value) {
            return None;
        }
        if *tok != rescue.made
            && let Some(own) = self.view.field(*tok, name).filter(|v| *v != Val::Unknown)
        {
            return Some(own);
        }
        let scope = self.scope_of(rescue.callee, Some(rescue.made));
        let known = self.view.known(rescue.callee)?;
        let given = self.argument(rescue.made, known.callable, name);
        let given = given.or_else(|| {
            let receiver = scope.receiver.clone()?;
            if !matches!(receiver, Val::Tok(t) if matches!(self.view.token(t), Token::Made { .. })) {
                return None;
            }
            self.formula_field(&receiver, name, &scope)
        });
        if let Some(given) = given {
            return Some(self.settle(given));
        }
        let listed = rescue.listed.iter().any(|l| l == name) || known.callable.locals.contains_key(name);
        let part =
            || Val::Part(Rc::new(Whole::Error(rescue.error.clone())), Rc::from(format!("{}.{name}", rescue.attribute)));
        Some(if listed { part() } else { Val::Null })
    }
}
