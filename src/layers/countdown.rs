//! Numbers that nobody knows and that are counted on: `left -= 1`. The turns of a loop that does so look alike, and still
//! it ends.

use super::machine::Machine;
use super::narrow::{Bounds, Place};
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::*;
use std::rc::Rc;

/// Follows the name of a place, where it stands for how often the place was counted on.
pub(super) const COUNTED: char = '#';
/// A loop that counts is followed for so many turns.
pub(super) const COUNTING_TURNS: u32 = 3;

/// How many paths there were that had left a loop.
pub(super) struct Left(usize, usize, usize);

impl Machine<'_, '_, '_> {
    /// Binds a value that counts an unknown number on, if it does: `left -= 1`, `left = left - 1`, `left--`.
    pub(super) fn bind_counted(
        &mut self,
        state: &mut State,
        target: PatId,
        value: Option<ExprId>,
        op: Option<AssignOp>,
        result: &Val,
    ) {
        let counted = if *result == Val::Unknown { self.counting(state, target, value, op) } else { None };
        self.bind(state, target, result);
        if let (Some((place, times)), Some(top)) = (counted, state.stack.last_mut()) {
            top.narrowed.insert(place, Bounds::exact(times));
        }
    }

    /// The place that an assignment counts on, and how often that is then.
    fn counting(
        &mut self,
        state: &State,
        target: PatId,
        value: Option<ExprId>,
        op: Option<AssignOp>,
    ) -> Option<(Place, f64)> {
        let ir = self.ir(state);
        let place = match *ir.pattern(target) {
            Pattern::Bind(var) => mark(ir, None, Some(var))?,
            Pattern::Attr { object, name, .. } => mark(ir, Some((object, name)), None)?,
            _ => return None,
        };
        let number = |m: &mut Self, e: ExprId| m.pure(e, state).is_some_and(|v| v.as_num().is_some());
        let steps = match (op, value) {
            (None, None) => true,
            (Some(AssignOp::Binary(BinaryOp::Add | BinaryOp::Sub)), Some(by)) => number(self, by),
            (None, Some(value)) => match ir.expr(value).kind {
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, of, by) => {
                    place_read(ir, of).is_some_and(|read| read == place) && number(self, by)
                }
                _ => false,
            },
            _ => false,
        };
        let before = state.stack.last()?.narrowed.get(&place).map_or(0.0, |b| b.lo());
        steps.then_some((place, before + 1.0))
    }

    /// Whether an expression is a number that nobody knows and that was counted on.
    pub(super) fn is_counted(&self, state: &State, e: ExprId) -> bool {
        let place = place_read(self.ir(state), e);
        place.is_some_and(|place| state.stack.last().is_some_and(|top| top.narrowed.contains_key(&place)))
    }

    /// Whether what decides a loop was counted on since an earlier turn.
    pub(super) fn counted_since(&self, old: &State, now: &State, decides: impl Fn(VarId) -> bool) -> bool {
        let (Some(old), Some(now)) = (old.stack.last(), now.stack.last()) else { return false };
        now.narrowed.iter().any(|(place, times)| {
            place.1.ends_with(COUNTED)
                && place.0.is_none_or(&decides)
                && old.narrowed.get(place).is_none_or(|before| before.lo() < times.lo())
        })
    }
}

impl Left {
    /// The paths that have left so far.
    pub(super) fn now(next: &[State], exits: &Exits) -> Self {
        Self(next.len(), exits.returns.len(), exits.raises.len())
    }

    /// Whether one left since then because of a number that is not known.
    pub(super) fn by_number(&self, next: &[State], exits: &Exits) -> bool {
        let open = |state: &State| state.open.is_some() && state.calls() > 0;
        next.iter().skip(self.0).any(open)
            || exits.returns.iter().skip(self.1).any(|(state, _)| open(state))
            || exits.raises.iter().skip(self.2).any(|(state, error)| !error.is_never() && open(state))
    }
}

/// A place that an expression reads, as it is kept for being counted on.
fn place_read(ir: &File, e: ExprId) -> Option<Place> {
    match ir.expr(e).kind {
        ExprKind::Var(var) => mark(ir, None, Some(var)),
        ExprKind::Attr { object, name, .. } => mark(ir, Some((object, name)), None),
        _ => None,
    }
}

fn mark(ir: &File, attribute: Option<(ExprId, Name)>, var: Option<VarId>) -> Option<Place> {
    let Some((object, name)) = attribute else { return Some((var, Rc::from(COUNTED.to_string()))) };
    let root = match ir.expr(object).kind {
        ExprKind::This => None,
        ExprKind::Var(var) => Some(var),
        _ => return None,
    };
    Some((root, Rc::from(format!("{}{COUNTED}", ir.name(name)))))
}
