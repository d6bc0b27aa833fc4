//! Recursion: entering a function again, and whether that ever ends.

use super::machine::{Machine, RECURSION};
use super::state::{Entry, Exits, Slot, State};
use crate::ir::*;
use crate::link::component::Target;
use crate::link::token::*;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// So deep goes nobody who counts, if each level is much to follow.
const DEEP_DOWN: usize = 40;

impl Machine<'_, '_, '_> {
    /// A recursion that does not end, as far as anybody can see.
    pub(super) fn recurses_for_ever(&mut self, state: &State, exits: &mut Exits) {
        if state.open.is_some() && !state.timed {
            // A number that nobody knows decides how deep it goes.
            return;
        }
        if self.skipped {
            // What would have ended it may stand in what was not looked into.
            let mut state = state.clone();
            state.open.get_or_insert_with(|| Rc::from("there are too many ways to go on to follow them all"));
            exits.raises.push((state, self.never()));
            return;
        }
        if self.is_made_anew(state) {
            let mut state = state.clone();
            state.open.get_or_insert_with(|| Rc::from("each level is made with numbers of its own"));
            exits.raises.push((state, self.never()));
            return;
        }
        // What goes down into other elements each time is no repetition.
        let descends = state.stack.last().is_some_and(|a| !a.about.is_empty());
        if let Some(slot) = state.slots.iter().rev().find(|s| s.recursion)
            && !descends
        {
            self.endless.push((slot.place, state.timed));
        }
        exits.raises.push((state.clone(), self.never()));
    }

    /// Whether the running closure makes itself anew, by a call of the function around it, and reads what that was given
    /// (`retrying(tries - 1)(url)`): what one level captured is not what the next one has.
    fn is_made_anew(&self, state: &State) -> bool {
        let comp = self.comp(state);
        let (file, func) = (self.view.file(comp), self.view.func(comp));
        let Some(maker) = file.function(func.id).parent.filter(|maker| *maker != MODULE) else { return false };
        let maker_is = |c: CompId| self.view.func(c) == FuncRef { file: func.file, id: maker };
        let makes = self.view.all_calls(comp).iter().any(|r| matches!(r.target, Target::Comp(t) if maker_is(t)));
        if !makes || state.stack.iter().any(|a| maker_is(a.comp)) {
            return false;
        }
        let mut given = Vec::new();
        for param in &file.function(maker).params {
            super::relevant::bound_vars(file, param.pattern, &mut given);
        }
        let span = file.function(func.id).span;
        file.exprs.iter().any(|e| {
            span.start <= e.span.start
                && e.span.end <= span.end
                && matches!(e.kind, ExprKind::Var(v) if given.contains(&v))
        })
    }

    /// Whether a function that runs so many times inside itself is taken never to end: it went deep, or goes deep and
    /// takes what there is to find out how deep.
    pub(super) fn is_bottomless(&self, levels: usize) -> bool {
        levels >= RECURSION || (levels >= DEEP_DOWN && self.steps < self.budget / 2)
    }

    pub(super) fn recurse(&mut self, e: ExprId, target: CompId, state: &mut State) {
        let mut place = self.view.call_place(self.comp(state), e);
        // One that calls itself at several places is one recursion: it stands where the function does.
        let members = self.plan.unit.iter();
        let sites = members.flat_map(|&c| {
            self.view.all_calls(c).iter().filter(|r| r.target == Target::Comp(target)).map(move |r| (c, r.expr))
        });
        if sites.collect::<FxHashSet<_>>().len() > 1 {
            place = self.view.place(target, self.view.function(target).name_span);
        }
        let mut slots = (*state.slots).clone();
        match slots.iter().position(|s| s.recursion && s.place == place) {
            Some(at) => {
                slots.truncate(at + 1);
                slots[at].turn += 1;
            }
            None => slots.push(Slot { place, turn: 1, recursion: true, body: BlockId(0), per_item: false }),
        }
        state.slots = Rc::new(slots);
    }

    /// Writes down how the running activation was entered. False: it was entered like this before, and never ends.
    pub fn note_entry(&mut self, comp: CompId, state: &mut State) -> bool {
        if !self.plan.unit.contains(&comp) {
            return true;
        }
        let Some(deciding) = self.deciding(comp) else { return true };
        let Some((running, others)) = state.stack.split_last_mut() else { return true };
        let entry = Entry { env: running.env.clone(), heap: state.heap.clone(), clock: state.clock };
        let alike = |old: &Entry| {
            deciding.iter().all(|v| old.env.get(v) == entry.env.get(v))
                && old.heap == entry.heap
                && (!state.timed || old.clock == entry.clock)
        };
        // Twice, so that what is done over shows.
        let before = others.iter().filter(|a| a.comp == comp).filter_map(|a| a.entry.as_ref()).filter(|e| alike(e));
        let again = before.count() >= 2;
        running.entry = Some(Rc::new(entry));
        !again
    }

    /// Parameters that decide how a recursion goes on; none if the function does not come back to itself.
    fn deciding(&mut self, comp: CompId) -> Option<Rc<FxHashSet<VarId>>> {
        if let Some(known) = self.deciding.get(&comp) {
            return known.clone();
        }
        // A closure goes on as what it captures says: the function around it, entered as often, decides.
        let around = self.view.solver.comps[comp.0 as usize].key.parent;
        if around.is_some_and(|around| self.plan.unit.contains(&around)) {
            self.deciding.insert(comp, None);
            return None;
        }
        let recursive: Vec<ExprId> = self
            .view
            .all_calls(comp)
            .iter()
            .filter(|c| matches!(c.target, Target::Comp(t) if self.plan.unit.contains(&t)))
            .map(|c| c.expr)
            .collect();
        let found = if recursive.is_empty() {
            None
        } else if self.plan.unit.len() > 1 {
            let function = self.view.function(comp);
            let mut all = Vec::new();
            for param in &function.params {
                super::relevant::bound_vars(self.view.file(comp), param.pattern, &mut all);
            }
            Some(Rc::new(all.into_iter().collect()))
        } else {
            let runs = self.run_in_place(comp);
            let facts = super::relevant::LoopFacts::of_recursion(
                self.view.file(comp),
                self.view.function(comp),
                &recursive,
                &runs,
            );
            Some(Rc::new(facts))
        };
        self.deciding.insert(comp, found.clone());
        found
    }
}
