//! Composes the chains of all components, callees first.

use super::part::Part;
use super::scc;
use crate::catalogue::schema;
use crate::ir::{ExprId, Language};
use crate::layers::machine::{CalleeKey, Machine, Outcome};
use crate::layers::unit::UnitResult;
use crate::layers::view::View;
use crate::link::component::{Target, Via};
use crate::link::token::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Functions that call each other in larger circles are run one by one: their recursion is no retry.
const CIRCLE: usize = 8;
/// At most so many chains are kept for one function.
const CHAINS: usize = 128;
/// And so many for one in a large circle: its chains go through the others, in whatever order they are looked at.
const CHAINS_IN_CIRCLE: usize = 6;
/// Chains of more layers than anybody stacks: circles make them.
const LAYERS: usize = 24;
/// At most so many paths of outcomes are followed for one variant.
pub(super) const OUTCOMES: usize = 6;

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
    pub(super) callers: Vec<Vec<(CompId, ExprId, Via)>>,
    /// Chains of entry points with the layers that their engines put around them.
    pub entered: Vec<(CompId, Part)>,
    /// Functions that needed too many steps.
    pub heavy: FxHashMap<FuncRef, (usize, bool)>,
    /// Whether a function has a loop of its own, by function.
    pub(super) looping: FxHashMap<FuncRef, bool>,
    /// Units that were run to the end, by function.
    pub(super) looked_at: FxHashMap<FuncRef, Vec<(CompId, CalleeKey, bool)>>,
    /// Steps that all runs took.
    pub(super) spent: usize,
    /// For components that are called wherever another one is, and in the same ways: that one.
    pub(super) alike: Vec<CompId>,
    /// Futures that race each other, by file.
    pub(super) races: FxHashMap<u32, super::deadline::Races>,
    /// Units run so far.
    pub(super) memo: FxHashMap<(CompId, CalleeKey, bool), Vec<(Outcome, Rc<UnitResult>)>>,
    /// Writes to counters, by file.
    pub(super) counters: FxHashMap<u32, Rc<super::counting::Counters>>,
    /// What became of failures that may go unseen.
    pub(super) unseen: super::unseen::Unseen,
    /// Expressions whose values nobody uses, by file.
    pub(super) unused: FxHashMap<u32, FxHashSet<ExprId>>,
    /// Functions that a class of the program lists, with the attribute's name and the class.
    pub(super) listed: FxHashMap<FuncRef, Vec<(String, Tok)>>,
    /// Calls whose clients the program makes.
    pub(super) clients_made: Option<FxHashSet<(FuncRef, ExprId)>>,
    /// How many objects the program makes of each of its types.
    pub(super) made: Option<FxHashMap<ClassRef, usize>>,
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
            looping: FxHashMap::default(),
            looked_at: FxHashMap::default(),
            spent: 0,
            alike: super::alike::alike(view),
            races: FxHashMap::default(),
            memo: FxHashMap::default(),
            counters: FxHashMap::default(),
            unseen: Default::default(),
            unused: FxHashMap::default(),
            listed: FxHashMap::default(),
            clients_made: None,
            made: None,
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
                    self.parts_of(comp, &alone, CHAINS_IN_CIRCLE)
                } else {
                    let unit = self.with_counting(comp, &unit);
                    self.parts_of(comp, &unit, CHAINS)
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
    fn callees(&mut self, comp: CompId, unit: &FxHashSet<CompId>) -> Vec<(CalleeKey, CompId, ExprId)> {
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
                if !relevant || self.is_only_assumed(member, call.expr, call.callee) {
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

    fn parts_of(&mut self, comp: CompId, unit: &Rc<FxHashSet<CompId>>, most: usize) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (key, at, expr) in self.callees(comp, unit) {
            for inner in self.inner_parts(&key, at, expr) {
                if inner.layers.len() > LAYERS {
                    self.cut.push(format!("chains of more than {LAYERS} layers below {}", self.view.name(comp)));
                    continue;
                }
                if self.is_in_itself(comp, &inner) {
                    continue;
                }
                let again = self.may_be_told(&key, &inner).then(|| inner.clone());
                let Some(part) = self.around(comp, unit, &key, at, expr, inner) else { continue };
                let part = match again {
                    Some(inner) => self.better_in_place(comp, unit, &key, at, expr, &inner, part),
                    None => part,
                };
                self.add(&mut parts, part);
            }
        }
        if parts.len() > most {
            parts.sort_by_key(|p| (p.unseen, std::cmp::Reverse(p.weight())));
            parts.truncate(most);
            if most == CHAINS {
                self.cut.push(format!("chains below {} beyond the largest {CHAINS}", self.view.name(comp)));
            }
        }
        parts
    }

    fn add(&self, parts: &mut Vec<Part>, part: Part) {
        for old in parts.iter_mut() {
            if old.sink == part.sink && old.same_layers(&part) {
                // A timeout that is set on one of the ways to the call is set where there is one to set.
                if self.view.file(part.sink.0).language == Language::Rust
                    && [&old.call, &part.call].iter().any(|call| call.timeout == Some(f64::INFINITY))
                    && old.call.timeout != part.call.timeout
                {
                    Rc::make_mut(&mut old.call).timeout = None;
                }
                if part.lost.is_none() {
                    old.lost = None;
                }
                old.at_least &= part.at_least;
                if part.call.client.is_some() && old.call.client != part.call.client {
                    Rc::make_mut(&mut old.call).also_by(&part.call);
                }
                old.also(&part);
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
}

/// Whether a language fails by value.
pub fn fails_by_value(language: Language) -> bool {
    language == Language::Rust
}
