//! Calls and `super()`.

use super::Lower;
use super::kind::{Field, Kind};
use super::tree::Node;
use crate::ir::*;

impl Lower {
    /// A call whose callee is lowered already.
    pub(super) fn call(&mut self, node: Node, callee: ExprId) -> ExprId {
        let args = match node.child(Field::Arguments) {
            Some(args) if args.kind() == Kind::Generator => vec![Arg::Positional(self.expr(args))],
            Some(args) => self.arguments(args),
            None => Vec::new(),
        };
        self.builder.expr(ExprKind::Call { callee, args, kind: CallKind::Plain, optional: false }, node.span())
    }

    /// An argument list.
    pub(super) fn arguments(&mut self, list: Node) -> Vec<Arg> {
        let mut args = Vec::new();
        for arg in list.children() {
            if arg.kind() == Kind::KeywordArgument
                && let (Some(name), Some(value)) = (arg.child(Field::Name), arg.child(Field::Value))
            {
                let name = self.builder.name(name.text());
                args.push(Arg::Keyword(name, self.expr(value)));
            } else {
                args.push(self.item(arg));
            }
        }
        args
    }

    /// The class whose bases a `super()` call starts behind, if the call is one.
    pub(super) fn super_class(&self, call: Node, callee: Node) -> Option<ClassId> {
        if callee.kind() != Kind::Identifier || callee.text() != "super" {
            return None;
        }
        let class = self.class()?;
        let named = call.child(Field::Arguments)?.first();
        let named = named.map(|arg| arg.child(Field::Attribute).unwrap_or(arg));
        let Some(named) = named.filter(|arg| arg.kind() == Kind::Identifier) else { return Some(class) };
        // `super(C, self)`: the nearest class around with that name, else the innermost.
        let file = self.builder.file();
        let mut around = Some(class);
        while let Some(at) = around {
            let candidate = file.class(at);
            if candidate.name.is_some_and(|name| file.name(name) == named.text()) {
                return Some(at);
            }
            around = file.function(candidate.parent).class;
        }
        Some(class)
    }

    pub(super) fn super_call(&mut self, node: Node) -> ExprId {
        let class = node.child(Field::Function).and_then(|callee| self.super_class(node, callee));
        match class {
            Some(class) => self.builder.expr(ExprKind::Super(class), node.span()),
            None => {
                let callee = self.unknown(Vec::new(), node.span());
                self.call(node, callee)
            }
        }
    }
}
