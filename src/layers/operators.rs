//! Operators: arithmetic, comparisons and augmented assignments.

use super::machine::Machine;
use super::val::{Num, Val};
use crate::ir::*;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    pub(super) fn unary(&mut self, op: UnaryOp, value: &Val) -> Val {
        match op {
            UnaryOp::Not => self.truth(value).map_or(Val::Unknown, |b| Val::Bool(!b)),
            UnaryOp::Neg => match value.as_num() {
                Some(n) => Val::Num(Num { lo: -n.hi, hi: -n.lo, ..n }),
                None => Val::Unknown,
            },
            UnaryOp::Plus => value.clone(),
            _ => Val::Unknown,
        }
    }

    /// The value of an augmented assignment.
    pub fn augmented(&mut self, op: AssignOp, old: &Val, new: &Val) -> Val {
        match op {
            AssignOp::Binary(op) => self.binary(op, old, new),
            AssignOp::Or => match self.truth(old) {
                Some(true) => old.clone(),
                Some(false) => new.clone(),
                None => Val::Unknown,
            },
            AssignOp::And => match self.truth(old) {
                Some(true) => new.clone(),
                Some(false) => old.clone(),
                None => Val::Unknown,
            },
            AssignOp::Coalesce => match old {
                Val::Null => new.clone(),
                Val::Unknown => Val::Unknown,
                _ => old.clone(),
            },
        }
    }

    /// Arithmetic.
    pub fn binary(&mut self, op: BinaryOp, left: &Val, right: &Val) -> Val {
        if let (Val::List(a), Val::List(b), BinaryOp::Add) = (left, right, op) {
            return Val::List(Rc::new(a.iter().chain(b.iter()).cloned().collect()));
        }
        // Tuples and lists that link knows: `TRANSIENT + (ValueError,)`.
        if op == BinaryOp::Add
            && let (Val::Tok(_), Val::Tok(_) | Val::List(_)) | (Val::List(_), Val::Tok(_)) = (left, right)
            && let (Some(mut all), Some(more)) = (self.elements(left), self.elements(right))
        {
            all.extend(more);
            return Val::List(Rc::new(all));
        }
        if let (Val::List(a), Some(n), BinaryOp::Mul) = (left, right.as_exact(), op) {
            let times = (n.max(0.0) as usize).min(1_000);
            return Val::List(Rc::new(a.iter().cloned().cycle().take(a.len() * times).collect()));
        }
        if let (Val::Text(a), Val::Text(b), BinaryOp::Add) = (left, right, op) {
            return Val::text(&format!("{a}{b}"));
        }
        if let (Val::Tok(_) | Val::Many(_), _, BinaryOp::BitOr) | (_, Val::Tok(_), BinaryOp::BitOr) = (left, right, op)
        {
            return Val::List(Rc::new(vec![left.clone(), right.clone()]));
        }
        let (Some(x), Some(y)) = (left.as_num(), right.as_num()) else {
            // Chance that reaches a wait stays visible even where the number is not known.
            let random = [left, right].iter().any(|v| v.as_num().is_some_and(|n| n.random));
            if random {
                return Val::Num(Num { lo: 0.0, hi: f64::INFINITY, random: true, clock: false, asked: false });
            }
            return Val::Unknown;
        };
        if op == BinaryOp::Mod && x.lo < x.hi && y.lo > 0.0 {
            return Val::Num(remainder(x, y));
        }
        let f: fn(f64, f64) -> f64 = match op {
            BinaryOp::Add => |a, b| a + b,
            BinaryOp::Sub => |a, b| a - b,
            BinaryOp::Mul => |a, b| if a == 0.0 || b == 0.0 { 0.0 } else { a * b },
            BinaryOp::Div => |a, b| a / b,
            BinaryOp::FloorDiv => |a, b| (a / b).floor(),
            BinaryOp::Mod => f64::rem_euclid,
            BinaryOp::Pow => f64::powf,
            BinaryOp::Shl => |a, b| a * b.exp2(),
            BinaryOp::Shr => |a, b| (a / b.exp2()).floor(),
            BinaryOp::BitOr => |a, b| ((a as i64) | (b as i64)) as f64,
            BinaryOp::BitAnd => |a, b| ((a as i64) & (b as i64)) as f64,
            BinaryOp::BitXor => |a, b| ((a as i64) ^ (b as i64)) as f64,
            BinaryOp::MatMul => |_, _| f64::NAN,
        };
        let result = x.combine(y, f);
        if result.lo.is_infinite() && result.hi.is_infinite() && result.lo != result.hi {
            return Val::Unknown;
        }
        Val::Num(result)
    }

    /// Compares; none: not known.
    pub fn compare(&mut self, op: CompareOp, left: &Val, right: &Val) -> Option<bool> {
        if matches!((left, right), (Val::Part(..), o) | (o, Val::Part(..)) if *o != Val::Null) {
            [left, right].into_iter().filter(|v| matches!(v, Val::Part(..))).for_each(|v| self.note_look(v));
            return match op {
                CompareOp::In => super::wording::contains(right, left),
                CompareOp::NotIn => super::wording::contains(right, left).map(|b| !b),
                CompareOp::Eq => super::wording::is_word(left, right),
                CompareOp::NotEq => super::wording::is_word(left, right).map(|b| !b),
                _ => None,
            };
        }
        match op {
            CompareOp::Eq | CompareOp::Is => self.equal(left, right),
            CompareOp::NotEq | CompareOp::IsNot => self.equal(left, right).map(|b| !b),
            CompareOp::In => self.contains(right, left),
            CompareOp::NotIn => self.contains(right, left).map(|b| !b),
            CompareOp::Lt | CompareOp::LtEq | CompareOp::Gt | CompareOp::GtEq => {
                let clock = |v: &Val| v.as_num().is_some_and(|n| n.clock);
                self.clock_read |= clock(left) || clock(right);
                // What is not there is neither more nor less than a number.
                if matches!((left, right), (Val::Null, Val::Num(_)) | (Val::Num(_), Val::Null)) {
                    return Some(false);
                }
                let (x, y) = (left.as_num()?, right.as_num()?);
                let (sure, never) = match op {
                    CompareOp::Lt => (x.hi < y.lo, x.lo >= y.hi),
                    CompareOp::LtEq => (x.hi <= y.lo, x.lo > y.hi),
                    CompareOp::Gt => (x.lo > y.hi, x.hi <= y.lo),
                    _ => (x.lo >= y.hi, x.hi < y.lo),
                };
                if sure {
                    Some(true)
                } else if never {
                    Some(false)
                } else {
                    None
                }
            }
        }
    }
}

/// What is left of one of several numbers. (A share of 1 is what any whole number comes to that chance gives.)
fn remainder(x: Num, y: Num) -> Num {
    let any = x.random && x.hi <= 1.0 && y.hi > 1.0;
    let hi = if any { y.hi - 1.0 } else { y.hi.min(x.hi) };
    Num { lo: 0.0, hi, random: x.random || y.random, clock: x.clock || y.clock, asked: x.asked || y.asked }
}
