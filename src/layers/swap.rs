//! Failures that a function passes on without a look at them: what it makes of one it makes of every other one.

use super::machine::{Machine, Outcome};
use super::unit::UnitResult;
use super::val::{Error, Inherits, Val, Whole};
use std::rc::Rc;

/// Values nest so deep at most.
const DEPTH: usize = 8;

impl Machine<'_, '_, '_> {
    /// What a function makes of a failure, by what it made of another one; none if that says nothing.
    pub fn swapped(&mut self, known: &[(Outcome, Rc<UnitResult>)], outcome: &Outcome) -> Option<UnitResult> {
        let Outcome::Raise(new) = outcome else { return None };
        if new.is_never() {
            return None;
        }
        known.iter().find_map(|(old, result)| {
            let Outcome::Raise(old) = old else { return None };
            if result.inferred || result.looked || old.is_never() || old.injected != new.injected {
                return None;
            }
            if !self.answers_alike(&result.asked, old, new) {
                return None;
            }
            let mut ends = Vec::with_capacity(result.ends.len());
            for end in &result.ends {
                let end = match end {
                    Outcome::Raise(error) => Outcome::Raise(swap_error(error, old, new, 0)?),
                    Outcome::Value(value) => Outcome::Value(swap(value, old, new, 0)?),
                };
                if !ends.contains(&end) {
                    ends.push(end);
                }
            }
            Some(UnitResult { ends, inferred: true, ..(**result).clone() }.told())
        })
    }
}

/// An error with one failure in the place of another, and with what it has from that one; none if it may hide one.
pub(super) fn swap_error(error: &Rc<Error>, old: &Rc<Error>, new: &Rc<Error>, depth: usize) -> Option<Rc<Error>> {
    if error == old {
        return Some(new.clone());
    }
    if error.fields.is_empty() && error.inherits == Inherits::Nothing {
        return Some(error.clone());
    }
    let mut swapped = (**error).clone();
    for (_, field) in &mut swapped.fields {
        *field = swap(field, old, new, depth + 1)?;
    }
    if error.inherits != Inherits::Nothing {
        swapped.class_of_failure = new.class_of_failure;
    }
    if error.inherits == Inherits::ClassAndStatus {
        swapped.status = new.status;
    }
    Some(Rc::new(swapped))
}

impl UnitResult {
    /// With what it tells of its ends: for who calls the unit, its errors are what fails, and have nothing from elsewhere.
    pub fn told(self) -> Self {
        let told = |end: &Outcome| match end {
            Outcome::Raise(error) => Outcome::Raise(own_error(error, 0)),
            Outcome::Value(value) => Outcome::Value(own_value(value, 0)),
        };
        let mut outcomes = Vec::with_capacity(self.ends.len());
        for end in self.ends.iter().map(told) {
            if !outcomes.contains(&end) {
                outcomes.push(end);
            }
        }
        UnitResult { outcomes, ..self }
    }
}

fn own_error(error: &Rc<Error>, depth: usize) -> Rc<Error> {
    if error.fields.is_empty() && error.inherits == Inherits::Nothing {
        return error.clone();
    }
    let fields = error.fields.iter().map(|(name, value)| (name.clone(), own_value(value, depth + 1))).collect();
    Rc::new(Error { fields, inherits: Inherits::Nothing, ..(**error).clone() })
}

fn own_value(value: &Val, depth: usize) -> Val {
    match value {
        _ if depth > DEPTH => value.clone(),
        Val::Error(error) => Val::Error(own_error(error, depth)),
        Val::Fail(error) => Val::Fail(own_error(error, depth)),
        Val::Good(inner) => Val::Good(Box::new(own_value(inner, depth + 1))),
        Val::Settled(inner) => Val::Settled(Box::new(own_value(inner, depth + 1))),
        Val::List(list) => Val::List(Rc::new(list.iter().map(|v| own_value(v, depth + 1)).collect())),
        _ => value.clone(),
    }
}

/// A value with one failure in the place of another; none if it may hide one.
pub(super) fn swap(value: &Val, old: &Rc<Error>, new: &Rc<Error>, depth: usize) -> Option<Val> {
    if depth > DEPTH {
        return None;
    }
    let other = |error: &Rc<Error>| swap_error(error, old, new, depth);
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
        Val::Part(whole, path) => match &**whole {
            Whole::Error(error) => Val::Part(Rc::new(Whole::Error(other(error)?)), path.clone()),
            Whole::Answer(_) => value.clone(),
        },
        Val::Generator(_) | Val::Iter(_) | Val::Dict(_) | Val::Described(_) | Val::With(..) => {
            return None;
        }
    })
}
