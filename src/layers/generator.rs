//! Generators and context managers of the program, run in place: at each `yield` the body of the loop or
//! `with` around runs, and what it raises is raised at the `yield`.

use super::calls::Given;
use super::machine::{End, Machine};
use super::state::{Exits, Slot, State};
use super::val::{Error, Val};
use crate::ir::*;
use crate::link::token::*;
use crate::source::Place;
use std::rc::Rc;

/// A generator that was called and not run yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Pending {
    /// Its component.
    pub comp: CompId,
    /// The receiver, for methods.
    pub receiver: Option<Val>,
    /// Its arguments.
    pub given: Given,
}

/// What runs at each `yield` of a generator that is being run.
pub struct Consumer<'p> {
    /// How many activations there are while the generator runs.
    depth: usize,
    /// The generator.
    comp: CompId,
    /// The body.
    work: Work<'p>,
    /// Loops around the body.
    outer: Rc<Vec<Slot>>,
    /// Errors being handled around the body.
    handling: Vec<Rc<Error>>,
    /// Paths on which the body ended the loop.
    next: Vec<State>,
    /// Other ways out of the body.
    exits: Exits,
}

/// The body of a loop or of a `with`.
#[derive(Clone)]
pub enum Work<'p> {
    /// `for target in generator()`
    Loop {
        /// What each element is bound to.
        target: PatId,
        /// The body.
        body: BlockId,
        /// The loop's label.
        label: Option<Name>,
        /// The loop's header.
        place: Place,
    },
    /// `with manager() as target`
    With {
        /// What the yielded value is bound to.
        target: Option<PatId>,
        /// Managers after this one.
        rest: &'p [(ExprId, Option<PatId>)],
        /// The body.
        body: BlockId,
    },
    /// Nothing: the elements are written down.
    Collect,
}

/// Generators are run in place at most so deep.
const NESTED: usize = 12;

impl<'p> Machine<'p, '_, '_> {
    /// Runs a generator with some work at each of its yields; what happens to each path at its end.
    /// None: it cannot be run here.
    pub fn consume(
        &mut self,
        mut state: State,
        pending: &Pending,
        work: Work<'p>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) -> Option<Vec<(State, End)>> {
        if self.consumers.len() >= NESTED || self.steps == 0 {
            return None;
        }
        let outer = state.slots.clone();
        self.consumers.push(Consumer {
            depth: state.stack.len() + 1,
            comp: pending.comp,
            work,
            outer: outer.clone(),
            handling: state.handling.clone(),
            next: Vec::new(),
            exits: Exits::default(),
        });
        state.turns.push(0);
        let mut ends = self.enter(pending.comp, pending.receiver.clone(), pending.given.clone(), state);
        let consumer = self.consumers.pop()?;
        let leave = |state: &mut State| {
            state.turns.pop();
            state.slots = outer.clone();
        };
        for (state, _) in &mut ends {
            leave(state);
        }
        let Consumer { next: mut ended, exits: mut out, .. } = consumer;
        ended.iter_mut().for_each(leave);
        out.returns.iter_mut().for_each(|(s, _)| leave(s));
        out.raises.iter_mut().for_each(|(s, _)| leave(s));
        out.breaks.iter_mut().for_each(|(s, _)| leave(s));
        out.continues.iter_mut().for_each(|(s, _)| leave(s));
        next.extend(ended);
        super::statements::pass_on(out, exits);
        Some(ends)
    }

    /// A `yield` on a path: runs the work that waits for it, if there is any.
    pub fn yielded(&mut self, mut state: State, value: Val, exits: &mut Exits) -> Vec<(State, Val)> {
        let (depth, comp) = (state.stack.len(), self.comp(&state));
        let Some(at) = self.consumers.iter().rposition(|c| c.depth == depth && c.comp == comp) else {
            return vec![(state, Val::Unknown)];
        };
        if matches!(self.consumers[at].work, Work::Collect) {
            return self.collected(state, value, exits);
        }
        let Some(generator) = state.stack.pop() else { return Vec::new() };
        let consumer = &self.consumers[at];
        let (work, outer) = (consumer.work.clone(), consumer.outer.clone());
        let handling = std::mem::replace(&mut state.handling, consumer.handling.clone());
        let slots = std::mem::replace(&mut state.slots, outer.clone());
        let back = |mut state: State| {
            state.stack.push(generator.clone());
            state.handling.clone_from(&handling);
            state.slots = slots.clone();
            (state, Val::Unknown)
        };
        let mut inner = Exits::default();
        match work {
            Work::Loop { target, body, label, place } => {
                let turn = state.turns.last_mut().map_or(0, |turn| {
                    *turn += 1;
                    *turn - 1
                });
                // Worked out in the frame of the loop, which is the running one again.
                self.loop_facts(&state, body, &[], Some(target));
                let per_item = !matches!(value, Val::Num(_) | Val::Bool(_) | Val::Null);
                let mut around = (*outer).clone();
                around.push(Slot { place, turn, recursion: false, body, per_item });
                state.slots = Rc::new(around);
                self.bind(&mut state, target, &value);
                let ends = self.block(vec![state], body, &mut inner);
                let mut done = Vec::new();
                let going = self.turn_ends(ends, &mut inner, label, &outer, body, &mut done);
                let consumer = &mut self.consumers[at];
                consumer.next.extend(done);
                super::statements::pass_on(inner, &mut consumer.exits);
                going.into_iter().map(back).collect()
            }
            Work::With { target, rest, body } => {
                if let Some(target) = target {
                    self.bind(&mut state, target, &value);
                }
                let mut ends = Vec::new();
                self.with_stmt(state, rest, body, &mut ends, &mut inner);
                let raises = std::mem::take(&mut inner.raises);
                super::statements::pass_on(inner, &mut self.consumers[at].exits);
                // What the body raises is raised here.
                exits.raises.extend(raises.into_iter().map(|(state, error)| (back(state).0, error)));
                ends.into_iter().map(back).collect()
            }
            Work::Collect => vec![back(state)],
        }
    }

    /// Where the loop stands whose body runs at the yields of the running generator.
    pub fn consumed_at(&self, state: &State) -> Option<Place> {
        let (depth, comp) = (state.stack.len(), self.comp(state));
        let consumer = self.consumers.iter().rfind(|c| c.depth == depth && c.comp == comp)?;
        match consumer.work {
            Work::Loop { place, .. } => Some(place),
            Work::With { .. } | Work::Collect => None,
        }
    }

    /// Runs a method of an object of the program in place; none if its class has none.
    pub fn run_method(&mut self, state: State, on: Tok, name: &str, args: Vec<Val>) -> Option<Vec<(State, End)>> {
        if !matches!(self.view.token(on), Token::Object { .. } | Token::Instance { .. })
            || state.stack.len() > NESTED * 2
        {
            return None;
        }
        let (comp, _) = self.method_of(on, name)?;
        let outer = state.slots.clone();
        let given = Given { positional: args, ..Given::default() };
        let mut ends = self.enter(comp, Some(Val::Tok(on)), given, state);
        for (state, _) in &mut ends {
            state.slots = outer.clone();
        }
        Some(ends)
    }

    /// A method that an impl block gives to an object's type (Rust).
    fn method_in_block(&self, on: Tok, name: &str) -> Option<(CompId, bool)> {
        let (Token::Object { class, .. } | Token::Instance { class }) = *self.view.token(on) else { return None };
        let Token::Class { class, env } = *self.view.token(class) else { return None };
        let symbol = self.view.solver.symbols.find(name)?;
        let members = self.view.solver.modules.impls.members(class, symbol);
        let func = members.iter().find_map(|m| Some(FuncRef { file: m.holder.file, id: m.function? }))?;
        Some((self.view.component_of(func, env)?, false))
    }

    /// The component of an object's method, and whether it is a generator.
    pub fn method_of(&self, on: Tok, name: &str) -> Option<(CompId, bool)> {
        let Some(Val::Tok(mut at)) = self.view.field(on, name) else { return self.method_in_block(on, name) };
        loop {
            match *self.view.token(at) {
                Token::Wrapped { inner, .. } => at = inner,
                Token::Bound { func, .. } => at = func,
                Token::Function { func, env } => {
                    let comp = self.view.component_of(func, env)?;
                    return Some((comp, self.view.function(comp).is_generator));
                }
                _ => return None,
            }
        }
    }

    /// Leaves a manager of the program: its `__exit__` sees the error, if there is one. Paths that go on are put
    /// into `next`. False: the manager has no such method.
    pub fn leave_manager(
        &mut self,
        state: State,
        manager: &Val,
        error: Option<&Rc<Error>>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) -> bool {
        let Val::Tok(tok) = manager else { return false };
        let seen = error.map_or(Val::Null, |e| Val::Error(e.clone()));
        let args = vec![seen.clone(), seen, Val::Unknown];
        for name in ["__exit__", "__aexit__"] {
            let Some(ends) = self.run_method(state.clone(), *tok, name, args.clone()) else { continue };
            for (state, end) in ends {
                match (end, error) {
                    (End::Raise(error), _) => exits.raises.push((state, error)),
                    (End::Return(_), None) => next.push(state),
                    (End::Return(value), Some(error)) => match self.truth(&value) {
                        Some(true) => next.push(state),
                        Some(false) => exits.raises.push((state, error.clone())),
                        None => {
                            next.push(state.clone());
                            exits.raises.push((state, error.clone()));
                        }
                    },
                }
            }
            return true;
        }
        false
    }

    /// The generator behind a value that is iterated: itself, or what its class's `__iter__` is.
    pub fn generator_of(&mut self, value: &Val) -> Option<Rc<Pending>> {
        match value {
            Val::Generator(pending) => Some(pending.clone()),
            Val::Tok(tok) if matches!(self.view.token(*tok), Token::Object { .. } | Token::Instance { .. }) => {
                ["__iter__", "__aiter__"].iter().find_map(|name| {
                    let (comp, generates) = self.method_of(*tok, name)?;
                    let receiver = Some(value.clone());
                    generates.then(|| Rc::new(Pending { comp, receiver, given: Given::default() }))
                })
            }
            _ => None,
        }
    }
}
