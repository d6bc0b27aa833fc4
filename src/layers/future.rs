//! Futures that are written as blocks: an `async` block runs where it is made, as link has it.

use super::calls::Given;
use super::machine::{Machine, Outcome};
use super::state::{Exits, State};
use super::val::{ErrorClass, Val};
use crate::ir::{ExprId, ExprKind};
use crate::link::component::{CallRecord, Target};
use crate::link::known::Known;
use crate::link::token::CompId;

impl Machine<'_, '_, '_> {
    /// An `async` block: what it comes to, a failure as a value.
    pub fn async_block(&mut self, e: ExprId, state: State, exits: &mut Exits) -> Vec<(State, Val)> {
        let comp = self.comp(&state);
        let records = self.view.calls(comp, e).to_vec();
        let mut out = Vec::new();
        let mut state = state;
        if records.iter().any(|r| self.fails(comp, e, r)) {
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

    /// `.await` on a path: what the catalogue says is called then.
    pub fn awaited(&mut self, e: ExprId, value: Val, mut state: State, out: &mut Vec<(State, Val)>, exits: &mut Exits) {
        let comp = self.comp(&state);
        let records = self.view.calls(comp, e).to_vec();
        if records.is_empty() || matches!(value, Val::Fail(_) | Val::Good(_)) {
            out.push((state, value));
            return;
        }
        if records.iter().any(|r| self.fails(comp, e, r)) {
            self.happened(e, &mut state);
            let outcome = self.plan.outcome.clone();
            self.deliver(outcome, &records, state, out, exits);
            return;
        }
        let target = |r: &CallRecord| if let Target::Comp(t) = r.target { Some((t, *r)) } else { None };
        let targets: Vec<(CompId, CallRecord)> = records.iter().filter_map(target).collect();
        if !targets.is_empty() {
            self.run_targets(e, &targets, &Val::Unknown, false, &Given::default(), state, out, exits);
            return;
        }
        match self.external_call(&records, &Val::Unknown, &Given::default(), &mut state, e) {
            Some(Outcome::Raise(error)) => out.push((state, Val::Fail(error))),
            Some(Outcome::Value(value)) => out.push((state, value)),
            None => out.push((state, value)),
        }
    }

    /// What a deadline makes of what it is put around: that it came in time, or that it did not.
    pub fn in_time(&self, known: &Known<'_>, given: &Given) -> Val {
        self.looked.set(true);
        let inside = known.callable.calls.first().map(|c| c.callable.as_str());
        let at = known.callable.params.iter().position(|p| Some(p.as_str()) == inside);
        let elapsed = known.callable.may_raise.first();
        match at.and_then(|at| given.positional.get(at)) {
            None | Some(Val::Unknown) => Val::Unknown,
            Some(Val::Fail(e)) if matches!(&e.class, ErrorClass::Known(c) if Some(&**c) == elapsed.map(|s| &**s)) => {
                Val::Fail(e.clone())
            }
            Some(value) => Val::Good(Box::new(value.clone())),
        }
    }

    /// Whether a deadline is put around something that nobody waits for: `timeout(pause, token.cancelled())`.
    pub(super) fn idles_within(&self, known: &Known<'_>, e: ExprId, state: &State) -> bool {
        let ir = self.ir(state);
        let Some(inside) = known.callable.calls.first().map(|c| c.callable.as_str()) else { return false };
        let Some(at) = known.callable.params.iter().position(|p| p == inside) else { return false };
        let ExprKind::Call { args, .. } = &ir.expr(e).kind else { return false };
        let Some(mut within) = args.get(at).map(|arg| arg.value()) else { return false };
        while let ExprKind::Await(inner) | ExprKind::Typed(inner, _) = ir.expr(within).kind {
            within = inner;
        }
        let mut calls = self.view.calls(self.comp(state), within).iter();
        calls.any(|r| self.view.known(r.callee).is_some_and(|k| k.callable.idles))
    }

    /// Whether an expression is a call of a package's function.
    pub fn is_outside(&self, state: &State, e: ExprId) -> bool {
        let comp = self.comp(state);
        let mut calls = self.view.calls(comp, e).iter();
        calls.any(|r| matches!(r.target, Target::External(_)) && self.view.known(r.callee).is_some())
    }
}
