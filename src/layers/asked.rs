//! What a run asked of the failure: another failure that gives the same answers takes the same ways.

use super::machine::{Machine, Outcome};
use super::swap::{swap, swap_error};
use super::val::{Error, Inherits, Val, Whole};
use std::rc::Rc;

/// At most so many questions are kept.
const QUESTIONS: usize = 48;

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

    /// Notes that a value is looked at. (An answer is no part of what is raised.)
    pub(super) fn note_look(&self, value: &Val) {
        let of_answer = match value {
            Val::Answer(_) => true,
            Val::Part(whole, _) => matches!(**whole, Whole::Answer(_)),
            _ => false,
        };
        if !(of_answer && matches!(self.plan.outcome, Outcome::Raise(_))) {
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
