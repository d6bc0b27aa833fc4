//! Statements, except loops (`loops`) and declarations with a file of their own.

use super::kind::{Field, Kind};
use super::lowerer::{Hint, Lower};
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// Lowers the whole module.
    pub fn module(&mut self) {
        let Some(root) = self.tree.root() else { return };
        self.scopes.enter();
        let nodes: Vec<Node> = self.tree.named(root).collect();
        let mut out = Vec::new();
        for &n in &nodes {
            self.declare_statement(n);
        }
        self.declare_vars(root);
        self.find_exports(root);
        self.hoist_imports(&nodes, &mut out);
        self.statements(&nodes, &mut out);
        self.finish_exports(&mut out);
        self.scopes.leave();
        let body = self.b.file().function(MODULE).body;
        self.b.file_mut().blocks[body.index()] = out;
    }

    /// One statement; it may become several or none.
    pub fn stmt(&mut self, n: Node, out: &mut Vec<StmtId>) {
        if self.function == MODULE && self.scopes.level() == 1 {
            self.reset_depth_report();
        }
        self.deeper(n, 1, |this| this.stmt_inner(n, out));
    }

    fn stmt_inner(&mut self, n: Node, out: &mut Vec<StmtId>) {
        match self.kind(n) {
            Kind::ExpressionStatement => {
                if let Some(inner) = self.tree.first(n) {
                    self.expression_statement(inner, out);
                }
            }
            Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::UsingDeclaration => self.declaration(n, out),
            Kind::Return => self.leaving(n, Stmt::Return, out),
            Kind::Throw => self.leaving(n, |error| Stmt::Raise { error, cause: None }, out),
            Kind::If => self.if_statement(n, out),
            Kind::For => self.for_statement(n, out),
            Kind::ForIn => self.for_in_statement(n, out),
            Kind::While | Kind::Do => self.while_statement(n, out),
            Kind::Try => self.try_statement(n, out),
            Kind::Switch => self.switch_statement(n, out),
            Kind::StatementBlock => self.block_statement(n, out),
            Kind::Labeled => self.labeled(n, out),
            Kind::Break | Kind::Continue => self.jump(n, out),
            _ => self.declaring(n, out),
        }
    }

    /// Statements that declare something.
    fn declaring(&mut self, n: Node, out: &mut Vec<StmtId>) {
        match self.kind(n) {
            // Lowered at the start of their scope.
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration | Kind::FunctionSignature => {}
            Kind::ImportStatement => {}
            Kind::ClassDeclaration | Kind::AbstractClassDeclaration => self.class_statement(n, &[], out),
            Kind::EnumDeclaration => self.enum_statement(n, out),
            Kind::InterfaceDeclaration => self.interface_statement(n, out),
            Kind::TypeAlias => self.alias_statement(n, out),
            Kind::InternalModule | Kind::Module => self.namespace(n, out),
            Kind::ImportAlias => self.import_alias(n, out),
            Kind::AmbientDeclaration => self.ambient(n, out),
            Kind::ExportStatement => self.export_statement(n, out),
            Kind::With => self.with_statement(n, out),
            Kind::Empty | Kind::Debugger | Kind::HashBang => {}
            Kind::Error => self.broken(n, out),
            Kind::ElseClause | Kind::CatchClause | Kind::FinallyClause | Kind::SwitchBody => self.broken(n, out),
            _ if self.is_no_value(n) => {}
            _ => self.expression_statement(n, out),
        }
    }

    /// What stands in a syntax error and is no statement and no expression.
    fn is_no_value(&self, n: Node) -> bool {
        matches!(
            self.kind(n),
            Kind::FormalParameters
                | Kind::TypeAnnotation
                | Kind::TypeArguments
                | Kind::TypeParameters
                | Kind::TypeIdentifier
                | Kind::PropertyIdentifier
                | Kind::StatementIdentifier
                | Kind::AccessibilityModifier
                | Kind::PredefinedType
                | Kind::Decorator
                | Kind::ClassHeritage
                | Kind::ImportClause
                | Kind::ExportClause
        )
    }

    /// A syntax error: everything in it that can be read.
    fn broken(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let tree = self.tree;
        for child in tree.named(n) {
            if let Some(function) = self.declared_function(child) {
                self.function_statement(function, out);
            }
            self.stmt(child, out);
        }
    }

    /// An expression for its effects; assignments and comma expressions become statements.
    pub fn expression_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let n = self.peel(n);
        let span = self.span(n);
        match self.kind(n) {
            Kind::AssignmentExpression | Kind::AugmentedAssignment => self.assignment_statement(n, out),
            Kind::Sequence => {
                for part in self.sequence_parts(n) {
                    self.expression_statement(part, out);
                }
            }
            Kind::InternalModule => self.namespace(n, out),
            Kind::Call if self.define_export(n, out) => {}
            _ => {
                let value = self.expr(n);
                out.push(self.b.stmt(Stmt::Expr(value), span));
            }
        }
    }

    /// `a = b = value` has several targets.
    fn assignment_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let span = self.span(n);
        let op = self.assignment_op(n);
        let mut targets = Vec::new();
        let mut hint = None;
        let mut at = n;
        loop {
            let (Some(left), Some(right)) = (self.tree.field(at, Field::Left), self.tree.field(at, Field::Right))
            else {
                return self.broken(at, out);
            };
            self.assign_targets(left, &mut targets);
            hint = self.target_hint(left).or(hint);
            at = right;
            if op.is_some() || self.kind(self.peel(right)) != Kind::AssignmentExpression {
                break;
            }
            at = self.peel(right);
        }
        let value = self.named_value(at, hint);
        let stmt = Stmt::Assign { targets, value: Some(value), op, declared: None };
        out.push(self.b.stmt(stmt, span));
    }

    /// The name that a function takes from the target it is assigned to.
    pub fn target_hint(&mut self, left: Node) -> Option<Hint> {
        let left = self.peel(left);
        let (text, span) = match self.kind(left) {
            Kind::Identifier => (self.tree.text(left).to_string(), self.span(left)),
            Kind::Member => (self.property_path(left)?, self.span(self.tree.field(left, Field::Property)?)),
            _ => return None,
        };
        let is_module = text == "module" || text == "exports";
        (!is_module).then(|| Hint { name: self.b.name(&text), span })
    }

    /// `Client.send` for `Client.prototype.send`, `x` for `exports.x`, `module.exports.x` and `this.x`.
    fn property_path(&self, member: Node) -> Option<String> {
        let mut parts = Vec::new();
        let mut at = member;
        while self.kind(at) == Kind::Member {
            parts.push(self.tree.text(self.tree.field(at, Field::Property)?));
            at = self.peel(self.tree.field(at, Field::Object)?);
            if parts.len() > 8 {
                return None;
            }
        }
        match self.kind(at) {
            Kind::Identifier => parts.push(self.tree.text(at)),
            Kind::This => {}
            _ => return parts.first().map(|last| (*last).to_string()),
        }
        let is_module = parts.last() == Some(&"module") && parts.get(parts.len().wrapping_sub(2)) == Some(&"exports");
        if is_module || parts.last() == Some(&"exports") {
            parts.truncate(parts.len() - if is_module { 2 } else { 1 });
        }
        parts.retain(|part| *part != "prototype");
        parts.reverse();
        (!parts.is_empty()).then(|| parts.join("."))
    }

    /// `let`, `const`, `var`, `using`.
    pub fn declaration(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let tree = self.tree;
        for declarator in tree.named(n) {
            let Some(name) = tree.field(declarator, Field::Name) else {
                self.stmt(declarator, out);
                continue;
            };
            let hint = match self.kind(name) {
                Kind::Identifier => Some(Hint { name: self.name_of(name), span: self.span(name) }),
                _ => None,
            };
            let value = tree.field(declarator, Field::Value).map(|value| self.named_value(value, hint));
            let target = self.pattern(name);
            let declared = tree.field(declarator, Field::Type).and_then(|t| self.annotation(t));
            let span = self.span(declarator);
            out.push(self.b.stmt(Stmt::Assign { targets: vec![target], value, op: None, declared }, span));
        }
    }

    fn leaving(&mut self, n: Node, make: fn(Option<ExprId>) -> Stmt, out: &mut Vec<StmtId>) {
        let value = self.tree.first(n).map(|value| self.expr(value));
        let span = self.span(n);
        out.push(self.b.stmt(make(value), span));
    }

    fn if_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let span = self.span(n);
        let test = self.condition(n);
        let then = self.body(self.tree.field(n, Field::Consequence));
        let otherwise = self.tree.field(n, Field::Alternative);
        let otherwise = otherwise.and_then(|e| self.tree.first(e)).map(|e| self.body(Some(e)));
        out.push(self.b.stmt(Stmt::If { test, then, otherwise }, span));
    }

    /// The condition of an `if` or loop.
    pub fn condition(&mut self, n: Node) -> ExprId {
        match self.tree.field(n, Field::Condition) {
            Some(condition) => self.expr(condition),
            None => {
                let span = self.span(n);
                self.unknown(Vec::new(), span)
            }
        }
    }

    /// A block, or one statement where a block could stand; a scope of its own.
    pub fn body(&mut self, n: Option<Node>) -> BlockId {
        let mut stmts = Vec::new();
        if let Some(n) = n {
            self.scopes.enter();
            match self.kind(n) {
                Kind::StatementBlock => {
                    let nodes: Vec<Node> = self.tree.named(n).collect();
                    self.statements(&nodes, &mut stmts);
                }
                _ => self.statements(&[n], &mut stmts),
            }
            self.scopes.leave();
        }
        self.b.block(stmts)
    }

    fn block_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let block = self.body(Some(n));
        let label = self.label.take();
        let span = self.span(n);
        out.push(self.b.stmt(Stmt::Block(block, label), span));
    }

    fn labeled(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let (label, body) = (self.tree.field(n, Field::Label), self.tree.field(n, Field::Body));
        let (Some(label), Some(body)) = (label, body) else { return self.broken(n, out) };
        let label = self.name_of(label);
        if matches!(self.kind(body), Kind::For | Kind::ForIn | Kind::While | Kind::Do) {
            self.label = Some(label);
            return self.stmt(body, out);
        }
        let block = self.body(Some(body));
        let span = self.span(n);
        out.push(self.b.stmt(Stmt::Block(block, Some(label)), span));
    }

    fn jump(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let label = self.tree.field(n, Field::Label).map(|label| self.name_of(label));
        let stmt = match self.kind(n) {
            Kind::Break => Stmt::Break(label, None),
            _ => Stmt::Continue(label),
        };
        let span = self.span(n);
        out.push(self.b.stmt(stmt, span));
    }

    fn try_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let span = self.span(n);
        let body = self.body(self.tree.field(n, Field::Body));
        let handler = self.tree.field(n, Field::Handler).map(|clause| self.handler(clause));
        let finally = self.tree.field(n, Field::Finalizer);
        let finally = finally.map(|clause| self.body(self.tree.field(clause, Field::Body)));
        let handlers = handler.into_iter().collect();
        out.push(self.b.stmt(Stmt::Try { body, handlers, otherwise: None, finally }, span));
    }

    fn handler(&mut self, clause: Node) -> Handler {
        let body_node = self.tree.field(clause, Field::Body);
        self.scopes.enter();
        let binding = self.tree.field(clause, Field::Parameter).map(|param| {
            self.declare_pattern(param);
            self.pattern(param)
        });
        let body = self.body(body_node);
        self.scopes.leave();
        Handler { types: None, binding, is_group: false, body, span: self.header(clause, body_node) }
    }

    fn with_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        if let Some(object) = self.tree.field(n, Field::Object) {
            self.expression_statement(object, out);
        }
        if let Some(body) = self.tree.field(n, Field::Body) {
            self.stmt(body, out);
        }
    }
}
