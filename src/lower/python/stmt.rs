//! Statements.

use super::Lower;
use super::expr::{binary_op, is_expr};
use super::kind::{Field, Kind};
use super::tree::Node;
use crate::ir::*;

impl Lower {
    /// Lowers the statements below a node: a module, a block, or a region with syntax errors.
    pub(super) fn statements(&mut self, node: Node, out: &mut Vec<StmtId>) {
        if !self.enter(node) {
            return;
        }
        for child in node.children() {
            self.statement(child, out);
        }
        self.leave();
    }

    /// The blocks that are part `field` of a node.
    pub(super) fn block(&mut self, node: Node, field: Field) -> BlockId {
        let mut statements = Vec::new();
        for block in node.children().filter(|child| child.field() == field) {
            self.statements(block, &mut statements);
        }
        self.builder.block(statements)
    }

    /// The blocks below a clause whose body has no name in the grammar.
    fn clause_block(&mut self, node: Node) -> BlockId {
        let mut statements = Vec::new();
        for block in node.children().filter(|child| matches!(child.kind(), Kind::Block | Kind::Error)) {
            self.statements(block, &mut statements);
        }
        self.builder.block(statements)
    }

    fn statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let span = node.span();
        match node.kind() {
            Kind::ExpressionStatement => self.expression_statement(node, out),
            Kind::Assignment => self.assignment(node, out),
            Kind::Augmented => self.augmented(node, out),
            Kind::Return => {
                let value = node.first().map(|value| self.expr(value));
                self.push(Stmt::Return(value), span, out);
            }
            Kind::If => self.if_statement(node, out),
            Kind::For => self.for_statement(node, out),
            Kind::While => self.while_statement(node, out),
            Kind::Try => self.try_statement(node, out),
            Kind::With => self.with_statement(node, out),
            Kind::Match => self.match_statement(node, out),
            Kind::FunctionDef => self.function(node, Vec::new(), &[], out),
            Kind::ClassDef => self.class_definition(node, Vec::new(), out),
            Kind::Decorated => self.decorated(node, out),
            Kind::Import => self.import(node, out),
            Kind::ImportFrom => self.import_from(node, out),
            Kind::Raise => self.raise(node, out),
            Kind::Assert => {
                if let Some(test) = node.first() {
                    let test = self.expr(test);
                    self.push(Stmt::Assert(test), span, out);
                }
            }
            Kind::Delete => {
                let targets = match node.first() {
                    Some(list) if list.kind() == Kind::ExpressionList => {
                        list.children().map(|target| self.target(target)).collect()
                    }
                    Some(target) => vec![self.target(target)],
                    None => Vec::new(),
                };
                self.push(Stmt::Delete(targets), span, out);
            }
            Kind::Break => self.push(Stmt::Break(None, None), span, out),
            Kind::Continue => self.push(Stmt::Continue(None), span, out),
            Kind::Global | Kind::Nonlocal => {
                for name in node.children().filter(|child| child.kind() == Kind::Identifier) {
                    let text = self.builder.name(name.text());
                    match node.kind() {
                        Kind::Global => self.scopes.global(text),
                        _ => self.scopes.nonlocal(&mut self.builder, text),
                    }
                }
            }
            Kind::Print => self.old_call(node, "print", out),
            Kind::Exec => self.old_call(node, "exec", out),
            Kind::TypeAlias => self.type_alias(node, out),
            // A future import changes the compiler, it brings nothing.
            Kind::Pass | Kind::FutureImport | Kind::Missing | Kind::Decorator => {}
            kind if is_expr(kind) && kind != Kind::Error && kind != Kind::Other => {
                let value = self.expr(node);
                self.push(Stmt::Expr(value), span, out);
            }
            // Broken code: whatever can be understood inside.
            _ => self.statements(node, out),
        }
    }

    fn expression_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let mut parts = node.children();
        let (Some(first), second) = (parts.next(), parts.next()) else { return };
        if second.is_some() {
            for part in node.children() {
                self.statement(part, out);
            }
            return;
        }
        match first.kind() {
            Kind::Assignment | Kind::Augmented | Kind::Error => self.statement(first, out),
            // Docstrings and bare constants do nothing.
            Kind::Ellipsis | Kind::None | Kind::Integer => {}
            Kind::String | Kind::Concatenated if !interpolates(first) => {}
            _ => {
                let value = self.expr(first);
                self.export_call(first, value);
                self.push(Stmt::Expr(value), node.span(), out);
            }
        }
    }

    /// `a = b = value`, `a: T = value`, `a: T`
    fn assignment(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let mut lefts = Vec::new();
        let mut declared = None;
        let mut right = Some(node);
        while let Some(inner) = right.filter(|inner| inner.kind() == Kind::Assignment) {
            lefts.extend(inner.child(Field::Left));
            declared = declared.or_else(|| inner.child(Field::Type));
            right = inner.child(Field::Right);
        }
        if let Some(inner) = right.filter(|inner| inner.kind() == Kind::Augmented) {
            self.statement(inner, out);
            right = inner.child(Field::Left);
        }
        let value = right.map(|right| self.expr(right));
        let declared = declared.map(|ty| self.ty(ty));
        for left in &lefts {
            self.export_list(*left, value, false);
        }
        let targets = lefts.into_iter().map(|left| self.target(left)).collect();
        if self.scopes.is(super::scopes::ScopeKind::Class) {
            self.field(node, declared, value);
        }
        self.push(Stmt::Assign { targets, value, op: None, declared }, node.span(), out);
    }

    fn augmented(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let (Some(left), Some(right)) = (node.child(Field::Left), node.child(Field::Right)) else { return };
        let value = match right.kind() {
            Kind::Assignment | Kind::Augmented => self.unknown(Vec::new(), right.span()),
            _ => self.expr(right),
        };
        self.export_list(left, Some(value), true);
        let target = self.target(left);
        let op = node.child(Field::Operator).and_then(|op| binary_op(op.kind()));
        let op = AssignOp::Binary(op.unwrap_or(BinaryOp::Add));
        let stmt = Stmt::Assign { targets: vec![target], value: Some(value), op: Some(op), declared: None };
        self.push(stmt, node.span(), out);
    }

    /// `elif`s become nested in the `else` before them, built from the last.
    fn if_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
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

    fn for_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let Some(right) = node.child(Field::Right) else { return self.statements_of(node, out) };
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

    fn while_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let Some(condition) = node.child(Field::Condition) else { return self.statements_of(node, out) };
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

    fn try_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
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
        let types = match caught[..] {
            [] => None,
            [one] => Some(self.expr(one)),
            [first, .., last] => {
                let items = caught.iter().map(|caught| self.item(*caught)).collect();
                let span = Span::new(first.start(), last.end());
                Some(self.builder.expr(ExprKind::Seq(SeqKind::Tuple, items), span))
            }
        };
        let end = alias.or(caught.last().copied()).map_or(node.start() + "except".len(), Node::end);
        let binding = alias.map(|alias| self.target(alias));
        let after = node.source(node.start() + "except".len(), node.end());
        let is_group = after.trim_start().starts_with('*');
        Handler { types, binding, is_group, body: self.clause_block(node), span: Span::new(node.start(), end) }
    }

    fn with_statement(&mut self, node: Node, out: &mut Vec<StmtId>) {
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

    fn raise(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let cause = node.child(Field::Cause).map(|cause| self.expr(cause));
        let error = node.children().find(|child| child.field() != Field::Cause && is_expr(child.kind()));
        // Python 2 wrote `raise E, message`.
        let error = error.and_then(|error| match error.kind() {
            Kind::ExpressionList => error.first(),
            _ => Some(error),
        });
        let error = error.map(|error| self.expr(error));
        self.push(Stmt::Raise { error, cause }, node.span(), out);
    }

    fn decorated(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let mut marks = Vec::new();
        for decorator in node.children().filter(|child| child.kind() == Kind::Decorator) {
            marks.extend(decorator.first());
        }
        let decorators = marks.iter().map(|mark| self.expr(*mark)).collect();
        match node.child(Field::Definition) {
            Some(class) if class.kind() == Kind::ClassDef => self.class_definition(class, decorators, out),
            Some(function) => self.function(function, decorators, &marks, out),
            None => {}
        }
    }

    /// Python 2's `print >>f, x` and `exec code in scope`, as calls.
    fn old_call(&mut self, node: Node, name: &str, out: &mut Vec<StmtId>) {
        let span = Span::new(node.start(), node.start() + name.len());
        let callee = self.read(name, span);
        let mut args = Vec::new();
        for arg in node.children() {
            match (arg.kind(), arg.first()) {
                (Kind::Chevron, Some(file)) => {
                    let name = self.builder.name("file");
                    args.push(Arg::Keyword(name, self.expr(file)));
                }
                _ => args.push(self.item(arg)),
            }
        }
        let call = ExprKind::Call { callee, args, kind: CallKind::Plain, optional: false };
        let call = self.builder.expr(call, node.span());
        self.push(Stmt::Expr(call), node.span(), out);
    }

    /// `type X = …` binds `X` to what it stands for.
    fn type_alias(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let (Some(mut left), Some(right)) = (node.child(Field::Left), node.child(Field::Right)) else { return };
        let mark = self.scopes.open_inner();
        while left.kind() != Kind::Identifier
            && let Some(inner) = left.first()
        {
            self.type_params(left.child_of(Kind::TypeParameter));
            left = inner;
        }
        let value = Some(self.expr(right));
        self.scopes.close_inner(mark);
        let targets = vec![self.target(left)];
        self.push(Stmt::Assign { targets, value, op: None, declared: None }, node.span(), out);
    }

    /// A statement too broken to be one: what is inside.
    fn statements_of(&mut self, node: Node, out: &mut Vec<StmtId>) {
        self.statements(node, out);
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

/// Whether a string evaluates anything.
fn interpolates(node: Node) -> bool {
    let own = |string: Node| string.child_of(Kind::Interpolation).is_some();
    own(node) || node.children().any(own)
}
