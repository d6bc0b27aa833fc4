//! Layers that the catalogue describes: decorators, wrappers, policies that are iterated, job queues, and
//! what clients have built in.

use super::formula::{Ending, Scope};
use super::limit::TimeLimit;
use super::machine::{Machine, Outcome};
use super::state::{Happening, State};
use super::val::{Answer, Error, ErrorClass, Num, Val};
use crate::catalogue::schema;
use crate::chains::{Count, Failure, WaitKind, WaitRun, Waits};
use crate::ir::{ExprId, Language};
use crate::link::known::Known;
use crate::link::token::*;
use crate::source::Place;
use std::rc::Rc;

/// A layer of the catalogue, as one piece of code uses it.
#[derive(Clone)]
pub struct Policy<'p> {
    /// The entry.
    pub known: Known<'p>,
    /// Its layer.
    pub layer: &'p schema::Layer,
    /// What was called to make it.
    pub callee: Tok,
    /// The call's result, if it was called.
    pub made: Option<Tok>,
    /// Where it is applied.
    pub place: Place,
    /// The component that applies it.
    pub comp: CompId,
    /// Calls whose arguments come before those of `made`, nearest first.
    pub overrides: Vec<Tok>,
    /// Where it is applied, if it was made elsewhere: the component and the place.
    pub applied: Option<(CompId, Place)>,
    /// It is around an entry point: `self` is what the decorator made, or this receiver.
    pub entry: Option<Option<Tok>>,
}

/// What a layer makes of one outcome.
#[derive(Clone)]
pub struct Applied {
    /// Executions of what is inside.
    pub attempts: Count,
    /// Its waits.
    pub waits: Waits,
    /// How it ends.
    pub outcome: Option<Outcome>,
    /// Total time limit.
    pub limit: Option<f64>,
    /// Why the count is not known.
    pub reason: Option<String>,
    /// The error that was tried again.
    pub error: Option<Rc<Error>>,
}

/// Waits are evaluated for so many attempts; the last one goes on.
const SHOWN: u64 = 48;

impl<'p> Machine<'p, '_, '_> {
    /// The layer that a decorator is.
    pub fn policy_of_decorator(&self, by: Tok, site: Site) -> Option<Policy<'p>> {
        let used = site;
        let (callee, made, site) = match *self.view.token(by) {
            Token::Made { callee, site } => (callee, Some(by), site),
            _ => (by, None, site),
        };
        let place_of = |site: Site| {
            let file = self.view.file(site.comp);
            let span = file.exprs.get(site.expr.index())?.span;
            // A chain of methods over many lines: where the one stands that makes the layer.
            Some(match file.language {
                Language::Rust => self.view.call_place(site.comp, site.expr),
                _ => self.view.place(site.comp, span),
            })
        };
        let place = place_of(site)?;
        let covers = |outer: Place, inner: Place| {
            outer.file == inner.file && outer.span.start <= inner.span.start && outer.span.end >= inner.span.end
        };
        let applied = place_of(used).filter(|at| !covers(*at, place)).map(|at| (used.comp, at));
        let known = self.view.known(callee)?;
        if known.callable.derives {
            // A decorated function with other settings: the decorator's layer, these arguments first.
            let mut root = self.view.solver.receiver(callee)?;
            let mut overrides = vec![by];
            while let Token::Made { callee, .. } = *self.view.token(root) {
                if !self.view.known(callee)?.callable.derives {
                    break;
                }
                overrides.push(root);
                root = self.view.solver.receiver(callee)?;
            }
            let Token::Wrapped { by, site, .. } = *self.view.token(root) else { return None };
            let inner = self.policy_of_decorator(by, site)?;
            if self.view.file(site.comp).language == Language::Rust {
                return Some(Policy { overrides, ..inner });
            }
            return Some(Policy { place, overrides, applied, ..inner });
        }
        if known.callable.layer.is_none() && known.callable.calls.iter().any(|c| c.layered) {
            // A policy object's own decorator.
            let policy = self.policy_of_loop(&Val::Tok(self.view.solver.receiver(callee)?))?;
            return Some(Policy { applied: Some((used.comp, place_of(used)?)), ..policy });
        }
        let layer = known.callable.layer.as_ref()?;
        let overrides = Vec::new();
        Some(Policy { known, layer, callee, made, place, comp: site.comp, overrides, applied, entry: None })
    }

    /// The policy that a loop iterates, if it is one.
    pub fn policy_of_loop(&self, value: &Val) -> Option<Policy<'p>> {
        let Val::Tok(tok) = value else { return None };
        let Token::Made { callee, site } = *self.view.token(*tok) else { return None };
        let known = self.view.known(callee)?;
        let layer = known.callable.layer.as_ref()?;
        let whole = self.view.file(site.comp).exprs.get(site.expr.index())?.span;
        let place = self.view.place(site.comp, whole);
        let (comp, overrides) = (site.comp, Vec::new());
        Some(Policy { known, layer, callee, made: Some(*tok), place, comp, overrides, applied: None, entry: None })
    }

    /// The scope of a policy's formulas.
    pub fn policy_scope(&self, policy: &Policy<'p>) -> Scope<'p> {
        let mut scope = self.scope_of(policy.callee, policy.made);
        scope.overrides.clone_from(&policy.overrides);
        // Of an entry point that nothing is seen to start, `self` is what the decorator made.
        let is_entry = policy.known.callable.entry_layer.as_ref().is_some_and(|l| std::ptr::eq(l, policy.layer));
        if policy.known.is_constructor || is_entry {
            scope.receiver = policy.made.map(Val::Tok);
        }
        if let Some(receiver) = policy.entry {
            scope.receiver = receiver.or(policy.made).map(Val::Tok);
        }
        scope
    }

    /// Whether a policy tries an outcome again; none: not known.
    pub fn retried(&mut self, policy: &Policy<'p>, outcome: &Outcome, scope: &Scope<'p>) -> Option<bool> {
        let mut scope = scope.clone();
        match outcome {
            Outcome::Raise(error) => {
                scope.error = Some(error.clone());
                match &policy.layer.on_error {
                    None => Some(true),
                    Some(f) => self.formula_truth(f, &scope),
                }
            }
            Outcome::Value(value) => {
                scope.result = Some(value.clone());
                match &policy.layer.on_result {
                    None => Some(false),
                    Some(f) => self.formula_truth(f, &scope),
                }
            }
        }
    }

    /// What a policy makes of an outcome.
    pub fn apply(
        &mut self,
        policy: &Policy<'p>,
        outcome: &Outcome,
        failure: Option<(Failure, Option<u16>)>,
    ) -> Applied {
        if failure.is_some() {
            self.looked.set(true);
        }
        let mut scope = self.policy_scope(policy);
        scope.failure = failure;
        match outcome {
            Outcome::Raise(e) => scope.error = Some(e.clone()),
            Outcome::Value(v) => scope.result = Some(v.clone()),
        }
        let retried = self.retried(policy, outcome, &scope);
        let none = Waits { chosen: true, ..no_waits() };
        if retried == Some(false) {
            let outcome = match outcome {
                Outcome::Raise(_) => self.end(policy.layer.not_retried.as_ref(), outcome, &scope),
                Outcome::Value(_) => Some(outcome.clone()),
            };
            return Applied { attempts: Count::ONE, waits: none, outcome, limit: None, reason: None, error: None };
        }
        let (attempts, reason) = match self.formula(&policy.layer.attempts, &scope) {
            Some(Val::Num(n)) if n.hi.is_finite() => (Count::Exact(n.hi.max(1.0) as u64), None),
            Some(Val::Num(_)) => (Count::Unbounded, None),
            None | Some(Val::Null) => (Count::Unbounded, None),
            Some(_) => (Count::Unknown(1), Some(self.why_unknown(policy))),
        };
        let limit = self.time_limit(policy.layer.seconds.as_ref(), &scope);
        let shown = match attempts {
            Count::Exact(n) => n.saturating_sub(1).min(SHOWN),
            _ => SHOWN,
        };
        let waits = self.waits(policy.layer.wait.as_ref(), &scope, shown, policy.layer.engine_waits);
        let reads = policy.layer.reads_retry_after.as_ref().map(|f| self.formula_truth(f, &scope) != Some(false));
        let set = policy.layer.wait_at.as_ref().map(|f| !matches!(self.formula(f, &scope), None | Some(Val::Null)));
        let chosen = set.unwrap_or(true);
        let waits = Waits { chosen, reads_retry_after: reads.unwrap_or(false) || self.reads_header, ..waits };
        let attempts = limit.cut(attempts, &waits);
        let limit = limit.seconds();
        let outcome = self.end(policy.layer.exhausted.as_ref(), outcome, &scope);
        // Without a bound it never ends; bounded by time it does.
        let outcome = if attempts == Count::Unbounded { None } else { outcome };
        Applied { attempts, waits, outcome, limit, reason, error: scope.error }
    }

    fn why_unknown(&self, policy: &Policy<'p>) -> String {
        match &policy.layer.setting {
            Some(setting) => format!("the value of `{setting}` is not known"),
            None => "the count is not known".to_string(),
        }
    }

    fn end(
        &mut self,
        formula: Option<&crate::catalogue::Formula>,
        outcome: &Outcome,
        scope: &Scope<'p>,
    ) -> Option<Outcome> {
        Some(match self.ending(formula, scope) {
            Ending::Reraise => outcome.clone(),
            Ending::Raise(error) => Outcome::Raise(error),
            Ending::Returns(value) => Outcome::Value(value),
        })
    }

    /// Evaluates a wait formula over the attempts.
    pub fn waits(
        &mut self,
        formula: Option<&crate::catalogue::Formula>,
        scope: &Scope<'p>,
        shown: u64,
        by_engine: bool,
    ) -> Waits {
        let Some(formula) = formula else { return Waits { by_engine, ..no_waits() } };
        let mut runs: Vec<WaitRun> = Vec::new();
        let mut jitter = false;
        let mut unknown = false;
        let mut scope = scope.clone();
        self.reads_header = false;
        for n in 1..=shown.max(1) {
            scope.n = n as f64;
            self.attempt = n as f64;
            let value = self.formula(formula, &scope);
            let num = match value {
                None | Some(Val::Null) => Some(Num::exact(0.0)),
                Some(v) => v.as_num(),
            };
            unknown |= num.is_none();
            let num = num.unwrap_or(Num::exact(0.0));
            jitter |= num.random;
            let run = WaitRun { shortest: num.lo.max(0.0), longest: num.hi.max(0.0), random: num.random, times: 1 };
            push_run(&mut runs, run);
        }
        let capped = runs.last().is_none_or(|last| last.times > 1) || runs.len() < 2;
        let kind = if unknown { WaitKind::Unknown } else { crate::timing::classify(&runs) };
        if shown == 0 {
            runs.clear();
        }
        Waits { kind, runs, jitter, capped, by_engine, ..no_waits() }
    }

    /// Whether a policy's loop goes on to another turn; waits for it.
    pub fn next_attempt(&mut self, policy: &Policy<'p>, state: &mut State, turn: u32) -> Option<bool> {
        if turn == 0 {
            return Some(true);
        }
        let error = state.caught.clone()?;
        let mut scope = self.policy_scope(policy);
        scope.error = Some(error.clone());
        let outcome = Outcome::Raise(error);
        if self.retried(policy, &outcome, &scope) == Some(false) {
            return Some(false);
        }
        match self.formula(&policy.layer.attempts, &scope) {
            Some(Val::Num(n)) if f64::from(turn) >= n.hi => return Some(false),
            Some(Val::Num(_)) | None | Some(Val::Null) => {}
            Some(_) => {
                state.open.get_or_insert_with(|| Rc::from("the policy's count is not known"));
                if turn >= 2 {
                    return Some(false);
                }
            }
        }
        let limit = self.time_limit(policy.layer.seconds.as_ref(), &scope);
        state.timed |= limit != TimeLimit::None;
        if let TimeLimit::Seconds(limit) = limit
            && state.clock >= limit
            && !self.frozen
        {
            return Some(false);
        }
        scope.n = f64::from(turn);
        let wait = policy.layer.wait.as_ref().and_then(|f| self.formula(f, &scope));
        let (num, unknown) = match wait {
            None | Some(Val::Null) => (Num::exact(0.0), false),
            Some(v) => (v.as_num().unwrap_or(Num::exact(0.0)), v.as_num().is_none()),
        };
        state.clock += num.lo.max(0.0);
        let slots = state.slots.clone();
        state.trace.push(Happening::Sleep {
            lo: num.lo.max(0.0),
            hi: num.hi.max(0.0),
            random: num.random,
            asked: num.asked,
            unknown,
            place: policy.place,
            slots,
        });
        state.caught = None;
        Some(true)
    }

    /// How a policy's loop ends with an error: what is raised, or nothing.
    pub fn policy_end(&mut self, policy: &Policy<'p>, error: &Rc<Error>) -> Option<Rc<Error>> {
        let mut scope = self.policy_scope(policy);
        scope.error = Some(error.clone());
        let outcome = Outcome::Raise(error.clone());
        let formula = if self.retried(policy, &outcome, &scope) == Some(false) {
            policy.layer.not_retried.as_ref()
        } else {
            policy.layer.exhausted.as_ref()
        };
        match self.ending(formula, &scope) {
            Ending::Reraise => Some(error.clone()),
            Ending::Raise(error) => Some(error),
            Ending::Returns(_) => None,
        }
    }

    /// Whether a policy's loop has no bound at all.
    pub fn policy_is_endless(&mut self, policy: Option<&Policy<'p>>, state: &State) -> bool {
        let Some(policy) = policy else { return false };
        let mut scope = self.policy_scope(policy);
        scope.error = state.caught.clone();
        let attempts = self.formula(&policy.layer.attempts, &scope);
        let limit = self.time_limit(policy.layer.seconds.as_ref(), &scope);
        let bounded =
            matches!(attempts, Some(Val::Num(n)) if n.hi.is_finite()) || matches!(attempts, Some(Val::Unknown));
        !bounded && limit == TimeLimit::None
    }

    /// What `with` binds.
    pub fn entered(&mut self, state: &State, value: &Val, _site: ExprId) -> Val {
        let _ = state;
        value.clone()
    }

    /// Whether a context manager swallows an error; none: not known.
    pub fn suppressed(&mut self, manager: &Val, error: &Rc<Error>) -> Option<bool> {
        let Val::Tok(tok) = manager else { return Some(false) };
        let Token::Made { callee, .. } = *self.view.token(*tok) else { return Some(false) };
        let Some(known) = self.view.known(callee) else { return Some(false) };
        let Some(formula) = &known.callable.suppresses else { return Some(false) };
        self.looked.set(true);
        let mut scope = self.scope_of(callee, Some(*tok));
        scope.error = Some(error.clone());
        self.formula_truth(formula, &scope)
    }

    /// How an outbound call ends on a lasting failure.
    pub fn sink_outcome(
        &mut self,
        outbound: &schema::Outbound,
        scope: &Scope<'p>,
        failure: Failure,
        status: Option<u16>,
        language: Language,
    ) -> Outcome {
        let mut scope = scope.clone();
        scope.failure = Some((failure, status));
        let error = |class: Option<&String>| {
            Rc::new(Error {
                class: class.map_or(ErrorClass::Unknown, |c| ErrorClass::Known(Rc::from(c.as_str()))),
                status,
                fields: Vec::new(),
                token: None,
                injected: true,
                class_of_failure: Some(failure as u8),
                inherits: Default::default(),
            })
        };
        if let (Some(answers), Some(status)) = (&outbound.answers, status) {
            scope.result = Some(Val::Answer(Rc::new(Answer {
                class: Rc::from(answers.as_str()),
                status,
                class_of_failure: Some(failure as u8),
            })));
            let raises = outbound.raises_status_if.as_ref().and_then(|f| self.formula_truth(f, &scope)) == Some(true);
            let exhausted = outbound.exhausted_if.as_ref().map(|f| self.formula_truth(f, &scope) == Some(true));
            if let (Some(class), true) = (&outbound.exhausted, exhausted.unwrap_or(false)) {
                return Outcome::Raise(error(Some(class)));
            }
            if !raises {
                let answer = Val::Answer(Rc::new(Answer {
                    class: Rc::from(answers.as_str()),
                    status,
                    class_of_failure: Some(failure as u8),
                }));
                return Outcome::Value(if language == Language::Rust { Val::Good(Box::new(answer)) } else { answer });
            }
        }
        Outcome::Raise(error(self.raised_class(outbound, failure, status)))
    }

    /// The class of error that an outbound call raises on a failure.
    fn raised_class<'o>(
        &self,
        outbound: &'o schema::Outbound,
        failure: Failure,
        status: Option<u16>,
    ) -> Option<&'o String> {
        let usual = outbound.raises.get("default");
        let named = outbound.raises.get(failure.name()).or(usual);
        // A class for one status only does not stand for the others of its class of failure.
        let catalogue = self.view.solver.catalogue;
        let fits = |class: &String| match (catalogue.class(class), status) {
            (Some((_, c)), Some(s)) => c.statuses.is_empty() || c.statuses.contains(&s),
            _ => true,
        };
        named.filter(|c| fits(c)).or(usual).or(named)
    }

    /// Attempts that an outbound call makes by itself for one class of failure.
    pub fn sink_attempts(
        &mut self,
        outbound: &schema::Outbound,
        scope: &Scope<'p>,
        failure: Failure,
        status: Option<u16>,
    ) -> Count {
        let mut scope = scope.clone();
        scope.failure = Some((failure, status));
        if let Some(class) = self.raised_class(outbound, failure, status) {
            scope.failure_error = Some(Rc::new(Error {
                class: ErrorClass::Known(Rc::from(class.as_str())),
                status,
                fields: Vec::new(),
                token: None,
                injected: true,
                class_of_failure: Some(failure as u8),
                inherits: Default::default(),
            }));
        }
        if let Some(when) = &outbound.when
            && self.formula_truth(when, &scope) == Some(false)
        {
            return Count::ONE;
        }
        let formula = match outbound.attempts_by_failure.get(failure.name()) {
            Some(f) => Some(f),
            None if outbound.retries.iter().any(|r| r == failure.name()) => outbound.attempts.as_ref(),
            None => None,
        };
        let Some(formula) = formula else { return Count::ONE };
        match self.formula(formula, &scope) {
            Some(Val::Num(n)) if n.hi.is_finite() => Count::Exact(n.hi.max(1.0) as u64),
            Some(Val::Num(_)) => Count::Unbounded,
            None | Some(Val::Null) => Count::ONE,
            Some(_) => Count::Unknown(1),
        }
    }
}

/// No waits at all.
pub fn no_waits() -> Waits {
    Waits {
        kind: WaitKind::None,
        runs: Vec::new(),
        jitter: false,
        capped: true,
        after_last: false,
        by_engine: false,
        chosen: false,
        place: None,
        reads_retry_after: false,
    }
}

/// Adds a wait to runs of equal waits.
pub fn push_run(runs: &mut Vec<WaitRun>, run: WaitRun) {
    match runs.last_mut() {
        Some(last) if last.shortest == run.shortest && last.longest == run.longest && last.random == run.random => {
            last.times += run.times;
        }
        _ => runs.push(run),
    }
}

/// The attempts that a time limit leaves: the smaller of count and time.
pub fn within(attempts: Count, waits: &Waits, limit: f64) -> Count {
    let mut elapsed = 0.0;
    let mut made: u64 = 1;
    let mut runs = waits.runs.iter().peekable();
    while let Some(run) = runs.next() {
        let last = runs.peek().is_none();
        if run.shortest <= 0.0 {
            if last {
                return match attempts {
                    Count::Exact(n) => Count::Exact(n),
                    _ => Count::Time(None),
                };
            }
            made += run.times;
            continue;
        }
        let fitting = ((limit - elapsed) / run.shortest).ceil().max(0.0) as u64;
        let fitting = if last { fitting } else { fitting.min(run.times) };
        made += fitting;
        elapsed += fitting as f64 * run.shortest;
        if elapsed >= limit {
            break;
        }
    }
    if waits.runs.is_empty() {
        return match attempts {
            Count::Exact(n) => Count::Exact(n),
            _ => Count::Time(None),
        };
    }
    match attempts {
        Count::Exact(n) if n <= made => Count::Exact(n),
        _ => Count::Time(Some(made)),
    }
}
