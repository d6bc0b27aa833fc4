//! Executions of the failing call on a path, as they stand in its trace.

use super::state::{Happening, Slot, State};
use crate::ir::ExprId;
use crate::link::token::CompId;
use crate::source::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

#[derive(Clone)]
pub(super) struct Event {
    pub slots: Rc<Vec<Slot>>,
    pub at: usize,
    pub site: (CompId, ExprId),
}

/// In how many turns of a loop the call was executed.
pub(super) fn turns_of(state: &State, place: Place) -> usize {
    let mut seen = FxHashSet::default();
    for event in events_all(&state.trace.to_vec()) {
        for slot in event.slots.iter() {
            if slot.place == place {
                seen.insert(slot.turn);
            }
        }
    }
    seen.len()
}

/// Events of a recursion's first level stand in no recursive call: it is counted as turn 0.
pub(super) fn from_the_first_level(mut events: Vec<Event>) -> Vec<Event> {
    let first = events.iter().find_map(|e| e.slots.first().copied().filter(|s| s.recursion));
    if let Some(first) = first {
        for event in &mut events {
            if event.slots.first().is_none_or(|s| s.place != first.place) {
                let start = Slot { turn: 0, ..first };
                event.slots = Rc::new(std::iter::once(start).chain(event.slots.iter().copied()).collect());
            }
        }
    }
    events
}

pub(super) fn events_all(trace: &[Happening]) -> Vec<Event> {
    trace
        .iter()
        .enumerate()
        .filter_map(|(at, h)| match h {
            Happening::Call { slots, site, .. } => Some(Event { slots: slots.clone(), at, site: *site }),
            Happening::Sleep { .. } => None,
        })
        .collect()
}

/// The executions of the largest group of calls that do the same work; the first of equal ones.
pub(super) fn events_of(trace: &[Happening]) -> Vec<Event> {
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    let mut order: Vec<u64> = Vec::new();
    for happening in trace {
        if let Happening::Call { work, .. } = happening {
            let count = counts.entry(*work).or_insert(0);
            if *count == 0 {
                order.push(*work);
            }
            *count += 1;
        }
    }
    let mut best: Option<(u64, usize)> = None;
    for work in order {
        let n = counts.get(&work).copied().unwrap_or(0);
        if best.is_none_or(|(_, most)| n > most) {
            best = Some((work, n));
        }
    }
    let Some((wanted, _)) = best else { return Vec::new() };
    trace
        .iter()
        .enumerate()
        .filter_map(|(at, h)| match h {
            Happening::Call { slots, site, work, .. } if *work == wanted => {
                Some(Event { slots: slots.clone(), at, site: *site })
            }
            _ => None,
        })
        .collect()
}
