//! Macros that stand for statements, items or members: what they are written out to, before names are
//! declared. Of macros that are not the file's own, those that wrap plain items are looked through.

use super::rules::is_punct;
use super::{Lowerer, MAX_EXPANSION};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Expr, Item, Macro};

/// A node of the parsed file, or one that an expansion made.
pub(in crate::lower::rust) enum MaybeOwned<'a, T> {
    Borrowed(&'a T),
    Owned(Box<T>),
}

impl<T> MaybeOwned<'_, T> {
    /// The node.
    pub fn get(&self) -> &T {
        match self {
            MaybeOwned::Borrowed(node) => node,
            MaybeOwned::Owned(node) => node,
        }
    }
}

impl Lowerer {
    /// Statements with the file's own macros written out.
    pub fn flatten_stmts<'a>(&mut self, stmts: &'a [syn::Stmt], out: &mut Vec<MaybeOwned<'a, syn::Stmt>>) {
        for stmt in stmts {
            if let syn::Stmt::Item(Item::Macro(m)) = stmt
                && m.ident.is_some()
            {
                self.define_macro(m);
            }
            match self.expanded_stmts(stmt) {
                Some(made) => out.extend(made.into_iter().map(|s| MaybeOwned::Owned(Box::new(s)))),
                None => out.push(MaybeOwned::Borrowed(stmt)),
            }
        }
    }

    /// The statements that a macro statement stands for, all the way down.
    fn expanded_stmts(&mut self, stmt: &syn::Stmt) -> Option<Vec<syn::Stmt>> {
        let (mac, semi) = match stmt {
            syn::Stmt::Macro(m) => (&m.mac, m.semi_token.is_some()),
            syn::Stmt::Expr(Expr::Macro(m), semi) => (&m.mac, semi.is_some()),
            syn::Stmt::Item(Item::Macro(m)) if m.ident.is_none() => (&m.mac, true),
            _ => return None,
        };
        let mut made = match self.expand(mac) {
            Some(tokens) => syn::Block::parse_within.parse2(tokens).ok()?,
            None => match cfg_branches(&mac.tokens) {
                Some(tokens) => syn::Block::parse_within.parse2(tokens).ok()?,
                None if looks_like_items(&mac.tokens) => items_of(mac)?.into_iter().map(syn::Stmt::Item).collect(),
                None => return None,
            },
        };
        if semi && let Some(syn::Stmt::Expr(_, none)) = made.last_mut() {
            none.get_or_insert_with(Default::default);
        }
        Some(self.expanding(|l| {
            let mut all = Vec::new();
            for stmt in made {
                match l.expanded_stmts(&stmt) {
                    Some(inner) => all.extend(inner),
                    None => all.push(stmt),
                }
            }
            all
        }))
    }

    /// Items with the file's own macros written out.
    pub fn flatten_items<'a>(&mut self, items: &'a [Item], out: &mut Vec<MaybeOwned<'a, Item>>) {
        for item in items {
            match self.expanded_items(item) {
                Some(made) => out.extend(made.into_iter().map(|i| MaybeOwned::Owned(Box::new(i)))),
                None => out.push(MaybeOwned::Borrowed(item)),
            }
        }
    }

    fn expanded_items(&mut self, item: &Item) -> Option<Vec<Item>> {
        let Item::Macro(m) = item else { return None };
        if m.ident.is_some() {
            return None;
        }
        let mut made = match self.expand(&m.mac) {
            Some(tokens) => many::<Item>.parse2(tokens).ok()?,
            None => items_of(&m.mac)?,
        };
        // A macro's own syntax that resembles items.
        made.retain(|i| !matches!(i, Item::Verbatim(_)));
        self.define_macros(&made);
        Some(self.expanding(|l| {
            let mut all = Vec::new();
            for item in made {
                match l.expanded_items(&item) {
                    Some(inner) if l.macros.depth < MAX_EXPANSION => all.extend(inner),
                    _ => all.push(item),
                }
            }
            all
        }))
    }

    /// The members of a trait or impl that a macro stands for.
    pub fn expand_members<T: Parse>(&mut self, mac: &Macro) -> Vec<T> {
        let Some(tokens) = self.expand(mac) else { return Vec::new() };
        many::<T>.parse2(tokens).unwrap_or_default()
    }
}

fn many<T: Parse>(input: ParseStream) -> syn::Result<Vec<T>> {
    let mut all = Vec::new();
    while !input.is_empty() {
        all.push(input.parse()?);
    }
    Ok(all)
}

/// Whether tokens begin like an item, so that reading them as such is worth a try.
fn looks_like_items(tokens: &TokenStream) -> bool {
    let words = ["pub", "static", "const", "fn", "struct", "enum", "impl", "mod", "trait", "use", "type"];
    match tokens.clone().into_iter().next() {
        Some(TokenTree::Ident(first)) => words.iter().any(|w| first == w),
        _ => false,
    }
}

/// The items that a macro of another file or crate wraps.
fn items_of(mac: &Macro) -> Option<Vec<Item>> {
    if let Some(tokens) = cfg_branches(&mac.tokens) {
        return many::<Item>.parse2(tokens).ok();
    }
    // `static ref NAME: T = value;` and a last declaration without `;` are read as plain statics.
    let mut tokens: Vec<TokenTree> = Vec::new();
    let mut statics = false;
    for token in mac.tokens.clone() {
        let is_static = |t: &TokenTree| matches!(t, TokenTree::Ident(i) if i == "static");
        statics |= is_static(&token);
        if matches!(&token, TokenTree::Ident(i) if i == "ref") && tokens.last().is_some_and(is_static) {
            continue;
        }
        tokens.push(token);
    }
    if statics && tokens.last().is_some_and(|t| !is_punct(t, ';')) {
        tokens.push(TokenTree::Punct(proc_macro2::Punct::new(';', proc_macro2::Spacing::Alone)));
    }
    let items = many::<Item>.parse2(tokens.into_iter().collect()).ok()?;
    (!items.is_empty()).then_some(items)
}

/// The contents of all branches of `if #[cfg(…)] { … } else if #[cfg(…)] { … } else { … }`.
fn cfg_branches(tokens: &TokenStream) -> Option<TokenStream> {
    let mut all = TokenStream::new();
    let mut seen = false;
    let mut tokens = tokens.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(i) if i == "if" => {
                let hash = tokens.next()?;
                let Some(TokenTree::Group(condition)) = tokens.next() else { return None };
                let is_cfg = condition.stream().into_iter().next().is_some_and(|t| t.to_string() == "cfg");
                if !is_punct(&hash, '#') || !is_cfg {
                    return None;
                }
                seen = true;
            }
            TokenTree::Ident(i) if i == "else" && seen => {}
            TokenTree::Group(g) if g.delimiter() == Delimiter::Brace && seen => all.extend(g.stream()),
            _ => return None,
        }
    }
    seen.then_some(all)
}
