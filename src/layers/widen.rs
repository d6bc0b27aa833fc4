//! Loops whose counter runs away from its test: a turn is tried with a counter of any value that is still to
//! come, and if it goes on for all of them, the loop has no end.

use super::loops::WhileLoop;
use super::machine::Machine;
use super::relevant::LoopFacts;
use super::state::{Exits, Happening, Slot, State};
use super::val::{Num, Val};
use crate::ir::VarId;
use crate::link::token::Tok;
use std::rc::Rc;

/// Turns at which it is tried.
const TRIED_AT: [u32; 3] = [4, 16, 64];

/// Whether the waits of a path still grow: the last ones are not all as long.
fn waits_grow(state: &State) -> bool {
    let mut waits = state.trace.newest_first().filter_map(|happening| match happening {
        Happening::Sleep { hi, .. } => Some(*hi),
        Happening::Call { .. } => None,
    });
    matches!(
        (waits.next(), waits.next(), waits.next()),
        (Some(last), Some(before), Some(first)) if first <= before && before <= last && first < last
    )
}

/// Whether a turn that begins like an earlier one is run all the same, since it waits longer than that one did.
pub(super) fn waits_on(facts: &LoopFacts, seen: &[State], now: &State) -> bool {
    let waits_alike = |old: &&State| match (old.stack.last(), now.stack.last()) {
        (Some(x), Some(y)) => facts.waiting.iter().all(|v| x.env.get(v) == y.env.get(v)),
        _ => true,
    };
    waits_grow(now) || !seen.iter().filter(|old| facts.same(old, now)).any(|old| waits_alike(&old))
}

/// What moves from turn to turn, and which way.
struct Moving {
    vars: Vec<(VarId, bool)>,
    fields: Vec<((Tok, Rc<str>), bool)>,
}

impl<'p> Machine<'p, '_, '_> {
    /// Whether a path that is about to begin a turn goes around for ever, since what moves only moves further.
    pub fn runs_away(
        &mut self,
        turn: u32,
        before: Option<&State>,
        state: &State,
        facts: &LoopFacts,
        parts: &WhileLoop,
        outer: &Rc<Vec<Slot>>,
    ) -> bool {
        if !TRIED_AT.contains(&turn) || state.open.is_some() {
            return false;
        }
        // As long as its waits grow, whether they come to an end is seen by going on.
        if turn == TRIED_AT[0] && waits_grow(state) {
            return false;
        }
        let Some(moving) = before.and_then(|before| moving(before, state, facts)) else { return false };
        let mut start = state.clone();
        for (var, up) in &moving.vars {
            if let Some(value) = start.env().get_mut(var) {
                *value = onwards(value, *up);
            }
        }
        for (field, up) in &moving.fields {
            if let Some(value) = start.heap.get_mut(field) {
                *value = onwards(value, *up);
            }
        }
        let flags = (self.reads_header, self.by_status, self.decided, self.clock_read, self.cut);
        let known = self.endless.len();
        let (mut next, mut exits) = (Vec::new(), Exits::default());
        let ends = self.turn(vec![start.clone()], parts, outer, &mut next, &mut exits);
        let mut going = Vec::new();
        for end in ends {
            match parts.before {
                None => going.push(end),
                Some(test) => self.loop_test(end, test, outer, parts.otherwise, &mut going, &mut next, &mut exits),
            }
        }
        let ended = self.endless.len() > known || (self.cut && !flags.4);
        self.endless.truncate(known);
        (self.reads_header, self.by_status, self.decided, self.clock_read, self.cut) = flags;
        let left = !next.is_empty()
            || !exits.returns.is_empty()
            || !exits.raises.is_empty()
            || !exits.breaks.is_empty()
            || !exits.continues.is_empty();
        !ended && !left && !going.is_empty() && going.iter().all(|end| covered(end, &start, &moving, facts))
    }
}

/// What differs between the starts of two turns; none if it is not numbers only.
fn moving(before: &State, now: &State, facts: &LoopFacts) -> Option<Moving> {
    let (old, new) = (before.stack.last()?, now.stack.last()?);
    let others = before.stack.len().checked_sub(1)?;
    if before.stack.len() != now.stack.len()
        || old.comp != new.comp
        || before.stack[..others] != now.stack[..others]
        || before.heap.len() != now.heap.len()
        || before.caught.is_some() != now.caught.is_some()
        || (now.timed && before.clock != now.clock)
    {
        return None;
    }
    let mut found = Moving { vars: Vec::new(), fields: Vec::new() };
    for var in &facts.relevant {
        match (old.env.get(var), new.env.get(var)) {
            (a, b) if a == b => {}
            (Some(a), Some(b)) => found.vars.push((*var, goes_up(a, b)?)),
            _ => return None,
        }
    }
    for (field, value) in now.heap.iter() {
        match before.heap.get(field) {
            Some(old) if old == value => {}
            Some(old) => found.fields.push((field.clone(), goes_up(old, value)?)),
            None => return None,
        }
    }
    (!found.vars.is_empty() || !found.fields.is_empty()).then_some(found)
}

fn goes_up(before: &Val, now: &Val) -> Option<bool> {
    let (before, now) = (before.as_exact()?, now.as_exact()?);
    (before != now && now.is_finite()).then_some(now > before)
}

/// The value, and all further ones.
fn onwards(value: &Val, up: bool) -> Val {
    match value {
        Val::Num(n) if up => Val::Num(Num { hi: f64::INFINITY, ..*n }),
        Val::Num(n) => Val::Num(Num { lo: f64::NEG_INFINITY, ..*n }),
        other => other.clone(),
    }
}

/// Whether a turn ends where its start covers it.
fn covered(end: &State, start: &State, moving: &Moving, facts: &LoopFacts) -> bool {
    let (Some(new), Some(old)) = (end.stack.last(), start.stack.last()) else { return false };
    let others = start.stack.len() - 1;
    if (end.timed && end.clock != start.clock)
        || end.open.is_some()
        || end.stack.len() != start.stack.len()
        || end.stack[..others] != start.stack[..others]
        || new.comp != old.comp
        || end.heap.len() != start.heap.len()
        || end.caught.is_some() != start.caught.is_some()
    {
        return false;
    }
    let moves = |var: &VarId| moving.vars.iter().any(|(v, _)| v == var);
    let within = |a: Option<&Val>, b: Option<&Val>| match (a, b) {
        (Some(Val::Num(a)), Some(Val::Num(b))) => a.lo >= b.lo && a.hi <= b.hi,
        _ => false,
    };
    facts.relevant.iter().all(|var| {
        let (a, b) = (new.env.get(var), old.env.get(var));
        if moves(var) { within(a, b) } else { a == b }
    }) && end.heap.iter().all(|(field, value)| {
        let old = start.heap.get(field);
        if moving.fields.iter().any(|(f, _)| f == field) { within(Some(value), old) } else { old == Some(value) }
    })
}
