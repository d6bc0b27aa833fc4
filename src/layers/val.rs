//! Values of abstract execution: numbers as intervals, errors and answers of the injected failure,
//! tokens of the linked program.

use crate::link::token::{Tok, Value};
use std::rc::Rc;

/// A number, as far as it is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Num {
    /// Smallest value.
    pub lo: f64,
    /// Largest value.
    pub hi: f64,
    /// Chance decides between the two.
    pub random: bool,
    /// It was read off the clock.
    pub clock: bool,
    /// It was asked of the server (Retry-After).
    pub asked: bool,
}

impl Num {
    /// A known number.
    pub fn exact(x: f64) -> Self {
        Self { lo: x, hi: x, random: false, clock: false, asked: false }
    }

    /// The number, if it is known.
    pub fn value(self) -> Option<f64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Combines two numbers monotonically in every corner.
    pub fn combine(self, other: Num, f: impl Fn(f64, f64) -> f64) -> Num {
        let corners = [f(self.lo, other.lo), f(self.lo, other.hi), f(self.hi, other.lo), f(self.hi, other.hi)];
        let lo = corners.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (lo, hi) =
            if lo.is_nan() || hi.is_nan() || lo > hi { (f64::NEG_INFINITY, f64::INFINITY) } else { (lo, hi) };
        Num {
            lo,
            hi,
            random: self.random || other.random,
            clock: self.clock || other.clock,
            asked: self.asked || other.asked,
        }
    }
}

/// The class of an error.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ErrorClass {
    /// Of a package or builtin, by its path in the catalogue.
    Known(Rc<str>),
    /// Of the program ([`crate::link::token::Token::Class`]).
    Own(Tok),
    /// Not known.
    Unknown,
}

/// An error on its way.
#[derive(Clone, PartialEq, Debug)]
pub struct Error {
    /// Its class.
    pub class: ErrorClass,
    /// The status it carries.
    pub status: Option<u16>,
    /// Attributes that were set, by name.
    pub fields: Vec<(Rc<str>, Val)>,
    /// The object, if the program made it, or the call that made it.
    pub token: Option<Tok>,
    /// Whether it goes back to the injected failure.
    pub injected: bool,
    /// It asks a retry layer not to try again (`AbortError`), or to try again (`self.retry()`).
    pub class_of_failure: Option<u8>,
    /// What of this it has from the failure at hand.
    pub inherits: Inherits,
}

/// What an error has from the failure that was handled when it was made: with another failure it has that one's.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Inherits {
    /// Nothing.
    #[default]
    Nothing,
    /// The class of failure.
    Class,
    /// That, and the status.
    ClassAndStatus,
}

impl Error {
    /// Whether it only says that a path never ends.
    pub fn is_never(&self) -> bool {
        self.class_of_failure == Some(super::machine::NEVER)
    }
}

/// An answer with a status.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Answer {
    /// Its class in the catalogue.
    pub class: Rc<str>,
    /// Its status.
    pub status: u16,
    /// The class of failure it stands for.
    pub class_of_failure: Option<u8>,
}

/// What a part of an error or answer belongs to.
#[derive(Clone, PartialEq, Debug)]
pub enum Whole {
    /// An error.
    Error(Rc<Error>),
    /// An answer.
    Answer(Rc<Answer>),
}

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Val {
    /// Nothing is known.
    Unknown,
    /// `None`, `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Num(Num),
    /// A text.
    Text(Rc<str>),
    /// A thing of the linked program.
    Tok(Tok),
    /// One of several things of the linked program.
    Many(Value),
    /// A sequence whose elements are known.
    List(Rc<Vec<Val>>),
    /// Numbers from, up to but not including, by step.
    Range(i64, Option<i64>, i64),
    /// An error object.
    Error(Rc<Error>),
    /// An answer.
    Answer(Rc<Answer>),
    /// A part of an error or answer, by its path.
    Part(Rc<Whole>, Rc<str>),
    /// The headers of an error or answer, or of something unknown.
    Headers,
    /// A failed outcome: a rejected promise, an `Err`.
    Fail(Rc<Error>),
    /// A successful outcome: `Ok`, `Some`.
    Good(Box<Val>),
    /// A promise that is known to be fulfilled, with what it gives.
    Settled(Box<Val>),
    /// What settles a promise that is being made: where, and whether it rejects.
    Settles(crate::link::token::Site, bool),
    /// An attempt object of a policy's loop.
    Attempt,
    /// A generator of the program that was called and not run yet.
    Generator(Rc<super::generator::Pending>),
    /// An iterator, and how far it is.
    Iter(Rc<super::iterators::Iter>),
    /// An object that a callee handed back, with what the callee's path had written on it.
    With(Tok, Rc<Vec<(Rc<str>, Val)>>),
    /// Keyword arguments by name.
    Dict(Rc<Vec<(Rc<str>, Val)>>),
    /// What a library hands to a callback, as its catalogue entry describes it.
    Described(Rc<Described>),
}

/// An object that a library makes for a callback.
#[derive(Clone, PartialEq, Debug)]
pub struct Described {
    /// Its class in the catalogue.
    pub class: Rc<str>,
    /// The number of the attempt.
    pub n: f64,
    /// The error of the attempt.
    pub error: Option<Rc<Error>>,
    /// The result of the attempt.
    pub result: Option<Val>,
}

impl Val {
    /// What waiting for a value gives.
    pub fn waited(self) -> Val {
        match self {
            Val::Settled(inner) => *inner,
            value => value,
        }
    }

    /// A known number.
    pub fn num(x: f64) -> Val {
        Val::Num(Num::exact(x))
    }

    /// A text.
    pub fn text(text: &str) -> Val {
        Val::Text(Rc::from(text))
    }

    /// The number, if it is one.
    pub fn as_num(&self) -> Option<Num> {
        match self {
            Val::Num(n) => Some(*n),
            Val::Bool(b) => Some(Num::exact(f64::from(u8::from(*b)))),
            Val::Good(inner) => inner.as_num(),
            _ => None,
        }
    }

    /// The known number.
    pub fn as_exact(&self) -> Option<f64> {
        self.as_num().and_then(Num::value)
    }
}
