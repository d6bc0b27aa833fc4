//! Assignment targets.

use super::Lower;
use super::kind::{Field, Kind};
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
            Kind::Attribute => self.attribute_target(node),
            Kind::Subscript => self.element_target(node),
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

    fn attribute_target(&mut self, node: Node) -> Pattern {
        let (Some(object), Some(name)) = (node.child(Field::Object), node.child(Field::Attribute)) else {
            return Pattern::Unknown;
        };
        let object = self.expr(object);
        let name_span = name.span();
        Pattern::Attr { object, name: self.builder.name(name.text()), name_span }
    }

    /// `x[i]` and `x[a:b]` both change `x`.
    fn element_target(&mut self, node: Node) -> Pattern {
        let lowered = self.expr(node);
        match self.builder.file().expr(lowered).kind {
            ExprKind::Index { object, index } => Pattern::Index { object, index },
            ExprKind::Slice { object, .. } => {
                let index = self.unknown(Vec::new(), node.span());
                Pattern::Index { object, index }
            }
            _ => Pattern::Unknown,
        }
    }
}
