//! Functions, lambdas, their parameters and decorators.

use super::Lower;
use super::kind::{Field, Kind};
use super::scopes::ScopeKind;
use super::tree::Node;
use crate::ir::*;

/// What the decorators of a method say about it.
struct Role {
    binding: Binding,
    is_abstract: bool,
}

impl Lower {
    /// A function definition with its decorators (lowered already, with their nodes).
    pub(super) fn function(&mut self, node: Node, decorators: Vec<ExprId>, marks: &[Node], out: &mut Vec<StmtId>) {
        let parent = self.scopes.function();
        let class = if self.scopes.is(ScopeKind::Class) { self.class() } else { None };
        let text = node.child(Field::Name).map_or("", Node::text);
        let role = role(class.is_some(), text, marks);
        let mark = self.scopes.open_inner();
        self.type_params(node.child(Field::TypeParameters));
        let name = self.builder.name(text);
        let body = node.child(Field::Body);
        let id = self.builder.function(Function {
            name: Some(name),
            kind: FunctionKind::Named,
            binding: role.binding,
            parent: Some(parent),
            class,
            params: Vec::new(),
            body: BlockId(0),
            is_async: node.first().is_some_and(|first| first.kind() == Kind::Async),
            is_generator: false,
            is_abstract: role.is_abstract || body.is_some_and(is_stub),
            is_test: false,
            decorators,
            returns: None,
            span: node.span(),
            name_span: node.child(Field::Name).map_or(node.span(), Node::span),
        });
        let receives = matches!(role.binding, Binding::Instance | Binding::Class | Binding::Getter | Binding::Setter);
        let params = node.child(Field::Parameters).map(|list| self.parameter_types(list, receives)).unwrap_or_default();
        let returns = node.child(Field::ReturnType).map(|ty| self.ty(ty));
        self.scopes.push(ScopeKind::Function, id, self.class());
        let params = self.bind_params(params);
        let mut statements = Vec::new();
        for block in node.children().filter(|child| child.field() == Field::Body || child.kind() == Kind::Error) {
            self.statements(block, &mut statements);
        }
        let body = self.builder.block(statements);
        let is_generator = self.scopes.pop(&mut self.builder);
        if let Some(function) = self.builder.file_mut().functions.get_mut(id.index()) {
            function.params = params;
            function.body = body;
            function.returns = returns;
            function.is_generator = is_generator;
        }
        self.scopes.close_inner(mark);
        if let Some(class) = class
            && let Some(class) = self.builder.file_mut().classes.get_mut(class.index())
        {
            class.methods.push((name, id));
        }
        let target = (!text.is_empty()).then(|| self.bind(text));
        self.push(Stmt::Function { function: id, target }, node.span(), out);
    }

    pub(super) fn lambda(&mut self, node: Node) -> ExprId {
        let parent = self.scopes.function();
        let start = node.start();
        let id = self.builder.function(Function {
            name: None,
            kind: FunctionKind::Anonymous,
            binding: Binding::None,
            parent: Some(parent),
            class: None,
            params: Vec::new(),
            body: BlockId(0),
            is_async: false,
            is_generator: false,
            is_abstract: false,
            is_test: false,
            decorators: Vec::new(),
            returns: None,
            span: node.span(),
            name_span: Span::new(start, start + "lambda".len()),
        });
        let params = node.child(Field::Parameters).map(|list| self.parameter_types(list, false)).unwrap_or_default();
        self.scopes.push(ScopeKind::Function, id, self.class());
        let params = self.bind_params(params);
        let mut statements = Vec::new();
        if let Some(body) = node.child(Field::Body) {
            let value = self.expr(body);
            self.push(Stmt::Return(Some(value)), body.span(), &mut statements);
        }
        let body = self.builder.block(statements);
        let is_generator = self.scopes.pop(&mut self.builder);
        if let Some(function) = self.builder.file_mut().functions.get_mut(id.index()) {
            function.params = params;
            function.body = body;
            function.is_generator = is_generator;
        }
        self.builder.expr(ExprKind::Closure(id), node.span())
    }

    /// Parameters with what belongs to the scope around the function: defaults and declared types. The names
    /// are bound by [`Lower::bind_params`] once the function's scope is open.
    fn parameter_types<'t>(&mut self, list: Node<'t>, receives: bool) -> Vec<(Node<'t>, Param)> {
        let mut params: Vec<(Node, Param)> = Vec::new();
        let mut kind = if receives { ParamKind::Receiver } else { ParamKind::Normal };
        for node in list.children() {
            let target = match node.kind() {
                Kind::PositionalSeparator => {
                    for (_, param) in params.iter_mut().filter(|(_, param)| param.kind == ParamKind::Normal) {
                        param.kind = ParamKind::PositionalOnly;
                    }
                    continue;
                }
                Kind::KeywordSeparator => {
                    kind = ParamKind::KeywordOnly;
                    continue;
                }
                Kind::DefaultParameter | Kind::TypedDefaultParameter => node.child(Field::Name),
                Kind::TypedParameter => node.first(),
                Kind::Identifier | Kind::TuplePattern | Kind::ListSplatPattern | Kind::DictSplatPattern => Some(node),
                _ => None,
            };
            let Some(mut target) = target else { continue };
            let own = match target.kind() {
                Kind::ListSplatPattern => ParamKind::VarArgs,
                Kind::DictSplatPattern => ParamKind::KwArgs,
                _ => kind,
            };
            if matches!(own, ParamKind::VarArgs | ParamKind::KwArgs) {
                let Some(inner) = target.first() else { continue };
                target = inner;
            }
            kind = match own {
                ParamKind::Receiver => ParamKind::Normal,
                ParamKind::VarArgs => ParamKind::KeywordOnly,
                _ => kind,
            };
            let default = node.child(Field::Value).map(|value| self.expr(value));
            let declared = node.child(Field::Type).map(|ty| self.ty(ty));
            let name = (target.kind() == Kind::Identifier).then(|| self.builder.name(target.text()));
            let param = Param {
                name,
                pattern: PatId(0),
                kind: own,
                default,
                declared,
                is_field: false,
                injected: None,
                span: node.span(),
            };
            params.push((target, param));
        }
        params
    }

    fn bind_params(&mut self, params: Vec<(Node, Param)>) -> Vec<Param> {
        let bind = |(target, param): (Node, Param)| Param { pattern: self.target(target), ..param };
        params.into_iter().map(bind).collect()
    }

    /// Type parameters of a function or class: names of a scope around it.
    pub(super) fn type_params(&mut self, list: Option<Node>) -> Vec<(Name, Vec<TypeId>)> {
        let Some(list) = list else { return Vec::new() };
        let mut found = Vec::new();
        for param in list.children() {
            let mut named = param;
            let mut bound = None;
            while let Some(first) = named.first() {
                if named.kind() == Kind::ConstrainedType {
                    bound = named.children().nth(1);
                }
                named = first;
            }
            if named.kind() == Kind::Identifier {
                let name = self.builder.name(named.text());
                self.scopes.bind_inner(&mut self.builder, name);
                found.push((name, bound));
            }
        }
        let bounds = |(name, bound): (Name, Option<Node>)| (name, bound.map(|b| self.ty(b)).into_iter().collect());
        found.into_iter().map(bounds).collect()
    }
}

/// The last part of a decorator's path, called or not.
fn last_part<'t>(decorator: Node<'t>) -> (&'t str, bool) {
    let mut node = decorator;
    while matches!(node.kind(), Kind::Call | Kind::Parenthesized)
        && let Some(inner) = node.first()
    {
        node = inner;
    }
    match (node.kind(), node.child(Field::Attribute)) {
        (Kind::Attribute, Some(name)) => (name.text(), true),
        (Kind::Identifier, _) => (node.text(), false),
        _ => ("", false),
    }
}

fn role(in_class: bool, name: &str, decorators: &[Node]) -> Role {
    // These are bound to the class without saying so.
    let implicit = matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__");
    let mut role = Role {
        binding: match (in_class, implicit) {
            (false, _) => Binding::None,
            (true, true) => Binding::Class,
            (true, false) => Binding::Instance,
        },
        is_abstract: false,
    };
    for decorator in decorators {
        let (last, dotted) = last_part(*decorator);
        role.is_abstract |= last.starts_with("abstract") && ABSTRACT.contains(&last) || last == "overload";
        if !in_class {
            continue;
        }
        role.binding = match last {
            "classmethod" | "abstractclassmethod" => Binding::Class,
            "staticmethod" | "abstractstaticmethod" => Binding::Static,
            "property" | "abstractproperty" | "cached_property" => Binding::Getter,
            "getter" if dotted => Binding::Getter,
            "setter" | "deleter" if dotted => Binding::Setter,
            _ => role.binding,
        };
    }
    role
}

const ABSTRACT: [&str; 4] = ["abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod"];

/// A body that is only `...`, perhaps below a docstring.
fn is_stub(body: Node) -> bool {
    let mut ellipsis = false;
    for statement in body.children() {
        match statement.first().map(Node::kind) {
            Some(Kind::Ellipsis) if statement.kind() == Kind::ExpressionStatement => ellipsis = true,
            Some(Kind::String | Kind::Concatenated) if statement.kind() == Kind::ExpressionStatement => {}
            _ => return false,
        }
    }
    ellipsis
}
