//! Chains from units: bottom-up over the call graph, for every variant of failure at once.

use super::model::*;
use super::scc;
use crate::catalogue::schema;
use crate::ir::{ExprId, ExprKind, FunctionKind, Language};
use crate::layers::formula::Scope;
use crate::layers::machine::{Callee, CalleeKey, Machine, Outcome};
use crate::layers::policy::{Applied, Policy, no_waits};
use crate::layers::unit::{OwnLayer, UnitResult};
use crate::layers::val::Val;
use crate::layers::view::View;
use crate::link::component::{Target, Via};
use crate::link::token::*;
use crate::source::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// One way in which an outbound call can fail for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    /// The class of failure.
    pub failure: Failure,
    /// The status that arrives, if one does.
    pub status: Option<u16>,
}

/// The variants that are run: every class of failure, with the statuses that code tells apart.
pub const VARIANTS: [Variant; 14] = [
    v(Failure::Connect, 0),
    v(Failure::Disconnect, 0),
    v(Failure::Timeout, 0),
    v(Failure::RateLimit, 429),
    v(Failure::Overloaded, 503),
    v(Failure::Overloaded, 529),
    v(Failure::Server, 500),
    v(Failure::Server, 502),
    v(Failure::Conflict, 409),
    v(Failure::Conflict, 408),
    v(Failure::Permanent, 400),
    v(Failure::Permanent, 401),
    v(Failure::Permanent, 404),
    v(Failure::Permanent, 422),
];

const fn v(failure: Failure, status: u16) -> Variant {
    Variant { failure, status: if status == 0 { None } else { Some(status) } }
}

/// Functions that call each other in larger circles are run one by one: their recursion is no retry.
const CIRCLE: usize = 8;
/// At most so many chains are kept for one function.
const CHAINS: usize = 48;
/// Steps for a function that needed too many before.
const LITTLE: usize = 1_500;
/// A run that takes more steps is much.
const MUCH: usize = 20_000;
/// Runs that are much may take so many steps for one function, then it is looked at no more.
const MOST_STEPS: usize = 250_000;
/// At most so many paths of outcomes are followed for one variant.
const OUTCOMES: usize = 6;

/// A layer of a chain under construction, with its count for each variant.
#[derive(Clone, Debug)]
pub struct PartLayer {
    /// The facts.
    pub layer: Layer,
    /// Executions by variant.
    pub counts: Vec<Count>,
    /// A wrapper that calls its own parameter: the layer stands where this component is called.
    pub placed_by: Option<CompId>,
    /// What of the chain's path it repeats.
    pub stands: Stands,
}

/// Where in a chain a layer stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stands {
    /// How many calls of the path are inside of it.
    pub below: usize,
    /// It is code around the call above those, in the function that makes it; else it repeats that call's callee.
    pub own: bool,
    /// The policy object or decorator of a library.
    pub made: Option<Tok>,
}

/// A chain under construction: from a function down to an outbound call.
#[derive(Clone, Debug)]
pub struct Part {
    /// The outbound call.
    pub call: Rc<OutboundCall>,
    /// Its token, to tell calls apart.
    pub sink: (CompId, ExprId),
    /// Layers, outermost first.
    pub layers: Vec<PartLayer>,
    /// How the function ends, by variant.
    pub outcomes: Vec<Vec<Outcome>>,
    /// Calls from the function to the outbound call.
    pub path: Vec<(CompId, ExprId)>,
    /// How sure.
    pub confidence: Confidence,
}

/// Chains of every component.
pub struct Composer<'p, 's, 'v> {
    /// The program.
    pub view: &'v View<'p, 's>,
    /// The machine that runs units.
    pub machine: Machine<'p, 's, 'v>,
    /// Chains by component.
    pub parts: Vec<Vec<Part>>,
    /// Components that can reach an outbound call.
    pub reaching: Vec<bool>,
    /// Who calls each component, where and how.
    callers: Vec<Vec<(CompId, ExprId, Via)>>,
    /// Chains of entry points with the layers that their engines put around them.
    pub entered: Vec<(CompId, Part)>,
    /// Functions that needed too many steps.
    heavy: FxHashMap<FuncRef, (usize, bool)>,
    /// For components that are called wherever another one is, and in the same ways: that one.
    alike: Vec<CompId>,
    /// Units run so far.
    memo: FxHashMap<(CompId, CalleeKey, bool), Vec<(Outcome, Rc<UnitResult>)>>,
    /// What was cut.
    pub cut: Vec<String>,
    /// Calls to the program's own infrastructure make chains too.
    pub include_infrastructure: bool,
}

impl<'p, 's, 'v> Composer<'p, 's, 'v> {
    /// A composer over a view.
    pub fn new(view: &'v View<'p, 's>, machine: Machine<'p, 's, 'v>, include_infrastructure: bool) -> Self {
        let count = view.solver.comps.len();
        Self {
            view,
            machine,
            parts: vec![Vec::new(); count],
            reaching: vec![false; count],
            callers: vec![Vec::new(); count],
            entered: Vec::new(),
            heavy: FxHashMap::default(),
            alike: super::alike::alike(view),
            memo: FxHashMap::default(),
            cut: Vec::new(),
            include_infrastructure,
        }
    }

    /// The outbound facts of a call, if it is one that makes chains.
    pub fn outbound(&self, callee: Tok) -> Option<(&'p schema::Library, &'p schema::Outbound)> {
        let known = self.view.known(callee)?;
        let outbound = known.callable.outbound.as_ref()?;
        let own = outbound.infrastructure.unwrap_or(known.library.infrastructure);
        if own && !self.include_infrastructure {
            return None;
        }
        Some((known.library, outbound))
    }

    /// Composes the chains of all components, callees first.
    pub fn compose(&mut self) {
        let edges = self.edges();
        for component in scc::components(&edges) {
            if !component.iter().any(|&c| self.reaching[c as usize]) {
                continue;
            }
            let unit: Rc<FxHashSet<CompId>> = Rc::new(component.iter().map(|&c| CompId(c)).collect());
            let big = component.len() > CIRCLE;
            if big && component.len() > 200 {
                self.cut.push(format!(
                    "{} functions that call each other in circles were followed one by one",
                    component.len()
                ));
            }
            // Functions of a circle are worked out one after the other; those run later see the earlier ones.
            for &comp in &component {
                let comp = CompId(comp);
                let parts = if big {
                    let alone: Rc<FxHashSet<CompId>> = Rc::new(std::iter::once(comp).collect());
                    self.parts_of(comp, &alone)
                } else {
                    self.parts_of(comp, &unit)
                };
                self.parts[comp.0 as usize] = parts;
            }
        }
    }

    fn edges(&mut self) -> Vec<Vec<u32>> {
        let count = self.view.solver.comps.len();
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut pending = Vec::new();
        for (c, list) in edges.iter_mut().enumerate() {
            for call in self.view.all_calls(CompId(c as u32)) {
                match call.target {
                    Target::Comp(target) => {
                        self.callers[target.0 as usize].push((CompId(c as u32), call.expr, call.via));
                        if !list.contains(&target.0) {
                            list.push(target.0);
                            callers[target.0 as usize].push(c as u32);
                        }
                    }
                    Target::External(made) => {
                        if let Some((_, outbound)) = self.outbound(call.callee) {
                            pending.push(c as u32);
                            for (target, _) in self.passed_through(outbound, call.callee, Some(made), CompId(c as u32))
                            {
                                if !list.contains(&target.0) {
                                    list.push(target.0);
                                }
                            }
                        }
                    }
                    Target::Unresolved => {}
                }
            }
        }
        while let Some(c) = pending.pop() {
            if !std::mem::replace(&mut self.reaching[c as usize], true) {
                pending.extend(&callers[c as usize]);
            }
        }
        for (c, list) in edges.iter_mut().enumerate() {
            list.retain(|&t| self.reaching[c] && self.reaching[t as usize]);
        }
        edges
    }

    /// The distinct callees outside of the unit that reach an outbound call, with one place each.
    fn callees(&self, comp: CompId, unit: &FxHashSet<CompId>) -> Vec<(CalleeKey, CompId, ExprId)> {
        let mut list: Vec<(CalleeKey, CompId, ExprId)> = Vec::new();
        let mut seen = FxHashSet::default();
        // The component itself first, then what it runs in place.
        let others = unit.iter().copied().filter(|c| *c != comp).collect::<Vec<_>>();
        let mut members = vec![comp];
        let mut others = others;
        others.sort();
        members.extend(others);
        for member in members {
            for call in self.view.all_calls(member) {
                if call.via == Via::Decorate {
                    continue;
                }
                let relevant = match call.target {
                    Target::Comp(target) => self.reaching[target.0 as usize] && !unit.contains(&target),
                    Target::External(_) => self.outbound(call.callee).is_some(),
                    Target::Unresolved => false,
                };
                if !relevant {
                    continue;
                }
                if let Some(key) = self.machine.key_of(member, call.expr, call)
                    && seen.insert(key.clone())
                {
                    list.push((key, member, call.expr));
                }
            }
        }
        list
    }

    fn parts_of(&mut self, comp: CompId, unit: &Rc<FxHashSet<CompId>>) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (key, at, expr) in self.callees(comp, unit) {
            for inner in self.inner_parts(&key, at, expr) {
                if let Some(part) = self.around(comp, unit, &key, at, expr, inner) {
                    self.add(&mut parts, part);
                }
            }
        }
        if parts.len() > CHAINS {
            parts.sort_by_key(|p| std::cmp::Reverse(p.weight()));
            parts.truncate(CHAINS);
            self.cut.push(format!("chains below {} beyond the largest {CHAINS}", self.view.name(comp)));
        }
        parts
    }

    fn add(&self, parts: &mut Vec<Part>, part: Part) {
        for old in parts.iter_mut() {
            if old.sink == part.sink && old.same_layers(&part) {
                for (mine, more) in old.outcomes.iter_mut().zip(part.outcomes) {
                    for outcome in more {
                        if !mine.contains(&outcome) && mine.len() < OUTCOMES {
                            mine.push(outcome);
                        }
                    }
                }
                return;
            }
        }
        parts.push(part);
    }

    /// The chains of what a key calls, with the decorators and queues between.
    fn inner_parts(&mut self, key: &CalleeKey, at: CompId, expr: ExprId) -> Vec<Part> {
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
                    for part in &mut parts {
                        self.wrap(part, &policy, kind);
                    }
                }
            }
        }
        if let Some(handed_to) = key.handed_to {
            self.hand_over(&mut parts, handed_to, at, expr);
        }
        parts
    }

    /// A callable handed to something external: a queue, an executor, a retry function.
    fn hand_over(&mut self, parts: &mut [Part], handed_to: Tok, at: CompId, expr: ExprId) {
        let Some(known) = self.view.known(handed_to) else { return };
        let made = self.view.calls(at, expr).iter().find_map(|c| match c.target {
            Target::External(made) if c.callee == handed_to => Some(made),
            _ => None,
        });
        let place = self.view.call_place(at, expr);
        if known.callable.sends_to.is_some()
            && let Some(layer) = known.callable.layer.as_ref()
        {
            let policy = Policy {
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
            let policy = Policy {
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
            let kind = LayerKind::by_name(&layer.kind).unwrap_or(LayerKind::Wrapper);
            let kind = match (calls.how.as_str(), kind) {
                ("now" | "each", LayerKind::Decorator | LayerKind::Loop) => LayerKind::Wrapper,
                (_, kind) => kind,
            };
            for part in parts.iter_mut() {
                self.wrap(part, &policy, kind);
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
        let returned = calls.how == "later" && known.callable.returns.is_some();
        if matches!(calls.how.as_str(), "job" | "later" | "handler") && !returned {
            // Whoever starts it never sees it fail.
            for part in parts.iter_mut() {
                for outcomes in &mut part.outcomes {
                    *outcomes = vec![Outcome::Value(Val::Unknown)];
                }
            }
        }
    }

    /// The layer around an entry point.
    pub fn wrap_entry(&mut self, part: &mut Part, policy: &Policy<'p>, kind: LayerKind) {
        self.wrap(part, policy, kind);
    }

    /// Puts a catalogue's layer around a chain.
    fn wrap(&mut self, part: &mut Part, policy: &Policy<'p>, kind: LayerKind) {
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
        let number = self.number_of(policy);
        let scope = self.machine.policy_scope(policy);
        let logs = policy.layer.logs.as_ref().is_some_and(|f| self.machine.formula_truth(f, &scope) != Some(false));
        let mut waits = best.waits;
        let error = best.error.clone();
        let place = self.place_of(policy, error.as_ref());
        let by_error = policy.layer.wait.as_ref().is_some_and(mentions_error);
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
            by_status: false,
            logs,
            limit: best.limit,
            decides: None,
            spares_spent_quota: false,
            rereads: None,
        };
        let stands = Stands { below: part.path.len(), own: false, made: policy.made };
        part.layers.insert(0, PartLayer { layer, counts, placed_by: None, stands });
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

    /// Where a policy's number is written: the place the catalogue names, else the decorator or call.
    fn place_of(&mut self, policy: &Policy<'p>, error: Option<&Rc<crate::layers::val::Error>>) -> Place {
        let Some(at) = policy.layer.at.as_ref() else { return policy.place };
        let mut scope = self.machine.policy_scope(policy);
        scope.error = error.cloned();
        let asked = error.and_then(|e| e.token).and_then(|t| self.place_of_token(t));
        match self.machine.formula(at, &scope) {
            // A task that is a class: where it says so.
            Some(Val::Tok(tok)) if self.class_setting(tok, policy.layer.setting.as_deref()).is_some() => {
                self.class_setting(tok, policy.layer.setting.as_deref()).unwrap_or(policy.place)
            }
            Some(Val::Tok(tok)) => self.place_of_token(tok).unwrap_or(policy.place),
            // A number that the raised request to try again carries.
            Some(Val::Num(_)) if mentions_error(at) => asked.unwrap_or(policy.place),
            // A number that the receiver was given: where that was made.
            Some(Val::Num(_)) => self
                .holder_of(at, &scope)
                .or_else(|| {
                    matches!(at, crate::catalogue::Formula::Call(..)).then(|| self.given_at(at, &scope)).flatten()
                })
                .unwrap_or(policy.place),
            _ => policy.place,
        }
    }

    /// Where the first of several settings that is given is written (`default(attempts, self.options.attempts)`).
    fn given_at(&mut self, formula: &crate::catalogue::Formula, scope: &Scope<'p>) -> Option<Place> {
        let crate::catalogue::Formula::Call(_, args) = formula else { return None };
        let given = args.iter().find(|f| self.machine.formula(f, scope).is_some_and(|v| v != Val::Null))?;
        match given {
            // An argument of the call itself: the call is the place.
            crate::catalogue::Formula::Name(_) => None,
            _ => self.written_place(given, scope).map(|(place, _)| place),
        }
    }

    /// Where the object was made that was given a setting.
    fn holder_of(&mut self, formula: &crate::catalogue::Formula, scope: &Scope<'p>) -> Option<Place> {
        use crate::catalogue::Formula;
        let Formula::Field(object, name) = formula else { return None };
        let Val::Tok(mut tok) = self.machine.formula(object, scope)? else { return None };
        for _ in 0..8 {
            let at = match *self.view.token(tok) {
                Token::Wrapped { by, .. } => by,
                _ => tok,
            };
            if self.written_in(at, name).is_some() {
                return self.place_of_token(at);
            }
            let Token::Made { callee, .. } = *self.view.token(tok) else { return None };
            if !self.view.known(callee)?.callable.derives {
                return None;
            }
            tok = self.view.solver.receiver(callee)?;
        }
        None
    }

    /// Where the class of a task gives a setting a value.
    fn class_setting(&self, tok: Tok, setting: Option<&str>) -> Option<Place> {
        let class = match *self.view.token(tok) {
            Token::Object { class, .. } | Token::Instance { class } => class,
            Token::Class { .. } => tok,
            _ => return None,
        };
        let order = self.view.solver.orders.get(&class)?;
        order.iter().find_map(|base| match *self.view.token(*base) {
            Token::Class { class, .. } => {
                let span = self.setting_of(class, setting)?;
                Some(Place { file: crate::source::FileId(class.file), span })
            }
            _ => None,
        })
    }

    fn place_of_token(&self, tok: Tok) -> Option<Place> {
        match *self.view.token(tok) {
            Token::Made { site, .. }
            | Token::Object { site, .. }
            | Token::Container { site, .. }
            | Token::Wrapped { site, .. } => {
                let file = self.view.file(site.comp);
                let span = file.exprs.get(site.expr.index())?.span;
                Some(self.view.place(site.comp, span))
            }
            _ => None,
        }
    }

    /// Where the count of a policy comes from.
    fn number_of(&mut self, policy: &Policy<'p>) -> (CountSource, Option<Place>) {
        let Some(made) = policy.made else { return (CountSource::Default, None) };
        let site = match *self.view.token(made) {
            Token::Made { site, .. } => site,
            _ => return (CountSource::Default, None),
        };
        let file = self.view.file(site.comp);
        let Some(expr) = file.exprs.get(site.expr.index()) else { return (CountSource::Default, None) };
        let ExprKind::Call { args, .. } = &expr.kind else { return (CountSource::Literal, None) };
        if args.is_empty() {
            return (CountSource::Default, None);
        }
        (source_of(file, site.expr), Some(self.view.place(site.comp, expr.span)))
    }

    /// The text of a place, on one line.
    fn text(&self, place: Place) -> String {
        let text = self
            .machine
            .texts
            .get(place.file.index())
            .map_or("", |t| t.get(place.span.start as usize..place.span.end as usize).unwrap_or(""));
        let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > 100 {
            line = line.chars().take(99).collect::<String>() + "…";
        }
        line
    }

    /// A chain that starts at an outbound call: its built-in layers.
    fn sink(&mut self, callee: Tok, at: CompId, expr: ExprId) -> Option<Part> {
        let (library, outbound) = self.outbound(callee)?;
        let language = self.view.file(at).language;
        let made = self.view.calls(at, expr).iter().find_map(|c| match c.target {
            Target::External(made) if c.callee == callee => Some(made),
            _ => None,
        });
        self.machine.here = Some(at);
        let scope = self.machine.scope_of(callee, made);
        let mut outcomes = Vec::new();
        for variant in VARIANTS {
            outcomes.push(vec![self.machine.sink_outcome(outbound, &scope, variant.failure, variant.status, language)]);
        }
        let place = self.view.call_place(at, expr);
        let file = self.view.file(at);
        let whole = file.exprs.get(expr.index()).map_or(place, |e| self.view.place(at, e.span));
        let mut layers = Vec::new();
        self.built_in(library, outbound, &scope, at, place, false, &mut layers, 0);
        let client = self.view.solver.receiver(callee).and_then(|r| self.place_of_token(r));
        let timeout = outbound.timeout.as_ref().and_then(|f| self.machine.formula_num(f, &scope)).map(|n| n.hi);
        let timeout = timeout.map(|t| if t == 0.0 { f64::INFINITY } else { t });
        let written = outbound.timeout.as_ref().is_some_and(|formula| self.is_given(formula, &scope));
        let stream = outbound.stream
            || outbound.stream_if.as_ref().is_some_and(|f| self.machine.formula_truth(f, &scope) == Some(true));
        let writes = outbound.writes.as_ref().is_some_and(|f| self.machine.formula_truth(f, &scope) != Some(false));
        let idempotency = outbound.idempotency.as_ref().map(|name| {
            let given = self.machine.formula(&crate::catalogue::Formula::Name(name.clone()), &scope).is_some();
            (name.clone(), given)
        });
        let call = OutboundCall {
            place,
            whole,
            function: self.view.name(at),
            target: self.target(callee),
            library: library.name.clone(),
            client,
            sends_retry_after: outbound.sends_retry_after.unwrap_or(library.sends_retry_after),
            spend_limit_429: library.spend_limit_429,
            plain_http: outbound.kind == "transport",
            can_fail_permanently: true,
            timeout,
            timeout_written: written,
            stream,
            writes,
            idempotency,
        };
        let mut part = Part {
            call: Rc::new(call),
            sink: (at, expr),
            layers,
            outcomes,
            path: Vec::new(),
            confidence: Confidence::High,
        };
        for (method, wrappers) in self.passed_through(outbound, callee, made, at).into_iter().rev() {
            self.pass_through(&mut part, method, &wrappers);
        }
        // Layers around the client object itself.
        if let Some(receiver) = self.view.solver.receiver(callee) {
            for (by, site) in self.view.wrappers(receiver).into_iter().rev() {
                if let Some(policy) = self.machine.policy_of_decorator(by, site) {
                    self.wrap(&mut part, &policy, LayerKind::Wrapper);
                }
            }
        }
        Some(part)
    }

    /// Whether the code gives a setting that a formula reads: an argument, or one of the client's.
    fn is_given(&mut self, formula: &crate::catalogue::Formula, scope: &Scope<'p>) -> bool {
        use crate::catalogue::Formula;
        match formula {
            Formula::Name(name) => name != "self" && self.machine.formula(formula, scope).is_some(),
            Formula::Field(..) => self.machine.formula(formula, scope).is_some_and(|v| v != Val::Null),
            Formula::Call(name, args) if matches!(name.as_str(), "default" | "min" | "max" | "first") => {
                args.iter().any(|f| self.is_given(f, scope))
            }
            _ => false,
        }
    }

    /// Methods of the program that an outbound call goes through, outermost first, with their decorators: a
    /// transport's `send`, a session's `request`.
    fn passed_through(
        &mut self,
        outbound: &'p schema::Outbound,
        callee: Tok,
        made: Option<Tok>,
        at: CompId,
    ) -> Vec<(CompId, Vec<(Tok, Site)>)> {
        if outbound.through.is_empty() {
            return Vec::new();
        }
        let called = self.view.solver.member_path(callee).1;
        let scope = self.machine.scope_of(callee, made);
        let mut list = Vec::new();
        for through in &outbound.through {
            let Some(Val::Tok(on)) = self.machine.formula(&through.on, &scope) else { continue };
            if !matches!(self.view.token(on), Token::Object { .. } | Token::Instance { .. }) {
                continue;
            }
            // A method is not passed by what it calls itself.
            let own = scope.receiver == Some(Val::Tok(on));
            let from = through.methods.iter().position(|m| own && *m == called).map_or(0, |i| i + 1);
            for name in through.methods.iter().skip(from) {
                let Some(Val::Tok(method)) = self.view.field(on, name) else { continue };
                if let Some((comp, _)) = self.machine.method_of(on, name)
                    && comp != at
                {
                    list.push((comp, self.view.wrappers(method)));
                }
            }
        }
        list
    }

    /// Puts the layers of a method that a call goes through around it.
    fn pass_through(&mut self, part: &mut Part, method: CompId, wrappers: &[(Tok, Site)]) {
        let inside = self.parts[method.0 as usize].iter().filter(|p| p.sink.0 == method);
        let Some(through) = inside.max_by_key(|p| p.weight()).cloned() else { return };
        let (below, own): (Vec<_>, Vec<_>) = through.layers.into_iter().partition(|l| l.layer.kind.is_built_in());
        let place = part.call.place;
        let there =
            |l: &PartLayer| l.layer.place != place && part.layers.iter().any(|p| p.layer.place == l.layer.place);
        let below: Vec<PartLayer> = below.into_iter().filter(|l| !there(l)).collect();
        part.layers.extend(below);
        part.layers.splice(0..0, own);
        part.outcomes = through.outcomes;
        for &(by, site) in wrappers.iter().rev() {
            if let Some(policy) = self.machine.policy_of_decorator(by, site) {
                self.wrap(part, &policy, LayerKind::Decorator);
            }
        }
    }

    /// The name of what is called, in the catalogue's words.
    fn target(&self, callee: Tok) -> String {
        let path = self.view.path(callee);
        let mut text = path.to_string();
        // The class is left out of a client's method: `anthropic.messages.create`.
        if let Token::Member { .. } = self.view.token(callee) {
            let (root, method) = self.view.solver.member_path(callee);
            if let Some((library, _)) = self.view.solver.known_class(root) {
                text = format!("{}.{method}", library.name);
            }
        }
        text
    }

    #[allow(clippy::too_many_arguments)]
    fn built_in(
        &mut self,
        library: &'p schema::Library,
        outbound: &'p schema::Outbound,
        scope: &Scope<'p>,
        at: CompId,
        call: Place,
        installed: bool,
        layers: &mut Vec<PartLayer>,
        depth: usize,
    ) {
        if depth > 4 {
            return;
        }
        let counts: Vec<Count> =
            VARIANTS.iter().map(|v| self.machine.sink_attempts(outbound, scope, v.failure, v.status)).collect();
        let written = outbound.at.as_ref().and_then(|f| self.written_place(f, scope));
        let kind = LayerKind::by_name(&outbound.kind).unwrap_or(LayerKind::Sdk);
        let worst = worst_of(&counts);
        let shown = match worst {
            Count::Exact(n) => n.saturating_sub(1).min(48),
            _ => 48,
        };
        let mut waits = match &outbound.wait {
            Some(formula) => self.machine.waits(Some(formula), scope, shown, false),
            None => no_waits(),
        };
        waits.reads_retry_after = outbound.retry_after.as_deref().is_some_and(|r| r != "ignored");
        // Retries that somebody asked for: of a transport, or of a client that has none otherwise.
        waits.chosen =
            installed || (written.is_some() && (kind == LayerKind::Transport || self.is_asked_for(outbound, scope)));
        let place = written.map_or(call, |(place, _)| place);
        waits.place = Some(place);
        if counts.iter().any(|c| *c != Count::ONE) {
            let layer = Layer {
                kind,
                library: Some(library.name.clone()),
                version: None,
                place,
                function: self.view.name(at),
                defined: None,
                attempts: worst,
                by_failure: by_failure(&counts),
                source: written.map_or(CountSource::Default, |(_, source)| source),
                number: written.map(|(place, _)| place),
                also: Vec::new(),
                reason: matches!(worst, Count::Unknown(_)).then(|| "its setting is not known".to_string()),
                text: self.text(place),
                waits,
                setting: outbound.setting.clone(),
                off: outbound.off.clone(),
                misleading: None,
                retries_everything: false,
                // Put in by the code to try statuses again, and deaf to what comes with them.
                by_status: installed && outbound.retry_after.as_deref() == Some("ignored"),
                logs: false,
                limit: None,
                decides: None,
                spares_spent_quota: true,
                rereads: None,
            };
            // A client with a budget for each kind of failure has a layer for each.
            let mut budgets: Vec<Count> = Vec::new();
            for count in counts.iter().filter(|c| **c != Count::ONE) {
                if !budgets.contains(count) {
                    budgets.push(*count);
                }
            }
            for budget in budgets {
                let counts: Vec<Count> = counts.iter().map(|c| if *c == budget { *c } else { Count::ONE }).collect();
                let layer = Layer { attempts: budget, by_failure: by_failure(&counts), ..layer.clone() };
                layers.push(PartLayer { layer, counts, placed_by: None, stands: Stands::default() });
            }
        }
        for below in &outbound.below {
            self.built_in(library, below, scope, at, call, false, layers, depth + 1);
        }
        if let Some(from) = &outbound.below_from
            && let Some(below) = self.machine.formula(from, scope)
        {
            for value in self.machine.elements(&below).unwrap_or_else(|| vec![below]) {
                if let Val::Tok(tok) = value {
                    self.below(tok, scope, at, call, layers, depth);
                }
            }
        }
    }

    /// Whether a client retries nothing unless it is told to.
    fn is_asked_for(&mut self, outbound: &'p schema::Outbound, scope: &Scope<'p>) -> bool {
        let untold = Scope { entry: scope.entry, ..Scope::default() };
        VARIANTS.iter().all(|v| self.machine.sink_attempts(outbound, &untold, v.failure, v.status) == Count::ONE)
    }

    /// A client or transport below another one.
    fn below(
        &mut self,
        tok: Tok,
        scope: &Scope<'p>,
        at: CompId,
        call: Place,
        layers: &mut Vec<PartLayer>,
        depth: usize,
    ) {
        let callee = match *self.view.token(tok) {
            Token::Made { callee, .. } => Some(callee),
            // A class of the program below the library's.
            Token::Object { class, .. } => self.view.solver.external_base(class),
            _ => None,
        };
        let Some(callee) = callee else { return };
        let Some(mut known) = self.view.known(callee) else { return };
        let mut own = self.machine.scope_of(callee, Some(tok));
        let describes = |c: &schema::Callable| c.outbound.is_some() || c.transport.is_some() || c.layer.is_some();
        if !known.is_constructor
            && !describes(known.callable)
            && let Some((library, class)) = self.view.solver.known_class(tok)
            && describes(&class.new)
        {
            // Made by a function or a builder: what its class says.
            let callable = &class.new;
            known = crate::link::known::Known { library, callable, class: Some(class), is_constructor: true };
            own.entry = Some(known);
        }
        own.receiver = Some(Val::Tok(tok));
        own.request = scope.request.or(scope.call);
        let here = self.place_of_token(tok).unwrap_or(call);
        if let Some(outbound) = known.callable.outbound.as_ref() {
            self.built_in(known.library, outbound, &own, at, here, true, layers, depth + 1);
        }
        if let Some(outbound) = known.callable.transport.as_ref() {
            self.built_in(known.library, outbound, &own, at, here, true, layers, depth + 1);
        }
        // A client under a client: what any of its calls has built in.
        let method = known
            .class
            .filter(|_| known.callable.transport.is_none())
            .and_then(|c| c.methods.iter().find(|m| m.callable.outbound.is_some()));
        if let Some(method) = method
            && let Some(outbound) = method.callable.outbound.as_ref()
        {
            let entry = crate::link::known::Known { callable: &method.callable, is_constructor: false, ..known };
            let scope = Scope { entry: Some(entry), call: None, ..own.clone() };
            self.built_in(known.library, outbound, &scope, at, here, true, layers, depth + 1);
        }
        if let Some(layer) = known.callable.layer.as_ref() {
            self.transport_layer(tok, &known, layer, own, layers);
        }
    }

    /// The retries that a transport or plugin under a client makes.
    fn transport_layer(
        &mut self,
        tok: Tok,
        known: &crate::link::known::Known<'p>,
        layer: &'p schema::Layer,
        mut scope: Scope<'p>,
        layers: &mut Vec<PartLayer>,
    ) {
        let Token::Made { callee, site } = *self.view.token(tok) else { return };
        let span = self.view.file(site.comp).exprs.get(site.expr.index()).map(|e| e.span).unwrap_or_default();
        let place = self.view.place(site.comp, span);
        let policy = Policy {
            known: *known,
            layer,
            callee,
            made: Some(tok),
            place,
            comp: site.comp,
            overrides: Vec::new(),
            applied: None,
            entry: None,
        };
        let mut counts = Vec::new();
        for variant in VARIANTS {
            scope.failure = Some((variant.failure, variant.status));
            let retried = layer.on_error.as_ref().map(|f| self.machine.formula_truth(f, &scope));
            if retried == Some(Some(false)) {
                counts.push(Count::ONE);
                continue;
            }
            counts.push(match self.machine.formula(&layer.attempts, &scope) {
                Some(Val::Num(n)) if n.hi.is_finite() => Count::Exact(n.hi.max(1.0) as u64),
                Some(Val::Num(_)) | None | Some(Val::Null) => Count::Unbounded,
                Some(_) => Count::Unknown(1),
            });
        }
        if counts.iter().all(|c| *c == Count::ONE) {
            return;
        }
        let worst = worst_of(&counts);
        let shown = match worst {
            Count::Exact(n) => n.saturating_sub(1).min(48),
            _ => 48,
        };
        let waits = self.machine.waits(layer.wait.as_ref(), &scope, shown, layer.engine_waits);
        let number = self.number_of(&policy);
        let reads =
            layer.reads_retry_after.as_ref().is_some_and(|f| self.machine.formula_truth(f, &scope) != Some(false));
        let info = Layer {
            kind: LayerKind::Transport,
            library: Some(known.library.name.clone()),
            version: None,
            place,
            function: self.view.name(site.comp),
            defined: None,
            attempts: worst,
            by_failure: by_failure(&counts),
            source: number.0,
            number: number.1,
            also: Vec::new(),
            reason: None,
            text: self.text(place),
            waits: crate::chains::Waits { chosen: true, place: Some(place), reads_retry_after: reads, ..waits },
            setting: layer.setting.clone(),
            off: None,
            misleading: layer.misleading.clone(),
            retries_everything: false,
            by_status: false,
            logs: false,
            limit: None,
            decides: None,
            spares_spent_quota: false,
            rereads: None,
        };
        layers.push(PartLayer { layer: info, counts, placed_by: None, stands: Stands::default() });
    }

    /// Where the value of a setting is written, and how.
    fn written_place(
        &mut self,
        formula: &crate::catalogue::Formula,
        scope: &Scope<'p>,
    ) -> Option<(Place, CountSource)> {
        use crate::catalogue::Formula;
        match formula {
            Formula::Field(object, name) => {
                let object = self.machine.formula(object, scope)?;
                let Val::Tok(mut tok) = object else { return None };
                for _ in 0..8 {
                    if let Some(found) = self.written_in(tok, name) {
                        return Some(found);
                    }
                    // What a derived client does not set, the one it was made from does.
                    let Token::Made { callee, .. } = *self.view.token(tok) else { return None };
                    let known = self.view.known(callee)?;
                    if !known.callable.derives {
                        return None;
                    }
                    tok = self.view.solver.receiver(callee)?;
                }
                None
            }
            Formula::Name(name) => {
                if let Some(call) = scope.call
                    && let Some(found) = self.written_in(call, name)
                {
                    return Some(found);
                }
                match self.machine.formula(formula, scope) {
                    Some(Val::Tok(tok)) => self.place_of_token(tok).map(|p| (p, CountSource::Literal)),
                    _ => None,
                }
            }
            Formula::Call(_, args) => args.iter().find_map(|f| self.written_place(f, scope)),
            _ => match self.machine.formula(formula, scope) {
                Some(Val::Tok(tok)) => self.place_of_token(tok).map(|p| (p, CountSource::Literal)),
                _ => None,
            },
        }
    }

    fn written_in(&self, tok: Tok, name: &str) -> Option<(Place, CountSource)> {
        use crate::link::store::Addr;
        let symbol = self.view.solver.symbols.find(name);
        let site = match *self.view.token(tok) {
            Token::Made { site, .. } | Token::Object { site, .. } => site,
            Token::Container { .. } => return self.written_in_object(tok, name, 0),
            Token::External(_) => {
                // `openai.max_retries = 4`: an assignment to the module.
                return self.assignment(tok, symbol?);
            }
            _ => return None,
        };
        let store = &self.view.solver.store;
        let given = symbol.is_some_and(|symbol| store.get(Addr::Keyword(site, symbol)).is_some());
        let file = self.view.file(site.comp);
        let expr = file.exprs.get(site.expr.index())?;
        let ExprKind::Call { args, .. } = &expr.kind else { return None };
        for arg in args {
            let e = arg.value();
            match arg {
                crate::ir::Arg::Keyword(n, _) if file.name(*n) == name => {
                    return Some((self.view.place(site.comp, file.expr(e).span), source_of(file, e)));
                }
                _ => {}
            }
        }
        if given {
            return Some((self.view.place(site.comp, expr.span), CountSource::Constant));
        }
        // An options object, written here or elsewhere, or a positional argument.
        for i in 0..args.len() as u32 {
            let objects = store.get(Addr::Arg(site, i)).into_iter().flat_map(|v| v.iter());
            for object in objects {
                if let Some(found) = self.written_in_object(object, name, 0) {
                    return Some(found);
                }
            }
        }
        let callable = match *self.view.token(tok) {
            Token::Made { callee, .. } => self.view.known(callee)?.callable,
            _ => return None,
        };
        if callable.sets.contains_key(name) {
            return Some((self.view.place(site.comp, expr.span), CountSource::Literal));
        }
        let at = callable.params.iter().position(|p| p == name)?;
        store.get(Addr::Arg(site, at as u32))?;
        let e = args.get(at)?.value();
        Some((self.view.place(site.comp, file.expr(e).span), source_of(file, e)))
    }

    /// Where an object literal says a setting, or one that is spread into it.
    fn written_in_object(&self, object: Tok, name: &str, depth: usize) -> Option<(Place, CountSource)> {
        let Token::Container { site, kind: ContainerKind::Dict } = *self.view.token(object) else { return None };
        let file = self.view.file(site.comp);
        let ExprKind::Dict(entries) = &file.exprs.get(site.expr.index())?.kind else { return None };
        for entry in entries.iter().rev() {
            match entry {
                crate::ir::Entry::Pair(key, value) => {
                    if let ExprKind::Literal(crate::ir::Literal::Str(text)) = file.expr(*key).kind
                        && file.name(text) == name
                    {
                        return Some((self.view.place(site.comp, file.expr(*value).span), source_of(file, *value)));
                    }
                }
                crate::ir::Entry::Spread(e) if depth < 4 => {
                    let state = crate::layers::state::State::at(site.comp, 0.0);
                    if let ExprKind::Var(var) = file.expr(*e).kind
                        && let Val::Tok(spread) = self.machine.read_var(&state, var)
                        && let Some(found) = self.written_in_object(spread, name, depth + 1)
                    {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Where an attribute of something external is assigned.
    fn assignment(&self, tok: Tok, name: crate::link::symbols::Symbol) -> Option<(Place, CountSource)> {
        use crate::ir::{Pattern, Stmt};
        use crate::link::store::Addr;
        self.view.solver.store.get(Addr::Field(tok, name))?;
        let text = self.view.text(name);
        for (f, file) in self.view.solver.files.iter().enumerate() {
            for (s, stmt) in file.stmts.iter().enumerate() {
                let Stmt::Assign { targets, value: Some(value), .. } = stmt else { continue };
                for target in targets {
                    if let Pattern::Attr { name, .. } = file.pattern(*target)
                        && file.name(*name) == text
                    {
                        let place = Place { file: crate::source::FileId(f as u32), span: file.stmt_spans[s] };
                        return Some((place, source_of(file, *value)));
                    }
                }
            }
        }
        None
    }

    /// Puts a unit's own layers around a chain of something it calls.
    fn around(
        &mut self,
        comp: CompId,
        unit: &Rc<FxHashSet<CompId>>,
        key: &CalleeKey,
        at: CompId,
        expr: ExprId,
        mut inner: Part,
    ) -> Option<Part> {
        for deadline in self.deadlines(at, expr) {
            self.cut_off(&mut inner, &deadline);
        }
        let (mut found, mut outcomes, mut reached) = self.runs(comp, unit, key, &inner);
        if !reached && !self.heavy.get(&self.view.func(comp)).is_some_and(|known| known.1) {
            // It may be called only after something else has failed.
            self.machine.others_fail = true;
            (found, outcomes, reached) = self.runs(comp, unit, key, &inner);
            self.machine.others_fail = false;
        }
        if !reached {
            return None;
        }
        let own: Vec<PartLayer> = found.into_iter().map(|(own, counts)| self.own_layer(comp, own, counts)).collect();
        let hands_on =
            matches!(key.target, Callee::Comp(target) if inner.layers.iter().any(|l| l.placed_by == Some(target)));
        let mut own = self.applied_where(at, expr, hands_on, own);
        for part in &mut own {
            part.stands = Stands { below: inner.path.len(), own: true, made: None };
        }
        if let Callee::Comp(target) = key.target {
            for part in &mut inner.layers {
                if part.placed_by == Some(target) {
                    part.placed_by = None;
                    self.place_at(&mut part.layer, at, expr, LayerKind::Wrapper);
                }
            }
        }
        inner.layers.splice(0..0, own);
        inner.outcomes = outcomes;
        inner.path.insert(0, (at, expr));
        Some(inner)
    }

    /// Runs a unit under every variant of a callee's failures: its own layers, how it ends, and whether it calls
    /// the callee at all.
    #[allow(clippy::type_complexity)]
    fn runs(
        &mut self,
        comp: CompId,
        unit: &Rc<FxHashSet<CompId>>,
        key: &CalleeKey,
        inner: &Part,
    ) -> (Vec<(OwnLayer, Vec<Count>)>, Vec<Vec<Outcome>>, bool) {
        let mut found: Vec<(OwnLayer, Vec<Count>)> = Vec::new();
        let mut outcomes: Vec<Vec<Outcome>> = Vec::with_capacity(VARIANTS.len());
        let mut reached = false;
        for (i, _) in VARIANTS.iter().enumerate() {
            let mut ends: Vec<Outcome> = Vec::new();
            // One that never comes back, as far as anybody can see: what would do it over if it failed is around it all
            // the same.
            let error = crate::layers::val::Error { injected: true, ..self.machine.unknown_error() };
            let never = [Outcome::Raise(Rc::new(error))];
            let fails = if inner.outcomes[i].is_empty() { &never[..] } else { &inner.outcomes[i] };
            for outcome in fails {
                let result = self.unit(comp, key, outcome, unit);
                reached |= result.reached;
                for end in &result.outcomes {
                    if !ends.contains(end) && ends.len() < OUTCOMES {
                        ends.push(end.clone());
                    }
                }
                merge_layers(&mut found, &result.layers, i);
            }
            outcomes.push(ends);
        }
        (found, outcomes, reached)
    }

    /// Moves a home-made layer to where it is applied; its loop is where it is defined.
    fn place_at(&self, layer: &mut Layer, at: CompId, expr: ExprId, kind: LayerKind) {
        let file = self.view.file(at);
        let Some(e) = file.exprs.get(expr.index()) else { return };
        let place = match kind {
            LayerKind::Decorator => self.view.place(at, e.span),
            _ => self.view.call_place(at, expr),
        };
        layer.defined = Some(layer.place);
        layer.waits.place.get_or_insert(layer.place);
        layer.place = place;
        layer.kind = kind;
        layer.function = self.view.name(at);
        layer.text = self.text(place);
    }

    /// Finds out where the own layers of a unit are applied, if what they repeat is a callable handed in.
    fn applied_where(&self, at: CompId, expr: ExprId, hands_on: bool, mut own: Vec<PartLayer>) -> Vec<PartLayer> {
        if own.is_empty() {
            return own;
        }
        let file = self.view.file(at);
        let Some(ExprKind::Call { callee, args, .. }) = file.exprs.get(expr.index()).map(|e| &e.kind) else {
            return own;
        };
        // A parameter that is handed to a wrapper inside is called as well.
        let handed = args.iter().map(|a| a.value()).find(|e| {
            let ExprKind::Var(var) = file.expr(*e).kind else { return false };
            let owner = file.function(file.var(var).owner);
            owner.params.iter().any(|p| binds(file, p.pattern, var))
        });
        match file.expr(handed.filter(|_| hands_on).unwrap_or(*callee)).kind {
            ExprKind::Var(var) => {
                let owner = file.var(var).owner;
                let is_param = file.function(owner).params.iter().any(|p| binds(file, p.pattern, var));
                if !is_param {
                    return own;
                }
                if self.view.func(at).id == owner {
                    for part in &mut own {
                        part.placed_by = Some(at);
                    }
                } else if let Some(outer) = self.view.solver.owner(at, self.view.func(at).file, owner)
                    && let Some(&(caller, site, via)) = self.callers[outer.0 as usize].first()
                {
                    let kind = if via == Via::Decorate { LayerKind::Decorator } else { LayerKind::Wrapper };
                    for part in &mut own {
                        self.place_at(&mut part.layer, caller, site, kind);
                    }
                }
            }
            ExprKind::Attr { .. } => {
                // A callable kept in a field: where the object was made.
                let receiver = self.view.calls(at, expr).iter().find_map(|c| match *self.view.token(c.callee) {
                    Token::Function { .. } | Token::Wrapped { .. } => self.receiver_of(at),
                    Token::Bound { this, .. } => self.receiver_of(at).filter(|r| *r != this),
                    _ => None,
                });
                if let Some(Token::Object { site, .. }) = receiver.map(|r| self.view.token(r)) {
                    let decorates = self
                        .callers
                        .iter()
                        .flatten()
                        .any(|(c, e, via)| *c == site.comp && *e == site.expr && *via == Via::Decorate);
                    let kind = if decorates { LayerKind::Decorator } else { LayerKind::Wrapper };
                    for part in &mut own {
                        self.place_at(&mut part.layer, site.comp, site.expr, kind);
                    }
                }
            }
            _ => {}
        }
        own
    }

    /// The receiver that a component runs on, if it is one object.
    fn receiver_of(&self, comp: CompId) -> Option<Tok> {
        use crate::link::store::Addr;
        let store = &self.view.solver.store;
        store.get(Addr::Param(comp, 0)).or_else(|| store.get(Addr::This(comp))).and_then(|v| v.single())
    }

    fn unit(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        outcome: &Outcome,
        unit: &Rc<FxHashSet<CompId>>,
    ) -> Rc<UnitResult> {
        // Whichever of several implementations fails, whoever calls them goes on in the same way.
        let target = match key.target {
            Callee::Comp(target) if !unit.contains(&target) => Callee::Comp(self.alike[target.0 as usize]),
            target => target,
        };
        let slot = (comp, CalleeKey { target, ..key.clone() }, self.machine.others_fail);
        if let Some(list) = self.memo.get(&slot)
            && let Some((_, result)) = list.iter().find(|(o, _)| o == outcome)
        {
            return result.clone();
        }
        // A function that was too much before, in whatever context, is given little time again, and none in the end.
        let func = self.view.func(comp);
        let (spent, was_cut) = self.heavy.get(&func).copied().unwrap_or_default();
        self.machine.budget = if was_cut { LITTLE } else { crate::layers::machine::STEPS };
        self.machine.used = 0;
        let result = Rc::new(if spent > MOST_STEPS {
            // What fails in it is passed on: more of it cannot be looked at.
            UnitResult { outcomes: vec![outcome.clone()], reached: true, cut: true, ..UnitResult::default() }
        } else {
            self.machine.unit(comp, key, outcome, unit)
        });
        if result.cut || self.machine.used > MUCH {
            let known = self.heavy.entry(func).or_default();
            known.0 += self.machine.used;
            known.1 |= result.cut;
        }
        if result.cut {
            let name = self.view.name(comp);
            let note = format!("paths through {name} beyond the limit");
            if !self.cut.contains(&note) {
                self.cut.push(note);
            }
        }
        self.memo.entry(slot).or_default().push((outcome.clone(), result.clone()));
        result
    }

    fn own_layer(&mut self, comp: CompId, own: OwnLayer, counts: Vec<Count>) -> PartLayer {
        let everything = counts.iter().all(|c| *c != Count::ONE)
            || VARIANTS.iter().zip(&counts).any(|(v, c)| v.failure == Failure::Permanent && *c != Count::ONE);
        let file_comp = comp;
        let source = self.source_of_loop(comp, own.place);
        let layer = Layer {
            kind: own.kind,
            library: None,
            version: None,
            place: own.place,
            function: self.view.name(file_comp),
            defined: None,
            attempts: worst_of(&counts),
            by_failure: by_failure(&counts),
            source,
            number: Some(own.place),
            also: Vec::new(),
            reason: own.reason,
            text: self.text(own.place),
            waits: own.waits,
            setting: None,
            off: None,
            misleading: None,
            retries_everything: everything,
            by_status: own.by_status,
            logs: false,
            limit: None,
            decides: own.decides,
            spares_spent_quota: false,
            rereads: None,
        };
        PartLayer { layer, counts, placed_by: None, stands: Stands::default() }
    }

    /// Where a loop's count comes from, by what its header names.
    fn source_of_loop(&self, comp: CompId, place: Place) -> CountSource {
        let text = self.text(place);
        let file = self.view.file(comp);
        if place.file.0 != self.view.func(comp).file {
            return CountSource::Literal;
        }
        for expr in &file.exprs {
            if expr.span.start >= place.span.start && expr.span.end <= place.span.end {
                match &expr.kind {
                    ExprKind::Var(var) => {
                        let owner = file.function(file.var(*var).owner);
                        let is_param = owner
                            .params
                            .iter()
                            .any(|p| matches!(file.pattern(p.pattern), crate::ir::Pattern::Bind(v) if v == var));
                        if is_param {
                            return CountSource::Parameter;
                        }
                        if owner.kind == FunctionKind::Module {
                            return CountSource::Constant;
                        }
                    }
                    ExprKind::Attr { .. } => return CountSource::Constant,
                    _ => {}
                }
            }
        }
        let _ = text;
        CountSource::Literal
    }
}

impl Part {
    fn same_layers(&self, other: &Part) -> bool {
        self.layers.len() == other.layers.len()
            && self
                .layers
                .iter()
                .zip(&other.layers)
                .all(|(a, b)| a.layer.place == b.layer.place && a.layer.kind == b.layer.kind && a.counts == b.counts)
    }

    fn weight(&self) -> u64 {
        (0..VARIANTS.len())
            .map(|i| Count::product(self.layers.iter().map(|l| l.counts[i])).at_least())
            .max()
            .unwrap_or(1)
    }
}

/// Whether a formula reads the error at hand.
fn mentions_error(formula: &crate::catalogue::Formula) -> bool {
    use crate::catalogue::Formula;
    match formula {
        Formula::Name(name) => name == "error",
        Formula::Field(a, _) | Formula::Not(a) | Formula::Neg(a) => mentions_error(a),
        Formula::Index(a, b) | Formula::Binary(_, a, b) => mentions_error(a) || mentions_error(b),
        Formula::Call(_, list) | Formula::List(list) => list.iter().any(mentions_error),
        _ => false,
    }
}

/// Whether a parameter's pattern binds a variable.
fn binds(file: &crate::ir::File, pattern: crate::ir::PatId, var: crate::ir::VarId) -> bool {
    use crate::ir::Pattern;
    match file.pattern(pattern) {
        Pattern::Bind(v) => *v == var,
        Pattern::Default(inner, _) => binds(file, *inner, var),
        Pattern::Object { entries, .. } => entries.iter().any(|e| binds(file, e.1, var)),
        _ => false,
    }
}

/// Adds the layers found for one variant to those of the others, keeping their order.
fn merge_layers(found: &mut Vec<(OwnLayer, Vec<Count>)>, layers: &[OwnLayer], variant: usize) {
    let mut at = 0;
    for layer in layers {
        let position = found.iter().position(|(f, _)| f.place == layer.place && f.kind == layer.kind);
        match position {
            Some(position) => {
                let (old, counts) = &mut found[position];
                counts[variant] = counts[variant].larger(layer.count);
                let reads = old.waits.reads_retry_after;
                if layer.waits.runs.len() > old.waits.runs.len() || (old.reason.is_none() && layer.reason.is_some()) {
                    let reason = old.reason.take().or_else(|| layer.reason.clone());
                    *old = OwnLayer { reason, by_status: old.by_status || layer.by_status, ..layer.clone() };
                }
                old.by_status |= layer.by_status;
                old.waits.reads_retry_after |= reads | layer.waits.reads_retry_after;
                at = position + 1;
            }
            None => {
                let mut counts = vec![Count::ONE; VARIANTS.len()];
                counts[variant] = layer.count;
                let here = at.min(found.len());
                found.insert(here, (layer.clone(), counts));
                at = here + 1;
            }
        }
    }
}

/// The worst count over the variants.
pub fn worst_of(counts: &[Count]) -> Count {
    counts.iter().copied().reduce(Count::larger).unwrap_or(Count::ONE)
}

/// Counts by class of failure: the worst of a class's statuses.
pub fn by_failure(counts: &[Count]) -> [Count; 9] {
    let mut table = [Count::ONE; 9];
    for (variant, count) in VARIANTS.iter().zip(counts) {
        let slot = &mut table[variant.failure.index()];
        *slot = slot.larger(*count);
    }
    table
}

/// How a number is written, by the expression that gives it.
pub fn source_of(file: &crate::ir::File, e: ExprId) -> CountSource {
    let mut source = CountSource::Literal;
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        match &file.expr(e).kind {
            ExprKind::Var(var) => {
                let owner = file.function(file.var(*var).owner);
                let is_param = owner
                    .params
                    .iter()
                    .any(|p| matches!(file.pattern(p.pattern), crate::ir::Pattern::Bind(v) if v == var));
                if is_param {
                    source = CountSource::Parameter;
                } else if source == CountSource::Literal {
                    source = CountSource::Constant;
                }
            }
            ExprKind::Attr { object, .. } => {
                let inner = &file.expr(*object).kind;
                if matches!(inner, ExprKind::Var(_) | ExprKind::This) && source == CountSource::Literal {
                    source = CountSource::Constant;
                }
            }
            ExprKind::Call { callee, args, .. } => {
                let text = match &file.expr(*callee).kind {
                    ExprKind::Attr { name, .. } | ExprKind::Free(name) => file.name(*name),
                    _ => "",
                };
                if matches!(text, "getenv" | "env" | "environ" | "var") {
                    return CountSource::Environment;
                }
                stack.extend(args.iter().map(|a| a.value()));
            }
            _ => crate::layers::relevant::children(file, e, &mut stack),
        }
    }
    source
}

/// Whether a language fails by value.
pub fn fails_by_value(language: Language) -> bool {
    language == Language::Rust
}
