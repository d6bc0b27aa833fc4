//! Layers of the catalogue around a chain: decorators, queues, executors, jobs.

use super::compose::{Composer, OUTCOMES};
use super::model::*;
use super::part::{Part, PartLayer, Stands};
use super::places::reads_error;
use super::variant::{VARIANTS, by_failure, permanent_of, worst_of};
use crate::ir::{ExprId, Language};
use crate::layers::formula::Scope;
use crate::layers::machine::{Callee, CalleeKey, Outcome};
use crate::layers::policy::{Applied, Policy};
use crate::layers::val::Val;
use crate::link::component::{Target, Via};
use crate::link::token::*;

impl<'p> Composer<'p, '_, '_> {
    /// The chains of what a key calls, with the decorators and queues between.
    pub(super) fn inner_parts(&mut self, key: &CalleeKey, at: CompId, expr: ExprId) -> Vec<Part> {
        let mut parts = match key.target {
            Callee::Comp(target) => self.parts[target.0 as usize].clone(),
            Callee::External(callee) => self.sink(callee, at, expr).into_iter().collect(),
        };
        let wrappers = self
            .view
            .calls(at, expr)
            .iter()
            .find(|c| self.machine.key_of(at, expr, c).as_ref() == Some(key))
            .map(|c| self.view.wrappers(c.callee))
            .unwrap_or_default();
        let direct = key.handed_to.is_none();
        if direct || !wrappers.is_empty() {
            for (by, site) in wrappers.into_iter().rev() {
                if let Some(policy) = self.machine.policy_of_decorator(by, site) {
                    let kind = LayerKind::by_name(&policy.layer.kind).unwrap_or(LayerKind::Decorator);
                    let kind = if kind == LayerKind::Loop { LayerKind::Decorator } else { kind };
                    if matches!(key.target, Callee::Comp(target) if self.only_makes(target, &policy, kind)) {
                        continue;
                    }
                    for part in &mut parts {
                        self.wrap(part, &policy, kind);
                    }
                }
            }
        }
        if let Some(handed_to) = key.handed_to {
            self.hand_over(&mut parts, key, handed_to, at, expr);
        }
        parts
    }

    /// Whether all that a decorator sees of a function is how its generator is made, which does not fail. (In JavaScript
    /// a generator handed to a library is a program that it runs.)
    pub(super) fn only_makes(&mut self, target: CompId, policy: &Policy<'p>, kind: LayerKind) -> bool {
        let generator = self.view.function(target).is_generator && self.view.file(target).language == Language::Python;
        if !generator || kind.is_job() {
            return false;
        }
        let scope = self.machine.policy_scope(policy);
        let runs_it = policy.layer.generators.as_ref();
        runs_it.is_none_or(|formula| self.machine.formula_truth(formula, &scope) != Some(true))
    }

    /// A callable handed to something external: a queue, an executor, a retry function.
    fn hand_over(&mut self, parts: &mut [Part], key: &CalleeKey, handed_to: Tok, at: CompId, expr: ExprId) {
        let Some(known) = self.view.known(handed_to) else { return };
        let made = self.view.calls(at, expr).iter().find_map(|c| match c.target {
            Target::External(made) if c.callee == handed_to => Some(made),
            _ => None,
        });
        let place = self.view.call_place(at, expr);
        let policy_by = |layer| Policy {
            known,
            layer,
            callee: handed_to,
            made,
            place,
            comp: at,
            overrides: Vec::new(),
            applied: None,
            entry: None,
        };
        if known.callable.sends_to.is_some()
            && let Some(layer) = known.callable.layer.as_ref()
        {
            let policy = policy_by(layer);
            let kind = LayerKind::by_name(&layer.kind).unwrap_or(LayerKind::JobQueue);
            for part in parts.iter_mut() {
                self.wrap(part, &policy, kind);
                for outcomes in &mut part.outcomes {
                    *outcomes = vec![Outcome::Value(Val::Unknown)];
                }
            }
            return;
        }
        let calls = known.callable.calls.iter().find(|c| c.layered).or(known.callable.calls.first());
        let Some(calls) = calls else { return };
        if calls.layered
            && let Some(layer) = known.callable.layer.as_ref()
        {
            let policy = policy_by(layer);
            let kind = LayerKind::by_name(&layer.kind).unwrap_or(LayerKind::Wrapper);
            let kind = match (calls.how.as_str(), kind) {
                ("now" | "each", LayerKind::Decorator | LayerKind::Loop) => LayerKind::Wrapper,
                (_, kind) => kind,
            };
            for part in parts.iter_mut() {
                let stops = Self::handed(key).and_then(|target| self.stops_by_itself(part, target, &policy));
                self.wrap(part, &policy, kind);
                if let (Some(stops), Some(layer)) = (stops, part.layers.first_mut()) {
                    layer.stop_after(&stops);
                }
            }
        } else if calls.layered && known.class.is_some() {
            // A policy object's method: the layer stands at its constructor.
            let receiver = self.view.solver.receiver(handed_to);
            if let Some(policy) = receiver.and_then(|r| self.machine.policy_of_loop(&Val::Tok(r))) {
                let policy = Policy { place, comp: at, ..policy };
                for part in parts.iter_mut() {
                    self.wrap(part, &policy, LayerKind::Wrapper);
                }
            }
        }
        if self.view.file(at).language == Language::Rust
            && let Some(deadline) = made.and_then(|made| self.deadline_of(handed_to, made))
        {
            for part in parts.iter_mut() {
                self.cut_off(part, &deadline);
                self.seen_from_outside(part, &deadline);
            }
        }
        if calls.how == "job"
            && let (Some(layer), Callee::Comp(target)) = (&known.callable.entry_layer, key.target)
            && !self.is_sent(target)
        {
            // A worker of a queue that other programs send to.
            let policy = policy_by(layer);
            for part in parts.iter_mut() {
                self.wrap(part, &policy, LayerKind::JobQueue);
            }
        }
        let returned = calls.how == "later" && known.callable.returns.is_some();
        if self.is_left_alone(at, expr, handed_to) {
            parts.iter_mut().for_each(|part| part.detached = true);
        }
        if matches!(calls.how.as_str(), "job" | "later" | "handler") && !returned {
            // Whoever starts it never sees it fail.
            for part in parts.iter_mut() {
                for outcomes in &mut part.outcomes {
                    *outcomes = vec![Outcome::Value(Val::Unknown)];
                }
            }
        }
    }

    /// Whether the program itself sends to a queue what a function works on.
    fn is_sent(&self, target: CompId) -> bool {
        let sends = |&(at, expr, _): &(CompId, ExprId, Via)| {
            self.view.calls(at, expr).iter().any(|c| {
                matches!(c.target, Target::External(_))
                    && self.view.known(c.callee).is_some_and(|k| k.callable.sends_to.is_some())
            })
        };
        self.callers[target.0 as usize].iter().any(sends)
    }

    /// The layer around an entry point.
    pub fn wrap_entry(&mut self, part: &mut Part, policy: &Policy<'p>, kind: LayerKind) {
        self.wrap(part, policy, kind);
    }

    /// Puts a catalogue's layer around a chain.
    pub(super) fn wrap(&mut self, part: &mut Part, policy: &Policy<'p>, kind: LayerKind) {
        let stops = self.stopped_by_predicate(part, policy);
        let mut counts = Vec::with_capacity(VARIANTS.len());
        let mut best: Option<Applied> = None;
        let mut all = true;
        let mut permanent = false;
        for (i, variant) in VARIANTS.iter().enumerate() {
            let mut worst = Count::ONE;
            let mut ends: Vec<Outcome> = Vec::new();
            for outcome in part.outcomes[i].clone() {
                let applied = self.machine.apply(policy, &outcome, Some((variant.failure, variant.status)));
                if let Some(outcome) = applied.outcome.clone()
                    && !ends.contains(&outcome)
                    && ends.len() < OUTCOMES
                {
                    ends.push(outcome);
                }
                worst = worst.larger(applied.attempts);
                let better = best.as_ref().is_none_or(|b| b.attempts.larger(applied.attempts) != b.attempts);
                if better {
                    best = Some(applied);
                }
            }
            all &= worst != Count::ONE;
            permanent |= variant.failure == Failure::Permanent && worst != Count::ONE;
            part.outcomes[i] = ends;
            counts.push(worst);
        }
        let Some(best) = best else { return };
        let scope = self.machine.policy_scope(policy);
        let untouched = self.is_untouched(policy, &scope);
        let mut number = self.number_of(policy);
        if untouched {
            number.1 = None;
        } else if number.1.is_some()
            && let Some((place, _)) = policy.layer.at.as_ref().and_then(|at| self.written_place(at, &scope))
        {
            number.1 = Some(place);
        }
        let logs = policy.layer.logs.as_ref().is_some_and(|f| self.machine.formula_truth(f, &scope) != Some(false));
        let mut waits = best.waits;
        let error = best.error.clone();
        let place = self.place_of(policy, error.as_ref());
        let by_error = policy.layer.wait.as_ref().is_some_and(reads_error);
        if let Some(asked) =
            error.as_ref().and_then(|e| e.token).and_then(|t| self.place_of_token(t)).filter(|_| by_error)
        {
            waits.place = Some(asked);
        }
        waits.place.get_or_insert(place);
        // A policy made elsewhere stands where it is applied.
        let applied = policy.applied.filter(|_| place == policy.place);
        let layer = Layer {
            kind,
            library: Some(policy.known.library.name.clone()),
            version: None,
            place: applied.map_or(place, |(_, at)| at),
            function: self.view.name(applied.map_or(policy.comp, |(comp, _)| comp)),
            defined: applied.map(|_| place),
            attempts: worst_of(&counts),
            by_failure: by_failure(&counts),
            source: number.0,
            number: number.1,
            also: Vec::new(),
            reason: best.reason,
            text: self.text(policy.place),
            waits,
            setting: policy.layer.setting.clone(),
            off: None,
            misleading: policy.layer.misleading.clone(),
            retries_everything: (all || permanent) && (!kind.is_job() || self.has_own_predicate(policy)),
            permanent: permanent_of(&counts),
            by_status: false,
            logs,
            limit: best.limit,
            decides: None,
            spares_spent_quota: false,
            rereads: None,
            inherent: false,
            another: false,
            untouched,
            guessed: false,
            in_a_row: false,
            family: None,
        };
        let stands = Stands { below: part.path.len(), own: false, made: policy.made };
        let mut layer = PartLayer { layer, counts, placed_by: None, stands };
        if let Some(stops) = stops {
            layer.stop_after(&stops);
        }
        part.layers.insert(0, layer);
    }

    /// Whether no setting says a policy's number, as far as all is known that it is given.
    fn is_untouched(&mut self, policy: &Policy<'p>, scope: &Scope<'p>) -> bool {
        let Some(at) = policy.layer.at.as_ref() else { return false };
        matches!(self.machine.formula(at, scope), None | Some(Val::Null)) && self.written_place(at, scope).is_none()
    }

    /// Whether the code chose what a job's layer tries again: a setting that its predicate reads is given.
    fn has_own_predicate(&mut self, policy: &Policy<'p>) -> bool {
        use crate::catalogue::Formula;
        let Some(formula) = &policy.layer.on_error else { return false };
        let scope = self.machine.policy_scope(policy);
        let mut pending = vec![formula];
        while let Some(formula) = pending.pop() {
            match formula {
                Formula::Field(object, _) if matches!(**object, Formula::Name(ref n) if n == "self") => {
                    if self.machine.formula(formula, &scope).is_some_and(|v| v != Val::Null) {
                        return true;
                    }
                }
                Formula::Name(name) if policy.known.callable.locals.contains_key(name) => {
                    pending.extend(policy.known.callable.locals.get(name));
                }
                Formula::Name(name) if name != "error" && name != "self" => {
                    if let Some(call) = scope.call
                        && self.machine.argument(call, policy.known.callable, name).is_some()
                    {
                        return true;
                    }
                }
                Formula::Field(a, _) | Formula::Not(a) | Formula::Neg(a) => pending.push(a),
                Formula::Index(a, b) | Formula::Binary(_, a, b) => pending.extend([&**a, &**b]),
                Formula::Call(_, list) | Formula::List(list) => pending.extend(list),
                _ => {}
            }
        }
        false
    }
}
