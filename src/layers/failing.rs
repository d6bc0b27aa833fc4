//! The failing call: which calls are of it, what tells them apart, and the delivery of its outcome.

use super::machine::{Callee, CalleeKey, Machine, Outcome};
use super::state::{Exits, Happening, State};
use super::val::Val;
use crate::ir::*;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::token::*;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

impl Machine<'_, '_, '_> {
    /// The failing callee's outcome, if an `await` is what calls it.
    pub fn sent_by_waiting(&mut self, e: ExprId, state: &mut State) -> Option<Outcome> {
        let comp = self.comp(state);
        let records = self.view.calls(comp, e);
        if !records.iter().any(|r| self.fails(comp, e, r)) {
            return None;
        }
        self.happened(e, state);
        Some(self.plan.outcome.clone())
    }

    /// Whether a call record is of the failing callee.
    pub fn fails(&self, comp: CompId, e: ExprId, record: &CallRecord) -> bool {
        let Some(key) = &self.plan.key else { return false };
        let same = match (record.target, key.target) {
            (Target::Comp(target), Callee::Comp(failing)) => target == failing,
            (Target::External(_), Callee::External(failing)) => self.request(comp, record.callee) == failing,
            _ => false,
        };
        same && self.key_of(comp, e, record).is_some_and(|k| k == *key)
    }

    /// Whether a function that a call hands over is the failing callee.
    pub(super) fn hands_failing(&self, comp: CompId, e: ExprId, token: Tok) -> bool {
        self.view.calls(comp, e).iter().any(|r| r.callee == token && r.via == Via::Handed && self.fails(comp, e, r))
    }

    /// What a call record calls, as far as one fault goes.
    pub fn key_of(&self, comp: CompId, e: ExprId, record: &CallRecord) -> Option<CalleeKey> {
        let wrappers: Vec<Tok> = self.view.wrappers(record.callee).into_iter().map(|(by, _)| by).collect();
        match record.target {
            Target::Comp(target) => {
                let handed_to = if record.via == Via::Handed {
                    self.view.calls(comp, e).iter().find_map(|r| match r.target {
                        Target::External(_) => Some(r.callee),
                        _ => None,
                    })
                } else {
                    None
                };
                Some(CalleeKey { target: Callee::Comp(target), wrappers, handed_to })
            }
            Target::External(_) => {
                let callee = self.request(comp, record.callee);
                Some(CalleeKey { target: Callee::External(callee), wrappers, handed_to: None })
            }
            Target::Unresolved => None,
        }
    }

    /// Writes down that the failing call was executed.
    pub fn happened(&mut self, e: ExprId, state: &mut State) {
        self.happened_with(e, true, state);
    }

    /// The same of a callee that was handed over by its name: what stands in the call is not what it is given.
    pub fn happened_with(&mut self, e: ExprId, has_args: bool, state: &mut State) {
        let comp = self.comp(state);
        let ir = self.ir(state);
        let mut hasher = FxHasher::default();
        if let ExprKind::Call { args, .. } = &ir.expr(e).kind
            && has_args
        {
            for arg in args {
                let span = ir.expr(arg.value()).span;
                let text = self.source_text(comp, span);
                match self.pure(arg.value(), state) {
                    Some(Val::Text(t)) => t.hash(&mut hasher),
                    Some(Val::List(list)) if texts(&list).is_some() => texts(&list).hash(&mut hasher),
                    _ => {
                        text.hash(&mut hasher);
                        self.texts_in(arg.value(), state, &mut hasher);
                        // What one function calls `req` is not what another one calls so, nor what shadows it.
                        if ir.language == Language::Rust {
                            local_vars(ir, arg.value()).hash(&mut hasher);
                        }
                    }
                }
            }
        }
        if matches!(ir.expr(e).kind, ExprKind::Element { .. }) {
            // Each element of a page is one by itself.
            e.hash(&mut hasher);
        }
        // Work that is about an element of what a loop goes over is other work each turn.
        let about = self.about(e, state);
        about.hash(&mut hasher);
        let slots = state.slots.clone();
        state.trace.push(Happening::Call { site: (comp, e), work: hasher.finish(), about, slots });
    }

    /// The texts that an argument is made of: a request that says something else is another one.
    fn texts_in(&self, e: ExprId, state: &State, hasher: &mut FxHasher) {
        let ir = self.ir(state);
        let mut stack = vec![e];
        while let Some(at) = stack.pop() {
            if let ExprKind::Var(var) = ir.expr(at).kind
                && let Val::Text(text) = self.read_var(state, var)
            {
                text.hash(hasher);
            }
            super::relevant::children(ir, at, &mut stack);
        }
    }

    fn source_text(&self, comp: CompId, span: Span) -> (u32, u32) {
        // Same bytes are same text; other places with the same text are compared by the sources.
        let file = self.view.func(comp).file;
        match self.texts.get(file as usize) {
            Some(text) => {
                let slice = text.get(span.start as usize..span.end as usize).unwrap_or("");
                let mut hasher = FxHasher::default();
                slice.hash(&mut hasher);
                let h = hasher.finish();
                ((h >> 32) as u32, h as u32)
            }
            None => (span.start, span.end),
        }
    }

    /// Delivers the outcome of the failing callee at a call.
    pub fn deliver(
        &mut self,
        outcome: Outcome,
        records: &[CallRecord],
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) {
        let language = self.ir(&state).language;
        let (mut state, mut outcome) = (state, outcome);
        if let Outcome::Value(value) = &mut outcome {
            super::object::unpack(&mut state, value);
        }
        match outcome {
            Outcome::Value(value) if language == Language::JavaScript && self.fewest => {
                out.push((state, Val::Settled(Box::new(value))));
            }
            Outcome::Value(value) => out.push((state, value)),
            Outcome::Raise(error) => {
                let deferred = language != Language::Python
                    || records.iter().any(|r| match r.target {
                        Target::Comp(t) => self.view.function(t).is_async,
                        Target::External(_) => self.view.known(r.callee).is_some_and(|k| k.callable.is_async),
                        Target::Unresolved => false,
                    });
                let throws = language == Language::JavaScript
                    && records.iter().any(|r| match r.target {
                        Target::Comp(t) => {
                            let f = self.view.function(t);
                            !f.is_async && self.throws_at_once.contains(&t)
                        }
                        _ => false,
                    });
                // Started by something that hands back a future: the failure is in that.
                let started = self.plan.key.as_ref().and_then(|k| k.handed_to).is_some_and(|by| {
                    self.view.known(by).is_some_and(|k| k.callable.calls.iter().any(|c| c.how == "later"))
                });
                if (deferred || started) && !throws {
                    out.push((state, Val::Fail(error)));
                } else {
                    exits.raises.push((state, error));
                }
            }
        }
    }
}

/// The texts of a list that holds nothing else; none of an empty one.
fn texts(list: &[Val]) -> Option<Vec<&str>> {
    let texts = list.iter().map(|v| if let Val::Text(t) = v { Some(&**t) } else { None });
    texts.collect::<Option<Vec<&str>>>().filter(|t| !t.is_empty())
}

/// Variables in an expression that are no parameters.
fn local_vars(ir: &File, e: ExprId) -> Vec<u32> {
    let mut found = Vec::new();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if let ExprKind::Var(var) = ir.expr(e).kind {
            let owner = ir.function(ir.var(var).owner);
            let is_param = owner.kind == FunctionKind::Module
                || owner.params.iter().any(|p| matches!(ir.pattern(p.pattern), Pattern::Bind(v) if *v == var));
            if !is_param {
                found.push(var.0);
            }
        }
        super::relevant::children(ir, e, &mut stack);
    }
    found
}
