//! Handlers of errors, and what runs after them.

use super::machine::Machine;
use super::paths::PATHS;
use super::state::{Exits, State};
use super::statements::pass_on;
use super::val::{Error, Val};
use crate::ir::*;
use std::rc::Rc;

impl<'p> Machine<'p, '_, '_> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn try_stmt(
        &mut self,
        state: State,
        body: BlockId,
        handlers: &'p [Handler],
        otherwise: Option<BlockId>,
        finally: Option<BlockId>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        let mut inner = Exits::default();
        let ends = self.block(vec![state], body, &mut inner);
        let mut out = Exits::default();
        let mut after = match otherwise {
            Some(block) => self.block(ends, block, &mut out),
            None => ends,
        };
        let raises = std::mem::take(&mut inner.raises);
        pass_on(inner, &mut out);
        for (state, error) in self.merge_raises(raises) {
            if error.is_never() {
                // Nothing comes after a path that never ends.
                exits.raises.push((state, error));
                continue;
            }
            self.handle(state, error, handlers, &mut after, &mut out);
        }
        let Some(finally) = finally else {
            next.extend(after);
            pass_on(out, exits);
            return;
        };
        next.extend(self.block(after, finally, exits));
        for (state, value) in out.returns {
            for state in self.block(vec![state], finally, exits) {
                exits.returns.push((state, value.clone()));
            }
        }
        for (state, error) in out.raises {
            if error.is_never() {
                exits.raises.push((state, error));
                continue;
            }
            for state in self.block(vec![state], finally, exits) {
                exits.raises.push((state, error.clone()));
            }
        }
        for (state, label) in out.breaks {
            let after = self.block(vec![state], finally, exits);
            exits.breaks.extend(after.into_iter().map(|s| (s, label)));
        }
        for (state, label) in out.continues {
            let after = self.block(vec![state], finally, exits);
            exits.continues.extend(after.into_iter().map(|s| (s, label)));
        }
    }

    fn merge_raises(&mut self, raises: Vec<(State, Rc<Error>)>) -> Vec<(State, Rc<Error>)> {
        self.settle_paths(raises, PATHS)
    }

    fn handle(
        &mut self,
        state: State,
        error: Rc<Error>,
        handlers: &'p [Handler],
        after: &mut Vec<State>,
        out: &mut Exits,
    ) {
        let mut state = state;
        let depth = state.stack.len();
        let _ = depth;
        for handler in handlers {
            let matched = match handler.types {
                None => Some(true),
                Some(types) => {
                    let types = self.pure(types, &state).unwrap_or(Val::Unknown);
                    self.matches(&error, &types)
                }
            };
            if matched == Some(false) {
                continue;
            }
            if error.injected {
                let place = self.view.place(self.comp(&state), handler.span);
                self.decided = Some(place);
            }
            let mut caught = state.clone();
            caught.handling.push(error.clone());
            if let Some(binding) = handler.binding {
                self.bind(&mut caught, binding, &Val::Error(error.clone()));
            }
            let mut inner = Exits::default();
            let mut ends = self.block(vec![caught], handler.body, &mut inner);
            for end in &mut ends {
                end.handling.pop();
            }
            after.extend(ends);
            for (state, _) in &mut inner.continues {
                state.handling.pop();
            }
            for (state, _) in &mut inner.breaks {
                state.handling.pop();
            }
            for (state, _) in &mut inner.raises {
                state.handling.pop();
            }
            for (state, _) in &mut inner.returns {
                state.handling.pop();
            }
            pass_on(inner, out);
            if matched == Some(true) {
                return;
            }
            // It may not match: then the next handler, or the caller, sees it.
            state.open = state.open.take();
        }
        out.raises.push((state, error));
    }
}
