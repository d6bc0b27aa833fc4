//! Object literals and the names of properties.

use super::function::Role;
use super::kind::{Field, Kind};
use super::literal::unquote;
use super::lowerer::{Hint, Lower};
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// An object literal; its functions are named `key`, or `object.key` if the object has a name.
    pub fn object(&mut self, n: Node) -> ExprId {
        let hint = self.hint.take();
        let span = self.span(n);
        let mut entries = Vec::new();
        for part in self.tree.named(n) {
            let entry = match self.kind(part) {
                Kind::Spread => self.tree.first(part).map(|inner| Entry::Spread(self.expr(inner))),
                Kind::Pair => self.pair(part, hint),
                Kind::Shorthand | Kind::Identifier => Some(self.shorthand(part)),
                Kind::MethodDefinition => self.object_method(part, hint),
                // `{ a = 1 }` is a pattern that turned out to be none; errors are read as far as they go.
                _ => {
                    let value = self.expr(part);
                    Some(Entry::Spread(self.unknown(vec![value], span)))
                }
            };
            entries.extend(entry);
        }
        self.b.expr(ExprKind::Dict(entries), span)
    }

    fn pair(&mut self, n: Node, object: Option<Hint>) -> Option<Entry> {
        let key_node = self.tree.field(n, Field::Key)?;
        let value_node = self.tree.field(n, Field::Value)?;
        let key = self.key_expr(key_node);
        let hint = self.key_hint(key_node, object);
        let value = self.named_value(value_node, Some(hint));
        Some(Entry::Pair(key, value))
    }

    fn shorthand(&mut self, n: Node) -> Entry {
        let span = self.span(n);
        let name = self.name_of(n);
        let key = self.b.expr(ExprKind::Literal(Literal::Str(name)), span);
        let value = self.value_expr(name, span);
        Entry::Pair(key, value)
    }

    fn object_method(&mut self, n: Node, object: Option<Hint>) -> Option<Entry> {
        let key_node = self.tree.field(n, Field::Name)?;
        let key = self.key_expr(key_node);
        let hint = self.key_hint(key_node, object);
        let span = self.after_decorators(n);
        let closure = match self.function(n, Role::free(Some(hint))) {
            Some(function) => self.b.expr(ExprKind::Closure(function), span),
            None => self.unknown(Vec::new(), span),
        };
        if self.tree.has(n, "get") {
            return Some(Entry::Getter(key, closure));
        }
        if self.tree.has(n, "set") {
            // No read of the key may find the setter; under a key that no source can spell it is kept all
            // the same, or the calls in it would be lost.
            let name = format!("set {}", self.b.text(hint.name));
            let key = self.b.string(&name, self.span(key_node));
            return Some(Entry::Pair(key, closure));
        }
        Some(Entry::Pair(key, closure))
    }

    /// A property key as an expression; constant keys are string literals.
    fn key_expr(&mut self, n: Node) -> ExprId {
        if self.kind(n) == Kind::ComputedPropertyName
            && let Some(inner) = self.tree.first(n).filter(|&i| self.kind(i) != Kind::String)
        {
            return self.expr(inner);
        }
        let name = self.member_name(n);
        let span = self.span(n);
        self.b.expr(ExprKind::Literal(Literal::Str(name)), span)
    }

    /// The name of a member or property: identifiers as they are, strings and numbers by value, private
    /// names with `#`, computed ones with their brackets (`[Symbol.iterator]`).
    pub fn member_name(&mut self, n: Node) -> Name {
        let mut at = n;
        if self.kind(n) == Kind::ComputedPropertyName
            && let Some(inner) = self.tree.first(n).filter(|&i| self.kind(i) == Kind::String)
        {
            at = inner;
        }
        match self.kind(at) {
            Kind::String => {
                let text = unquote(self.tree.text(at));
                self.b.name(&text)
            }
            _ => self.name_of(at),
        }
    }

    fn key_hint(&mut self, key: Node, object: Option<Hint>) -> Hint {
        let name = self.member_name(key);
        let name = match object {
            Some(object) => {
                let joined = format!("{}.{}", self.b.text(object.name), self.b.text(name));
                self.b.name(&joined)
            }
            None => name,
        };
        Hint { name, span: self.span(key) }
    }
}
