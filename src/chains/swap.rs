//! Failures that a function passes on without a look at them: what it makes of one it makes of every other one.

use crate::layers::machine::{Machine, Outcome};
use crate::layers::unit::UnitResult;
use crate::layers::val::{Error, Val};
use std::rc::Rc;

/// Values nest so deep at most.
const DEPTH: usize = 8;

/// What a function makes of a failure, by what it made of another one; none if that says nothing.
pub(super) fn swapped(
    machine: &mut Machine<'_, '_, '_>,
    known: &[(Outcome, Rc<UnitResult>)],
    outcome: &Outcome,
) -> Option<UnitResult> {
    let Outcome::Raise(new) = outcome else { return None };
    if new.is_never() {
        return None;
    }
    known.iter().find_map(|(old, result)| {
        let Outcome::Raise(old) = old else { return None };
        if result.looked || result.cut || old.is_never() || old.injected != new.injected {
            return None;
        }
        if !machine.answers_alike(&result.asked, new) {
            return None;
        }
        let mut outcomes = Vec::with_capacity(result.outcomes.len());
        for end in &result.outcomes {
            let end = match end {
                Outcome::Raise(error) if error == old => Outcome::Raise(new.clone()),
                Outcome::Raise(error) if error.fields.is_empty() => Outcome::Raise(error.clone()),
                Outcome::Raise(_) => return None,
                Outcome::Value(value) => Outcome::Value(swap(value, old, new, 0)?),
            };
            if !outcomes.contains(&end) {
                outcomes.push(end);
            }
        }
        Some(UnitResult { outcomes, ..(**result).clone() })
    })
}

/// A value with one failure in the place of another; none if it may hide one.
fn swap(value: &Val, old: &Rc<Error>, new: &Rc<Error>, depth: usize) -> Option<Val> {
    if depth > DEPTH {
        return None;
    }
    let other = |error: &Rc<Error>| match () {
        () if error == old => Some(new.clone()),
        () if error.fields.is_empty() => Some(error.clone()),
        () => None,
    };
    Some(match value {
        Val::Error(error) => Val::Error(other(error)?),
        Val::Fail(error) => Val::Fail(other(error)?),
        Val::Good(inner) => Val::Good(Box::new(swap(inner, old, new, depth + 1)?)),
        Val::Settled(inner) => Val::Settled(Box::new(swap(inner, old, new, depth + 1)?)),
        Val::List(list) => {
            let list: Option<Vec<Val>> = list.iter().map(|v| swap(v, old, new, depth + 1)).collect();
            Val::List(Rc::new(list?))
        }
        Val::Unknown
        | Val::Null
        | Val::Bool(_)
        | Val::Num(_)
        | Val::Text(_)
        | Val::Tok(_)
        | Val::Many(_)
        | Val::Range(..)
        | Val::Answer(_)
        | Val::Headers
        | Val::Settles(..)
        | Val::Attempt => value.clone(),
        Val::Part(..) | Val::Generator(_) | Val::Iter(_) | Val::Dict(_) | Val::Described(_) | Val::With(..) => {
            return None;
        }
    })
}
