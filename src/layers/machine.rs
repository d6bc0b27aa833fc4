//! Abstract execution of one unit (a function with what it recurses into) while one callee fails for ever:
//! the machine and its runs. Tests evaluate to true, false or unknown (then both branches are taken), waits
//! move a virtual clock, and every execution of the failing callee is written down.

use super::relevant::LoopFacts;
use super::state::{Exits, State};
use super::val::{Error, Num, Val};
use super::view::View;
use crate::ir::*;
use crate::link::token::*;
use crate::versions::Versions;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::hash::Hash;
use std::rc::Rc;

/// What the failing callee does.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// It raises (or, where the language fails by value, returns the failure).
    Raise(Rc<Error>),
    /// It returns this.
    Value(Val),
}

/// Identifies a callee as far as one fault goes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CalleeKey {
    /// The component, or the external callee.
    pub target: Callee,
    /// Decorators around it, outermost first.
    pub wrappers: Vec<Tok>,
    /// The external callee that was handed it.
    pub handed_to: Option<Tok>,
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Callee {
    /// A function of the program.
    Comp(CompId),
    /// Something external, by the callee's token.
    External(Tok),
}

/// What fails in a run, and what belongs to the unit.
#[derive(Clone)]
pub struct Plan {
    /// The failing callee.
    pub key: Option<CalleeKey>,
    /// What it does.
    pub outcome: Outcome,
    /// Components that are run in place, as parts of the unit.
    pub unit: Rc<FxHashSet<CompId>>,
}

/// A run takes at most so many steps.
pub const STEPS: usize = 40_000;
/// One run of a closure that a library calls again and again takes at most so many.
const CLOSURE_STEPS: usize = 1_000;
/// Marks the error by which a path that never leaves a loop is ended.
pub const NEVER: u8 = u8::MAX;
/// Functions are run in place at most so deep.
pub const INLINE: usize = 40;
/// A function that calls itself deeper than this is taken never to end.
pub const RECURSION: usize = 100;
/// Blocks and expressions are followed at most so deep, everything that is run in place counted: the stack must hold.
pub const DEEP: usize = 8_000;

/// The machine.
pub struct Machine<'p, 's, 'v> {
    /// The program.
    pub view: &'v View<'p, 's>,
    /// Package versions of the analysed tree.
    pub versions: &'v Versions,
    /// The function whose outbound call is looked at.
    pub here: Option<CompId>,
    /// What fails.
    pub plan: Plan,
    /// The virtual clock, for formulas.
    pub now: f64,
    /// Steps of a run.
    pub budget: usize,
    /// Steps that all runs since the caller set this to 0 took.
    pub used: usize,
    /// Steps left.
    pub steps: usize,
    /// A Retry-After header was read.
    pub reads_header: bool,
    /// A status was looked at.
    pub by_status: bool,
    /// What was asked of the failure.
    pub asked: RefCell<Vec<super::asked::Question>>,
    /// Whether expressions ask for settings of the environment.
    pub gates: RefCell<FxHashMap<(CompId, ExprId), bool>>,
    /// Variables that are still read, by function.
    pub live: RefCell<super::live::LiveByFunction>,
    /// Variables that may change something, of components that the run came to.
    pub mattering: RefCell<FxHashMap<CompId, Rc<FxHashSet<VarId>>>>,
    /// A loop did not end: its header.
    pub endless: Vec<(crate::source::Place, bool)>,
    /// Facts about loops, by file, body and failing callee.
    pub facts: FxHashMap<(u32, BlockId, Option<Callee>), Rc<LoopFacts>>,
    /// The work was cut.
    pub cut: bool,
    /// The files' texts.
    pub texts: &'v [std::sync::Arc<str>],
    /// Functions that fail before they return a promise.
    pub throws_at_once: FxHashSet<CompId>,
    /// Arguments of the external call being evaluated, as this path has them.
    pub given: Option<(Tok, super::calls::Given)>,
    /// The handler that caught the injected failure last.
    pub decided: Option<crate::source::Place>,
    /// The handlers that caught it, in turn, with the loops around them.
    pub(super) deciders: Vec<(crate::source::Place, Rc<Vec<super::state::Slot>>)>,
    /// The attempt that waits are being evaluated for, from 1.
    pub attempt: f64,
    /// How deep values are being settled.
    pub settling: u8,
    /// What tokens settled to since the outermost was asked for; none: nothing, or not done yet.
    pub settled: FxHashMap<Tok, Option<Val>>,
    /// Places of calls in a row.
    pub row_places: Vec<crate::source::Place>,
    /// A comparison looked at the clock since the last test that was decided.
    pub clock_read: bool,
    /// The clock stands still, to see whether time is what ends a loop.
    pub frozen: bool,
    /// Loops whose test nobody can evaluate even if the call fails.
    pub by_chance: FxHashSet<crate::source::Place>,
    /// Of paths that go on alike, the one with the fewest calls is kept, not the one with the most.
    pub fewest: bool,
    /// What runs at the yields of generators that are being run.
    pub consumers: Vec<super::generator::Consumer<'p>>,
    /// Blocks and expressions that are being evaluated.
    pub deep: usize,
    /// Outbound calls other than the failing one may fail, too.
    pub others_fail: bool,
    /// Arguments for which the code decides between several values.
    pub(super) decided_arguments: FxHashMap<(Site, ExprId), Option<Val>>,
    /// The call that is waited for.
    pub(super) watched: Option<super::decided::Watched>,
    /// Runs in which the call succeeds.
    pub(super) successes: super::success::Successes,
    /// Callees that send what was built for them, as far as it was asked for: the first one of those that send the same.
    pub requests: RefCell<FxHashMap<CompId, Rc<FxHashMap<Tok, Tok>>>>,
    /// Constants of types, by where they are read.
    pub constants: RefCell<FxHashMap<(CompId, ExprId), Option<Val>>>,
    /// The failure at hand was looked into: another one may go another way.
    pub looked: Cell<bool>,
    /// The call that just raised raises unless something holds of which nobody knows whether it does.
    pub may_be_spared: bool,
    /// What is changed in place, by file.
    pub cells: RefCell<FxHashMap<u32, Rc<super::cells::Cells>>>,
    /// Attributes of one of several things, with the attempt and the time that they were asked for at.
    pub of_many: FxHashMap<(Value, crate::link::symbols::Symbol), ((u64, u64), Val)>,
    /// What values that builders make hold, as far as it was asked for.
    pub built: FxHashMap<Tok, super::builders::Built>,
    /// A value of which what is put into it when it is made is noted.
    pub made: Option<(Tok, Vec<(Rc<str>, Val)>)>,
    /// Parameters that decide how a recursion goes on.
    pub deciding: FxHashMap<CompId, Option<Rc<FxHashSet<VarId>>>>,
    /// The call that hands a callable to a promise.
    pub handing: Option<(CompId, ExprId)>,
    /// Handlers that are run where the failing call fails.
    pub rescue: Option<Rc<super::rescue::Rescue>>,
    /// Values of structs and enums that the run put together.
    pub put_together: RefCell<FxHashSet<Tok>>,
    /// A test that nobody can evaluate looked at the failure.
    pub guessed: bool,
    /// The component that was run last.
    pub unit_run: Option<CompId>,
    /// Helpers that took too many steps in the runs of this component.
    pub too_much: FxHashSet<CompId>,
    /// The run came to one of these, and went on without it.
    pub skipped: bool,
}

/// How a run ended on one path.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// It returned.
    Return(Val),
    /// It raised.
    Raise(Rc<Error>),
}

impl<'p, 's, 'v> Machine<'p, 's, 'v> {
    /// A machine in which nothing fails.
    pub fn new(view: &'v View<'p, 's>, versions: &'v Versions, texts: &'v [std::sync::Arc<str>]) -> Self {
        Self {
            view,
            versions,
            here: None,
            plan: Plan { key: None, outcome: Outcome::Value(Val::Unknown), unit: Rc::default() },
            now: 0.0,
            budget: STEPS,
            used: 0,
            steps: STEPS,
            reads_header: false,
            by_status: false,
            asked: RefCell::default(),
            gates: Default::default(),
            live: Default::default(),
            mattering: Default::default(),
            endless: Vec::new(),
            facts: FxHashMap::default(),
            cut: false,
            texts,
            throws_at_once: FxHashSet::default(),
            given: None,
            decided: None,
            deciders: Vec::new(),
            attempt: 1.0,
            settling: 0,
            settled: FxHashMap::default(),
            row_places: Vec::new(),
            clock_read: false,
            frozen: false,
            fewest: false,
            by_chance: FxHashSet::default(),
            consumers: Vec::new(),
            deep: 0,
            others_fail: false,
            decided_arguments: FxHashMap::default(),
            watched: None,
            successes: Default::default(),
            requests: RefCell::default(),
            constants: RefCell::default(),
            looked: Cell::new(false),
            may_be_spared: false,
            cells: RefCell::default(),
            built: FxHashMap::default(),
            made: None,
            deciding: FxHashMap::default(),
            handing: None,
            rescue: None,
            of_many: FxHashMap::default(),
            put_together: RefCell::default(),
            guessed: false,
            unit_run: None,
            too_much: FxHashSet::default(),
            skipped: false,
        }
    }

    /// Runs a component from its start, with what link knows of its parameters.
    pub fn run(&mut self, comp: CompId, plan: Plan) -> Vec<(State, End)> {
        self.begin(plan);
        if self.unit_run.replace(comp) != Some(comp) {
            self.too_much.clear();
        }
        let mut state = State::at(comp, 0.0);
        self.bind_from_link(comp, &mut state);
        self.note_entry(comp, &mut state);
        let ends = self.body(comp, state);
        self.used += self.budget.saturating_sub(self.steps);
        ends
    }

    /// Forgets what the run before found out.
    pub(super) fn begin(&mut self, plan: Plan) {
        if self.plan.key != plan.key {
            self.mattering.borrow_mut().clear();
        }
        self.plan = plan;
        self.steps = self.budget;
        self.reads_header = false;
        self.by_status = false;
        self.decided = None;
        self.deciders.clear();
        self.clock_read = false;
        self.skipped = false;
        self.consumers.clear();
        self.put_together.borrow_mut().clear();
        self.guessed = false;
        self.endless.clear();
        if !self.fewest && !self.frozen {
            self.by_chance.clear();
        }
    }

    /// Runs a closure once more, with what it captured as the run before left it: how that is now, and how it ended.
    /// None if no more than that is known.
    pub fn run_again(&mut self, comp: CompId, plan: Plan, before: Option<State>) -> Option<(State, Vec<Outcome>)> {
        let saved = (self.reads_header, self.by_status, self.decided, self.cut, self.plan.clone());
        self.plan = plan;
        self.steps = CLOSURE_STEPS;
        let mut state = State::at(comp, before.as_ref().map_or(0.0, |s| s.clock));
        match before {
            Some(before) => state.heap = before.heap,
            None => self.start_counters(comp, &mut state),
        }
        self.bind_from_link(comp, &mut state);
        let ends = self.body(comp, state);
        let cut = self.steps == 0;
        (self.reads_header, self.by_status, self.decided, self.cut, self.plan) = saved;
        let called: Vec<(State, End)> = ends.into_iter().filter(|(s, _)| s.calls() > 0).collect();
        let first = called.first()?.0.clone();
        if cut || called.iter().any(|(s, _)| s.heap != first.heap) {
            return None;
        }
        let ends = called.into_iter().map(|(_, end)| match end {
            End::Return(Val::Fail(error)) | End::Raise(error) => Outcome::Raise(error),
            End::Return(value) => Outcome::Value(value),
        });
        Some((first, ends.collect()))
    }

    /// Asks a closure once more what it says of an error, with what it captured as the time before left it: how that is
    /// now, and whether it may say yes.
    pub fn ask_again(&mut self, comp: CompId, error: &Rc<Error>, before: Option<State>) -> Option<(State, bool)> {
        let mut state = State::at(comp, 0.0);
        match before {
            Some(before) => state.heap = before.heap,
            None => self.start_counters(comp, &mut state),
        }
        let given = super::calls::Given { positional: vec![Val::Error(error.clone())], ..Default::default() };
        self.aside(|machine| {
            machine.steps = CLOSURE_STEPS;
            machine.bind_given(comp, None, given, &mut state);
            let ends = machine.body(comp, state);
            let first = ends.first()?.0.clone();
            if machine.steps == 0 || ends.iter().any(|(s, _)| s.heap != first.heap) {
                return None;
            }
            let may = |machine: &mut Self, end: &End| match end {
                End::Return(value) => machine.truth(value) != Some(false),
                End::Raise(_) => true,
            };
            let yes = ends.iter().any(|(_, end)| may(machine, end));
            Some((first, yes))
        })
    }

    /// Gives captured counters what they start with.
    fn start_counters(&mut self, comp: CompId, state: &mut State) {
        let file = self.view.file(comp);
        let func = self.view.func(comp);
        for (i, var) in file.vars.iter().enumerate().filter(|(_, v)| v.captured && v.owner != MODULE) {
            if var.owner == func.id {
                continue;
            }
            let var = VarId(i as u32);
            if let Some(owner) = self.view.solver.owner(comp, func.file, file.var(var).owner)
                && let Some(start) = self.view.first_value(owner, var)
            {
                state.heap.insert((Tok(u32::MAX - owner.0), Rc::from(format!("var {}", var.0))), start);
            }
        }
    }

    /// Runs the body of the running activation.
    pub fn body(&mut self, comp: CompId, state: State) -> Vec<(State, End)> {
        let function = self.view.function(comp);
        let mut exits = Exits::default();
        let ends = self.block(vec![state], function.body, &mut exits);
        let mut results: Vec<(State, End)> = Vec::new();
        results.extend(ends.into_iter().map(|s| (s, End::Return(Val::Null))));
        results.extend(exits.returns.into_iter().map(|(s, v)| (s, End::Return(v))));
        results.extend(exits.raises.into_iter().map(|(s, e)| (s, End::Raise(e))));
        results
    }

    /// The file of the running activation.
    pub fn ir(&self, state: &State) -> &'p File {
        self.view.file(self.comp(state))
    }

    /// The running component.
    pub fn comp(&self, state: &State) -> CompId {
        state.stack.last().map_or(CompId(0), |a| a.comp)
    }

    /// The error by which a path that never ends is ended.
    pub fn never(&self) -> Rc<Error> {
        Rc::new(Error { class_of_failure: Some(NEVER), ..self.unknown_error() })
    }

    /// An error about which nothing is known.
    pub fn unknown_error(&self) -> Error {
        Error {
            class: super::val::ErrorClass::Unknown,
            status: None,
            fields: Vec::new(),
            token: None,
            injected: false,
            class_of_failure: None,
            inherits: Default::default(),
        }
    }

    /// The time of the virtual clock.
    pub fn clock(&self, state: &State) -> Val {
        let now = if self.frozen { 0.0 } else { state.clock };
        Val::Num(Num { clock: true, ..Num::exact(now) })
    }
}
