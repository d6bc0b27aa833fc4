//! Declared types, as far as they help to resolve calls.

use super::kind::{Field, Kind};
use super::lowerer::Lower;
use super::scope::TypeBinding;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// The type of an annotation (`: T`); none for type predicates.
    pub fn annotation(&mut self, n: Node) -> Option<TypeId> {
        match self.kind(n) {
            Kind::TypeAnnotation => self.tree.first(n).map(|inner| self.ty(inner)),
            _ => None,
        }
    }

    /// A type.
    pub fn ty(&mut self, n: Node) -> TypeId {
        match self.deeper(n, 1, |this| this.ty_inner(n)) {
            Some(ty) => ty,
            None => self.b.ty(Type::Unknown),
        }
    }

    fn ty_inner(&mut self, n: Node) -> TypeId {
        let tree = self.tree;
        let ty = match self.kind(n) {
            Kind::TypeIdentifier | Kind::Identifier => return self.named_type(n),
            Kind::NestedTypeIdentifier => Type::Ref(self.entity(n)),
            Kind::GenericType => self.generic(n),
            Kind::UnionType => Type::Union(self.types_of(self.operands(n, Kind::UnionType))),
            Kind::IntersectionType => Type::Bounds(self.types_of(self.operands(n, Kind::IntersectionType))),
            Kind::ParenthesizedType | Kind::ReadonlyType | Kind::OptionalType | Kind::RestType => match tree.first(n) {
                Some(inner) => return self.ty(inner),
                None => Type::Unknown,
            },
            Kind::ArrayType => match tree.first(n) {
                Some(inner) => Type::Sequence(self.ty(inner)),
                None => Type::Unknown,
            },
            Kind::TupleType => Type::Tuple(self.tuple(n)),
            Kind::FunctionType => self.function_type(n, Field::ReturnType),
            Kind::Other if tree.field(n, Field::Parameters).is_some() => self.function_type(n, Field::Type),
            Kind::ObjectType | Kind::InterfaceBody => Type::Object(self.object_type(n)),
            Kind::TypeQuery => match tree.first(n) {
                Some(inner) => Type::TypeOf(self.expr(inner)),
                None => Type::Unknown,
            },
            Kind::ThisType => Type::SelfType,
            Kind::PredefinedType => self.predefined(n),
            Kind::LiteralType => match tree.first(n).map(|inner| tree.kind(inner)) {
                Some(Kind::Null | Kind::Undefined) => Type::Null,
                _ => Type::Unknown,
            },
            Kind::FlowMaybeType => self.maybe(n),
            // `import("m").T` in a type.
            Kind::Member | Kind::Call => Type::Ref(self.expr(n)),
            _ => Type::Unknown,
        };
        self.b.ty(ty)
    }

    fn named_type(&mut self, n: Node) -> TypeId {
        let name = self.name_of(n);
        let span = self.span(n);
        let kind = match self.scopes.ty(name) {
            Some(TypeBinding::Param(Some(bound))) => return bound,
            Some(TypeBinding::Param(None)) => return self.b.ty(Type::Unknown),
            Some(TypeBinding::Var(var)) => ExprKind::Var(self.use_var(var)),
            Some(TypeBinding::ClassParam) | None => ExprKind::Free(name),
        };
        let expr = self.b.expr(kind, span);
        self.b.ty(Type::Ref(expr))
    }

    /// A dotted name in a type or import alias, as an expression.
    pub fn entity(&mut self, n: Node) -> ExprId {
        let tree = self.tree;
        let span = self.span(n);
        match self.kind(n) {
            Kind::NestedTypeIdentifier | Kind::NestedIdentifier | Kind::Member => {
                let object = tree.field(n, Field::Module).or_else(|| tree.field(n, Field::Object));
                let name = tree.field(n, Field::Name).or_else(|| tree.field(n, Field::Property));
                let (Some(object), Some(name)) = (object, name) else { return self.unknown(Vec::new(), span) };
                let Some(object) = self.deeper(n, 1, |this| this.entity(object)) else {
                    return self.unknown(Vec::new(), span);
                };
                let name_span = self.span(name);
                let name = self.name_of(name);
                self.b.expr(ExprKind::Attr { object, name, name_span, optional: false }, span)
            }
            _ => {
                let name = self.name_of(n);
                match (self.scopes.value(name), self.scopes.ty(name)) {
                    (None, Some(TypeBinding::Var(var))) => self.var_expr(var, span),
                    _ => self.value_expr(name, span),
                }
            }
        }
    }

    fn generic(&mut self, n: Node) -> Type {
        let Some(name) = self.tree.field(n, Field::Name) else { return Type::Unknown };
        let base = self.ty(name);
        let args = self.tree.field(n, Field::TypeArguments).map_or(Vec::new(), |list| self.type_list(list));
        Type::Apply { base, args }
    }

    /// The types of a list of type arguments.
    pub fn type_list(&mut self, list: Node) -> Vec<TypeId> {
        self.tree.named(list).map(|ty| self.ty(ty)).collect()
    }

    fn types_of(&mut self, nodes: Vec<Node>) -> Vec<TypeId> {
        nodes.into_iter().map(|ty| self.ty(ty)).collect()
    }

    /// The operands of a union or intersection, which the grammar nests.
    pub fn operands(&self, n: Node, kind: Kind) -> Vec<Node> {
        let mut parts = Vec::new();
        let mut open = vec![n];
        while let Some(n) = open.pop() {
            if self.kind(n) == kind {
                let inner: Vec<Node> = self.tree.named(n).collect();
                open.extend(inner.into_iter().rev());
            } else {
                parts.push(n);
            }
        }
        parts
    }

    fn tuple(&mut self, n: Node) -> Vec<TypeId> {
        let mut types = Vec::new();
        for part in self.tree.named(n) {
            let labelled = matches!(self.kind(part), Kind::RequiredParameter | Kind::OptionalParameter);
            if !labelled {
                types.push(self.ty(part));
            } else if let Some(ty) = self.tree.field(part, Field::Type).and_then(|t| self.annotation(t)) {
                types.push(ty);
            }
        }
        types
    }

    fn function_type(&mut self, n: Node, returns: Field) -> Type {
        self.scopes.enter();
        if let Some(params) = self.tree.field(n, Field::TypeParameters) {
            self.function_type_params(params);
        }
        let returns = self.tree.field(n, returns).and_then(|ty| match self.kind(ty) {
            Kind::TypeAnnotation => self.annotation(ty),
            _ => Some(self.ty(ty)),
        });
        self.scopes.leave();
        Type::Function(returns)
    }

    fn object_type(&mut self, n: Node) -> Vec<(Name, TypeId)> {
        let mut fields = Vec::new();
        for member in self.tree.named(n) {
            let Some(name) = self.tree.field(member, Field::Name) else { continue };
            let ty = match self.kind(member) {
                Kind::PropertySignature => {
                    let ty = self.tree.field(member, Field::Type).and_then(|t| self.annotation(t));
                    ty.unwrap_or_else(|| self.b.ty(Type::Unknown))
                }
                Kind::MethodSignature => {
                    let function = self.function_type(member, Field::ReturnType);
                    self.b.ty(function)
                }
                _ => continue,
            };
            fields.push((self.member_name(name), ty));
        }
        fields
    }

    fn predefined(&mut self, n: Node) -> Type {
        match self.tree.text(n) {
            "void" => Type::Null,
            "string" | "number" | "boolean" => {
                let name = self.name_of(n);
                let span = self.span(n);
                Type::Ref(self.b.expr(ExprKind::Free(name), span))
            }
            _ => Type::Unknown,
        }
    }

    fn maybe(&mut self, n: Node) -> Type {
        let null = self.b.ty(Type::Null);
        let inner = self.tree.first(n).map(|inner| self.ty(inner));
        Type::Union(inner.into_iter().chain([null]).collect())
    }
}
