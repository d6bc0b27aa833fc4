//! The state of one abstract execution path, and the ways control leaves a block.

use super::about::About;
use super::shared::Shared;
use super::trace::Trace;
use super::val::{Error, Val};
use crate::ir::{BlockId, ExprId, Name, VarId};
use crate::link::token::{CompId, Tok};
use crate::source::Place;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A position in nested loops and recursion: which, and in which turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// The loop's header or the recursive call.
    pub place: Place,
    /// The turn, from 0.
    pub turn: u32,
    /// Whether it is a recursive call.
    pub recursion: bool,
    /// The loop's body.
    pub body: BlockId,
    /// Whether each turn has an element of its own to work on.
    pub per_item: bool,
}

/// Something that happened on a path.
#[derive(Clone, PartialEq, Debug)]
pub enum Happening {
    /// The failing call was executed.
    Call {
        /// The call expression and the component that ran it.
        site: (CompId, ExprId),
        /// What it was called with, as far as it tells calls apart.
        work: u64,
        /// The elements of loops that it was for.
        about: About,
        /// Loops and recursion around it.
        slots: Rc<Vec<Slot>>,
    },
    /// A wait.
    Sleep {
        /// Smallest and largest seconds.
        lo: f64,
        /// Largest seconds.
        hi: f64,
        /// Chance decides.
        random: bool,
        /// The server decides.
        asked: bool,
        /// It could not be evaluated.
        unknown: bool,
        /// The sleeping call.
        place: Place,
        /// Loops around it.
        slots: Rc<Vec<Slot>>,
    },
}

/// One activation of a function.
#[derive(Clone, Debug)]
pub struct Activation {
    /// The component.
    pub comp: CompId,
    /// Its variables.
    pub env: Shared<VarId, Val>,
    /// How it was entered, where that may happen again below it.
    pub entry: Option<Rc<Entry>>,
    /// The elements of loops that it was called for.
    pub about: About,
    /// What tests said about numbers that are not known.
    pub narrowed: Shared<super::narrow::Place, super::narrow::Bounds>,
}

impl PartialEq for Activation {
    /// How it was entered decides nothing any more.
    fn eq(&self, other: &Self) -> bool {
        self.comp == other.comp && self.env == other.env && self.about == other.about && self.narrowed == other.narrowed
    }
}

/// What a function was entered with.
#[derive(Debug)]
pub struct Entry {
    /// Its parameters.
    pub env: Shared<VarId, Val>,
    /// Fields written until then.
    pub heap: Shared<(Tok, Rc<str>), Val>,
    /// The time.
    pub clock: f64,
}

/// The state of a path.
#[derive(Clone, Debug)]
pub struct State {
    /// Activations, the running one last.
    pub stack: Vec<Activation>,
    /// Fields written on this path.
    pub heap: Shared<(Tok, Rc<str>), Val>,
    /// Seconds waited so far, at least.
    pub clock: f64,
    /// What happened, in order.
    pub trace: Trace,
    /// Loops and recursion around the running point.
    pub slots: Rc<Vec<Slot>>,
    /// The error being handled (for a bare re-raise).
    pub handling: Vec<Rc<Error>>,
    /// The error that an attempt of a policy's loop caught.
    pub caught: Option<Rc<Error>>,
    /// A test on this path depended on a number that is not known; why.
    pub open: Option<Rc<str>>,
    /// Loops that ended because what they go over may have ended there.
    pub ran_out: Vec<Place>,
    /// A test on this path depended on the clock.
    pub timed: bool,
    /// Turns of the loops over generators that are being run.
    pub turns: Vec<u32>,
    /// Where the unit calls the helper that is being run in place.
    pub helper: Option<Place>,
}

impl State {
    /// The variables of the running function that hold lists, with their lengths.
    pub(super) fn lengths(&self) -> Vec<(VarId, usize)> {
        let env = self.stack.last().map(|a| &a.env);
        let list =
            |(var, value): (&VarId, &Val)| if let Val::List(items) = value { Some((*var, items.len())) } else { None };
        env.into_iter().flat_map(|env| env.iter()).filter_map(list).collect()
    }

    /// Lists that grew in a loop over nobody knows how many elements are of no known length.
    pub(super) fn forget_grown(&mut self, before: &[(VarId, usize)]) {
        let Some(activation) = self.stack.last_mut() else { return };
        for (var, length) in before {
            if matches!(activation.env.get(var), Some(Val::List(items)) if items.len() > *length) {
                activation.env.insert(*var, Val::Unknown);
            }
        }
    }

    /// A path that starts in a component.
    pub fn at(comp: CompId, clock: f64) -> Self {
        Self {
            stack: vec![Activation {
                comp,
                env: Shared::default(),
                entry: None,
                about: About::default(),
                narrowed: Shared::default(),
            }],
            ..Self::outside(clock)
        }
    }

    /// A path that starts outside of all functions.
    pub fn outside(clock: f64) -> Self {
        Self {
            stack: Vec::new(),
            heap: Shared::default(),
            clock,
            trace: super::trace::Trace::default(),
            slots: Rc::default(),
            handling: Vec::new(),
            caught: None,
            open: None,
            ran_out: Vec::new(),
            timed: false,
            turns: Vec::new(),
            helper: None,
        }
    }

    /// The running activation's variables.
    pub fn env(&mut self) -> &mut FxHashMap<VarId, Val> {
        if self.stack.is_empty() {
            self.stack.push(Activation {
                comp: CompId(0),
                env: Shared::default(),
                entry: None,
                about: About::default(),
                narrowed: Shared::default(),
            });
        }
        let last = self.stack.len() - 1;
        &mut self.stack[last].env
    }

    /// How often the failing call was executed.
    pub fn calls(&self) -> usize {
        self.trace.calls()
    }

    /// Whether two paths will go on alike.
    pub fn same_future(&self, other: &State) -> bool {
        self.stack == other.stack
            && self.heap == other.heap
            && self.handling == other.handling
            && self.caught == other.caught
            && self.slots == other.slots
            && (self.clock == other.clock || !self.timed)
    }
}

/// The ways out of a block, beside its end.
#[derive(Default)]
pub struct Exits {
    /// `return`
    pub returns: Vec<(State, Val)>,
    /// `raise`
    pub raises: Vec<(State, Rc<Error>)>,
    /// `break`
    pub breaks: Vec<(State, Option<Name>)>,
    /// `continue`
    pub continues: Vec<(State, Option<Name>)>,
}
