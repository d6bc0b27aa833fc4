//! What a run asked of the failure: another failure that gives the same answers takes the same ways.

use super::machine::{Machine, Outcome};
use super::swap::{swap, swap_error};
use super::val::{Error, Inherits, Val, Whole};
use std::rc::Rc;

/// At most so many questions are kept.
const QUESTIONS: usize = 48;
/// Values nest so deep at most.
const DEPTH: usize = 8;

/// A question, and its answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Question {
    /// Whether an error is one of some types.
    Is {
        /// The error.
        error: Rc<Error>,
        /// The types.
        types: Val,
        /// None: not known.
        answer: Option<bool>,
    },
    /// What an attribute of an error, or of a part of one, holds.
    Holds {
        /// The error or part.
        value: Val,
        /// The attribute.
        name: Rc<str>,
        /// What it holds, and whether that tells its status.
        answer: (Val, bool),
    },
    /// Whether a part of an error is there.
    Has {
        /// The error.
        error: Rc<Error>,
        /// The part.
        path: Rc<str>,
        /// The answer.
        answer: bool,
    },
}

/// Whether an error is in a value, or may be.
fn holds_error(value: &Val, depth: usize) -> bool {
    let inside = |value: &Val| holds_error(value, depth + 1);
    match value {
        _ if depth > DEPTH => true,
        Val::Error(_) | Val::Fail(_) | Val::Generator(_) | Val::Iter(_) => true,
        Val::Part(whole, _) => matches!(**whole, Whole::Error(_)),
        Val::Good(inner) | Val::Settled(inner) => inside(inner),
        Val::With(_, entries) | Val::Dict(entries) => entries.iter().any(|(_, value)| inside(value)),
        Val::Described(object) => object.error.is_some() || object.result.as_ref().is_some_and(inside),
        Val::List(items) => items.iter().any(inside),
        _ => false,
    }
}

impl Machine<'_, '_, '_> {
    /// Keeps a question that depends on the failure.
    pub(super) fn keep_question(&self, question: Question) {
        let mut asked = self.asked.borrow_mut();
        match () {
            () if asked.contains(&question) => {}
            () if asked.len() < QUESTIONS => asked.push(question),
            () => self.looked.set(true),
        }
    }

    /// Notes that a value is looked at that may be the failure. (An answer is no part of what is raised.)
    pub(super) fn note_look(&self, value: &Val) {
        if matches!(self.plan.outcome, Outcome::Value(_)) || holds_error(value, 0) {
            self.looked.set(true);
        }
    }

    /// Whether an error says something of the failure, or may.
    pub(super) fn tells(&self, error: &Rc<Error>) -> bool {
        let apart = !error.injected && error.fields.is_empty() && error.inherits == Inherits::Nothing;
        !apart || self.is_the_failure(error)
    }

    /// Whether the questions that were asked of one failure have the same answers for another one.
    pub(super) fn answers_alike(&mut self, asked: &[Question], old: &Rc<Error>, new: &Rc<Error>) -> bool {
        let (looked, by_status) = (self.looked.get(), self.by_status);
        let before = self.asked.take();
        let alike = asked.iter().all(|question| self.answers_as_before(question, old, new) == Some(true));
        self.asked.replace(before);
        self.looked.set(looked);
        self.by_status = by_status;
        alike
    }

    /// Whether a question has the same answer for another failure; none: nobody can say.
    fn answers_as_before(&mut self, question: &Question, old: &Rc<Error>, new: &Rc<Error>) -> Option<bool> {
        match question {
            Question::Is { error, types, answer } => {
                let error = swap_error(error, old, new, 0)?;
                Some(self.is_one_of(&error, types) == *answer)
            }
            Question::Holds { value, name, answer: (held, by_status) } => {
                let value = swap(value, old, new, 0)?;
                self.by_status = false;
                let now = self.held(&value, name);
                Some(self.by_status == *by_status && now == swap(held, old, new, 0)?)
            }
            Question::Has { error, path, answer } => {
                let whole = Whole::Error(swap_error(error, old, new, 0)?);
                Some(self.is_there(&whole, path) == *answer)
            }
        }
    }
}
