//! Arguments of macros that nothing is known about: expressions between commas, else whatever parts of the
//! tokens read as expressions.

use super::rules::is_punct;
use super::{Lowerer, arms};
use crate::ir::*;
use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Macro, Token};

/// How deep brackets are looked into that are no expression: every level is read again.
const SALVAGE: usize = 12;

impl Lowerer {
    /// Tokens as expressions between commas.
    pub fn parse_args(&self, tokens: &TokenStream) -> Option<Vec<Expr>> {
        let parsed = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens.clone()).ok()?;
        Some(parsed.into_iter().collect())
    }

    /// The arguments in a macro's or attribute's tokens; `name = value` is one by keyword.
    pub fn macro_args(&mut self, tokens: &TokenStream) -> Vec<Arg> {
        match self.parse_args(tokens) {
            Some(exprs) => exprs.iter().map(|e| self.macro_arg(e)).collect(),
            None => {
                let mut args = Vec::new();
                self.salvage(tokens, SALVAGE, &mut args);
                args
            }
        }
    }

    /// One argument.
    pub fn macro_arg(&mut self, expr: &Expr) -> Arg {
        if let Expr::Assign(assign) = expr
            && let Expr::Path(key) = &*assign.left
            && let Some(key) = key.path.get_ident()
        {
            let name = self.ident(key);
            return Arg::Keyword(name, self.expr(&assign.right));
        }
        Arg::Positional(self.expr(expr))
    }

    /// Reads what can be read: parts between separators, then inside brackets that stand alone.
    fn salvage(&mut self, tokens: &TokenStream, levels: usize, args: &mut Vec<Arg>) {
        let mut part: Vec<TokenTree> = Vec::new();
        for token in tokens.clone() {
            if is_punct(&token, ',') || is_punct(&token, ';') {
                self.part(std::mem::take(&mut part), levels, args);
            } else if is_punct(&token, '>') && part.last().is_some_and(|t| is_punct(t, '=')) {
                part.pop();
                self.part(std::mem::take(&mut part), levels, args);
            } else {
                part.push(token);
            }
        }
        self.part(part, levels, args);
    }

    fn part(&mut self, mut part: Vec<TokenTree>, levels: usize, args: &mut Vec<Arg>) {
        let mut name = None;
        loop {
            // Signs in front: `%error`, `?value`.
            if part.first().is_some_and(|t| is_punct(t, '%') || is_punct(t, '?')) {
                part.remove(0);
            }
            if part.is_empty() {
                return;
            }
            if let Ok(expr) = syn::parse2::<Expr>(part.iter().cloned().collect()) {
                let arg = match name {
                    Some(name) => Arg::Keyword(name, self.expr(&expr)),
                    None => self.macro_arg(&expr),
                };
                return args.push(arg);
            }
            if let [TokenTree::Group(g)] = &part[..] {
                if levels > 0 {
                    self.salvage(&g.stream(), levels - 1, args);
                }
                return;
            }
            // `key: value`, `key = value`
            let Some(sign) = single_sign(&part) else { return };
            name = match &part[..sign] {
                [TokenTree::Ident(key)] => Some(self.ident(key)),
                _ => None,
            };
            part.drain(..=sign);
        }
    }

    /// A macro that nothing is known about.
    pub fn unknown_macro(&mut self, mac: &Macro) -> ExprId {
        let span = self.macro_span(mac);
        let callee = self.path(None, &mac.path, super::super::scope::MACROS);
        let parsed = self.parse_args(&mac.tokens);
        let args = match parsed {
            Some(exprs) if !matches!(&exprs[..], [Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_)]) => {
                exprs.iter().map(|e| self.macro_arg(e)).collect()
            }
            _ => match statements(mac) {
                Some(stmts) => {
                    let start = self.at(mac.delimiter.span().open());
                    let body = self.future(span, start, |l, out| {
                        l.stmts_into(&stmts, super::Dest::Return, out);
                    });
                    vec![Arg::Positional(body)]
                }
                None => self.macro_args(&mac.tokens),
            },
        };
        self.b.expr(ExprKind::Call { callee, args, kind: CallKind::Macro, optional: false }, span)
    }
}

/// Tokens that are several statements, or one with `let`: a block in all but name.
fn statements(mac: &Macro) -> Option<Vec<syn::Stmt>> {
    if arms::has_arms(&mac.tokens) {
        return None;
    }
    let stmts = syn::Block::parse_within.parse2(mac.tokens.clone()).ok()?;
    let only_items = stmts.iter().all(|s| matches!(s, syn::Stmt::Item(_)));
    (!stmts.is_empty() && !only_items).then_some(stmts)
}

/// The first `:` or `=` that is not part of a longer sign.
fn single_sign(part: &[TokenTree]) -> Option<usize> {
    let sign = |i: usize| part.get(i).is_some_and(|t| matches!(t, TokenTree::Punct(_)));
    (0..part.len()).find(|&i| {
        (is_punct(&part[i], ':') || is_punct(&part[i], '=')) && !(i > 0 && sign(i - 1)) && {
            let next = part.get(i + 1);
            !next.is_some_and(|t| is_punct(t, ':') || is_punct(t, '='))
        }
    })
}
