//! Methods of failed promises and futures.

use super::calls::Given;
use super::machine::Machine;
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::*;
use crate::link::token::*;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// Whether a promise whose `.catch` is called comes from the call that is looked at, which did not fail: what was
    /// handed to `.catch` is not called.
    pub(super) fn is_fulfilled(&self, callee: ExprId, comp: CompId) -> bool {
        let file = self.view.file(comp);
        let mut at = callee;
        // As many links as anybody writes.
        for _ in 0..64 {
            let ExprKind::Attr { object, .. } = file.expr(at).kind else { return false };
            let ExprKind::Call { callee, .. } = file.expr(object).kind else { return false };
            if self.view.calls(comp, object).iter().any(|r| self.fails(comp, object, r)) {
                return true;
            }
            match &file.expr(callee).kind {
                ExprKind::Attr { name, .. } if matches!(file.name(*name), "catch" | "finally") => at = callee,
                _ => return false,
            }
        }
        false
    }

    /// `.then(callback)` on a call that gave an answer: the callback is handed it. False: it is none.
    pub(super) fn goes_on_with(
        &mut self,
        on: &Val,
        method: Option<&str>,
        given: &Given,
        state: &State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> bool {
        let (Val::Answer(_) | Val::With(..), Some(name @ ("then" | "finally"))) = (on, method) else { return false };
        // (`.then(resolve)`: the promise around is settled with it.)
        let Some(callback) = given.positional.first() else { return false };
        let runs = match callback {
            Val::Tok(tok) => self.view.solver.is_callable(*tok),
            Val::Settles(..) => true,
            _ => false,
        };
        if !runs {
            return false;
        }
        let args = if name == "then" { vec![on.clone()] } else { Vec::new() };
        let mut inner = Exits::default();
        for (state, value) in self.call_closure(callback, args, state.clone(), &mut inner) {
            let value = match value {
                Val::Fail(_) | Val::Settled(_) => value,
                _ if name == "finally" => on.clone(),
                value => Val::Settled(Box::new(value)),
            };
            out.push((state, value));
        }
        for (state, error) in inner.raises {
            match error.is_never() {
                true => exits.raises.push((state, error)),
                false => out.push((state, Val::Fail(error))),
            }
        }
        true
    }

    /// `.then`, `.catch`, `.finally` and the like on a failed promise; anything else lets it pass.
    pub(super) fn promise_method(
        &mut self,
        error: Rc<super::val::Error>,
        name: &str,
        given: Given,
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) {
        if self.ir(&state).language == Language::Python {
            // A future: asking for its result raises.
            match name {
                "result" | "get" => exits.raises.push((state, error)),
                "exception" => out.push((state, Val::Error(error))),
                "done" => out.push((state, Val::Bool(true))),
                "cancelled" => out.push((state, Val::Bool(false))),
                _ => out.push((state, Val::Fail(error))),
            }
            return;
        }
        let handler = match name {
            "catch" => given.positional.first().cloned(),
            "then" => given.positional.get(1).cloned(),
            // A request that fails says so to its listeners.
            "on" | "once" | "addListener" if matches!(given.positional.first(), Some(Val::Text(event)) if **event == *"error") => {
                given.positional.get(1).cloned()
            }
            _ => None,
        };
        let handler = handler.filter(|h| !matches!(h, Val::Null));
        match handler {
            Some(handler) => {
                let mut inner = Exits::default();
                let results = self.call_closure(&handler, vec![Val::Error(error.clone())], state, &mut inner);
                out.extend(results);
                // What the handler throws is the promise's new failure.
                for (state, error) in inner.raises {
                    if error.is_never() {
                        exits.raises.push((state, error));
                    } else {
                        out.push((state, Val::Fail(error)));
                    }
                }
                exits.returns.extend(inner.returns);
            }
            None => out.push((state, Val::Fail(error))),
        }
    }
}
