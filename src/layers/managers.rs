//! Context managers: entered, and left with or without an error.

use super::generator::Work;
use super::machine::{End, Machine};
use super::state::{Exits, State};
use super::statements::pass_on;
use super::val::Val;
use crate::ir::*;

/// So many managers of one `with` are followed.
const MANAGERS: usize = 16;

impl<'p> Machine<'p, '_, '_> {
    /// `with`: managers are entered one after the other, each around those after it.
    pub fn with_stmt(
        &mut self,
        state: State,
        items: &'p [(ExprId, Option<PatId>)],
        body: BlockId,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        let Some(((expr, pattern), rest)) = items.split_first() else {
            next.extend(self.block(vec![state], body, exits));
            return;
        };
        // Managers beyond the first few are entered and do nothing.
        let rest = if rest.len() > MANAGERS { &rest[..MANAGERS] } else { rest };
        for (state, value) in self.eval(*expr, state, exits) {
            if let Val::Fail(error) = value {
                exits.raises.push((state, error));
                continue;
            }
            if let Val::Generator(pending) = &value {
                let work = Work::With { target: *pattern, rest, body };
                if let Some(ends) = self.consume(state.clone(), pending, work, next, exits) {
                    for (state, end) in ends {
                        match end {
                            End::Return(_) => next.push(state),
                            End::Raise(error) => exits.raises.push((state, error)),
                        }
                    }
                    continue;
                }
            }
            let entered = match &value {
                Val::Tok(tok) => ["__enter__", "__aenter__"]
                    .iter()
                    .find_map(|name| self.run_method(state.clone(), *tok, name, Vec::new())),
                _ => None,
            };
            let mut paths = Vec::new();
            match entered {
                Some(ends) => {
                    for (state, end) in ends {
                        match end {
                            End::Return(value) => paths.push((state, value)),
                            End::Raise(error) => exits.raises.push((state, error)),
                        }
                    }
                }
                None => {
                    let entered = self.entered(&state, &value, *expr);
                    paths.push((state, entered));
                }
            }
            for (mut state, entered) in paths {
                if let Some(pattern) = pattern {
                    self.bind(&mut state, *pattern, &entered);
                }
                self.managed(state, &value, rest, body, next, exits);
            }
        }
    }

    /// The body of a `with` under one manager that has been entered.
    fn managed(
        &mut self,
        state: State,
        manager: &Val,
        rest: &'p [(ExprId, Option<PatId>)],
        body: BlockId,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        let mut inner = Exits::default();
        let mut ends = Vec::new();
        self.with_stmt(state, rest, body, &mut ends, &mut inner);
        for state in ends {
            let mut after = Exits::default();
            if self.leave_manager(state.clone(), manager, None, next, &mut after) {
                pass_on(after, exits);
            } else {
                next.push(state);
            }
        }
        for (mut state, error) in std::mem::take(&mut inner.raises) {
            if error.is_never() {
                exits.raises.push((state, error));
                continue;
            }
            if matches!(manager, Val::Attempt | Val::Generator(_)) {
                self.looked.set(true);
            }
            if *manager == Val::Attempt {
                // The attempt keeps the error; the policy decides at the next turn.
                state.caught = Some(error);
                next.push(state);
                continue;
            }
            let mut after = Exits::default();
            if self.leave_manager(state.clone(), manager, Some(&error), next, &mut after) {
                self.looked.set(true);
                pass_on(after, exits);
                continue;
            }
            match self.suppressed(manager, &error) {
                Some(true) => next.push(state),
                None => {
                    next.push(state.clone());
                    inner.raises.push((state, error));
                }
                Some(false) => inner.raises.push((state, error)),
            }
        }
        pass_on(inner, exits);
    }
}
