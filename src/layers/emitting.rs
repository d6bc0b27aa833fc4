//! Events that are emitted (JavaScript): of the handlers that an emitter has, those that were given for the event.

use super::machine::Machine;
use super::val::Val;
use crate::link::component::{CallRecord, Via};
use crate::link::store::Addr;
use crate::link::token::{Tok, Token};

impl Machine<'_, '_, '_> {
    /// Leaves out the handlers of other events: link may have mixed up what a helper around an emitter is told.
    pub(super) fn keep_those_who_hear(&self, on: &Val, event: Option<&Val>, records: &mut Vec<CallRecord>) {
        let (Val::Tok(emitter), Some(Val::Text(event))) = (on, event) else { return };
        let solver = self.view.solver;
        let given_for = |name: &str| {
            let symbol = solver.symbols.find(name)?;
            solver.store.get(Addr::Field(*emitter, symbol))
        };
        // It is an emitter if handlers were put there.
        if given_for("#on *").is_none() {
            return;
        }
        let handlers = [given_for(&format!("#on {event}")), given_for("#on")];
        let hears = |handler: Tok| handlers.iter().flatten().any(|list| list.iter().any(|t| t == handler));
        records.retain(|record| {
            let code = match *self.view.token(record.callee) {
                Token::Bound { func, .. } => func,
                _ => record.callee,
            };
            record.via != Via::Handed || hears(record.callee) || hears(code)
        });
    }
}
