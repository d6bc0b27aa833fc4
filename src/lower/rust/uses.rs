//! `use` trees: one import a leaf.

use super::lowerer::Lowerer;
use super::scope::{ANY, What};
use super::spans::join;
use crate::ir::*;
use proc_macro2::Ident;
use syn::{ItemExternCrate, ItemUse, UseTree};

/// The path in front of a leaf.
#[derive(Clone)]
struct Prefix {
    text: String,
    span: Option<Span>,
}

impl Lowerer {
    /// Declares what a `use` binds.
    pub fn declare_use(&mut self, tree: &UseTree) {
        let mut last = None;
        self.declare_tree(tree, &mut last);
    }

    fn declare_tree<'t>(&mut self, tree: &'t UseTree, before: &mut Option<&'t Ident>) {
        let mut tree = tree;
        while let UseTree::Path(path) = tree {
            *before = Some(&path.ident);
            tree = &path.tree;
        }
        match tree {
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(before) = *before {
                    self.item(before, ANY, What::Import);
                }
            }
            UseTree::Name(name) => {
                self.item(&name.ident, ANY, What::Import);
            }
            UseTree::Rename(rename) if rename.rename != "_" => {
                self.item(&rename.rename, ANY, What::Import);
            }
            UseTree::Group(group) if self.enter() => {
                for tree in &group.items {
                    let mut before = *before;
                    self.declare_tree(tree, &mut before);
                }
                self.leave();
            }
            _ => {}
        }
    }

    /// The imports of a `use`.
    pub fn use_into(&mut self, item: &ItemUse, out: &mut Vec<StmtId>) {
        let text = if item.leading_colon.is_some() { "::" } else { "" };
        let prefix = Prefix { text: text.to_string(), span: None };
        self.tree_into(&item.tree, prefix, None, out);
    }

    fn tree_into(&mut self, tree: &UseTree, mut prefix: Prefix, before: Option<&Ident>, out: &mut Vec<StmtId>) {
        let (mut tree, mut before) = (tree, before);
        while let UseTree::Path(path) = tree {
            self.extend(&mut prefix, &path.ident);
            before = Some(&path.ident);
            tree = &path.tree;
        }
        match tree {
            UseTree::Path(_) => {}
            UseTree::Name(name) if name.ident == "self" && before.is_some() => {
                let target = before.and_then(|b| self.item_var(b, ANY));
                self.import(prefix, Imported::Module, target, out);
            }
            UseTree::Name(name) => {
                self.extend(&mut prefix, &name.ident);
                let target = self.item_var(&name.ident, ANY);
                self.import(prefix, Imported::Module, target, out);
            }
            UseTree::Rename(rename) => {
                if rename.ident != "self" || before.is_none() {
                    self.extend(&mut prefix, &rename.ident);
                }
                let target = self.item_var(&rename.rename, ANY);
                self.import(prefix, Imported::Module, target, out);
            }
            UseTree::Glob(_) => self.import(prefix, Imported::Star, None, out),
            UseTree::Group(group) => {
                if self.enter() {
                    for tree in &group.items {
                        self.tree_into(tree, prefix.clone(), before, out);
                    }
                    self.leave();
                }
            }
        }
    }

    fn extend(&mut self, prefix: &mut Prefix, ident: &Ident) {
        let name = self.ident(ident);
        if !prefix.text.is_empty() && prefix.text != "::" {
            prefix.text.push_str("::");
        }
        prefix.text.push_str(self.b.text(name));
        let span = self.at(ident.span());
        prefix.span = Some(prefix.span.map_or(span, |before| join(before, span)));
    }

    fn import(&mut self, prefix: Prefix, imported: Imported, target: Option<VarId>, out: &mut Vec<StmtId>) {
        let mut level = 0;
        for segment in prefix.text.split("::") {
            match segment {
                "self" if level == 0 => level = 1,
                "super" => level = if level == 0 { 2 } else { level + 1 },
                _ => break,
            }
        }
        let span = prefix.span.unwrap_or_default();
        let module = ModulePath { level, path: self.b.name(&prefix.text), span };
        self.push(out, Stmt::Import { module, imported, target, type_only: false }, span);
    }

    /// Declares what an `extern crate` binds.
    pub fn declare_extern(&mut self, item: &ItemExternCrate) {
        let bound = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
        if bound != "_" {
            self.item(bound, ANY, What::Import);
        }
    }

    /// `extern crate name as other;`
    pub fn extern_into(&mut self, item: &ItemExternCrate, out: &mut Vec<StmtId>) {
        let bound = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
        let target = self.item_var(bound, ANY);
        let name = self.ident(&item.ident);
        let text = if item.ident == "self" { "crate".to_string() } else { format!("::{}", self.b.text(name)) };
        let prefix = Prefix { text, span: Some(self.at(item.ident.span())) };
        // `#[macro_use]` brings in the names of attributes and macros.
        if item.attrs.iter().any(|attr| attr.path().is_ident("macro_use")) {
            self.import(prefix.clone(), Imported::Star, None, out);
        }
        self.import(prefix, Imported::Module, target, out);
    }
}
