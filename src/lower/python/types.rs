//! Declared types: annotations, also quoted ones (their parse hangs below the string).

use super::Lower;
use super::kind::{Field, Kind};
use super::tree::Node;
use crate::ir::*;

impl Lower {
    /// Lowers an annotation.
    pub(super) fn ty(&mut self, node: Node) -> TypeId {
        if !self.enter(node) {
            return self.builder.ty(Type::Unknown);
        }
        let node = unwrapped(node);
        let ty = match node.kind() {
            Kind::None => Type::Null,
            Kind::Identifier | Kind::Attribute | Kind::MemberType => self.type_path(node),
            Kind::Binary | Kind::UnionType => self.union(node),
            Kind::Subscript => {
                let args = node.children().filter(|child| child.field() == Field::Subscript).collect();
                self.generic(node, args)
            }
            Kind::GenericType => {
                let args = node.child_of(Kind::TypeParameter).map(|list| list.children().collect());
                self.generic(node, args.unwrap_or_default())
            }
            Kind::ConstrainedType => match node.first() {
                Some(first) => {
                    let ty = self.ty(first);
                    self.leave();
                    return ty;
                }
                None => Type::Unknown,
            },
            Kind::Tuple => Type::Tuple(node.children().map(|part| self.ty(part)).collect()),
            _ => Type::Unknown,
        };
        self.leave();
        self.builder.ty(ty)
    }

    fn type_path(&mut self, node: Node) -> Type {
        match last_part(node) {
            "Self" => return Type::SelfType,
            // These say nothing about the value.
            "Any" | "Final" | "ClassVar" | "TypeAlias" => return Type::Unknown,
            _ => {}
        }
        if node.kind() != Kind::MemberType {
            return Type::Ref(self.expr(node));
        }
        let (Some(object), Some(name)) = (node.first(), node.child_of(Kind::Identifier)) else {
            return Type::Unknown;
        };
        let object = self.expr(object);
        Type::Ref(self.attribute(node.span(), object, name))
    }

    /// `A | B | C`, a left-nested chain.
    fn union(&mut self, node: Node) -> Type {
        let mut parts = Vec::new();
        let mut left = node;
        while matches!(left.kind(), Kind::Binary | Kind::UnionType) {
            if left.child(Field::Operator).is_some_and(|op| op.kind() != Kind::Pipe) {
                return Type::Unknown;
            }
            let mut operands = left.children().filter(|child| !matches!(child.kind(), Kind::Pipe));
            let (Some(first), Some(second)) = (operands.next(), operands.next()) else { break };
            parts.push(second);
            left = unwrapped(first);
        }
        parts.push(left);
        Type::Union(parts.into_iter().rev().map(|part| self.ty(part)).collect())
    }

    /// `Base[Args]`, where the forms of the typing module say what they are.
    fn generic(&mut self, node: Node, args: Vec<Node>) -> Type {
        let Some(base) = node.first() else { return Type::Unknown };
        // `X[A, B]` may hold its arguments in one tuple.
        let args = match args[..] {
            [one] if unwrapped(one).kind() == Kind::Tuple => unwrapped(one).children().collect(),
            _ => args,
        };
        match (last_part(base), &args[..]) {
            ("Optional", [inner]) => {
                let inner = self.ty(*inner);
                let null = self.builder.ty(Type::Null);
                Type::Union(vec![inner, null])
            }
            ("Union", _) => Type::Union(args.into_iter().map(|arg| self.ty(arg)).collect()),
            ("Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly" | "InitVar", [inner, ..]) => {
                let inner = self.ty(*inner);
                // The wrapper says nothing about the value: its argument stands for it.
                self.builder.file().types.get(inner.index()).cloned().unwrap_or(Type::Unknown)
            }
            ("Callable", _) => Type::Function(args.get(1).map(|result| self.ty(*result))),
            ("Literal", _) => Type::Unknown,
            ("tuple" | "Tuple", [inner, rest]) if unwrapped(*rest).kind() == Kind::Ellipsis => {
                Type::Sequence(self.ty(*inner))
            }
            ("tuple" | "Tuple", _) => Type::Tuple(args.into_iter().map(|arg| self.ty(arg)).collect()),
            _ => {
                let base = self.ty(base);
                Type::Apply { base, args: args.into_iter().map(|arg| self.ty(arg)).collect() }
            }
        }
    }
}

impl Lower {
    /// `type X = …` binds `X` to what it stands for.
    pub(super) fn type_alias(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let (Some(mut left), Some(right)) = (node.child(Field::Left), node.child(Field::Right)) else { return };
        if let Some(target) = self.type_call(node, left) {
            let value = Some(self.expr(right));
            let stmt = Stmt::Assign { targets: vec![target], value, op: None, declared: None };
            return self.push(stmt, node.span(), out);
        }
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

    /// The grammar takes `type(x).name = value` for an alias: the target it is.
    fn type_call(&mut self, alias: Node, left: Node) -> Option<PatId> {
        let mut spine = Vec::new();
        let mut inner = left;
        while inner.kind() != Kind::Parenthesized
            && let Some(next) = self.leftmost(inner)
        {
            spine.push(inner);
            inner = next;
        }
        if !matches!(inner.kind(), Kind::Parenthesized | Kind::Tuple) {
            return None;
        }
        let args = match inner.kind() {
            Kind::Tuple => inner.children().map(|arg| self.item(arg)).collect(),
            _ => vec![self.item(inner)],
        };
        let callee = self.read("type", Span::new(alias.start(), alias.start() + "type".len()));
        let call = ExprKind::Call { callee, args, kind: CallKind::Plain, optional: false };
        let mut value = self.builder.expr(call, Span::new(alias.start(), inner.end()));
        while let Some(link) = spine.pop() {
            value = self.link(link, value);
        }
        Some(self.target_of(value))
    }
}

/// The type behind wrappers of the grammar, and behind quotes.
fn unwrapped(mut node: Node) -> Node {
    loop {
        let inner = match node.kind() {
            Kind::Type | Kind::Parenthesized | Kind::Module | Kind::ExpressionStatement => node.first(),
            Kind::String => node.child(Field::Forward),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return node,
        }
    }
}

fn last_part(node: Node<'_>) -> &str {
    let node = unwrapped(node);
    match node.kind() {
        Kind::Attribute => node.child(Field::Attribute).map_or("", Node::text),
        Kind::MemberType => node.child_of(Kind::Identifier).map_or("", Node::text),
        Kind::Identifier => node.text(),
        _ => "",
    }
}

/// Whether an annotation is `ClassVar` or `ClassVar[...]`.
pub(super) fn is_class_var(ty: Node) -> bool {
    let ty = unwrapped(ty);
    let named = match ty.kind() {
        Kind::Subscript | Kind::GenericType => ty.first().unwrap_or(ty),
        _ => ty,
    };
    last_part(named) == "ClassVar"
}
