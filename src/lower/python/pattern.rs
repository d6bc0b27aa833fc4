//! Assignment targets.

use super::Lower;
use super::kind::Kind;
use super::tree::Node;
use crate::ir::*;

impl Lower {
    /// What is assigned to, deleted or bound by `for`, `with`, `except`.
    pub(super) fn target(&mut self, node: Node) -> PatId {
        self.any_target(node, false)
    }

    /// A comprehension's target: its names are variables of their own.
    pub(super) fn inner_target(&mut self, node: Node) -> PatId {
        self.any_target(node, true)
    }

    fn any_target(&mut self, mut node: Node, inner: bool) -> PatId {
        while matches!(node.kind(), Kind::Parenthesized | Kind::AsPatternTarget)
            && let Some(child) = node.first()
        {
            node = child;
        }
        if !self.enter(node) {
            return self.builder.pattern(Pattern::Unknown);
        }
        let pattern = match node.kind() {
            Kind::Identifier if inner => {
                let name = self.builder.name(node.text());
                Pattern::Bind(self.scopes.bind_inner(&mut self.builder, name))
            }
            Kind::Identifier => Pattern::Bind(self.bind(node.text())),
            Kind::Attribute | Kind::Subscript => {
                let lowered = self.expr(node);
                self.leave();
                return self.target_of(lowered);
            }
            Kind::Tuple
            | Kind::TuplePattern
            | Kind::List
            | Kind::ListPattern
            | Kind::PatternList
            | Kind::ExpressionList => {
                Pattern::Sequence(node.children().map(|child| self.any_target(child, inner)).collect())
            }
            Kind::ListSplat | Kind::ListSplatPattern => {
                Pattern::Rest(node.first().map(|child| self.any_target(child, inner)))
            }
            _ => Pattern::Unknown,
        };
        self.leave();
        self.builder.pattern(pattern)
    }

    /// An attribute or element, read as an expression, as what is written instead.
    pub(super) fn target_of(&mut self, lowered: ExprId) -> PatId {
        let expr = self.builder.file().expr(lowered).clone();
        // It is not read: nobody looking through the arena shall think so.
        let exprs = &mut self.builder.file_mut().exprs;
        if lowered.index() + 1 == exprs.len() {
            exprs.pop();
        }
        let pattern = match expr.kind {
            ExprKind::Attr { object, name, name_span, .. } => Pattern::Attr { object, name, name_span },
            ExprKind::Index { object, index } => Pattern::Index { object, index },
            // `x[a:b] = …` changes `x` as well.
            ExprKind::Slice { object, bounds } => {
                let index = self.unknown(bounds, expr.span);
                Pattern::Index { object, index }
            }
            _ => Pattern::Unknown,
        };
        self.builder.pattern(pattern)
    }
}
