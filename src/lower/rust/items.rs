//! Items of a module or block: all names first, then imports, modules, types and functions, then impl
//! blocks, then constants, so that nothing is used before it is there.

use super::functions::Written;
use super::lowerer::{Dest, Lowerer};
use super::macros::MaybeOwned;
use super::scope::{FrameKind, TYPES, VALUES, What};
use super::spans::join;
use super::testing::{self, is_for_tests};
use crate::ir::*;
use proc_macro2::Ident;
use syn::{Fields, Item, Lit, Meta, spanned::Spanned};

impl Lowerer {
    /// The items of a file or inline module.
    pub fn module_items(&mut self, items: &[Item], out: &mut Vec<StmtId>) {
        let mut flat: Vec<MaybeOwned<'_, Item>> = Vec::with_capacity(items.len());
        self.flatten_items(items, &mut flat);
        let items: Vec<&Item> = flat.iter().map(|i| i.get()).collect();
        self.items_into(&items, out);
    }

    /// Items of the frame at hand.
    pub fn items_into(&mut self, items: &[&Item], out: &mut Vec<StmtId>) {
        for item in items {
            self.declare(item);
        }
        // Constants last: their values may call anything.
        for pass in 0..3 {
            for item in items {
                let turn = match item {
                    Item::Impl(_) => 1,
                    Item::Const(_) | Item::Static(_) | Item::Macro(_) => 2,
                    _ => 0,
                };
                if turn == pass {
                    self.item_into(item, out);
                }
            }
        }
    }

    fn declare(&mut self, item: &Item) {
        let (ident, spaces, what) = match item {
            Item::Fn(i) => (&i.sig.ident, VALUES, What::Item),
            Item::Mod(i) => (&i.ident, TYPES, What::Item),
            Item::Struct(i) => {
                let (spaces, what) = struct_spaces(&i.fields);
                (&i.ident, spaces, what)
            }
            Item::Union(i) => (&i.ident, TYPES, What::Item),
            Item::Enum(i) => (&i.ident, TYPES, What::Item),
            Item::Trait(i) => (&i.ident, TYPES, What::Item),
            Item::TraitAlias(i) => (&i.ident, TYPES, What::Item),
            Item::Type(i) => (&i.ident, TYPES, What::Item),
            Item::Const(i) if i.ident != "_" => (&i.ident, VALUES, What::Constant),
            Item::Static(i) => (&i.ident, VALUES, What::Constant),
            other => return self.declare_others(other),
        };
        self.item(ident, spaces, what);
    }

    /// Items that bind none or several names.
    fn declare_others(&mut self, item: &Item) {
        match item {
            Item::Use(i) => self.declare_use(&i.tree),
            Item::ExternCrate(i) => self.declare_extern(i),
            Item::ForeignMod(i) => {
                for item in &i.items {
                    match item {
                        syn::ForeignItem::Fn(f) => self.item(&f.sig.ident, VALUES, What::Item),
                        syn::ForeignItem::Static(s) => self.item(&s.ident, VALUES, What::Constant),
                        _ => continue,
                    };
                }
            }
            _ => {}
        }
    }

    fn item_into(&mut self, item: &Item, out: &mut Vec<StmtId>) {
        if !self.enter() {
            return;
        }
        let around = self.for_tests;
        self.for_tests |= is_for_tests(testing::attributes(item));
        match item {
            Item::Fn(i) => {
                let written = Written {
                    attrs: &i.attrs,
                    vis: Some(&i.vis),
                    sig: &i.sig,
                    block: Some(&i.block),
                    end: i.sig.ident.span(),
                };
                let function = self.function_item(&written, None);
                let target = self.item_var(&i.sig.ident, VALUES);
                let span = self.b.file().function(function).span;
                self.push(out, Stmt::Function { function, target }, span);
            }
            Item::Mod(i) => self.mod_into(i, out),
            Item::Struct(i) => self.struct_into(i, out),
            Item::Union(i) => self.union_into(i, out),
            Item::Enum(i) => self.enum_into(i, out),
            Item::Trait(i) => self.trait_into(i, out),
            Item::TraitAlias(i) => self.trait_alias_into(i, out),
            Item::Impl(i) => self.impl_into(i, out),
            Item::Type(i) => {
                let span = self.range(i.type_token.span, i.semi_token.spans[0]);
                let target = self.item_var(&i.ident, TYPES);
                let outer = self.generics.len();
                let params = self.type_params(&i.generics, true);
                self.alias(&i.ident, params, &i.ty, target, span, out);
                self.generics.truncate(outer);
            }
            Item::Const(i) => {
                let var = if i.ident == "_" { None } else { self.item_var(&i.ident, VALUES) };
                let span = self.range(i.const_token.span, i.semi_token.spans[0]);
                self.constant(var, &i.ty, Some(&i.expr), span, out);
            }
            Item::Static(i) => {
                let var = self.item_var(&i.ident, VALUES);
                let span = self.range(i.static_token.span, i.semi_token.spans[0]);
                self.constant(var, &i.ty, Some(&i.expr), span, out);
            }
            Item::Use(i) => self.use_into(i, out),
            Item::ExternCrate(i) => self.extern_into(i, out),
            Item::ForeignMod(i) => {
                for item in &i.items {
                    if let syn::ForeignItem::Fn(f) = item {
                        let end = f.semi_token.spans[0];
                        let written = Written { attrs: &f.attrs, vis: Some(&f.vis), sig: &f.sig, block: None, end };
                        let function = self.function_item(&written, None);
                        let target = self.item_var(&f.sig.ident, VALUES);
                        let span = self.b.file().function(function).span;
                        self.push(out, Stmt::Function { function, target }, span);
                    }
                }
            }
            Item::Macro(i) if i.ident.is_none() => self.item_macro(&i.mac, out),
            Item::Macro(_) => {}
            _ => {
                let span = self.at(item.span());
                self.b.problem("this item is written in syntax that is not read", span);
            }
        }
        self.for_tests = around;
        self.leave();
    }

    /// `const NAME: T = value;`
    pub fn constant(
        &mut self,
        var: Option<VarId>,
        ty: &syn::Type,
        value: Option<&syn::Expr>,
        span: Span,
        out: &mut Vec<StmtId>,
    ) {
        let declared = Some(self.ty(ty));
        let value = value.map(|v| self.expr(v));
        let target = match var {
            Some(var) => self.b.pattern(Pattern::Bind(var)),
            None => self.b.pattern(Pattern::Ignore),
        };
        self.push(out, Stmt::Assign { targets: vec![target], value, op: None, declared }, span);
    }

    /// A type alias: a class of kind alias that stands for `ty`.
    pub fn alias(
        &mut self,
        ident: &Ident,
        type_params: Vec<(Name, Vec<TypeId>)>,
        ty: &syn::Type,
        target: Option<VarId>,
        span: Span,
        out: &mut Vec<StmtId>,
    ) {
        let (name, name_span) = (self.ident(ident), self.at(ident.span()));
        let ty = self.ty(ty);
        let class = self.new_class(ClassKind::Alias, Some(name), span, name_span);
        let base = self.ref_of(ty);
        let made = &mut self.b.file_mut().classes[class.index()];
        made.bases.extend(base);
        made.target = Some(ty);
        made.type_params = type_params;
        self.push(out, Stmt::Class { class, target }, span);
    }

    /// The path that a type names.
    fn ref_of(&self, ty: TypeId) -> Option<ExprId> {
        match &self.b.file().types[ty.index()] {
            Type::Ref(expr) => Some(*expr),
            Type::Apply { base, .. } => match self.b.file().types[base.index()] {
                Type::Ref(expr) => Some(expr),
                _ => None,
            },
            _ => None,
        }
    }

    fn mod_into(&mut self, i: &syn::ItemMod, out: &mut Vec<StmtId>) {
        let Some(target) = self.item_var(&i.ident, TYPES) else { return };
        let name = self.ident(&i.ident);
        let start = self.at(i.mod_token.span);
        let path = i.attrs.iter().find_map(|a| match &a.meta {
            Meta::NameValue(m) if m.path.is_ident("path") => match &m.value {
                syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(s), .. }) => Some(s.value()),
                _ => None,
            },
            _ => None,
        });
        let path = path.map(|p| self.b.name(&p));
        let Some((brace, items)) = &i.content else {
            let end = i.semi.map_or(i.ident.span(), |s| s.spans[0]);
            let span = join(start, self.at(end));
            return self.push(out, Stmt::Module { name, target, path, inline: None, is_test: self.for_tests }, span);
        };
        let span = join(start, self.at(brace.span.close()));
        let name_span = self.at(i.ident.span());
        let id = self.new_function(FunctionKind::Module, Some(name), span, name_span);
        let generics = std::mem::take(&mut self.generics);
        let class = self.class.take();
        self.in_function(id, FrameKind::Module, |l| {
            let mut stmts = Vec::new();
            l.module_items(items, &mut stmts);
            l.set_body(id, stmts);
        });
        self.generics = generics;
        self.class = class;
        self.push(out, Stmt::Module { name, target, path, inline: Some(id), is_test: self.for_tests }, span);
    }

    fn item_macro(&mut self, mac: &syn::Macro, out: &mut Vec<StmtId>) {
        self.macro_into(mac, Dest::Discard, out);
    }
}

/// The name spaces a struct is in: a tuple or unit struct is a value too.
fn struct_spaces(fields: &Fields) -> (u8, What) {
    match fields {
        Fields::Named(_) => (TYPES, What::Item),
        Fields::Unnamed(_) => (TYPES | VALUES, What::Item),
        Fields::Unit => (TYPES | VALUES, What::Constant),
    }
}

/// The variable a struct is bound to.
pub(super) fn spaces_of(fields: &Fields) -> u8 {
    struct_spaces(fields).0
}
