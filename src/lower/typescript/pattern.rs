//! Binding patterns and assignment targets.

use super::kind::{Field, Kind};
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// A binding pattern or assignment target.
    pub fn pattern(&mut self, n: Node) -> PatId {
        match self.deeper(n, 1, |this| this.pattern_inner(n)) {
            Some(pattern) => pattern,
            None => self.b.pattern(Pattern::Unknown),
        }
    }

    fn pattern_inner(&mut self, n: Node) -> PatId {
        let tree = self.tree;
        let n = self.peel(n);
        let pattern = match self.kind(n) {
            Kind::Identifier | Kind::ShorthandPattern | Kind::Shorthand | Kind::Undefined => {
                let name = self.name_of(n);
                Pattern::Bind(self.target_var(name))
            }
            Kind::Member | Kind::Subscript => {
                let target = self.expr(n);
                return self.target_of(target);
            }
            Kind::AsExpression | Kind::Satisfies => match tree.first(n) {
                Some(inner) => return self.pattern(inner),
                None => Pattern::Unknown,
            },
            Kind::ArrayPattern | Kind::Array => Pattern::Sequence(self.elements(n)),
            Kind::ObjectPattern | Kind::Object => self.object_pattern(n),
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern | Kind::AssignmentExpression => {
                self.default_pattern(n)
            }
            Kind::RestPattern | Kind::Spread => {
                let inner = tree.first(n).map(|inner| self.pattern(inner));
                Pattern::Rest(inner)
            }
            _ => Pattern::Unknown,
        };
        self.b.pattern(pattern)
    }

    fn default_pattern(&mut self, n: Node) -> Pattern {
        let (Some(left), Some(right)) = (self.tree.field(n, Field::Left), self.tree.field(n, Field::Right)) else {
            return Pattern::Unknown;
        };
        let inner = self.pattern(left);
        Pattern::Default(inner, self.expr(right))
    }

    /// Elements of an array pattern; a comma without an element before it skips one.
    fn elements(&mut self, n: Node) -> Vec<PatId> {
        let mut parts = Vec::new();
        let mut is_hole = true;
        for child in self.tree.children(n) {
            if self.kind(child) != Kind::Token {
                parts.push(self.pattern(child));
                is_hole = false;
            } else {
                if is_hole {
                    parts.push(self.b.pattern(Pattern::Ignore));
                }
                is_hole = true;
            }
        }
        parts
    }

    fn object_pattern(&mut self, n: Node) -> Pattern {
        let mut entries = Vec::new();
        let mut rest = None;
        for part in self.tree.named(n) {
            match self.kind(part) {
                Kind::RestPattern | Kind::Spread => rest = self.tree.first(part).map(|inner| self.pattern(inner)),
                Kind::PairPattern | Kind::Pair => {
                    let key = self.tree.field(part, Field::Key);
                    let value = self.tree.field(part, Field::Value);
                    if let (Some(key), Some(value)) = (key, value) {
                        let key = self.member_name(key);
                        entries.push((key, self.pattern(value)));
                    }
                }
                Kind::ObjectAssignmentPattern | Kind::AssignmentPattern => {
                    if let Some(left) = self.tree.field(part, Field::Left) {
                        let key = self.name_of(left);
                        entries.push((key, self.pattern(part)));
                    }
                }
                Kind::ShorthandPattern | Kind::Shorthand | Kind::Identifier => {
                    let key = self.name_of(part);
                    entries.push((key, self.pattern(part)));
                }
                _ => {}
            }
        }
        Pattern::Object { entries, rest }
    }

    /// The target that writes what an expression reads.
    pub fn target_of(&mut self, target: ExprId) -> PatId {
        let pattern = match self.b.file().expr(target).kind {
            ExprKind::Var(var) => Pattern::Bind(var),
            ExprKind::Free(name) => Pattern::Bind(self.target_var(name)),
            ExprKind::Attr { object, name, name_span, .. } => Pattern::Attr { object, name, name_span },
            ExprKind::Index { object, index } => Pattern::Index { object, index },
            ExprKind::Typed(inner, _) => return self.target_of(inner),
            _ => Pattern::Unknown,
        };
        self.b.pattern(pattern)
    }
}
