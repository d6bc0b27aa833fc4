//! Functions of every form: declarations, expressions, arrows, methods, signatures; and their parameters.

use super::kind::{Field, Kind};
use super::lowerer::{Hint, Lower};
use super::scope::TypeBinding;
use super::tree::Node;
use crate::ir::*;

/// What a function's surroundings say about it.
pub struct Role {
    /// Its name and where that stands.
    pub name: Option<Hint>,
    /// How it is bound.
    pub binding: Binding,
    /// The class it is a member of.
    pub class: Option<ClassId>,
    /// Decorators, already lowered.
    pub decorators: Vec<ExprId>,
}

impl Role {
    /// A function that is no class member.
    pub fn free(name: Option<Hint>) -> Self {
        Self { name, binding: Binding::None, class: None, decorators: Vec::new() }
    }
}

impl Lower<'_, '_> {
    /// A function declaration or signature, bound in the scope it stands in.
    pub fn function_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let Some(name) = self.tree.field(n, Field::Name) else { return };
        let hint = Hint { name: self.name_of(name), span: self.span(name) };
        let target = self.declare_value(hint.name);
        let span = self.span(n);
        if let Some(function) = self.function(n, Role::free(Some(hint))) {
            out.push(self.b.stmt(Stmt::Function { function, target: Some(target) }, span));
        }
    }

    /// An arrow or function expression. A name of its own that is used inside is bound around it.
    pub fn closure(&mut self, n: Node) -> ExprId {
        let hint = self.hint.take();
        let span = self.span(n);
        let own = self.tree.field(n, Field::Name);
        let Some(own) = own else {
            return match self.function(n, Role::free(hint)) {
                Some(function) => self.b.expr(ExprKind::Closure(function), span),
                None => self.unknown(Vec::new(), span),
            };
        };
        let hint = Hint { name: self.name_of(own), span: self.span(own) };
        self.scopes.enter();
        let var = self.declare_value(hint.name);
        let function = self.function(n, Role::free(Some(hint)));
        self.scopes.leave();
        match function {
            None => self.unknown(Vec::new(), span),
            Some(function) if self.b.file().var(var).captured => {
                let stmt = self.b.stmt(Stmt::Function { function, target: Some(var) }, span);
                let block = self.b.block(vec![stmt]);
                let result = self.b.expr(ExprKind::Var(var), span);
                self.b.expr(ExprKind::Block { block, result: Some(result) }, span)
            }
            Some(function) => self.b.expr(ExprKind::Closure(function), span),
        }
    }

    /// Lowers a function of any form; none past the depth guard.
    pub fn function(&mut self, n: Node, role: Role) -> Option<FunctionId> {
        let id = self.open_function(n, role);
        let outer = (self.function, self.class, self.label.take(), self.hint.take());
        self.function = id;
        if self.kind(n) != Kind::ArrowFunction {
            self.class = self.b.file().function(id).class;
        }
        self.scopes.enter();
        let done = self.deeper(n, 1, |this| this.function_parts(n, id));
        self.scopes.leave();
        (self.function, self.class, self.label, self.hint) = outer;
        done.map(|()| id)
    }

    fn open_function(&mut self, n: Node, role: Role) -> FunctionId {
        let kind = match (self.kind(n), role.name) {
            (Kind::ArrowFunction, _) => FunctionKind::Arrow,
            (_, None) => FunctionKind::Anonymous,
            _ => FunctionKind::Named,
        };
        let span = self.after_decorators(n);
        let body = self.b.block(Vec::new());
        self.b.function(Function {
            name: role.name.map(|hint| hint.name),
            kind,
            binding: role.binding,
            parent: Some(self.function),
            class: role.class,
            params: Vec::new(),
            body,
            is_async: self.tree.has(n, "async"),
            is_generator: matches!(self.kind(n), Kind::GeneratorFunction | Kind::GeneratorFunctionDeclaration)
                || self.tree.has(n, "*"),
            is_abstract: self.tree.field(n, Field::Body).is_none(),
            is_test: false,
            decorators: role.decorators,
            returns: None,
            span,
            name_span: role.name.map_or(Span { start: span.start, end: span.start }, |hint| hint.span),
        })
    }

    fn function_parts(&mut self, n: Node, id: FunctionId) {
        if let Some(params) = self.tree.field(n, Field::TypeParameters) {
            self.function_type_params(params);
        }
        let params = self.params(n);
        let returns = self.tree.field(n, Field::ReturnType).and_then(|t| self.annotation(t));
        let mut stmts = Vec::new();
        if let Some(body) = self.tree.field(n, Field::Body) {
            self.declare_vars(n);
            self.function_body(body, &mut stmts);
        }
        let file = self.b.file_mut();
        let function = &mut file.functions[id.index()];
        function.params = params;
        function.returns = returns;
        let body = function.body;
        file.blocks[body.index()] = stmts;
    }

    fn function_body(&mut self, body: Node, out: &mut Vec<StmtId>) {
        if self.kind(body) == Kind::StatementBlock {
            let nodes: Vec<Node> = self.tree.named(body).collect();
            return self.statements(&nodes, out);
        }
        let value = self.expr(body);
        let span = self.span(body);
        out.push(self.b.stmt(Stmt::Return(Some(value)), span));
    }

    /// Declares the type parameters of a function or function type.
    pub fn function_type_params(&mut self, params: Node) {
        for param in self.tree.named(params) {
            let Some(name) = self.tree.field(param, Field::Name) else { continue };
            let name = self.name_of(name);
            self.scopes.declare_type(name, TypeBinding::Param(None));
            if let Some(bound) = self.tree.field(param, Field::Constraint).and_then(|c| self.tree.first(c)) {
                let bound = self.ty(bound);
                let bound = self.b.ty(Type::Bounds(vec![bound]));
                self.scopes.declare_type(name, TypeBinding::Param(Some(bound)));
            }
        }
    }

    fn params(&mut self, n: Node) -> Vec<Param> {
        let nodes: Vec<Node> = match self.tree.field(n, Field::Parameter) {
            Some(single) => vec![single],
            None => self.tree.field(n, Field::Parameters).map_or(Vec::new(), |list| self.tree.named(list).collect()),
        };
        for &param in &nodes {
            let pattern = self.tree.field(param, Field::Pattern).unwrap_or(param);
            self.declare_pattern(pattern);
        }
        nodes.into_iter().filter_map(|param| self.param(param)).collect()
    }

    fn param(&mut self, n: Node) -> Option<Param> {
        let tree = self.tree;
        let is_typed = matches!(tree.kind(n), Kind::RequiredParameter | Kind::OptionalParameter);
        let (mut pattern, mut default) = match tree.kind(n) {
            Kind::RequiredParameter | Kind::OptionalParameter => {
                (tree.field(n, Field::Pattern)?, tree.field(n, Field::Value))
            }
            Kind::AssignmentPattern => (tree.field(n, Field::Left)?, tree.field(n, Field::Right)),
            Kind::Identifier | Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern | Kind::Undefined => {
                (n, None)
            }
            _ => return None,
        };
        if tree.kind(pattern) == Kind::This {
            return None;
        }
        if tree.kind(pattern) == Kind::AssignmentPattern {
            default = tree.field(pattern, Field::Right);
            pattern = tree.field(pattern, Field::Left)?;
        }
        let is_rest = tree.kind(pattern) == Kind::RestPattern;
        if is_rest {
            pattern = tree.first(pattern)?;
        }
        let name = (tree.kind(pattern) == Kind::Identifier).then(|| self.name_of(pattern));
        let is_modifier = |c: Node| matches!(tree.kind(c), Kind::AccessibilityModifier | Kind::OverrideModifier);
        let is_field = is_typed && (tree.named(n).any(is_modifier) || tree.has(n, "readonly"));
        Some(Param {
            name,
            pattern: self.pattern(pattern),
            kind: if is_rest { ParamKind::VarArgs } else { ParamKind::Normal },
            default: default.map(|d| self.expr(d)),
            declared: tree.field(n, Field::Type).filter(|_| is_typed).and_then(|t| self.annotation(t)),
            is_field,
            injected: tree.fields(n, Field::Decorator).find_map(|d| self.decorator(d)),
            span: self.span(n),
        })
    }

    /// The span of a definition without the decorators in front of it.
    pub fn after_decorators(&self, n: Node) -> Span {
        let span = self.span(n);
        let decorators = self.tree.children(n).take_while(|&c| self.kind(c) == Kind::Decorator);
        let Some(last) = decorators.last() else { return span };
        let rest = self.tree.slice(Span { start: self.span(last).end, end: span.end });
        Span { start: span.end - rest.trim_start().len() as u32, end: span.end }
    }
}
