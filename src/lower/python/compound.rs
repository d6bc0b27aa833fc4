//! Statements with blocks: branches, loops, try, with.

use super::Lower;
use super::kind::{Field, Kind};
use super::tree::Node;
use crate::ir::*;

impl Lower {
    /// `elif`s become nested in the `else` before them, built from the last.
    pub(super) fn if_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let mut branches = Vec::new();
        let mut otherwise = None;
        let outer = self.type_only;
        let mut excluded = false;
        let clauses = node.children().filter(|child| matches!(child.kind(), Kind::Elif | Kind::Else));
        for clause in std::iter::once(node).chain(clauses) {
            self.type_only = outer || excluded;
            if clause.kind() == Kind::Else {
                otherwise = Some(self.block(clause, Field::Body));
                continue;
            }
            let Some(condition) = clause.child(Field::Condition) else { continue };
            let test = self.expr(condition);
            let (checking, negated) = type_checking(condition);
            self.type_only |= checking && !negated;
            excluded |= checking && negated;
            let then = self.block(clause, Field::Consequence);
            branches.push((clause, test, then));
        }
        self.type_only = outer;
        while let Some((clause, test, then)) = branches.pop() {
            let span = Span::new(clause.start(), node.end());
            let stmt = self.builder.stmt(Stmt::If { test, then, otherwise }, span);
            if branches.is_empty() {
                return out.push(stmt);
            }
            otherwise = Some(self.builder.block(vec![stmt]));
        }
    }

    fn otherwise(&mut self, node: Node) -> Option<BlockId> {
        let clause = node.child_of(Kind::Else)?;
        Some(self.block(clause, Field::Body))
    }

    pub(super) fn for_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let Some(right) = node.child(Field::Right) else { return self.statements(node, out) };
        let iter = self.expr(right);
        let target = match node.child(Field::Left) {
            Some(left) => self.target(left),
            None => self.builder.pattern(Pattern::Unknown),
        };
        let body = self.block(node, Field::Body);
        let stmt = Stmt::ForEach {
            target,
            iter,
            body,
            otherwise: self.otherwise(node),
            is_async: node.first().is_some_and(|first| first.kind() == Kind::Async),
            over_keys: false,
            label: None,
            header: Span::new(node.start(), right.end()),
        };
        self.push(stmt, node.span(), out);
    }

    pub(super) fn while_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let Some(condition) = node.child(Field::Condition) else { return self.statements(node, out) };
        let before = Some(self.expr(condition));
        let body = self.block(node, Field::Body);
        let stmt = Stmt::Loop {
            before,
            body,
            update: None,
            after: None,
            otherwise: self.otherwise(node),
            label: None,
            result: None,
            header: Span::new(node.start(), condition.end()),
        };
        self.push(stmt, node.span(), out);
    }

    pub(super) fn try_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let body = self.block(node, Field::Body);
        let mut handlers = Vec::new();
        for clause in node.children().filter(|child| child.kind() == Kind::Except) {
            handlers.push(self.handler(clause));
        }
        let otherwise = self.otherwise(node);
        let finally = node.child_of(Kind::Finally).map(|clause| self.clause_block(clause));
        self.push(Stmt::Try { body, handlers, otherwise, finally }, node.span(), out);
    }

    fn handler(&mut self, node: Node) -> Handler {
        let values: Vec<_> = node.children().filter(|child| child.field() == Field::Value).collect();
        let mut alias = node.child(Field::Alias);
        let caught = match values[..] {
            [] => Vec::new(),
            // `except E as e` may come as one expression with an alias.
            [one] if one.kind() == Kind::AsPattern => {
                alias = one.child(Field::Alias).or(alias);
                one.first().into_iter().collect()
            }
            // Python 2 wrote `except E, e`; Python 3.14 lists types.
            [one, name] if name.kind() == Kind::Identifier && name.text().starts_with(char::is_lowercase) => {
                alias = Some(name);
                vec![one]
            }
            _ => values,
        };
        let types = (!caught.is_empty()).then(|| self.one_or_tuple(&caught, node.span()));
        let end = alias.or(caught.last().copied()).map_or(node.start() + "except".len(), Node::end);
        let binding = alias.map(|alias| self.target(alias));
        let after = node.source(node.start() + "except".len(), node.end());
        let is_group = after.trim_start().starts_with('*');
        Handler { types, binding, is_group, body: self.clause_block(node), span: Span::new(node.start(), end) }
    }

    pub(super) fn with_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let mut values = Vec::new();
        let clause = node.child_of(Kind::WithClause);
        for item in clause.into_iter().flat_map(|clause| clause.children()) {
            let value = item.child(Field::Value).unwrap_or(item);
            // `with (a as x, b as y):` may come as a tuple.
            let grouped = value.kind() == Kind::Tuple && value.child_of(Kind::AsPattern).is_some();
            let single = value.first().filter(|inner| inner.kind() == Kind::AsPattern);
            match single {
                _ if grouped => values.extend(value.children()),
                Some(inner) if value.kind() == Kind::Parenthesized => values.push(inner),
                _ => values.push(value),
            }
        }
        let mut items = Vec::new();
        for value in values {
            let alias = if value.kind() == Kind::AsPattern { value.child(Field::Alias) } else { None };
            let manager = self.expr(value);
            let target = alias.map(|alias| self.target(alias));
            items.push((manager, target));
        }
        let is_async = node.first().is_some_and(|first| first.kind() == Kind::Async);
        let body = self.block(node, Field::Body);
        self.push(Stmt::With { items, body, is_async }, node.span(), out);
    }

    /// The blocks below a clause whose body has no name in the grammar.
    fn clause_block(&mut self, node: Node) -> BlockId {
        let mut statements = Vec::new();
        for block in node.children().filter(|child| matches!(child.kind(), Kind::Block | Kind::Error)) {
            self.statements(block, &mut statements);
        }
        self.builder.block(statements)
    }
}

/// Whether a test is `TYPE_CHECKING` (however it is reached), and whether it is negated.
fn type_checking(test: Node) -> (bool, bool) {
    let mut node = test;
    let mut negated = false;
    loop {
        let inner = match node.kind() {
            Kind::Parenthesized => node.first(),
            Kind::NotOperator => {
                negated = !negated;
                node.child(Field::Argument)
            }
            Kind::Attribute => node.child(Field::Attribute),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return (node.text() == "TYPE_CHECKING", negated),
        }
    }
}
