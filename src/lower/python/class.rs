//! Classes: bases, keywords, the body as a function whose variables are the attributes, declared fields.

use super::Lower;
use super::kind::{Field, Kind};
use super::scopes::ScopeKind;
use super::tree::Node;
use crate::ir::{self, *};

impl Lower {
    pub(super) fn class_definition(&mut self, node: Node, decorators: Vec<ExprId>, out: &mut Vec<StmtId>) {
        let parent = self.scopes.function();
        let text = node.child(Field::Name).map_or("", Node::text);
        let name = self.builder.name(text);
        let name_span = node.child(Field::Name).map_or(node.span(), Node::span);
        let mark = self.scopes.open_inner();
        let type_params = self.type_params(node.child(Field::TypeParameters));
        let (mut bases, mut keywords) = (Vec::new(), Vec::new());
        for arg in node.child(Field::Superclasses).map(|list| self.arguments(list)).unwrap_or_default() {
            match arg {
                Arg::Keyword(name, value) => keywords.push((name, value)),
                Arg::Positional(base) | Arg::Spread(base) => bases.push(base),
                Arg::KeywordSpread(_) => {}
            }
        }
        let class = ClassId(self.builder.file().classes.len() as u32);
        let body = self.builder.function(Function {
            name: Some(name),
            kind: FunctionKind::ClassBody,
            binding: Binding::None,
            parent: Some(parent),
            class: Some(class),
            params: Vec::new(),
            body: BlockId(0),
            is_async: false,
            is_generator: false,
            is_abstract: false,
            is_test: false,
            decorators: Vec::new(),
            returns: None,
            span: node.span(),
            name_span,
        });
        self.builder.class(Class {
            name: Some(name),
            kind: ClassKind::Concrete,
            parent,
            bases,
            implements: Vec::new(),
            keywords,
            target: None,
            type_params,
            body,
            methods: Vec::new(),
            field_init: None,
            fields: Vec::new(),
            decorators,
            span: node.span(),
            name_span,
        });
        self.scopes.push(ScopeKind::Class, body, Some(class));
        let mut statements = Vec::new();
        for block in node.children().filter(|child| child.field() == Field::Body || child.kind() == Kind::Error) {
            self.statements(block, &mut statements);
        }
        let block = self.builder.block(statements);
        self.scopes.pop(&mut self.builder);
        if let Some(function) = self.builder.file_mut().functions.get_mut(body.index()) {
            function.body = block;
        }
        self.scopes.close_inner(mark);
        let target = (!text.is_empty()).then(|| self.bind(text));
        self.push(Stmt::Class { class, target }, node.span(), out);
    }

    /// Records `name: type = default` in a class body as a field. A `ClassVar` is none.
    pub(super) fn field(&mut self, node: Node, declared: Option<TypeId>, default: Option<ExprId>) {
        let (Some(left), Some(ty)) = (node.child(Field::Left), node.child(Field::Type)) else { return };
        let Some(class) = self.class() else { return };
        if left.kind() != Kind::Identifier || super::types::is_class_var(ty) {
            return;
        }
        let name = self.builder.name(left.text());
        let field = ir::Field { name, declared, default, span: node.span() };
        if let Some(class) = self.builder.file_mut().classes.get_mut(class.index()) {
            class.fields.push(field);
        }
    }
}
