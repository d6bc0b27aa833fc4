//! Expressions that nest to the left: `a.b().c()`, `a + b + c`, `a || b`, `x as T`. They are collected
//! inwards and built outwards without recursion, and a very long one is cut into pieces held by
//! temporaries, so that the result stays shallow for everyone who walks it.

use super::kind::{Field, Kind};
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

/// Links before the value so far is put into a temporary.
const PIECE: usize = 48;

impl Lower<'_, '_> {
    /// The operand a link continues, if the node is a link.
    pub fn link_base(&self, n: Node) -> Option<Node> {
        let tree = self.tree;
        let base = match tree.kind(n) {
            Kind::Member | Kind::Subscript => tree.field(n, Field::Object),
            Kind::Call => tree.field(n, Field::Function),
            Kind::Binary => tree.field(n, Field::Left),
            Kind::AsExpression | Kind::Satisfies => tree.first(n),
            _ => None,
        }?;
        Some(self.peel(base))
    }

    /// Lowers a link with everything it continues.
    pub fn chain(&mut self, n: Node) -> ExprId {
        let mut links = Vec::new();
        let mut before = Vec::new();
        let mut at = n;
        while let Some(base) = self.link_base(at).filter(|_| !self.is_special(at)) {
            links.push(at);
            at = base;
            if let Some(operand) = self.prefixed_callee(links[links.len() - 1]) {
                before.push((self.end_of_call(&links), at));
                at = self.peel(operand);
            }
        }
        let span = self.span(n);
        let below = links.len().min(PIECE) as u32;
        let Some(mut value) = self.deeper(n, below, |this| this.chain_start(at)) else {
            return self.unknown(Vec::new(), span);
        };
        let mut pieces = Vec::new();
        let count = links.len();
        for (done, link) in links.into_iter().rev().enumerate() {
            if done > 0 && done % PIECE == 0 {
                value = self.hold(value, &mut pieces);
            }
            let above = (count - done - 1).min(PIECE) as u32;
            value = match self.deeper(link, above, |this| this.link(link, value)) {
                Some(value) => value,
                None => {
                    let span = self.span(link);
                    self.unknown(vec![value], span)
                }
            };
            // The innermost operator stands next to the call.
            for &(_, operator) in before.iter().rev().filter(|(at, _)| *at == count - done - 1) {
                let whole = Span { start: self.span(operator).start, end: self.span(link).end };
                value = self.prefix(operator, value, whole);
            }
        }
        if pieces.is_empty() {
            return value;
        }
        let block = self.b.block(pieces);
        self.b.expr(ExprKind::Block { block, result: Some(value) }, span)
    }

    /// What an operator in front of a call with type arguments is about: in `await a.b<T>(c)` the grammar takes
    /// `await a.b` for what is called.
    fn prefixed_callee(&self, link: Node) -> Option<Node> {
        let tree = self.tree;
        if tree.kind(link) != Kind::Call || tree.field(link, Field::TypeArguments).is_none() {
            return None;
        }
        let callee = tree.field(link, Field::Function)?;
        match tree.kind(callee) {
            Kind::Await => tree.first(callee),
            Kind::Unary => tree.field(callee, Field::Argument),
            _ => None,
        }
    }

    /// The last link that goes on from a call: `await a.b<T>(c).then(d)` waits for all of it.
    fn end_of_call(&self, links: &[Node]) -> usize {
        let goes_on = |n: &Node| matches!(self.kind(*n), Kind::Member | Kind::Subscript | Kind::Call);
        let last = links.len() - 1;
        last - links[..last].iter().rev().take_while(|n| goes_on(n)).count()
    }

    fn prefix(&mut self, operator: Node, value: ExprId, span: Span) -> ExprId {
        if self.kind(operator) == Kind::Await {
            return self.b.expr(ExprKind::Await(value), span);
        }
        self.unary_of(operator, value, span)
    }

    fn chain_start(&mut self, n: Node) -> ExprId {
        if self.is_special(n) { self.special(n) } else { self.expr(n) }
    }

    fn hold(&mut self, value: ExprId, pieces: &mut Vec<StmtId>) -> ExprId {
        let span = self.b.file().expr(value).span;
        let var = self.temporary("<chain>");
        pieces.push(self.assign_var(var, value, span));
        self.b.expr(ExprKind::Var(var), span)
    }

    /// One link on top of the value it continues.
    fn link(&mut self, n: Node, base: ExprId) -> ExprId {
        let span = self.span(n);
        match self.kind(n) {
            Kind::Member => self.member(n, base),
            Kind::Subscript => {
                let index = match self.tree.field(n, Field::Index) {
                    Some(index) => self.expr(index),
                    None => self.unknown(Vec::new(), span),
                };
                self.b.expr(ExprKind::Index { object: base, index }, span)
            }
            Kind::Call => self.call(n, base),
            Kind::Binary => self.binary(n, base),
            _ => self.typed(n, base),
        }
    }

    fn member(&mut self, n: Node, object: ExprId) -> ExprId {
        let span = self.span(n);
        let Some(property) = self.tree.field(n, Field::Property) else {
            return self.unknown(vec![object], span);
        };
        let name = self.name_of(property);
        let name_span = self.span(property);
        let optional = self.is_optional(n);
        self.b.expr(ExprKind::Attr { object, name, name_span, optional }, span)
    }

    /// Whether `?.` stands in a member access or call.
    pub fn is_optional(&self, n: Node) -> bool {
        self.tree.child(n, Kind::OptionalChain).is_some() || self.tree.has(n, "?.")
    }

    /// `x as T`, `x satisfies T`; `as const` says nothing.
    fn typed(&mut self, n: Node, value: ExprId) -> ExprId {
        let Some(ty) = self.tree.named(n).nth(1) else { return value };
        let span = self.span(n);
        let ty = self.ty(ty);
        self.b.expr(ExprKind::Typed(value, ty), span)
    }

    fn binary(&mut self, n: Node, left: ExprId) -> ExprId {
        let span = self.span(n);
        let operator = self.tree.field(n, Field::Operator).map_or("", |o| self.tree.text(o));
        let Some(right) = self.tree.field(n, Field::Right) else {
            return self.unknown(vec![left], span);
        };
        let right = self.expr(right);
        let kind = match operator {
            "&&" => ExprKind::And(left, right),
            "||" => ExprKind::Or(left, right),
            "??" => ExprKind::Coalesce(left, right),
            "instanceof" => ExprKind::InstanceOf(left, right),
            _ => match (compare_op(operator), binary_op(operator)) {
                (Some(op), _) => ExprKind::Compare(op, left, right),
                (None, Some(op)) => ExprKind::Binary(op, left, right),
                (None, None) => ExprKind::Unknown(vec![left, right]),
            },
        };
        self.b.expr(kind, span)
    }
}

fn compare_op(text: &str) -> Option<CompareOp> {
    Some(match text {
        "==" | "===" => CompareOp::Eq,
        "!=" | "!==" => CompareOp::NotEq,
        "<" => CompareOp::Lt,
        "<=" => CompareOp::LtEq,
        ">" => CompareOp::Gt,
        ">=" => CompareOp::GtEq,
        "in" => CompareOp::In,
        _ => return None,
    })
}

/// The arithmetic operator a text names.
pub fn binary_op(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Mod,
        "**" => BinaryOp::Pow,
        "|" => BinaryOp::BitOr,
        "&" => BinaryOp::BitAnd,
        "^" => BinaryOp::BitXor,
        "<<" => BinaryOp::Shl,
        ">>" | ">>>" => BinaryOp::Shr,
        _ => return None,
    })
}

/// The operator of an augmented assignment.
pub fn assign_op(text: &str) -> Option<AssignOp> {
    Some(match text {
        "||=" => AssignOp::Or,
        "&&=" => AssignOp::And,
        "??=" => AssignOp::Coalesce,
        _ => AssignOp::Binary(binary_op(text.strip_suffix('=')?)?),
    })
}
