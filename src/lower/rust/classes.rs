//! Structs, enums, traits and impl blocks.
//!
//! A tuple struct's fields are `0`, `1`; an enum's variants are variables of its body and what they hold is
//! listed among its fields as `Variant.field`. An impl block is a class of kind impl: what it is about is
//! `target` (its last name is `name`), its trait the base, with type arguments in `implements`.

use super::functions::Written;
use super::items::spaces_of;
use super::lowerer::Lowerer;
use super::scope::{FrameKind, TYPES};
use super::spans::join;
use crate::ir::*;
use proc_macro2::Ident;
use syn::{Fields, ImplItem, ItemEnum, ItemImpl, ItemStruct, ItemTrait, ItemTraitAlias, ItemUnion, TraitItem};
use syn::{TypeParamBound, punctuated::Punctuated};

impl Lowerer {
    /// Starts a class with an empty body.
    pub fn new_class(&mut self, kind: ClassKind, name: Option<Name>, span: Span, name_span: Span) -> ClassId {
        let body = self.new_function(FunctionKind::ClassBody, name, span, name_span);
        let class = self.b.class(Class {
            name,
            kind,
            parent: self.function,
            bases: Vec::new(),
            implements: Vec::new(),
            keywords: Vec::new(),
            target: None,
            type_params: Vec::new(),
            body,
            methods: Vec::new(),
            field_init: None,
            fields: Vec::new(),
            decorators: Vec::new(),
            span,
            name_span,
        });
        self.b.file_mut().functions[body.index()].class = Some(class);
        class
    }

    /// Runs `inside` with the class's type parameters in scope and those around it hidden.
    fn of_class(
        &mut self,
        class: ClassId,
        target: Option<&syn::Type>,
        generics: &syn::Generics,
        inside: impl FnOnce(&mut Self),
    ) {
        let around = std::mem::take(&mut self.generics);
        let outer = self.class.replace(class);
        let consts = self.enter_const_params(target, generics);
        let params = self.type_params(generics, true);
        self.b.file_mut().classes[class.index()].type_params = params;
        inside(self);
        self.class = outer;
        self.const_generics = consts;
        self.generics = around;
    }

    /// Fills a class's body; declarations in it are its attributes, invisible to code inside.
    fn class_body(&mut self, class: ClassId, inside: impl FnOnce(&mut Self, FunctionId, &mut Vec<StmtId>)) {
        let body = self.b.file().class(class).body;
        let mut stmts = Vec::new();
        self.in_function(body, FrameKind::Block, |l| inside(l, body, &mut stmts));
        self.set_body(body, stmts);
    }

    fn member_var(&mut self, body: FunctionId, name: Name) -> VarId {
        let var = self.b.var(name, body);
        self.b.capture(var);
        var
    }

    fn set_fields(&mut self, class: ClassId, fields: &Fields, prefix: &str) {
        for (i, field) in fields.iter().enumerate() {
            let (text, span) = match &field.ident {
                Some(ident) => (self.ident(ident), ident.span()),
                None => (self.b.name(&i.to_string()), type_start(&field.ty)),
            };
            let name = if prefix.is_empty() {
                text
            } else {
                let full = format!("{prefix}.{}", self.b.text(text));
                self.b.name(&full)
            };
            let declared = Some(self.ty(&field.ty));
            let default = match &field.default {
                Some((_, value)) => Some(self.expr(value)),
                None => self.declared_default(&field.attrs),
            };
            let span = self.at(span);
            self.b.file_mut().classes[class.index()].fields.push(Field { name, declared, default, span });
        }
    }

    fn class_stmt(&mut self, class: ClassId, target: Option<VarId>, out: &mut Vec<StmtId>) {
        let span = self.b.file().class(class).span;
        self.push(out, Stmt::Class { class, target }, span);
    }

    /// `struct S { … }`
    pub fn struct_into(&mut self, i: &ItemStruct, out: &mut Vec<StmtId>) {
        let end = match (&i.fields, i.semi_token) {
            (_, Some(semi)) => semi.spans[0],
            (Fields::Named(f), None) => f.brace_token.span.close(),
            _ => i.ident.span(),
        };
        let span = self.range(i.struct_token.span, end);
        let target = self.item_var(&i.ident, spaces_of(&i.fields));
        self.data(&i.ident, &i.attrs, &i.generics, &i.fields, span, target, out);
    }

    /// `union U { … }`
    pub fn union_into(&mut self, i: &ItemUnion, out: &mut Vec<StmtId>) {
        let span = self.range(i.union_token.span, i.fields.brace_token.span.close());
        let target = self.item_var(&i.ident, TYPES);
        let fields = Fields::Named(i.fields.clone());
        self.data(&i.ident, &i.attrs, &i.generics, &fields, span, target, out);
    }

    #[allow(clippy::too_many_arguments)]
    fn data(
        &mut self,
        ident: &Ident,
        attrs: &[syn::Attribute],
        generics: &syn::Generics,
        fields: &Fields,
        span: Span,
        target: Option<VarId>,
        out: &mut Vec<StmtId>,
    ) {
        let decorators = self.class_decorators(attrs);
        let (name, name_span) = (self.ident(ident), self.at(ident.span()));
        let class = self.new_class(ClassKind::Concrete, Some(name), span, name_span);
        self.b.file_mut().classes[class.index()].decorators = decorators;
        self.of_class(class, None, generics, |l| {
            l.set_fields(class, fields, "");
            l.class_body(class, |l, body, stmts| l.const_defaults(generics, body, stmts));
        });
        self.class_stmt(class, target, out);
    }

    /// `enum E { … }`
    pub fn enum_into(&mut self, i: &ItemEnum, out: &mut Vec<StmtId>) {
        let decorators = self.class_decorators(&i.attrs);
        let span = self.range(i.enum_token.span, i.brace_token.span.close());
        let (name, name_span) = (self.ident(&i.ident), self.at(i.ident.span()));
        let class = self.new_class(ClassKind::Enum, Some(name), span, name_span);
        self.b.file_mut().classes[class.index()].decorators = decorators;
        self.of_class(class, None, &i.generics, |l| {
            for variant in &i.variants {
                let name = l.ident(&variant.ident);
                let text = l.b.text(name).to_string();
                l.set_fields(class, &variant.fields, &text);
            }
            l.class_body(class, |l, body, stmts| {
                for variant in &i.variants {
                    let (name, span) = (l.ident(&variant.ident), l.at(variant.ident.span()));
                    let parts = variant.discriminant.iter().map(|(_, value)| l.expr(value)).collect();
                    let value = l.unknown(parts, span);
                    let var = l.member_var(body, name);
                    l.assign(stmts, var, value, span);
                }
            });
        });
        let target = self.item_var(&i.ident, TYPES);
        self.class_stmt(class, target, out);
    }

    fn supertraits(&mut self, class: ClassId, bounds: &Punctuated<TypeParamBound, syn::Token![+]>) {
        for bound in bounds {
            if let TypeParamBound::Trait(t) = bound {
                let base = self.type_path_expr(None, &t.path);
                self.b.file_mut().classes[class.index()].bases.push(base);
            }
        }
    }

    /// `trait T: Super { … }`
    pub fn trait_into(&mut self, i: &ItemTrait, out: &mut Vec<StmtId>) {
        let decorators = self.class_decorators(&i.attrs);
        let span = self.range(i.trait_token.span, i.brace_token.span.close());
        let (name, name_span) = (self.ident(&i.ident), self.at(i.ident.span()));
        let class = self.new_class(ClassKind::Trait, Some(name), span, name_span);
        self.b.file_mut().classes[class.index()].decorators = decorators;
        self.of_class(class, None, &i.generics, |l| {
            l.supertraits(class, &i.supertraits);
            l.class_body(class, |l, body, stmts| {
                for item in &i.items {
                    l.trait_item(class, body, item, stmts);
                }
            });
        });
        let target = self.item_var(&i.ident, TYPES);
        self.class_stmt(class, target, out);
    }

    fn trait_item(&mut self, class: ClassId, body: FunctionId, item: &TraitItem, stmts: &mut Vec<StmtId>) {
        match item {
            TraitItem::Fn(f) => {
                let end = f.semi_token.map_or(f.sig.ident.span(), |s| s.spans[0]);
                let written = Written { attrs: &f.attrs, vis: None, sig: &f.sig, block: f.default.as_ref(), end };
                self.method(class, body, &written, stmts);
            }
            TraitItem::Const(c) => {
                let span = self.range(c.const_token.span, c.semi_token.spans[0]);
                let name = self.ident(&c.ident);
                let var = self.member_var(body, name);
                self.constant(Some(var), &c.ty, c.default.as_ref().map(|d| &d.1), span, stmts);
            }
            TraitItem::Type(t) => {
                if let Some((_, ty)) = &t.default {
                    let span = self.range(t.type_token.span, t.semi_token.spans[0]);
                    self.member_alias(body, &t.ident, ty, span, stmts);
                }
            }
            TraitItem::Macro(m) => {
                for item in self.expand_members::<TraitItem>(&m.mac) {
                    self.trait_item(class, body, &item, stmts);
                }
            }
            _ => {}
        }
    }

    /// `trait T = A + B;`
    pub fn trait_alias_into(&mut self, i: &ItemTraitAlias, out: &mut Vec<StmtId>) {
        let span = self.range(i.trait_token.span, i.semi_token.spans[0]);
        let (name, name_span) = (self.ident(&i.ident), self.at(i.ident.span()));
        let class = self.new_class(ClassKind::Trait, Some(name), span, name_span);
        self.of_class(class, None, &i.generics, |l| l.supertraits(class, &i.bounds));
        let target = self.item_var(&i.ident, TYPES);
        self.class_stmt(class, target, out);
    }

    /// `impl Trait for Type { … }`
    pub fn impl_into(&mut self, i: &ItemImpl, out: &mut Vec<StmtId>) {
        if i.modifiers.polarity.is_some() {
            return;
        }
        let decorators = self.class_decorators(&i.attrs);
        let start = self.at(i.unsafety.map_or(i.impl_token.span, |t| t.span));
        let span = join(start, self.at(i.brace_token.span.close()));
        let (name, name_span) = match self.type_name(&i.self_ty) {
            Some((name, span)) => (Some(name), span),
            None => (None, self.at(i.impl_token.span)),
        };
        let class = self.new_class(ClassKind::Impl, name, span, name_span);
        self.b.file_mut().classes[class.index()].decorators = decorators;
        self.of_class(class, Some(&i.self_ty), &i.generics, |l| {
            let target = l.ty(&i.self_ty);
            l.b.file_mut().classes[class.index()].target = Some(target);
            if let Some((path, _)) = &i.trait_ {
                let base = l.type_path_expr(None, path);
                let full = l.path_type(None, path);
                let made = &mut l.b.file_mut().classes[class.index()];
                made.bases.push(base);
                made.implements.push(full);
            }
            l.class_body(class, |l, body, stmts| {
                for item in &i.items {
                    l.impl_item(class, body, item, stmts);
                }
            });
        });
        self.class_stmt(class, None, out);
    }

    fn impl_item(&mut self, class: ClassId, body: FunctionId, item: &ImplItem, stmts: &mut Vec<StmtId>) {
        match item {
            ImplItem::Fn(f) => {
                let end = f.sig.ident.span();
                let written = Written { attrs: &f.attrs, vis: Some(&f.vis), sig: &f.sig, block: Some(&f.block), end };
                self.method(class, body, &written, stmts);
            }
            ImplItem::Const(c) => {
                let span = self.range(c.const_token.span, c.semi_token.spans[0]);
                let name = self.ident(&c.ident);
                let var = self.member_var(body, name);
                self.constant(Some(var), &c.ty, Some(&c.expr), span, stmts);
            }
            ImplItem::Type(t) => {
                let span = self.range(t.type_token.span, t.semi_token.spans[0]);
                self.member_alias(body, &t.ident, &t.ty, span, stmts);
            }
            ImplItem::Macro(m) => {
                for item in self.expand_members::<ImplItem>(&m.mac) {
                    self.impl_item(class, body, &item, stmts);
                }
            }
            _ => {}
        }
    }

    fn member_alias(&mut self, body: FunctionId, ident: &Ident, ty: &syn::Type, span: Span, stmts: &mut Vec<StmtId>) {
        let name = self.ident(ident);
        let var = self.member_var(body, name);
        self.alias(ident, Vec::new(), ty, Some(var), span, stmts);
    }

    fn method(&mut self, class: ClassId, body: FunctionId, written: &Written<'_>, stmts: &mut Vec<StmtId>) {
        if !self.enter() {
            return;
        }
        let function = self.function_item(written, Some(class));
        let name = self.ident(&written.sig.ident);
        self.b.file_mut().classes[class.index()].methods.push((name, function));
        let var = self.member_var(body, name);
        let span = self.b.file().function(function).span;
        self.push(stmts, Stmt::Function { function, target: Some(var) }, span);
        self.leave();
    }
}

/// The first token of a simple type.
fn type_start(ty: &syn::Type) -> proc_macro2::Span {
    match ty {
        syn::Type::Path(t) => t.path.segments.first().map_or_else(proc_macro2::Span::call_site, |s| s.ident.span()),
        syn::Type::Reference(t) => t.and_token.spans[0],
        syn::Type::Tuple(t) => t.paren_token.span.open(),
        syn::Type::Array(t) => t.bracket_token.span.open(),
        syn::Type::FnPtr(t) => t.fn_token.span,
        syn::Type::Ptr(t) => t.star_token.spans[0],
        _ => proc_macro2::Span::call_site(),
    }
}
