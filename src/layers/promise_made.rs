//! Promises that code makes of callbacks: `new Promise((resolve, reject) => …)`, and the callbacks of requests.

use super::calls::Given;
use super::machine::{Machine, Outcome};
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::*;
use crate::link::component::{CallRecord, Target};
use crate::link::token::*;
use std::rc::Rc;

/// Where a path keeps what promises that are being made were settled with.
const MADE: Tok = Tok(u32::MAX - 1);

fn slot(site: Site) -> (Tok, Rc<str>) {
    (MADE, Rc::from(format!("promise {} {}", site.comp.0, site.expr.0)))
}

impl Machine<'_, '_, '_> {
    /// `new Promise(executor)`: what the executor settles it with, as far as that is seen. False: it is none.
    pub(super) fn makes_promise(
        &mut self,
        e: ExprId,
        callee: &Val,
        given: &Given,
        state: &State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> bool {
        let is_promise = matches!(callee, Val::Tok(tok) if &*self.view.path(*tok) == "globals:Promise");
        let is_new = matches!(self.ir(state).expr(e).kind, ExprKind::Call { kind: CallKind::New, .. });
        let Some(executor @ Val::Tok(tok)) = given.positional.first() else { return false };
        if !is_promise || !is_new || !matches!(self.view.token(*tok), Token::Function { .. }) {
            return false;
        }
        let site = Site { comp: self.comp(state), expr: e };
        let mut entered = state.clone();
        entered.heap.remove(&slot(site));
        let mut inner = Exits::default();
        let args = vec![Val::Settles(site, false), Val::Settles(site, true)];
        for (mut state, _) in self.call_closure(executor, args, entered, &mut inner) {
            let value = state.heap.remove(&slot(site)).unwrap_or(Val::Unknown);
            out.push((state, value));
        }
        for (state, error) in inner.raises {
            if error.is_never() {
                exits.raises.push((state, error));
            } else {
                out.push((state, Val::Fail(error)));
            }
        }
        true
    }

    /// `resolve(value)` or `reject(error)`: the first of them counts.
    pub(super) fn settle_promise(&mut self, site: Site, rejects: bool, args: &[Val], state: &mut State) {
        let slot = slot(site);
        if state.heap.contains_key(&slot) {
            return;
        }
        let first = args.first().cloned().unwrap_or(Val::Null);
        let value = if rejects { Val::Fail(self.error_of(&first, state)) } else { first };
        state.heap.insert(slot, value);
    }

    /// The callback that a request hands its answer to.
    pub(super) fn answer_to_callback(
        &mut self,
        outcome: &Outcome,
        record: &CallRecord,
        given: &Given,
        state: State,
        exits: &mut Exits,
    ) -> Vec<State> {
        let Outcome::Value(answer @ Val::Answer(_)) = outcome else { return vec![state] };
        let Target::External(_) = record.target else { return vec![state] };
        let handles = |k: crate::link::known::Known| k.callable.calls.iter().any(|c| c.how == "handler");
        if !self.view.known(record.callee).is_some_and(handles) {
            return vec![state];
        }
        let callback =
            given.positional.iter().rev().find(|v| matches!(v, Val::Tok(t) if self.view.solver.is_callable(*t)));
        match callback {
            Some(callback) => {
                let results = self.call_closure(callback, vec![answer.clone()], state, exits);
                results.into_iter().map(|(state, _)| state).collect()
            }
            None => vec![state],
        }
    }

    /// `answer.on('end', callback)`: it runs when the answer is there.
    pub(super) fn at_end_of_answer(
        &mut self,
        on: &Val,
        method: Option<&str>,
        given: &Given,
        state: &State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> bool {
        let (Val::Answer(_), Some("on" | "once" | "addListener")) = (on, method) else { return false };
        let [Val::Text(event), callback @ Val::Tok(_), ..] = &given.positional[..] else { return false };
        if !matches!(&**event, "end" | "close" | "finish") {
            return false;
        }
        let results = self.call_closure(callback, Vec::new(), state.clone(), exits);
        out.extend(results.into_iter().map(|(state, _)| (state, on.clone())));
        true
    }
}
