//! What tests of a path say about numbers that nobody knows: once `attempt <= limit` was true for 1, `limit` is at
//! least 1, and a later test of it does not go both ways again. Such numbers are taken to be whole.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::store::Addr;
use crate::link::token::Tok;
use std::rc::Rc;

/// Chains of attributes longer than this are not looked at.
const LONGEST: usize = 6;

/// A variable (none: the receiver) and the attributes after it.
pub type Place = (Option<VarId>, Rc<str>);

/// The least and the greatest value that a place can have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    lo: f64,
    hi: f64,
}

impl Bounds {
    /// One number.
    pub(super) fn exact(number: f64) -> Self {
        Self { lo: number, hi: number }
    }

    /// The least.
    pub(super) fn lo(self) -> f64 {
        self.lo
    }
}

/// `place op number`
struct Test {
    place: Place,
    op: CompareOp,
    number: f64,
}

impl Machine<'_, '_, '_> {
    /// What earlier tests of the path say about a comparison that its values leave open.
    pub(super) fn said_before(&mut self, state: &State, op: CompareOp, left: ExprId, right: ExprId) -> Option<bool> {
        if state.stack.last().is_none_or(|a| a.narrowed.is_empty()) {
            return None;
        }
        let Test { place, op, number } = self.test_of(state, op, left, right)?;
        let &Bounds { lo, hi } = state.stack.last()?.narrowed.get(&place)?;
        match op {
            CompareOp::Lt if hi < number => Some(true),
            CompareOp::Lt if lo >= number => Some(false),
            CompareOp::LtEq if hi <= number => Some(true),
            CompareOp::LtEq if lo > number => Some(false),
            CompareOp::Gt if lo > number => Some(true),
            CompareOp::Gt if hi <= number => Some(false),
            CompareOp::GtEq if lo >= number => Some(true),
            CompareOp::GtEq if hi < number => Some(false),
            CompareOp::Eq if lo == number && hi == number => Some(true),
            CompareOp::Eq if hi < number || lo > number => Some(false),
            CompareOp::NotEq if lo == number && hi == number => Some(false),
            CompareOp::NotEq if hi < number || lo > number => Some(true),
            _ => None,
        }
    }

    /// Whether what a comparison comes to is only known from another one.
    pub(super) fn is_known_by_hearsay(&mut self, test: ExprId, state: &State) -> bool {
        let ExprKind::Compare(op, a, b) = self.ir(state).expr(test).kind else { return false };
        let (left, right) = (self.pure(a, state), self.pure(b, state));
        match (left, right) {
            (Some(left), Some(right)) => self.compare(op, &left, &right).is_none(),
            _ => true,
        }
    }

    /// Whether the clock is compared with what is kept outside of the run and set now and then (`this.openUntil`): it
    /// may be what it was at first, or any later time.
    pub(super) fn may_be_earlier(&mut self, state: &State, left: (ExprId, &Val), right: (ExprId, &Val)) -> bool {
        let is_clock = |value: &Val| value.as_num().is_some_and(|n| n.clock);
        (is_clock(left.1) && self.is_set_now_and_then(state, right.0))
            || (is_clock(right.1) && self.is_set_now_and_then(state, left.0))
    }

    /// Whether the clock is read for such a comparison (`Date.now() < this.openUntil`).
    pub(super) fn asks_the_time(&mut self, state: &State, a: ExprId, b: ExprId) -> bool {
        let ir = self.ir(state);
        let is_call = |e: ExprId| matches!(ir.expr(e).kind, ExprKind::Call { .. });
        (is_call(a) && self.is_set_now_and_then(state, b)) || (is_call(b) && self.is_set_now_and_then(state, a))
    }

    fn is_set_now_and_then(&mut self, state: &State, e: ExprId) -> bool {
        let ir = self.ir(state);
        let store = &self.view.solver.store;
        match ir.expr(e).kind {
            ExprKind::Attr { object, name, .. } => {
                let Some(Val::Tok(on)) = self.pure(object, state) else { return false };
                let name = ir.name(name);
                let Some(symbol) = self.view.solver.symbols.find(name) else { return false };
                let written = state.heap.contains_key(&(on, Rc::from(name)));
                !written && store.get(Addr::Field(on, symbol)).is_some_and(|kept| kept.len() > 1)
            }
            ExprKind::Var(var) => {
                let comp = self.comp(state);
                let func = ir.var(var).owner;
                let Some(owner) = self.view.solver.owner(comp, self.view.func(comp).file, func) else { return false };
                let key = (Tok(u32::MAX - owner.0), Rc::from(format!("var {}", var.0)));
                let running = state.stack.iter().any(|a| a.comp == owner);
                !running
                    && !state.heap.contains_key(&key)
                    && store.get(Addr::Var(owner, var)).is_some_and(|kept| kept.len() > 1)
            }
            _ => false,
        }
    }

    /// Remembers what a comparison came to.
    pub(super) fn remember(
        &mut self,
        state: &mut State,
        op: CompareOp,
        left: ExprId,
        right: ExprId,
        outcome: bool,
    ) -> Option<()> {
        let Test { place, op, number } = self.test_of(state, op, left, right)?;
        let old = state.stack.last()?.narrowed.get(&place).copied();
        let mut bounds = old.unwrap_or(Bounds { lo: f64::NEG_INFINITY, hi: f64::INFINITY });
        match (op, outcome) {
            (CompareOp::Lt, true) | (CompareOp::GtEq, false) => bounds.hi = bounds.hi.min(below(number)),
            (CompareOp::LtEq, true) | (CompareOp::Gt, false) => bounds.hi = bounds.hi.min(number.floor()),
            (CompareOp::Gt, true) | (CompareOp::LtEq, false) => bounds.lo = bounds.lo.max(above(number)),
            (CompareOp::GtEq, true) | (CompareOp::Lt, false) => bounds.lo = bounds.lo.max(number.ceil()),
            (CompareOp::Eq | CompareOp::Is, true) | (CompareOp::NotEq | CompareOp::IsNot, false) => {
                bounds = Bounds { lo: number, hi: number };
            }
            (CompareOp::Eq | CompareOp::Is, false) | (CompareOp::NotEq | CompareOp::IsNot, true) => {
                if bounds.lo == number {
                    bounds.lo = above(number);
                }
                if bounds.hi == number {
                    bounds.hi = below(number);
                }
            }
            _ => return None,
        }
        if old != Some(bounds) && bounds.lo <= bounds.hi {
            state.stack.last_mut()?.narrowed.insert(place, bounds);
        }
        Some(())
    }

    /// A comparison of a place, give or take a number, with a number; the place stands on the left.
    fn test_of(&mut self, state: &State, op: CompareOp, left: ExprId, right: ExprId) -> Option<Test> {
        if let Some(number) = self.plain_number(right, state)
            && let Some((place, offset)) = self.place_of(left, state)
        {
            return Some(Test { place, op, number: number - offset });
        }
        let number = self.plain_number(left, state)?;
        let (place, offset) = self.place_of(right, state)?;
        let op = match op {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::LtEq => CompareOp::GtEq,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::GtEq => CompareOp::LtEq,
            other => other,
        };
        Some(Test { place, op, number: number - offset })
    }

    fn plain_number(&mut self, e: ExprId, state: &State) -> Option<f64> {
        let number = self.pure(e, state)?.as_num()?;
        // Time goes on while nobody looks.
        number.value().filter(|_| !number.clock && !number.random && !number.asked)
    }

    fn place_of(&mut self, e: ExprId, state: &State) -> Option<(Place, f64)> {
        let ir = self.ir(state);
        let mut at = e;
        let mut offset = 0.0;
        let mut names: Vec<&str> = Vec::new();
        loop {
            match &ir.expr(at).kind {
                ExprKind::Typed(inner, _) => at = *inner,
                ExprKind::Binary(BinaryOp::Add, a, b) if names.is_empty() => match self.plain_number(*b, state) {
                    Some(n) => (at, offset) = (*a, offset + n),
                    None => (at, offset) = (*b, offset + self.plain_number(*a, state)?),
                },
                ExprKind::Binary(BinaryOp::Sub, a, b) if names.is_empty() => {
                    (at, offset) = (*a, offset - self.plain_number(*b, state)?);
                }
                ExprKind::Attr { object, name, .. } if names.len() < LONGEST => {
                    names.push(ir.name(*name));
                    at = *object;
                }
                ExprKind::Var(var) => return Some(((Some(*var), Rc::from(names.join("."))), offset)),
                ExprKind::This if !names.is_empty() => return Some(((None, Rc::from(names.join("."))), offset)),
                _ => return None,
            }
        }
    }
}

/// The next whole number above.
fn above(number: f64) -> f64 {
    number.floor() + 1.0
}

/// The next whole number below.
fn below(number: f64) -> f64 {
    number.ceil() - 1.0
}
