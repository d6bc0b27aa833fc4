//! Enums: classes whose members are numbers or strings.

use super::class::{Head, Open};
use super::kind::{Field as F, Kind};
use super::lowerer::{Hint, Lower};
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// `enum E { A, B = 4, C = "c" }`
    pub fn enum_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let (Some(name), Some(body)) = (self.tree.field(n, F::Name), self.tree.field(n, F::Body)) else { return };
        let hint = Hint { name: self.name_of(name), span: self.span(name) };
        let target = self.declare_both(hint.name);
        let span = self.span(n);
        let mut open = self.open_class(Head { name: Some(hint), kind: ClassKind::Enum, span });
        self.scopes.enter();
        let mut next = Some(0);
        for member in self.tree.named(body) {
            self.enum_member(member, &mut next, &mut open);
        }
        self.scopes.leave();
        let class = open.id;
        self.close_class(open);
        out.push(self.b.stmt(Stmt::Class { class, target: Some(target) }, span));
    }

    /// A member without a value is one more than the number before it.
    fn enum_member(&mut self, n: Node, next: &mut Option<i64>, open: &mut Open) {
        let is_assigned = self.kind(n) == Kind::EnumAssignment;
        let name_node = if is_assigned { self.tree.field(n, F::Name) } else { Some(n) };
        let Some(name_node) = name_node else { return };
        let name = self.member_name(name_node);
        let span = self.span(n);
        let value = match self.tree.field(n, F::Value).filter(|_| is_assigned) {
            Some(value) => self.expr(value),
            None => match *next {
                Some(number) => self.b.expr(ExprKind::Literal(Literal::Int(number)), span),
                None => self.unknown(Vec::new(), span),
            },
        };
        *next = match self.b.file().expr(value).kind {
            ExprKind::Literal(Literal::Int(number)) => number.checked_add(1),
            _ => None,
        };
        let var = self.class_var(open, name, true);
        // Later members may name it without the enum.
        self.scopes.declare_value(name, var);
        open.stmts.push(self.assign_var(var, value, span));
    }
}
