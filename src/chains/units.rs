//! Runs of units under every variant of a failure, within bounds.

use super::compose::{Composer, OUTCOMES};
use super::model::*;
use super::part::Part;
use super::unseen::unseen;
use super::variant::VARIANTS;
use crate::ir::Language;
use crate::layers::machine::{Callee, CalleeKey, Outcome};
use crate::layers::unit::{OwnLayer, UnitResult};
use crate::link::component::Target;
use crate::link::token::*;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Steps for a function that needed too many before.
const LITTLE: usize = 1_500;
/// The runs of one function may take so many steps, in all contexts and for all failures.
const MOST_STEPS: usize = 60_000;
/// As long as all together have taken little, one function may take so many: a loop over a minute's polls.
const MOST_AT_FIRST: usize = 240_000;
/// So much is little.
const LITTLE_ALTOGETHER: usize = 600_000;
/// The runs of all functions may take so many steps together: some seconds.
const MOST_ALTOGETHER: usize = 3_000_000;
/// And so many more for each component of the program.
const PER_COMPONENT: usize = 20;

/// What a function may take in any case where a retry is likely to be written: it has a loop of its own, or the call that
/// leaves the process is its own. There are no more of these than the program is long.
const OWN_STEPS: usize = 10_000;
/// And so many where both is true.
const OWN_STEPS_OF_LOOPS: usize = 40_000;
/// So many contexts of a function are remembered that were looked at to the end.
const CONTEXTS: usize = 8;

/// What one function may take once all together have taken so much: those that take most end first, so that the
/// many small ones are looked at to the end.
fn allowance(all: usize) -> usize {
    match all / MOST_ALTOGETHER {
        0 if all < LITTLE_ALTOGETHER => MOST_AT_FIRST,
        0 => MOST_STEPS,
        1 => MOST_STEPS / 12,
        // No more is looked at: it has to end.
        _ => 0,
    }
}

/// What became of a unit under every variant of a failure.
pub(super) struct Runs {
    /// Its own layers, with their counts by variant.
    pub found: Vec<(OwnLayer, Vec<Count>)>,
    /// How it ends, by variant.
    pub outcomes: Vec<Vec<Outcome>>,
    /// It calls the callee at all.
    pub reached: bool,
    /// It was not followed to its end.
    pub lost: bool,
    /// So little was looked at that retries of its own can have been missed.
    pub spent: bool,
}

impl Composer<'_, '_, '_> {
    /// Runs a unit under every variant of a callee's failures: its own layers, how it ends, and whether it calls
    /// the callee at all.
    pub(super) fn runs(&mut self, comp: CompId, unit: &Rc<FxHashSet<CompId>>, key: &CalleeKey, inner: &Part) -> Runs {
        let mut found: Vec<(OwnLayer, Vec<Count>)> = Vec::new();
        let mut outcomes: Vec<Vec<Outcome>> = Vec::with_capacity(VARIANTS.len());
        let (mut reached, mut lost, mut spent) = (false, false, false);
        let returns = inner.outcomes.iter().flatten().any(|end| matches!(end, Outcome::Value(_)));
        let unused = returns && self.discards(unit, key);
        for (i, _) in VARIANTS.iter().enumerate() {
            let mut ends: Vec<Outcome> = Vec::new();
            // One that never comes back, as far as anybody can see: what would do it over if it failed is around it all
            // the same.
            let error = crate::layers::val::Error { injected: true, ..self.machine.unknown_error() };
            let never = [Outcome::Raise(Rc::new(error))];
            let fails = if inner.outcomes[i].is_empty() { &never[..] } else { &inner.outcomes[i] };
            for outcome in fails {
                if let Some(value) = unseen(outcome, self.view.file(comp).language) {
                    reached |= self.unit(comp, key, &value, unit).reached;
                    if !ends.contains(outcome) {
                        ends.push(outcome.clone());
                    }
                    continue;
                }
                let result = self.unit(comp, key, outcome, unit);
                reached |= result.reached;
                lost |= result.cut;
                spent |= result.exhausted && result.layers.is_empty();
                let told = self.told_apart(comp, key, outcome, &result.layers);
                let layers = told.as_ref().unwrap_or(&result.layers);
                if let Some(end) = self.unseen_end(comp, key, outcome, unit, &result) {
                    merge_layers(&mut found, layers, i);
                    if !ends.contains(&end) {
                        ends.push(end);
                    }
                    continue;
                }
                // What nobody looks at is not why something else is raised later.
                let unrelated = |end: &Outcome| {
                    unused && matches!((outcome, end), (Outcome::Value(_), Outcome::Raise(e)) if !e.injected)
                };
                let some = result.outcomes.iter().any(|end| !unrelated(end));
                for end in result.outcomes.iter().filter(|end| !some || !unrelated(end)) {
                    if !ends.contains(end) && ends.len() < OUTCOMES {
                        ends.push(end.clone());
                    }
                }
                merge_layers(&mut found, layers, i);
            }
            outcomes.push(ends);
        }
        Runs { found, outcomes, reached, lost, spent }
    }

    /// How a unit ends that was not followed to its end: what failed is passed on, and nobody knows what becomes of an
    /// answer (somebody may look at its status and raise).
    fn passed_on(&self, outcome: &Outcome) -> Outcome {
        match outcome {
            Outcome::Raise(_) => outcome.clone(),
            Outcome::Value(_) => {
                let error = self.machine.unknown_error();
                Outcome::Raise(Rc::new(crate::layers::val::Error { injected: true, ..error }))
            }
        }
    }

    /// Whether what a callee gives is used nowhere in a unit, and it leaves nothing else behind.
    fn discards(&mut self, unit: &FxHashSet<CompId>, key: &CalleeKey) -> bool {
        let marks = matches!(key.target, Callee::Comp(target) if self.leaves_marks(target));
        !marks && self.uses_nothing_of(unit, key)
    }

    /// Whether what a callee gives is used nowhere in a unit.
    pub(super) fn uses_nothing_of(&mut self, unit: &FxHashSet<CompId>, key: &CalleeKey) -> bool {
        let mut found = false;
        for &comp in unit {
            let func = self.view.func(comp);
            let file = self.view.file(comp);
            if file.language != crate::ir::Language::JavaScript {
                return false;
            }
            for call in self.view.all_calls(comp) {
                let may_be = match (call.target, key.target) {
                    (Target::Comp(target), Callee::Comp(failing)) => target == failing,
                    (Target::External(_), Callee::External(_)) => true,
                    _ => false,
                };
                if !may_be || self.machine.key_of(comp, call.expr, call).as_ref() != Some(key) {
                    continue;
                }
                found = true;
                let unused = self.unused.entry(func.file).or_insert_with(|| super::in_place::unused(file));
                if !unused.contains(&call.expr) {
                    return false;
                }
            }
        }
        found
    }

    /// What a function may take however much the others took.
    fn own_steps(&mut self, comp: CompId, key: &CalleeKey) -> usize {
        let func = self.view.func(comp);
        let loops = match self.looping.get(&func) {
            Some(&known) => known,
            None => {
                let loops = self.loops(comp);
                self.looping.insert(func, loops);
                loops
            }
        };
        match (loops, matches!(key.target, Callee::External(_))) {
            (true, true) => OWN_STEPS_OF_LOOPS,
            (true, false) | (false, true) => OWN_STEPS,
            (false, false) => 0,
        }
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
        if let Some(list) = self.memo.get_mut(&slot) {
            if let Some((_, result)) = list.iter().find(|(o, _)| o == outcome) {
                return result.clone();
            }
            // What is not called does not fail.
            if let Some((_, result)) = list.iter().find(|(_, result)| !result.reached) {
                return result.clone();
            }
            let by_library = key.handed_to.is_some() && self.view.file(comp).language != Language::Rust;
            if !by_library && let Some(result) = self.machine.swapped(list, outcome) {
                let result = Rc::new(result);
                list.push((outcome.clone(), result.clone()));
                return result;
            }
        }
        // A function that was too much before, in whatever context, is given little time again, and none in the end.
        let func = self.view.func(comp);
        let (spent, was_cut) = self.heavy.get(&func).copied().unwrap_or_default();
        let all = self.spent.saturating_sub(self.reaching.len() * PER_COMPONENT);
        let own = self.own_steps(comp, key);
        let most = allowance(all).max(own);
        let much = was_cut || spent > most;
        self.machine.budget = if much { LITTLE } else { crate::layers::machine::STEPS.min(most) };
        self.machine.used = 0;
        let refused = most == 0 || spent > 2 * most;
        let elsewhere = if refused { self.in_another_context(comp, &slot.1, outcome) } else { None };
        let known = elsewhere.is_some();
        let result = Rc::new(if let Some(result) = elsewhere {
            UnitResult { cut: true, ..(*result).clone() }
        } else if refused {
            // What fails in it is passed on: more of it cannot be looked at.
            let outcomes = vec![self.passed_on(outcome)];
            UnitResult { outcomes, reached: true, cut: true, exhausted: true, ..UnitResult::default() }
        } else {
            self.machine.unit(comp, key, outcome, unit)
        });
        let result = if result.exhausted || (result.cut && !result.reached) {
            // (A path that was dropped may have led to the callee.) How often it is repeated here was counted as far as
            // it went.
            let passed = self.passed_on(outcome);
            Rc::new(UnitResult { outcomes: vec![passed], reached: true, exhausted: true, ..(*result).clone() })
        } else {
            result
        };
        let idle = !known
            && !result.layers.is_empty()
            && !result.exhausted
            && self.makes_no_difference(comp, key, outcome, unit, &result);
        let result = if idle { Rc::new(UnitResult { layers: Vec::new(), ..(*result).clone() }) } else { result };
        let result = Rc::new(UnitResult { ends: result.outcomes.clone(), ..(*result).clone() }.told());
        let known = self.heavy.entry(func).or_default();
        let before = known.0;
        known.0 += self.machine.used;
        known.1 |= result.exhausted;
        // What is its own in any case is taken from nobody else.
        self.spent += known.0.max(own) - before.max(own);
        if result.cut {
            let name = self.view.name(comp);
            let note = format!("paths through {name} beyond the limit");
            if !self.cut.contains(&note) {
                self.cut.push(note);
            }
        }
        if !result.cut {
            let contexts = self.looked_at.entry(func).or_default();
            if contexts.len() < CONTEXTS && !contexts.contains(&slot) {
                contexts.push(slot.clone());
            }
        }
        self.memo.entry(slot).or_default().push((outcome.clone(), result.clone()));
        result
    }

    /// What became of the same failure of the same callee in another context of a function.
    fn in_another_context(&self, comp: CompId, key: &CalleeKey, outcome: &Outcome) -> Option<Rc<UnitResult>> {
        let same = |other: &CalleeKey| match (other.target, key.target) {
            (Callee::Comp(a), Callee::Comp(b)) => self.view.func(a) == self.view.func(b),
            (Callee::External(a), Callee::External(b)) => a == b,
            _ => false,
        };
        let contexts = self.looked_at.get(&self.view.func(comp))?;
        let slots = contexts.iter().filter(|(_, other, fail)| same(other) && *fail == self.machine.others_fail);
        slots
            .filter_map(|slot| self.memo.get(slot))
            .flatten()
            .find(|(other, result)| other == outcome && !result.cut)
            .map(|(_, result)| result.clone())
    }
}

/// Adds the layers found for one variant to those of the others, keeping their order.
pub(super) fn merge_layers(found: &mut Vec<(OwnLayer, Vec<Count>)>, layers: &[OwnLayer], variant: usize) {
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
