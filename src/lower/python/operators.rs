//! Operators, and comparisons with their chains.

use super::Lower;
use super::kind::Kind;
use super::tree::Node;
use crate::ir::*;

impl Lower {
    /// Comparisons; `a < b < c` is `a < b and b < c` with `b` evaluated once.
    pub(super) fn comparison(&mut self, node: Node) -> ExprId {
        let mut parts = node.children();
        let Some(first) = parts.next() else { return self.parts(node) };
        let mut left = self.expr(first);
        let mut start = first.span();
        let mut whole = None;
        let mut parts = parts.peekable();
        while let (Some(operator), Some(operand)) = (parts.next(), parts.next()) {
            let right = self.expr(operand);
            let span = Span { start: start.start, end: operand.span().end };
            let (right, again) = match parts.peek() {
                Some(_) => self.twice(operand, right),
                None => (right, right),
            };
            let kind = match compare_op(operator.kind()) {
                Some(op) => ExprKind::Compare(op, left, right),
                None => ExprKind::Unknown(vec![left, right]),
            };
            let compared = self.builder.expr(kind, span);
            whole = Some(match whole {
                None => compared,
                Some(before) => {
                    let span = Span { start: node.span().start, end: span.end };
                    self.builder.expr(ExprKind::And(before, compared), span)
                }
            });
            left = again;
            start = operand.span();
        }
        whole.unwrap_or(left)
    }

    /// An operand that is read by two comparisons: a name or constant is simply written twice, anything else
    /// goes through a temporary.
    fn twice(&mut self, node: Node, first: ExprId) -> (ExprId, ExprId) {
        let plain =
            matches!(self.builder.file().expr(first).kind, ExprKind::Var(_) | ExprKind::Free(_) | ExprKind::Literal(_));
        if plain {
            return (first, self.expr(node));
        }
        let name = self.builder.name("<compared>");
        let var = self.builder.var(name, self.scopes.function());
        let target = self.builder.pattern(Pattern::Bind(var));
        let assigned = self.builder.expr(ExprKind::Assign { target, value: first, op: None }, node.span());
        let read = self.builder.expr(ExprKind::Var(var), node.span());
        (assigned, read)
    }
}

/// The operator of arithmetic.
pub(super) fn binary_op(kind: Kind) -> Option<BinaryOp> {
    Some(match kind {
        Kind::Plus | Kind::PlusEq => BinaryOp::Add,
        Kind::Minus | Kind::MinusEq => BinaryOp::Sub,
        Kind::Star | Kind::StarEq => BinaryOp::Mul,
        Kind::Slash | Kind::SlashEq => BinaryOp::Div,
        Kind::DoubleSlash | Kind::DoubleSlashEq => BinaryOp::FloorDiv,
        Kind::Percent | Kind::PercentEq => BinaryOp::Mod,
        Kind::Power | Kind::PowerEq => BinaryOp::Pow,
        Kind::At | Kind::AtEq => BinaryOp::MatMul,
        Kind::Pipe | Kind::PipeEq => BinaryOp::BitOr,
        Kind::Ampersand | Kind::AmpersandEq => BinaryOp::BitAnd,
        Kind::Caret | Kind::CaretEq => BinaryOp::BitXor,
        Kind::ShiftLeft | Kind::ShiftLeftEq => BinaryOp::Shl,
        Kind::ShiftRight | Kind::ShiftRightEq => BinaryOp::Shr,
        _ => return None,
    })
}

fn compare_op(kind: Kind) -> Option<CompareOp> {
    Some(match kind {
        Kind::EqEq => CompareOp::Eq,
        Kind::NotEq | Kind::OldNotEq => CompareOp::NotEq,
        Kind::Lt => CompareOp::Lt,
        Kind::LtEq => CompareOp::LtEq,
        Kind::Gt => CompareOp::Gt,
        Kind::GtEq => CompareOp::GtEq,
        Kind::Is => CompareOp::Is,
        Kind::IsNot => CompareOp::IsNot,
        Kind::In => CompareOp::In,
        Kind::NotIn => CompareOp::NotIn,
        _ => return None,
    })
}
