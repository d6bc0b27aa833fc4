//! Calls, constructions, and the calls that are really imports.

use super::kind::{Field, Kind};
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// Whether a call or member access has a meaning as a whole: `require("m")`, `import("m")`,
    /// `exports.x`.
    pub fn is_special(&self, n: Node) -> bool {
        match self.kind(n) {
            Kind::Call => self.imported_module(n).is_some(),
            Kind::Member => self.export_place(n).is_some(),
            _ => false,
        }
    }

    /// Lowers what [`Self::is_special`] found.
    pub fn special(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        if let Some(source) = self.imported_module(n) {
            let module = self.module_path(source);
            return self.b.expr(ExprKind::Import(module), span);
        }
        match self.export_place(n).and_then(|place| self.export_var(place)) {
            Some(var) => self.var_expr(var, span),
            None => self.unknown(Vec::new(), span),
        }
    }

    /// The constant that names the module a call loads, if it is such a call.
    pub fn imported_module(&self, n: Node) -> Option<Node> {
        let tree = self.tree;
        if tree.kind(n) != Kind::Call {
            return None;
        }
        let callee = tree.field(n, Field::Function)?;
        match tree.kind(callee) {
            Kind::Import => {}
            Kind::Identifier if tree.text(callee) == "require" && self.is_module_require() => {}
            _ => return None,
        }
        let source = tree.first(tree.field(n, Field::Arguments)?)?;
        let is_constant = match tree.kind(source) {
            Kind::String => true,
            Kind::TemplateString => tree.first(source).is_none(),
            _ => false,
        };
        is_constant.then_some(source)
    }

    /// `require` is the runtime's, or one made at the top of the module (`createRequire`); a bundle's
    /// parameter of that name is neither.
    fn is_module_require(&self) -> bool {
        let declared = self.b.find("require").and_then(|name| self.scopes.value(name));
        declared.is_none_or(|var| self.b.file().var(var).owner == MODULE)
    }

    /// A call, tagged template or `super(…)`.
    pub fn call(&mut self, n: Node, callee: ExprId) -> ExprId {
        let span = self.span(n);
        let arguments = self.tree.field(n, Field::Arguments);
        let (args, kind) = match arguments {
            Some(template) if self.kind(template) == Kind::TemplateString => {
                let template = self.template(template);
                (vec![Arg::Positional(template)], CallKind::Tagged)
            }
            Some(list) => (self.args(list), CallKind::Plain),
            None => (Vec::new(), CallKind::Plain),
        };
        let optional = self.is_optional(n);
        let call = self.b.expr(ExprKind::Call { callee, args, kind, optional }, span);
        self.type_arguments_of(n, call);
        call
    }

    /// `new C(…)`
    pub fn construction(&mut self, n: Node) -> ExprId {
        let span = self.span(n);
        let callee = match self.tree.field(n, Field::Constructor) {
            Some(callee) => self.expr(callee),
            None => self.unknown(Vec::new(), span),
        };
        let args = self.tree.field(n, Field::Arguments).map_or(Vec::new(), |list| self.args(list));
        let call = self.b.expr(ExprKind::Call { callee, args, kind: CallKind::New, optional: false }, span);
        self.type_arguments_of(n, call);
        call
    }

    fn type_arguments_of(&mut self, n: Node, call: ExprId) {
        if let Some(list) = self.tree.field(n, Field::TypeArguments) {
            let types = self.type_list(list);
            self.b.type_args(call, types);
        }
    }

    /// The arguments of a call or the elements of an array.
    pub fn args(&mut self, list: Node) -> Vec<Arg> {
        let tree = self.tree;
        let mut args = Vec::new();
        for n in tree.named(list) {
            if tree.kind(n) == Kind::Spread {
                let inner = tree.first(n).map(|inner| self.expr(inner));
                args.extend(inner.map(Arg::Spread));
            } else {
                args.push(Arg::Positional(self.expr(n)));
            }
        }
        args
    }
}
