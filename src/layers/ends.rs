//! How a function that is run in place ends: in a few ways. What a helper makes of texts and objects says nothing of
//! the failing call, and each way more would be followed through all that comes after it.

use super::machine::{End, Machine};
use super::state::State;
use super::val::{Error, ErrorClass, Val};
use std::rc::Rc;

/// So many ends are told apart in all they are.
const FEW: usize = 4;
/// With more than so many, only how they end is told apart.
const MANY: usize = 8;
/// A helper that takes more steps is not looked into.
const HELPER_STEPS: usize = 3_000;

impl Machine<'_, '_, '_> {
    /// The steps that a helper may take of those that are left.
    pub(super) fn steps_of_a_helper(&self) -> usize {
        HELPER_STEPS.min(self.steps / 2)
    }

    /// Ends by which a path goes on alike, or nearly so where there are many, become one.
    pub(super) fn fewer_ends(&self, mut ends: Vec<(State, End)>) -> Vec<(State, End)> {
        if ends.len() > FEW {
            ends = self.ends_joined(ends, joined_texts);
        }
        if ends.len() > MANY {
            ends = self.ends_joined(ends, joined_outcomes);
        }
        ends
    }

    fn ends_joined(&self, ends: Vec<(State, End)>, join: impl Fn(&End, &End) -> Option<End>) -> Vec<(State, End)> {
        let mut kept: Vec<(State, End)> = Vec::with_capacity(ends.len());
        for (state, end) in ends {
            let found = kept.iter_mut().find_map(|old| {
                let end = join(&old.1, &end)?;
                let fields = old.0.hardly_differs(&state).filter(|_| old.0.calls() == state.calls())?;
                Some((old, end, fields))
            });
            let Some((old, end, fields)) = found else {
                kept.push((state, end));
                continue;
            };
            old.0.timed |= state.timed;
            old.1 = end;
            for field in fields {
                old.0.heap.insert(field, Val::Unknown);
            }
        }
        kept
    }
}

/// Two ends that differ in a text at most.
fn joined_texts(a: &End, b: &End) -> Option<End> {
    let is_plain = |v: &Val| matches!(v, Val::Text(_) | Val::Unknown);
    Some(match (a, b) {
        (End::Return(a), End::Return(b)) if a == b => End::Return(a.clone()),
        (End::Return(a), End::Return(b)) if is_plain(a) && is_plain(b) => End::Return(Val::Unknown),
        (End::Return(Val::Good(a)), End::Return(Val::Good(b))) if is_plain(a) && is_plain(b) => {
            End::Return(Val::Good(Box::new(Val::Unknown)))
        }
        (End::Raise(a), End::Raise(b)) if a == b => End::Raise(a.clone()),
        _ => return None,
    })
}

/// Two ends that are both a success or both a failure, by value or raised.
fn joined_outcomes(a: &End, b: &End) -> Option<End> {
    let is_thing =
        |v: &Val| matches!(v, Val::Text(_) | Val::Unknown | Val::Tok(_) | Val::Many(_) | Val::List(_) | Val::With(..));
    Some(match (a, b) {
        (End::Return(a), End::Return(b)) if a == b => End::Return(a.clone()),
        (End::Return(Val::Good(_)), End::Return(Val::Good(_))) => End::Return(Val::Good(Box::new(Val::Unknown))),
        (End::Return(Val::Fail(a)), End::Return(Val::Fail(b))) => End::Return(Val::Fail(joined_errors(a, b)?)),
        (End::Return(a), End::Return(b)) if is_thing(a) && is_thing(b) => End::Return(Val::Unknown),
        (End::Raise(a), End::Raise(b)) => End::Raise(joined_errors(a, b)?),
        _ => return None,
    })
}

/// An error of which no more is known than what two have in common. The failure that is looked at stays what it is.
fn joined_errors(a: &Rc<Error>, b: &Rc<Error>) -> Option<Rc<Error>> {
    if a == b {
        return Some(a.clone());
    }
    if a.injected || b.injected || a.class_of_failure != b.class_of_failure {
        return None;
    }
    Some(Rc::new(Error {
        class: if a.class == b.class { a.class.clone() } else { ErrorClass::Unknown },
        status: a.status.filter(|_| a.status == b.status),
        fields: Vec::new(),
        token: None,
        injected: false,
        class_of_failure: a.class_of_failure,
        inherits: Default::default(),
    }))
}
