//! Comprehensions and generator expressions, lowered inline: their targets are fresh variables of the
//! function around them.

use super::Lower;
use super::kind::{Field, Kind};
use super::tree::Node;
use crate::ir::*;

impl Lower {
    pub(super) fn comprehension(&mut self, node: Node) -> ExprId {
        let mark = self.scopes.open_inner();
        let mut clauses: Vec<CompClause> = Vec::new();
        for clause in node.children() {
            match clause.kind() {
                Kind::ForIn => clauses.push(self.clause(clause)),
                Kind::IfClause => {
                    if let Some(test) = clause.first() {
                        let test = self.expr(test);
                        if let Some(last) = clauses.last_mut() {
                            last.conditions.push(test);
                        }
                    }
                }
                _ => {}
            }
        }
        let kind = match node.kind() {
            Kind::ListComprehension => CompKind::List,
            Kind::SetComprehension => CompKind::Set,
            Kind::DictComprehension => CompKind::Dict,
            _ => CompKind::Generator,
        };
        let (key, element) = match node.child(Field::Body) {
            Some(pair) if pair.kind() == Kind::Pair => (pair.child(Field::Key), pair.child(Field::Value)),
            body => (None, body),
        };
        let key = key.map(|key| self.expr(key));
        let element = match element {
            Some(element) => self.expr(element),
            None => self.unknown(Vec::new(), node.span()),
        };
        self.scopes.close_inner(mark);
        self.builder.expr(ExprKind::Comprehension { kind, clauses, element, key }, node.span())
    }

    fn clause(&mut self, node: Node) -> CompClause {
        let iters: Vec<_> = node.children().filter(|child| child.field() == Field::Right).collect();
        let iter = self.one_or_tuple(&iters, node.span());
        let target = match node.child(Field::Left) {
            Some(target) => self.inner_target(target),
            None => self.builder.pattern(Pattern::Unknown),
        };
        let is_async = node.child_of(Kind::Async).is_some();
        CompClause { target, iter, conditions: Vec::new(), is_async }
    }
}
