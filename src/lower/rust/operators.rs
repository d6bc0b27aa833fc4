//! Operators of two operands and of compound assignments.

use crate::ir::{BinaryOp, CompareOp, ExprId, ExprKind};
use syn::BinOp;

/// A binary operator's expression.
pub(super) fn binary(op: &BinOp, left: ExprId, right: ExprId) -> ExprKind {
    match op {
        BinOp::And(_) => ExprKind::And(left, right),
        BinOp::Or(_) => ExprKind::Or(left, right),
        BinOp::Eq(_) => ExprKind::Compare(CompareOp::Eq, left, right),
        BinOp::Ne(_) => ExprKind::Compare(CompareOp::NotEq, left, right),
        BinOp::Lt(_) => ExprKind::Compare(CompareOp::Lt, left, right),
        BinOp::Le(_) => ExprKind::Compare(CompareOp::LtEq, left, right),
        BinOp::Gt(_) => ExprKind::Compare(CompareOp::Gt, left, right),
        BinOp::Ge(_) => ExprKind::Compare(CompareOp::GtEq, left, right),
        BinOp::Add(_) => ExprKind::Binary(BinaryOp::Add, left, right),
        BinOp::Sub(_) => ExprKind::Binary(BinaryOp::Sub, left, right),
        BinOp::Mul(_) => ExprKind::Binary(BinaryOp::Mul, left, right),
        BinOp::Div(_) => ExprKind::Binary(BinaryOp::Div, left, right),
        BinOp::Rem(_) => ExprKind::Binary(BinaryOp::Mod, left, right),
        BinOp::BitXor(_) => ExprKind::Binary(BinaryOp::BitXor, left, right),
        BinOp::BitAnd(_) => ExprKind::Binary(BinaryOp::BitAnd, left, right),
        BinOp::BitOr(_) => ExprKind::Binary(BinaryOp::BitOr, left, right),
        BinOp::Shl(_) => ExprKind::Binary(BinaryOp::Shl, left, right),
        BinOp::Shr(_) => ExprKind::Binary(BinaryOp::Shr, left, right),
        _ => ExprKind::Unknown(vec![left, right]),
    }
}

/// The operator of a compound assignment.
pub(super) fn assign_op(op: &BinOp) -> Option<BinaryOp> {
    Some(match op {
        BinOp::AddAssign(_) => BinaryOp::Add,
        BinOp::SubAssign(_) => BinaryOp::Sub,
        BinOp::MulAssign(_) => BinaryOp::Mul,
        BinOp::DivAssign(_) => BinaryOp::Div,
        BinOp::RemAssign(_) => BinaryOp::Mod,
        BinOp::BitXorAssign(_) => BinaryOp::BitXor,
        BinOp::BitAndAssign(_) => BinaryOp::BitAnd,
        BinOp::BitOrAssign(_) => BinaryOp::BitOr,
        BinOp::ShlAssign(_) => BinaryOp::Shl,
        BinOp::ShrAssign(_) => BinaryOp::Shr,
        _ => return None,
    })
}

/// Where a compound assignment's operator stands.
pub(super) fn op_span(op: &BinOp) -> Option<proc_macro2::Span> {
    Some(match op {
        BinOp::AddAssign(t) => t.spans[0],
        BinOp::SubAssign(t) => t.spans[0],
        BinOp::MulAssign(t) => t.spans[0],
        BinOp::DivAssign(t) => t.spans[0],
        BinOp::RemAssign(t) => t.spans[0],
        BinOp::BitXorAssign(t) => t.spans[0],
        BinOp::BitAndAssign(t) => t.spans[0],
        BinOp::BitOrAssign(t) => t.spans[0],
        BinOp::ShlAssign(t) => t.spans[0],
        BinOp::ShrAssign(t) => t.spans[0],
        _ => return None,
    })
}
