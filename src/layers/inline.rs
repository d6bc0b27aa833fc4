//! Functions of the program run in place, as part of the run of another one.

use super::calls::Given;
use super::loops::OPEN_TURNS;
use super::machine::{Callee, End, INLINE, Machine};
use super::paths::PATHS;
use super::state::{Activation, Exits, State};
use super::val::Val;
use crate::ir::*;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::token::*;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Helpers longer than this are not run in place.
const HELPER: usize = 80;
/// Helpers are run in place at most so deep.
const HELPERS: usize = 8;

impl Machine<'_, '_, '_> {
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
            if self.is_bottomless(levels) {
                ran = true;
                self.recurses_for_ever(&state, exits);
                continue;
            }
            if levels > OPEN_TURNS as usize && state.open.is_some() && !state.timed {
                // Where a number that is not known decides, some levels say as much as many.
                ran = true;
                continue;
            }
            let fits = if in_unit { depth <= INLINE || levels > 0 } else { helper(self, *target) };
            self.skipped |= self.too_much.contains(target);
            if done.contains(target) || !fits || self.steps == 0 || self.too_much.contains(target) {
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
            if let (Some(made), true) = (made, constructs) {
                // What one that was made at this place before has come to is not the new one's.
                entered.heap.retain(|(tok, _), _| *tok != made);
            }
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
            let (receiver, given) = self.as_called(e, on, record, receiver, given, &state);
            let Some(ends) = self.entered_for_a_while(*target, in_unit, receiver, given, entered) else {
                let value = made.filter(|_| constructs).map_or(Val::Unknown, Val::Tok);
                out.push((state.clone(), value));
                continue;
            };
            for (mut after, end) in ends {
                after.slots = outer.clone();
                after.helper = helper;
                self.hand_back(e, *target, &mut after);
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

    /// What a function is handed where it is called by way of something else: `f.call(this, a)`, `f.apply(this, list)`,
    /// `emitter.emit(name, a)`.
    fn as_called(
        &self,
        e: ExprId,
        on: &Val,
        record: &CallRecord,
        receiver: Option<Val>,
        mut given: Given,
        state: &State,
    ) -> (Option<Val>, Given) {
        let ir = self.ir(state);
        let method = match &ir.expr(e).kind {
            ExprKind::Call { callee, .. } => match ir.expr(*callee).kind {
                ExprKind::Attr { name, .. } => ir.name(name),
                _ => "",
            },
            _ => "",
        };
        let own = |name: &str| matches!(on, Val::Tok(tok) if self.view.field(*tok, name).is_some());
        if ir.language != Language::JavaScript || given.positional.is_empty() || own(method) {
            return (receiver, given);
        }
        match method {
            "call" => {
                let this = given.positional.remove(0);
                (Some(this).filter(|this| matches!(this, Val::Tok(_))), given)
            }
            "apply" => {
                let this = given.positional.remove(0);
                let list = given.positional.first().map(|list| self.elements(list));
                given.positional = list.clone().flatten().unwrap_or_default();
                given.open |= matches!(list, Some(None));
                (Some(this).filter(|this| matches!(this, Val::Tok(_))), given)
            }
            "emit" if record.via == Via::Handed => {
                given.positional.remove(0);
                (None, given)
            }
            _ => (receiver, given),
        }
    }

    /// The object that a call makes, by link's account.
    pub(super) fn made_at(&self, state: &State, e: ExprId) -> Option<Tok> {
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

    /// Enters a component. A helper that takes too many steps is left as it was entered: none.
    fn entered_for_a_while(
        &mut self,
        comp: CompId,
        in_unit: bool,
        receiver: Option<Val>,
        given: Given,
        state: State,
    ) -> Option<Vec<(State, End)>> {
        if in_unit {
            return Some(self.enter(comp, receiver, given, state));
        }
        let (left, was_cut) = (self.steps, self.cut);
        let may_take = self.steps_of_a_helper();
        self.steps = may_take;
        let ends = self.enter(comp, receiver, given, state);
        let exhausted = self.steps == 0;
        self.steps = left - (may_take - self.steps);
        if !exhausted {
            return Some(ends);
        }
        self.cut = was_cut;
        self.too_much.insert(comp);
        None
    }

    /// Enters a component with arguments and runs it to its ends; the activation is left behind.
    pub fn enter(&mut self, comp: CompId, receiver: Option<Val>, given: Given, mut state: State) -> Vec<(State, End)> {
        let handling = std::mem::take(&mut state.handling);
        let about = given.about.clone();
        state.stack.push(Activation {
            comp,
            env: Default::default(),
            entry: None,
            about,
            narrowed: Default::default(),
        });
        let made = match receiver {
            Some(Val::Tok(tok)) => Some(tok),
            _ => None,
        };
        if let Some(made) = made {
            self.keep_fields(comp, made, &given, &mut state);
        }
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
            if let Some(left) = &left {
                for (at, value) in self.written_params(comp, &left.env) {
                    state.heap.insert(super::cells::written_key(comp, at), value);
                }
            }
            if let (End::Return(value), Some(left)) = (end, left)
                && Self::calls_of(value)
            {
                // Its closures live on, with what they captured.
                let owner = Tok(u32::MAX - comp.0);
                let kept = left.env.iter().map(|(var, v)| ((owner, Rc::from(format!("var {}", var.0))), v.clone()));
                state.heap.extend(kept);
            }
        }
        let ends = self.fewer_ends(ends);
        self.settle_paths(ends, PATHS)
    }

    /// Parameters that are fields as well (`constructor(public status: number)`): the object holds what they were given.
    fn keep_fields(&mut self, comp: CompId, made: Tok, given: &Given, state: &mut State) {
        let ir = self.ir(state);
        for (i, param) in self.view.function(comp).params.iter().enumerate().filter(|(_, p)| p.is_field) {
            let (Some(name), Some(value)) = (param.name, given.positional.get(i)) else { continue };
            let key = (made, Rc::from(ir.name(name)));
            if matches!(value, Val::Null | Val::Bool(_) | Val::Num(_) | Val::Text(_) | Val::Error(_) | Val::Answer(_)) {
                state.heap.insert(key, value.clone());
            } else {
                state.heap.remove(&key);
            }
        }
    }

    /// Calls of a component whose callee is run in place, or may be: what they are told decides what they do.
    pub fn run_in_place(&self, comp: CompId) -> FxHashSet<ExprId> {
        let fails = self.plan.key.as_ref().map(|k| k.target);
        let runs = |c: &&CallRecord| match c.target {
            Target::Comp(target) => c.via != Via::Decorate && fails != Some(Callee::Comp(target)),
            // What a library raises unless it is told that all is well (`ensure!(tries < 5)`).
            Target::External(_) => self.view.known(c.callee).is_some_and(|k| k.callable.raises_unless.is_some()),
            Target::Unresolved => false,
        };
        self.view.all_calls(comp).iter().filter(runs).map(|c| c.expr).collect()
    }

    /// The calls of a component that wait.
    pub(super) fn sleeps_in(&self, comp: CompId) -> FxHashSet<ExprId> {
        let waits = |c: &&CallRecord| match c.target {
            Target::External(_) => self.view.known(c.callee).is_some_and(|k| k.callable.sleep.is_some()),
            _ => false,
        };
        self.view.all_calls(comp).iter().filter(waits).map(|c| c.expr).collect()
    }
}
