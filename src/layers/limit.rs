//! Limits in time: of a layer, or of the retries that a client has built in.

use super::formula::Scope;
use super::machine::Machine;
use super::policy::within;
use super::val::Val;
use crate::catalogue::Formula;
use crate::chains::{Count, Waits};

/// What limits a layer in time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TimeLimit {
    /// Nothing.
    None,
    /// So many seconds.
    Seconds(f64),
    /// Something whose value is not known.
    Unknown,
}

impl TimeLimit {
    /// The seconds, if known.
    pub fn seconds(self) -> Option<f64> {
        match self {
            TimeLimit::Seconds(s) => Some(s),
            TimeLimit::None | TimeLimit::Unknown => None,
        }
    }

    /// The attempts that it leaves.
    pub fn cut(self, attempts: Count, waits: &Waits) -> Count {
        match self {
            TimeLimit::Seconds(limit) => within(attempts, waits, limit),
            // It does end; nobody can say when.
            TimeLimit::Unknown if attempts == Count::Unbounded => Count::Time(None),
            TimeLimit::Unknown | TimeLimit::None => attempts,
        }
    }
}

impl<'p> Machine<'p, '_, '_> {
    /// The limit that a formula gives.
    pub fn time_limit(&mut self, formula: Option<&Formula>, scope: &Scope<'p>) -> TimeLimit {
        match formula.and_then(|f| self.formula(f, scope)) {
            None | Some(Val::Null) => TimeLimit::None,
            Some(value) => match value.as_num() {
                Some(n) if n.hi.is_finite() => TimeLimit::Seconds(n.hi),
                Some(_) => TimeLimit::None,
                None => TimeLimit::Unknown,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::no_waits;
    use super::*;

    #[test]
    fn an_unknown_limit_is_a_limit() {
        let waits = no_waits();
        assert_eq!(TimeLimit::Unknown.cut(Count::Unbounded, &waits), Count::Time(None));
        assert_eq!(TimeLimit::Unknown.cut(Count::Exact(3), &waits), Count::Exact(3));
        assert_eq!(TimeLimit::None.cut(Count::Unbounded, &waits), Count::Unbounded);
    }
}
