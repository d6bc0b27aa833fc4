//! Statements.

use super::Lower;
use super::expr::is_expr;
use super::kind::{Field, Kind};
use super::operators::binary_op;
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

    /// The blocks that are part `field` of a node, and what errors inside the node have left of it.
    pub(super) fn block(&mut self, node: Node, field: Field) -> BlockId {
        let mut statements = Vec::new();
        for block in node.children().filter(|child| child.field() == field || child.kind() == Kind::Error) {
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
            // In broken code keywords come as names too, and a name alone does nothing.
            Kind::Identifier => {}
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
}

/// Whether a string evaluates anything.
fn interpolates(node: Node) -> bool {
    let own = |string: Node| string.child_of(Kind::Interpolation).is_some();
    own(node) || node.children().any(own)
}
