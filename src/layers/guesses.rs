//! Tests that look at the failure and that nobody can evaluate: `if !worth_it(&error) { return Err(error) }`. They may go
//! either way; what they are there for is to let go of what does not pass, so a failure that stays is taken to go the
//! shorter way.

use super::machine::{Machine, Outcome};
use super::state::State;
use super::val::{Error, Val, Whole};
use crate::ir::{ExprId, ExprKind};

/// Errors within errors are followed so far.
const DEPTH: usize = 4;

impl Machine<'_, '_, '_> {
    /// Notes that a test nobody can evaluate looks at the failure.
    pub(super) fn note_guess(&mut self, state: &State, test: ExprId) {
        if self.guessed || self.plan.key.is_none() {
            return;
        }
        let ir = self.ir(state);
        let mut stack = vec![test];
        while let Some(e) = stack.pop() {
            if let ExprKind::Var(var) = ir.expr(e).kind
                && is_failure(&self.read_var(state, var), 0)
            {
                self.guesses();
                return;
            }
            super::relevant::children(ir, e, &mut stack);
        }
    }

    /// Notes that nobody can say whether the failure fits a pattern.
    pub(super) fn note_guess_of(&mut self, value: &Val) {
        if !self.guessed && is_failure(value, 0) {
            self.guesses();
        }
    }

    fn guesses(&mut self) {
        self.guessed = true;
        self.looked.set(true);
    }
}

fn is_failure(value: &Val, depth: usize) -> bool {
    match value {
        Val::Error(error) | Val::Fail(error) => is_injected(error, depth),
        Val::Part(whole, _) => matches!(&**whole, Whole::Error(error) if is_injected(error, depth)),
        _ => false,
    }
}

fn is_injected(error: &Error, depth: usize) -> bool {
    error.injected || (depth < DEPTH && error.fields.iter().any(|(_, value)| is_failure(value, depth + 1)))
}

/// Whether a failure comes again whenever it is tried again: a wrong request, a wrong key.
pub(super) fn stays(outcome: &Outcome) -> bool {
    let status = match outcome {
        Outcome::Raise(error) => status_of(error, 0),
        Outcome::Value(_) => None,
    };
    status.is_some_and(|status| (400..500).contains(&status) && !matches!(status, 408 | 409 | 425 | 429))
}

fn status_of(error: &Error, depth: usize) -> Option<u16> {
    error.status.filter(|_| error.injected).or_else(|| {
        let inner = |value: &Val| match value {
            Val::Error(error) | Val::Fail(error) if depth < DEPTH => status_of(error, depth + 1),
            _ => None,
        };
        error.fields.iter().find_map(|(_, value)| inner(value))
    })
}
