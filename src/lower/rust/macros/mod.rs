//! Macros: those of the file are expanded, those of the language are known, the arguments of all others
//! are read as far as they look like Rust.

mod args;
mod arms;
mod expand;
mod fragments;
mod known;
mod rules;
mod written;

use super::lowerer::{Dest, Lowerer};
use super::scan::survey;
use crate::ir::*;
use proc_macro2::{TokenStream, TokenTree};
use rules::Rule;
use std::rc::Rc;
use syn::parse::Parser;
use syn::{Expr, Item, Macro};
pub(super) use written::MaybeOwned;

/// Expansions inside one another.
const MAX_EXPANSION: usize = 24;
/// Tokens that all expansions of a file may write.
const MAX_TOKENS: usize = 400_000;

/// A definition.
struct Definition {
    name: String,
    /// Its first byte: a later one of that name replaces it for calls after it.
    start: u32,
    /// The bytes of its arms.
    body: Span,
    rules: Rc<Vec<Rule>>,
}

/// The macros a file defines.
pub(super) struct Macros {
    definitions: Vec<Definition>,
    expanded: bool,
    depth: usize,
    tokens: usize,
}

impl Default for Macros {
    fn default() -> Self {
        Self { definitions: Vec::new(), expanded: false, depth: 0, tokens: MAX_TOKENS }
    }
}

impl Macros {
    /// Whether any token of a macro's body has been lowered.
    pub fn expanded_any(&self) -> bool {
        self.expanded
    }

    /// A number for the definition around a byte, 0 if there is none.
    pub fn body_at(&self, offset: u32) -> u32 {
        let inside = |d: &Definition| d.body.start <= offset && offset < d.body.end;
        self.definitions.iter().position(inside).map_or(0, |i| i as u32 + 1)
    }

    /// The definition a call at a byte means: the last one before it, else any.
    fn find(&self, name: &str, offset: u32) -> Option<&Definition> {
        let named = |d: &&Definition| d.name == name;
        let before = self.definitions.iter().filter(named).filter(|d| d.start < offset).max_by_key(|d| d.start);
        before.or_else(|| self.definitions.iter().find(named))
    }
}

impl Lowerer {
    /// Remembers the macros that a module and the modules in it define.
    pub fn define_macros(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Macro(m) => self.define_macro(m),
                Item::Mod(m) => {
                    if let Some((_, items)) = &m.content
                        && self.enter()
                    {
                        self.define_macros(items);
                        self.leave();
                    }
                }
                _ => {}
            }
        }
    }

    fn define_macro(&mut self, m: &syn::ItemMacro) {
        let Some(ident) = &m.ident else { return };
        if !m.mac.path.is_ident("macro_rules") {
            return;
        }
        let body = self.at(m.mac.delimiter.span().join());
        let start = self.at(m.mac.bang_token.spans[0]).start;
        if self.macros.definitions.iter().any(|d| d.start == start) {
            return;
        }
        let rules = Rc::new(rules::parse(m.mac.tokens.clone()));
        self.macros.definitions.push(Definition { name: ident.to_string(), start, body, rules });
    }

    /// The tokens an invocation of one of the file's macros stands for.
    fn expand(&mut self, mac: &Macro) -> Option<TokenStream> {
        if self.macros.definitions.is_empty() || self.macros.depth >= MAX_EXPANSION {
            return None;
        }
        let name = mac.path.segments.last()?.ident.to_string();
        let local = mac.path.segments.len() == 1
            || mac.path.segments.first().is_some_and(|s| s.ident == "crate" || s.ident == "self" || s.ident == "super");
        if !local {
            return None;
        }
        let offset = self.at(mac.bang_token.spans[0]).start;
        let rules = self.macros.find(&name, offset)?.rules.clone();
        let tokens: Vec<TokenTree> = mac.tokens.clone().into_iter().collect();
        let mut budget = self.macros.tokens;
        let expanded = rules.iter().find_map(|rule| {
            let bindings = rules::matches(rule, &tokens, &mut budget)?;
            Some(expand::transcribe(rule, &bindings, &mut budget))
        });
        self.macros.tokens = budget;
        let expanded = expanded.flatten()?;
        // What stands together now was bounded apart.
        if survey(&expanded.to_string()).cost > self.stack_left() {
            return None;
        }
        self.macros.expanded = true;
        Some(expanded)
    }

    fn expanding<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.macros.depth += 1;
        let result = inside(self);
        self.macros.depth -= 1;
        result
    }

    /// Whether a macro is lowered to statements rather than to a value.
    pub fn is_statement_macro(&self, mac: &Macro) -> bool {
        let Some(name) = mac.path.segments.last().map(|s| s.ident.to_string()) else { return false };
        self.macros.definitions.iter().any(|d| d.name == name)
            || known::is_statement(&name)
            || arms::has_arms(&mac.tokens)
    }

    /// A macro call as a value.
    pub fn macro_value(&mut self, mac: &Macro) -> ExprId {
        if !self.is_statement_macro(mac) {
            return self.plain_macro(mac);
        }
        let span = self.macro_span(mac);
        let temp = self.temp("macro");
        let mut stmts = Vec::new();
        self.macro_into(mac, Dest::Assign(temp), &mut stmts);
        self.block_value(stmts, temp, span)
    }

    fn plain_macro(&mut self, mac: &Macro) -> ExprId {
        match self.known_value(mac) {
            Some(value) => value,
            None => self.unknown_macro(mac),
        }
    }

    /// A macro call towards a destination.
    pub fn macro_into(&mut self, mac: &Macro, dest: Dest, out: &mut Vec<StmtId>) {
        if !self.enter() {
            return;
        }
        if let Some(tokens) = self.expand(mac)
            && self.expansion_into(tokens, dest, out)
        {
        } else if !self.known_into(mac, out) && !self.arms_into(mac, dest, out) {
            let value = self.plain_macro(mac);
            self.finish(dest, value, out);
        }
        self.leave();
    }

    /// Lowers an expansion; false if it is neither an expression nor statements.
    fn expansion_into(&mut self, tokens: TokenStream, dest: Dest, out: &mut Vec<StmtId>) -> bool {
        if let Ok(expr) = syn::parse2::<Expr>(tokens.clone()) {
            self.expanding(|l| l.scoped(|l| l.lower_into(&expr, dest, out)));
            return true;
        }
        let Ok(stmts) = syn::Block::parse_within.parse2(tokens) else { return false };
        self.expanding(|l| l.scoped(|l| l.stmts_into(&stmts, dest, out)));
        true
    }

    /// From a macro's name to its closing bracket.
    pub fn macro_span(&self, mac: &Macro) -> Span {
        let start = mac.path.segments.first().map_or(mac.bang_token.spans[0], |s| s.ident.span());
        self.range(start, mac.delimiter.span().close())
    }
}
