//! Futures that are written as blocks: an `async` block runs where it is made, as link has it.

use super::calls::Given;
use super::machine::Machine;
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::ExprId;
use crate::link::component::{CallRecord, Target};
use crate::link::token::CompId;

impl Machine<'_, '_, '_> {
    /// An `async` block: what it comes to, a failure as a value.
    pub fn async_block(&mut self, e: ExprId, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        let comp = self.comp(&state);
        let records = self.view.calls(comp, e).to_vec();
        let mut out = Vec::new();
        let mut state = state;
        if let Some(key) = self.plan.key.clone()
            && records.iter().any(|r| self.key_of(comp, e, r).is_some_and(|k| k == key))
        {
            self.happened(e, &mut state);
            let outcome = self.plan.outcome.clone();
            self.deliver(outcome, &records, state, &mut out, exits);
            return out;
        }
        let target = |r: &CallRecord| if let Target::Comp(t) = r.target { Some((t, *r)) } else { None };
        let targets: Vec<(CompId, CallRecord)> = records.iter().filter_map(target).collect();
        if targets.is_empty() {
            return vec![(state, Val::Unknown)];
        }
        self.run_targets(e, &targets, &Val::Unknown, false, &Given::default(), state, &mut out, exits);
        out
    }
}
