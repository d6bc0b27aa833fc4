//! Finished chains: from entry points, with products and times.

use super::compose::Composer;
use super::model::*;
use super::part::Part;
use super::scc;
use crate::ir::{FunctionKind, Language};
use crate::layers::policy::Policy;
use crate::layers::view::View;
use crate::link::component::Target;
use crate::link::token::*;
use crate::source::Place;
use crate::timing;
use rustc_hash::{FxHashMap, FxHashSet};

/// Components that nothing outside their own circle calls.
pub fn entry_components(view: &View, leads: impl Fn(CompId) -> bool) -> Vec<CompId> {
    let count = view.solver.comps.len();
    let mut edges: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (c, list) in edges.iter_mut().enumerate() {
        for call in view.all_calls(CompId(c as u32)) {
            if let Target::Comp(target) = call.target
                && !list.contains(&target.0)
                && super::served::served(view, CompId(c as u32), call).is_none()
            {
                list.push(target.0);
            }
        }
    }
    let circles = scc::components(&edges);
    let mut circle_of = vec![0usize; count];
    for (i, circle) in circles.iter().enumerate() {
        for &c in circle {
            circle_of[c as usize] = i;
        }
    }
    let mut called = vec![false; circles.len()];
    for (c, list) in edges.iter().enumerate() {
        for &target in list {
            if circle_of[c] != circle_of[target as usize] {
                called[circle_of[target as usize]] = true;
            }
        }
    }
    // What is called in one context is no entry in another, in which nobody calls it. (Functions that call one another
    // are their own callers.)
    let rings = rings(view, &edges);
    let mut functions: FxHashSet<FuncRef> = FxHashSet::default();
    let mut reached: FxHashSet<usize> = FxHashSet::default();
    for (c, list) in edges.iter().enumerate() {
        for &target in list {
            let (from, to) = (view.func(CompId(c as u32)), view.func(CompId(target)));
            if rings.get(&from) != rings.get(&to) {
                reached.extend(rings.get(&to));
                if circle_of[c] != circle_of[target as usize] {
                    functions.insert(to);
                }
            }
        }
    }
    for (i, circle) in circles.iter().enumerate() {
        let without_context = |c: u32| view.solver.comps[c as usize].key.context.is_empty();
        // A closure that a decorator made of a function is one for each function.
        let decorated = |c: u32| view.solver.stands_for.contains_key(&CompId(c));
        called[i] |=
            circle.iter().any(|&c| without_context(c) && !decorated(c) && functions.contains(&view.func(CompId(c))));
        // A context that a call asked for and that no call is left of.
        called[i] |= !circle.iter().any(|&c| without_context(c));
        // Nobody calls these but they one another, in whatever context.
        let ring = circle.first().and_then(|&c| rings.get(&view.func(CompId(c))));
        called[i] &= circle.len() < 2 || ring.is_none_or(|ring| reached.contains(ring));
    }
    let mut entries: Vec<CompId> = circles
        .iter()
        .enumerate()
        .filter(|(i, _)| !called[*i])
        .filter_map(|(_, circle)| {
            // Of a circle, the function that the others are written in.
            let outermost = |c: &&u32| {
                let parent = view.solver.comps[**c as usize].key.parent;
                parent.is_none_or(|parent| !circle.contains(&parent.0))
            };
            // Of several that call one another, the first that leads on to a call.
            let first = circle.iter().filter(outermost).map(|&c| CompId(c)).filter(|&c| leads(c)).min_by_key(|&c| {
                let func = view.func(c);
                (func.file, view.function(c).span.start, c)
            });
            first.or(circle.iter().find(outermost).or(circle.first()).map(|&c| CompId(c)))
        })
        .filter(|&c| !matches!(view.function(c).kind, FunctionKind::FieldInit))
        .collect();
    let elsewhere = Elsewhere::new(view, &edges);
    entries.retain(|&c| leads(c) && !elsewhere.runs(view, &edges, c));
    // Of functions that call one another and that nobody else calls, the first.
    let place = |&c: &CompId| {
        let alone = circles.get(circle_of[c.0 as usize]).is_none_or(|circle| circle.len() < 2);
        (view.func(c).file, view.function(c).span.start, alone, c)
    };
    entries.sort_by_key(place);
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut sizes: FxHashMap<usize, u32> = FxHashMap::default();
    for &ring in rings.values() {
        *sizes.entry(ring).or_default() += 1;
    }
    entries.retain(|&c| {
        let ring = rings.get(&view.func(c)).copied();
        ring.is_none_or(|ring| sizes.get(&ring).is_none_or(|&n| n < 2) || seen.insert(ring))
    });
    entries.sort();
    entries
}

/// Functions that call one another, whatever the context: which ring each belongs to.
fn rings(view: &View, edges: &[Vec<u32>]) -> FxHashMap<FuncRef, usize> {
    let mut index: FxHashMap<FuncRef, u32> = FxHashMap::default();
    let mut number = |c: u32| {
        let next = index.len() as u32;
        *index.entry(view.func(CompId(c))).or_insert(next)
    };
    let mut calls: Vec<Vec<u32>> = Vec::new();
    for (c, list) in edges.iter().enumerate() {
        for at in std::iter::once(c as u32).chain(list.iter().copied()) {
            let at = number(at) as usize;
            if calls.len() <= at {
                calls.resize(at + 1, Vec::new());
            }
        }
        let from = number(c as u32) as usize;
        calls[from].extend(list.iter().map(|&target| number(target)));
    }
    let mut ring_of = vec![0usize; calls.len()];
    for (i, ring) in scc::components(&calls).iter().enumerate() {
        for &f in ring {
            ring_of[f as usize] = i;
        }
    }
    index.into_iter().map(|(func, at)| (func, ring_of[at as usize])).collect()
}

/// Functions by who calls them, and in which component.
struct Elsewhere {
    callers: FxHashMap<FuncRef, FxHashSet<(FuncRef, u32)>>,
}

impl Elsewhere {
    fn new(view: &View, edges: &[Vec<u32>]) -> Self {
        let mut callers: FxHashMap<FuncRef, FxHashSet<(FuncRef, u32)>> = FxHashMap::default();
        for (c, list) in edges.iter().enumerate() {
            let caller = view.func(CompId(c as u32));
            for &target in list {
                callers.entry(view.func(CompId(target))).or_default().insert((caller, target));
            }
        }
        Self { callers }
    }

    /// Whether a component only stands in for calls from outside, of a function that other functions call: it
    /// was started before they were seen, with nothing known of its arguments.
    fn runs(&self, view: &View, edges: &[Vec<u32>], comp: CompId) -> bool {
        let key = &view.solver.comps[comp.0 as usize].key;
        // Where module code runs first, what is called is not started by itself.
        if view.file(comp).language != Language::Rust {
            return false;
        }
        // Only calls make contexts: one that nothing calls is what a call was taken for before more was known.
        if !key.context.is_empty() {
            return true;
        }
        let Some(callers) = self.callers.get(&key.func) else { return false };
        // What it reaches itself is no caller: that would be its own recursion.
        let mut below: FxHashSet<FuncRef> = FxHashSet::default();
        below.insert(key.func);
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut stack = vec![comp.0];
        while let Some(at) = stack.pop() {
            for &next in &edges[at as usize] {
                if seen.insert(next) {
                    below.insert(view.func(CompId(next)));
                    stack.push(next);
                }
            }
        }
        callers.iter().any(|(caller, target)| *target != comp.0 && !below.contains(caller))
    }
}

impl<'p> Composer<'p, '_, '_> {
    /// The finished chains.
    pub fn finish(&mut self, window: f64) -> Vec<Chain> {
        self.listed = self.listings();
        let mut chains: Vec<Chain> = Vec::new();
        let mut index: FxHashMap<String, usize> = FxHashMap::default();
        let served = super::served::all(self.view);
        for comp in entry_components(self.view, |c| !self.parts[c.0 as usize].is_empty()) {
            let mut parts = self.parts[comp.0 as usize].clone();
            let (mut entry, wrappers) = self.entry_of(comp, served.get(&comp).copied());
            let of_class = self.run_policy(comp);
            let around = wrappers.into_iter().rev();
            let around: Vec<_> = around
                .filter_map(|(by, site)| {
                    self.machine.policy_of_decorator(by, site).or_else(|| self.entry_policy(by, site))
                })
                .collect();
            // What the platform repeats, where nothing in the code says more.
            let handler = if of_class.is_none() && around.is_empty() { self.handler_policy(comp) } else { None };
            if handler.is_some() && entry.kind == EntryKind::Function {
                entry.kind = EntryKind::Job;
            }
            for policy in of_class.into_iter().chain(handler) {
                let kind = LayerKind::by_name(&policy.layer.kind).unwrap_or(LayerKind::JobQueue);
                for part in &mut parts {
                    self.wrap_entry(part, &policy, kind);
                }
            }
            for policy in around {
                let kind = LayerKind::by_name(&policy.layer.kind).unwrap_or(LayerKind::Decorator);
                if self.only_makes(comp, &policy, kind) {
                    continue;
                }
                for part in &mut parts {
                    self.wrap_entry(part, &policy, kind);
                }
            }
            if parts.iter().any(|p| p.layers.first().is_some_and(|l| l.stands.below == p.path.len())) {
                self.entered.extend(parts.iter().map(|part| (comp, part.clone())));
            }
            for part in parts {
                let chain = self.chain(part, &entry, comp, window);
                if chain.layers.is_empty() {
                    continue;
                }
                let key = key_of(&chain);
                match index.get(&key) {
                    Some(&at) => {
                        let old = &mut chains[at];
                        if !old.entries.contains(&entry) {
                            old.entries.push(entry.clone());
                        }
                        // With the same layers, what is known of one way stands for the other.
                        if chain.confidence > old.confidence {
                            (old.worst, old.by_failure) = (chain.worst, chain.by_failure);
                        }
                        old.confidence = old.confidence.max(chain.confidence);
                        old.call.also_by(&chain.call);
                        if chain.path.len() < old.path.len() {
                            old.path = chain.path;
                        }
                    }
                    None => {
                        index.insert(key, chains.len());
                        chains.push(chain);
                    }
                }
            }
        }
        for chain in &mut chains {
            chain.entries.sort_by(|a, b| (a.place, &a.function).cmp(&(b.place, &b.function)));
        }
        chains.sort_by(|a, b| {
            let places = |c: &Chain| c.layers.iter().map(|l| l.place).collect::<Vec<_>>();
            (a.call.place, places(a)).cmp(&(b.call.place, places(b)))
        });
        chains
    }

    /// The entry that a component is, with the decorators around it.
    fn entry_of(&self, comp: CompId, served: Option<EntryKind>) -> (Entry, Vec<(Tok, Site)>) {
        let solver = self.view.solver;
        let mut func = self.view.func(comp);
        let mut env = solver.comps[comp.0 as usize].key.parent;
        if let Some(&(raw, raw_env)) = solver.stands_for.get(&comp) {
            func = raw;
            env = Some(raw_env);
        }
        let ir = &solver.files[func.file as usize];
        let function = ir.function(func.id);
        let mut wrappers = Vec::new();
        if let Some(env) = env
            && let Some(tok) = solver.tokens.find(&Token::Function { func, env })
            && let Some(value) = solver.decorated.get(&tok)
        {
            for tok in value.iter() {
                wrappers = self.view.wrappers(tok);
            }
        }
        if wrappers.is_empty()
            && let Some(env) = env
            && let Some(tok) = solver.tokens.find(&Token::Function { func, env })
        {
            // What is made of it is handed to whoever asks for it, and is run there.
            wrappers = self.view.made_of(tok);
            if !wrappers.is_empty()
                && matches!(function.kind, FunctionKind::Anonymous | FunctionKind::Arrow)
                && let Some(around) = function.parent.filter(|f| ir.function(*f).kind != FunctionKind::Module)
            {
                func = FuncRef { file: func.file, id: around };
            }
        }
        let function = ir.function(func.id);
        let kind = wrappers.iter().find_map(|(by, _)| super::served::kind_of(self.view, *by));
        let kind = kind.or(served).unwrap_or(match function.kind {
            FunctionKind::Module | FunctionKind::ClassBody => EntryKind::Module,
            _ => EntryKind::Function,
        });
        let name = crate::link::graph::qualified(ir, func.id);
        let name = if name.is_empty() { "<module>".to_string() } else { name };
        let place = Place { file: crate::source::FileId(func.file), span: function.name_span };
        (Entry { place, function: name, kind }, wrappers)
    }

    /// The layer of a job that is a class: a library runs one of its methods.
    fn run_policy(&self, comp: CompId) -> Option<Policy<'p>> {
        let solver = self.view.solver;
        let func = self.view.func(comp);
        let function = self.view.function(comp);
        let name = self.view.file(comp).name(function.name?);
        let body = solver.comps[comp.0 as usize].key.parent?;
        let env = solver.comps[body.0 as usize].key.parent?;
        let class = ClassRef { file: func.file, id: function.class? };
        let token = solver.tokens.find(&Token::Class { class, env })?;
        let callee = solver.external_base(token)?;
        let known = self.view.known(callee).filter(|k| k.is_constructor)?;
        let runs = |c: &crate::catalogue::schema::Class| c.runs.iter().any(|r| r == name);
        let base = known.class.and_then(|c| c.path.first())?;
        let (library, base) = solver.catalogue.bases(base).find(|(_, c)| runs(c))?;
        let layer = base.new.entry_layer.as_ref()?;
        let known = crate::link::known::Known { library, callable: &base.new, class: Some(base), is_constructor: true };
        let span = self.setting_of(class, layer.setting.as_deref()).unwrap_or(function.name_span);
        let place = Place { file: crate::source::FileId(func.file), span };
        let overrides = Vec::new();
        Some(Policy {
            known,
            layer,
            callee,
            made: None,
            place,
            comp,
            overrides,
            applied: None,
            entry: Some(Some(token)),
        })
    }

    /// Where a class gives an attribute a value.
    pub(super) fn setting_of(&self, class: ClassRef, setting: Option<&str>) -> Option<crate::ir::Span> {
        use crate::ir::{Pattern, Stmt};
        let file = &self.view.solver.files[class.file as usize];
        let body = file.function(file.class(class.id).body).body;
        file.block(body).iter().find_map(|&id| {
            let Stmt::Assign { targets, .. } = file.stmt(id) else { return None };
            let named = targets.iter().any(|t| match file.pattern(*t) {
                Pattern::Bind(var) => Some(file.name(file.var(*var).name)) == setting,
                _ => false,
            });
            named.then(|| file.stmt_spans[id.index()])
        })
    }

    /// The layer of a job that nothing is seen to start.
    fn entry_policy(&self, by: Tok, site: Site) -> Option<Policy<'p>> {
        let (callee, made) = match *self.view.token(by) {
            Token::Made { callee, .. } => (callee, Some(by)),
            _ => (by, None),
        };
        let known = self.view.known(callee)?;
        let layer = known.callable.entry_layer.as_ref()?;
        let span = self.view.file(site.comp).exprs.get(site.expr.index())?.span;
        let place = self.view.place(site.comp, span);
        let (comp, overrides) = (site.comp, Vec::new());
        Some(Policy { known, layer, callee, made, place, comp, overrides, applied: None, entry: Some(None) })
    }

    fn chain(&self, part: Part, entry: &Entry, comp: CompId, window: f64) -> Chain {
        let layers: Vec<Layer> =
            part.layers.iter().filter(|l| l.counts.iter().any(|c| *c != Count::ONE)).map(|l| l.layer.clone()).collect();
        // The worst case is that of one variant: the classes' tables say the rest.
        let mut by = [Count::ONE; 9];
        for (i, variant) in super::variant::VARIANTS.iter().enumerate() {
            let unseen = part.at_least.then_some(Count::Unknown(1));
            let product = Count::product(part.layers.iter().map(|l| l.counts[i]).chain(unseen));
            let slot = &mut by[variant.failure.index()];
            *slot = slot.larger(product);
        }
        let worst = by.into_iter().reduce(Count::larger).unwrap_or(Count::ONE);
        let (shortest, longest) = timing::durations(&layers, part.call.timeout);
        let path = part
            .path
            .iter()
            .map(|&(at, expr)| Step { place: self.view.call_place(at, expr), function: self.view.name(at) })
            .collect();
        let unknown_waits = layers.iter().any(|l| l.waits.kind == WaitKind::Unknown && !l.waits.by_engine);
        let confidence = if unknown_waits { part.confidence.min(Confidence::Medium) } else { part.confidence };
        let confidence = if part.at_least { confidence.min(Confidence::Medium) } else { confidence };
        let confidence = if part.is_guessed() { Confidence::Low } else { confidence };
        let _ = comp;
        Chain {
            entries: vec![entry.clone()],
            call: (*part.call).clone(),
            worst,
            by_failure: by,
            peak: timing::peak(&layers, window),
            shortest,
            longest,
            confidence,
            path,
            layers,
        }
    }
}

fn key_of(chain: &Chain) -> String {
    use std::fmt::Write;
    let mut key = format!("{:?}", chain.call.place);
    for layer in &chain.layers {
        let _ = write!(key, "|{:?}{:?}{:?}", layer.place, layer.kind, layer.by_failure);
    }
    key
}
