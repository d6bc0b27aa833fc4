//! JSX elements: a component with its attributes and children.

use super::kind::{Field, Kind};
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// An element with or without children, or a fragment.
    pub fn jsx(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let open = self.tree.field(n, Field::OpenTag).unwrap_or(n);
        let component = self.tree.field(open, Field::Name).and_then(|name| self.component(name));
        let attributes = self.attributes(open);
        let mut children = Vec::new();
        if open != n {
            for child in self.tree.named(n).filter(|&c| c != open) {
                children.extend(self.jsx_child(child));
            }
        }
        self.b.expr(ExprKind::Element { component, attributes, children }, span)
    }

    /// A component is capitalised or an attribute of something; the rest are plain tags.
    fn component(&mut self, name: Node) -> Option<ExprId> {
        match self.kind(name) {
            Kind::Identifier if !self.tree.text(name).starts_with(|c: char| c.is_ascii_lowercase()) => {
                Some(self.expr(name))
            }
            Kind::Member => Some(self.expr(name)),
            Kind::NestedIdentifier => Some(self.entity(name)),
            _ => None,
        }
    }

    fn attributes(&mut self, open: Node) -> Vec<Entry> {
        let mut entries = Vec::new();
        for attribute in self.tree.fields(open, Field::Attribute) {
            match self.kind(attribute) {
                Kind::JsxAttribute => entries.extend(self.attribute(attribute)),
                // `{...props}`
                _ => {
                    let spread = self.tree.first(attribute);
                    let inner =
                        spread.and_then(|s| if self.kind(s) == Kind::Spread { self.tree.first(s) } else { None });
                    entries.extend(inner.map(|inner| Entry::Spread(self.expr(inner))));
                }
            }
        }
        entries
    }

    fn attribute(&mut self, n: Node) -> Option<Entry> {
        let mut parts = self.tree.named(n);
        let (name_node, value) = (parts.next()?, parts.next());
        let name = self.name_of(name_node);
        let span = self.span(name_node);
        let key = self.b.expr(ExprKind::Literal(Literal::Str(name)), span);
        let value = match value {
            None => self.b.expr(ExprKind::Literal(Literal::Bool(true)), span),
            Some(value) => match self.jsx_child(value) {
                Some(value) => value,
                None => self.unknown(Vec::new(), span),
            },
        };
        Some(Entry::Pair(key, value))
    }

    fn jsx_child(&mut self, n: Node) -> Option<ExprId> {
        match self.kind(n) {
            Kind::JsxExpression => {
                let inner = self.tree.first(n)?;
                let inner = if self.kind(inner) == Kind::Spread { self.tree.first(inner)? } else { inner };
                Some(self.expr(inner))
            }
            _ => Some(self.expr(n)),
        }
    }
}
