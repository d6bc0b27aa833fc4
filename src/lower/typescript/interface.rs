//! Interfaces and type aliases: classes without code.

use super::class::{Head, Open};
use super::kind::{Field as F, Kind};
use super::lowerer::{Hint, Lower};
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// `interface I extends J { … }`
    pub fn interface_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let Some(name) = self.tree.field(n, F::Name) else { return };
        let body = self.tree.field(n, F::Body);
        let bases: Vec<Node> = match self.tree.child(n, Kind::ExtendsTypeClause) {
            Some(clause) => self.tree.named(clause).collect(),
            None => Vec::new(),
        };
        self.type_class(n, name, ClassKind::Interface, &bases, body.as_slice(), out);
    }

    /// `type A = …`: what it stands for is the target; object types and intersections of them are taken
    /// apart into fields, methods and bases.
    pub fn alias_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let (Some(name), Some(value)) = (self.tree.field(n, F::Name), self.tree.field(n, F::Value)) else { return };
        let parts = self.intersected(value);
        let (bodies, bases): (Vec<Node>, Vec<Node>) =
            parts.into_iter().partition(|&p| self.kind(p) == Kind::ObjectType);
        self.type_class(n, name, ClassKind::Alias, &bases, &bodies, out);
    }

    /// The operands of an intersection.
    pub fn intersected(&self, n: Node) -> Vec<Node> {
        self.operands(n, Kind::IntersectionType)
    }

    fn type_class(
        &mut self,
        n: Node,
        name: Node,
        kind: ClassKind,
        bases: &[Node],
        bodies: &[Node],
        out: &mut Vec<StmtId>,
    ) {
        let hint = Hint { name: self.name_of(name), span: self.span(name) };
        let target = self.declare_type(hint.name);
        let span = self.span(n);
        self.scopes.enter();
        let type_params = self.class_type_params(n);
        let bases: Vec<ExprId> = bases.iter().filter_map(|&base| self.base_expr(base)).collect();
        let alias = self.tree.field(n, F::Value).filter(|_| kind == ClassKind::Alias).map(|value| self.ty(value));
        let mut open = self.open_class(Head { name: Some(hint), kind, span });
        for &body in bodies {
            self.signatures(body, &mut open);
        }
        let id = open.id;
        self.close_class(open);
        self.scopes.leave();
        let class = &mut self.b.file_mut().classes[id.index()];
        class.bases = bases;
        class.type_params = type_params;
        class.target = alias;
        out.push(self.b.stmt(Stmt::Class { class: id, target: Some(target) }, span));
    }

    /// A base that is a name or a generic type.
    fn base_expr(&mut self, n: Node) -> Option<ExprId> {
        let ty = match self.kind(n) {
            Kind::TypeIdentifier | Kind::NestedTypeIdentifier => self.ty(n),
            Kind::GenericType => self.tree.field(n, F::Name).map(|name| self.ty(name))?,
            _ => return None,
        };
        match self.b.file().types.get(ty.index()) {
            Some(Type::Ref(base)) => Some(*base),
            _ => None,
        }
    }

    fn signatures(&mut self, body: Node, open: &mut Open) {
        for member in self.tree.named(body) {
            match self.kind(member) {
                Kind::MethodSignature => self.method(member, Vec::new(), open),
                Kind::PropertySignature => self.property(member, open),
                _ => {}
            }
        }
    }

    fn property(&mut self, n: Node, open: &Open) {
        let Some(name) = self.tree.field(n, F::Name) else { return };
        let name = self.member_name(name);
        let declared = self.tree.field(n, F::Type).and_then(|t| self.annotation(t));
        let span = self.span(n);
        self.b.file_mut().classes[open.id.index()].fields.push(Field { name, declared, default: None, span });
    }
}
