//! Attributes: those that are not the language's own are decorators; a field's may hold its default.

use super::lowerer::Lowerer;
use super::scope::{MACROS, VALUES};
use super::spans::join;
use crate::ir::*;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

impl Lowerer {
    /// A function's decorators, outermost first.
    pub fn decorators(&mut self, attrs: &[Attribute]) -> Vec<ExprId> {
        attrs.iter().filter(|a| !is_builtin(a)).filter_map(|a| self.decorator(a)).collect()
    }

    /// A type's: `derive` counts too.
    pub fn class_decorators(&mut self, attrs: &[Attribute]) -> Vec<ExprId> {
        let counts = |a: &&Attribute| a.path().is_ident("derive") || !is_builtin(a);
        attrs.iter().filter(counts).filter_map(|a| self.decorator(a)).collect()
    }

    fn decorator(&mut self, attr: &Attribute) -> Option<ExprId> {
        let callee = self.path(None, attr.path(), MACROS);
        let start = self.span_of(callee);
        let (args, end) = match &attr.meta {
            Meta::Path(_) => return Some(callee),
            Meta::List(list) => (self.macro_args(&list.tokens), self.at(list.delimiter.span().close())),
            Meta::NameValue(m) => {
                let value = self.expr(&m.value);
                (vec![Arg::Positional(value)], self.span_of(value))
            }
        };
        let kind = ExprKind::Call { callee, args, kind: CallKind::Plain, optional: false };
        Some(self.b.expr(kind, join(start, end)))
    }

    /// The default that a field's attributes give it: `default = "path"` names a function to call,
    /// `default_value = "3"` is a text, `default_value_t = 3` a value.
    pub fn declared_default(&mut self, attrs: &[Attribute]) -> Option<ExprId> {
        for attr in attrs {
            let Meta::List(list) = &attr.meta else { continue };
            if attr.path().is_ident("doc") || attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
                continue;
            }
            for arg in self.parse_args(&list.tokens).unwrap_or_default() {
                let Expr::Assign(assign) = &arg else { continue };
                let Expr::Path(key) = &*assign.left else { continue };
                if key.path.is_ident("default_value_t") || key.path.is_ident("default_value") {
                    return Some(self.expr(&assign.right));
                }
                if key.path.is_ident("default") {
                    return Some(self.default_value(&assign.right));
                }
            }
        }
        None
    }

    fn default_value(&mut self, value: &Expr) -> ExprId {
        if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = value
            && let Ok(path) = text.parse::<syn::Path>()
            && (path.segments.len() > 1 || self.is_declared(&path))
        {
            let callee = self.path(None, &path, VALUES);
            let span = self.at(text.span());
            return self
                .b
                .expr(ExprKind::Call { callee, args: Vec::new(), kind: CallKind::Plain, optional: false }, span);
        }
        self.expr(value)
    }

    fn is_declared(&mut self, path: &syn::Path) -> bool {
        let Some(ident) = path.get_ident() else { return false };
        let name = self.ident(ident);
        self.scopes.resolve(name, 0, VALUES).is_some()
    }
}

/// Attributes of the language and its tools that change no call.
fn is_builtin(attr: &Attribute) -> bool {
    const NAMES: [&str; 46] = [
        "allow",
        "automatically_derived",
        "bench",
        "cfg",
        "cfg_attr",
        "cold",
        "coverage",
        "debugger_visualizer",
        "default",
        "deny",
        "deprecated",
        "derive",
        "diagnostic",
        "doc",
        "expect",
        "export_name",
        "forbid",
        "global_allocator",
        "ignore",
        "inline",
        "instruction_set",
        "link",
        "link_name",
        "link_section",
        "macro_export",
        "macro_use",
        "must_use",
        "naked",
        "no_link",
        "no_mangle",
        "no_std",
        "non_exhaustive",
        "optimize",
        "panic_handler",
        "path",
        "proc_macro",
        "proc_macro_attribute",
        "proc_macro_derive",
        "repr",
        "should_panic",
        "target_feature",
        "test",
        "track_caller",
        "unsafe",
        "used",
        "warn",
    ];
    let Some(first) = attr.path().segments.first() else { return true };
    if first.ident == "clippy" || first.ident == "rustfmt" || first.ident == "diagnostic" {
        return true;
    }
    attr.path().segments.len() == 1 && NAMES.iter().any(|n| first.ident == n)
}
