//! Const generics: `fn retry<const N: usize>`, `struct Retrying<const N: usize>`.
//!
//! A function's is one more parameter, `#const0` by its position among the type parameters, and a call that writes it
//! (`retry::<3, _>`) hands it over under that name. A type's is an attribute of the type: `N` in its impl blocks is
//! `Self::#const0`, and wherever the type is written with a value (`Retrying<4>`, `Retrying::<4>::new`) that value is
//! assigned to it. A value assigned by several is what the worst of them makes it.

use super::lowerer::Lowerer;
use super::scope::VALUES;
use crate::ir::*;
use syn::{Expr, GenericArgument, GenericParam, Generics};

/// A type's const parameter in scope.
pub(super) struct OfType {
    name: Name,
    position: usize,
}

/// A type written with a value for a const parameter.
pub(super) struct Written {
    of: ExprId,
    position: usize,
    value: ExprId,
}

impl Lowerer {
    fn const_name(&mut self, position: usize) -> Name {
        self.b.name(&format!("#const{position}"))
    }

    /// The const parameters of a function, as parameters that are given by name.
    pub fn const_params(&mut self, id: FunctionId, generics: &Generics) {
        for (position, param) in kinds(generics).enumerate() {
            let GenericParam::Const(param) = param else { continue };
            let var = self.local(&param.ident);
            self.bound.clear();
            let (name, span) = (self.const_name(position), self.at(param.ident.span()));
            let default = param.default.as_ref().map(|d| self.expr(&d.1));
            let (pattern, declared) = (self.b.pattern(Pattern::Bind(var)), Some(self.ty(&param.ty)));
            let kind = ParamKind::KeywordOnly;
            let param =
                Param { name: Some(name), pattern, kind, default, declared, is_field: false, injected: None, span };
            self.b.file_mut().functions[id.index()].params.push(param);
        }
    }

    /// Brings the const parameters of a type, trait or impl block into scope; returns what was there before.
    pub fn enter_const_params(&mut self, target: Option<&syn::Type>, generics: &Generics) -> Vec<OfType> {
        let mut own = Vec::new();
        for (position, param) in kinds(generics).enumerate() {
            let GenericParam::Const(param) = param else { continue };
            // An impl block's are those that its type is written with.
            let position = match target {
                None => Some(position),
                Some(ty) => arguments_of(ty).position(|a| names(a, &param.ident)),
            };
            let name = self.ident(&param.ident);
            own.extend(position.map(|position| OfType { name, position }));
        }
        std::mem::replace(&mut self.const_generics, own)
    }

    /// The defaults of a type's const parameters.
    pub fn const_defaults(&mut self, generics: &Generics, body: FunctionId, out: &mut Vec<StmtId>) {
        for (position, param) in kinds(generics).enumerate() {
            let GenericParam::Const(param) = param else { continue };
            let Some((_, default)) = &param.default else { continue };
            let value = self.expr(default);
            let name = self.const_name(position);
            let var = self.b.var(name, body);
            self.b.capture(var);
            let span = self.span_of(value);
            self.assign(out, var, value, span);
        }
    }

    /// A name as a type's const parameter.
    pub fn const_generic(&mut self, ident: &proc_macro2::Ident, span: Span) -> Option<ExprId> {
        if self.const_generics.is_empty() {
            return None;
        }
        let name = self.ident(ident);
        let position = self.const_generics.iter().find(|g| g.name == name)?.position;
        if self.scopes.resolve(name, self.mark(ident), VALUES).is_some_and(|e| e.what == super::scope::What::Local) {
            return None;
        }
        let object = self.free("Self", span);
        let name = self.const_name(position);
        Some(self.attr(object, name, span))
    }

    /// The values among type arguments, by position.
    pub fn const_args(&mut self, args: &syn::AngleBracketedGenericArguments) -> Vec<(usize, ExprId)> {
        let mut values = Vec::new();
        for (position, arg) in positions(args).enumerate() {
            let value = match arg {
                GenericArgument::Const(value) => Some(self.expr(value)),
                // A constant's name looks like a type's.
                GenericArgument::Type(syn::Type::Path(p)) if p.qself.is_none() && self.is_constant(&p.path) => {
                    Some(self.value_path(None, &p.path))
                }
                _ => None,
            };
            values.extend(value.map(|value| (position, value)));
        }
        values
    }

    fn is_constant(&mut self, path: &syn::Path) -> bool {
        let Some(last) = path.segments.last() else { return false };
        if !last.arguments.is_none() {
            return false;
        }
        if path.segments.len() == 1 {
            let name = self.ident(&last.ident);
            if self.const_generics.iter().any(|g| g.name == name) {
                return true;
            }
            match self.scopes.resolve(name, 0, VALUES) {
                Some(entry) if entry.what == super::scope::What::Local => return true,
                Some(entry) if entry.what == super::scope::What::Constant => {}
                _ if self.generics.iter().any(|g| g.name == name) => return false,
                _ => {}
            }
        }
        let text = last.ident.to_string();
        text.len() > 1 && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    }

    /// Notes the values that a type is written with.
    pub fn note_const_args(&mut self, of: ExprId, args: &syn::PathArguments) {
        let syn::PathArguments::AngleBracketed(args) = args else { return };
        if !matches!(self.b.file().expr(of).kind, ExprKind::Var(_) | ExprKind::Attr { .. }) {
            return;
        }
        for (position, value) in self.const_args(args) {
            // `impl<const N: usize> R<N>` says nothing of it.
            let own = match self.b.file().expr(value).kind {
                ExprKind::Attr { object, name, .. } => {
                    matches!(self.b.file().expr(object).kind, ExprKind::Free(_)) && self.b.text(name).starts_with('#')
                }
                _ => false,
            };
            if !own {
                self.written_consts.push(Written { of, position, value });
            }
        }
    }

    /// The noted values, as assignments before the statements of the body that they were written in.
    pub fn with_const_args(&mut self, function: FunctionId, stmts: Vec<StmtId>) -> Vec<StmtId> {
        let is_class = self.b.file().function(function).kind == FunctionKind::ClassBody;
        if is_class || self.written_consts.is_empty() {
            return stmts;
        }
        let mut all = Vec::new();
        for Written { of, position, value } in std::mem::take(&mut self.written_consts) {
            let (name, span) = (self.const_name(position), self.span_of(of));
            let target = self.b.pattern(Pattern::Attr { object: of, name, name_span: span });
            let stmt = Stmt::Assign { targets: vec![target], value: Some(value), op: None, declared: None };
            self.push(&mut all, stmt, span);
        }
        // A module's items may come before what they need.
        match function {
            MODULE => stmts.into_iter().chain(all).collect(),
            _ => all.into_iter().chain(stmts).collect(),
        }
    }
}

/// Type and const parameters: what arguments in angle brackets stand for, lifetimes left out.
fn kinds(generics: &Generics) -> impl Iterator<Item = &GenericParam> {
    generics.params.iter().filter(|p| !matches!(p, GenericParam::Lifetime(_)))
}

fn positions(args: &syn::AngleBracketedGenericArguments) -> impl Iterator<Item = &GenericArgument> {
    args.args.iter().filter(|a| matches!(a, GenericArgument::Type(_) | GenericArgument::Const(_)))
}

fn arguments_of(ty: &syn::Type) -> impl Iterator<Item = &GenericArgument> {
    let path = match ty {
        syn::Type::Path(t) => t.path.segments.last(),
        _ => None,
    };
    path.into_iter().flat_map(|s| match &s.arguments {
        syn::PathArguments::AngleBracketed(args) => positions(args).collect::<Vec<_>>(),
        _ => Vec::new(),
    })
}

/// Whether a type argument is a const parameter's name: `N`, `{ N }`.
fn names(arg: &GenericArgument, ident: &proc_macro2::Ident) -> bool {
    match arg {
        GenericArgument::Type(syn::Type::Path(p)) => p.qself.is_none() && p.path.is_ident(ident),
        GenericArgument::Const(Expr::Path(p)) => p.path.is_ident(ident),
        GenericArgument::Const(Expr::Block(b)) => match &b.block.stmts[..] {
            [syn::Stmt::Expr(Expr::Path(p), None)] => p.path.is_ident(ident),
            _ => false,
        },
        _ => false,
    }
}
