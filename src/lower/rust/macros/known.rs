//! Macros of the language: formatting, `vec!`, `matches!`, assertions, panics.

use super::Lowerer;
use crate::ir::*;
use crate::lower::rust::scope::VALUES;
use proc_macro2::{Ident, Span as Token};
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Lit, Macro, Pat, Token};

impl Lowerer {
    /// The name of a macro that the language itself provides.
    fn known(&self, mac: &Macro) -> Option<String> {
        let mut segments = mac.path.segments.iter();
        let first = segments.next()?;
        let last = segments.next_back().unwrap_or(first);
        let of_std = ["std", "core", "alloc"].iter().any(|root| first.ident == root);
        if mac.path.segments.len() > 1 && !of_std {
            return None;
        }
        let name = last.ident.to_string();
        let defined = self.macros.definitions.iter().any(|d| d.name == name);
        (!defined).then_some(name)
    }

    /// Panics and assertions, which are statements. False if it is neither.
    pub fn known_into(&mut self, mac: &Macro, out: &mut Vec<StmtId>) -> bool {
        let Some(name) = self.known(mac) else { return false };
        let span = self.macro_span(mac);
        match name.as_str() {
            "panic" | "unreachable" | "todo" | "unimplemented" => {
                let error = Some(self.formatted(mac, &name, 0));
                self.push(out, Stmt::Raise { error, cause: None }, span);
            }
            "assert" | "debug_assert" => {
                let Some(args) = self.parse_args(&mac.tokens) else { return false };
                let Some(test) = args.first() else { return false };
                let test = self.expr(test);
                self.rest(&args[1..], out);
                self.push(out, Stmt::Assert(test), span);
            }
            "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => {
                let Some(args) = self.parse_args(&mac.tokens) else { return false };
                let [left, right, rest @ ..] = &args[..] else { return false };
                let op = if name.ends_with("eq") { CompareOp::Eq } else { CompareOp::NotEq };
                let (left, right) = (self.expr(left), self.expr(right));
                let test = self.b.expr(ExprKind::Compare(op, left, right), span);
                self.rest(rest, out);
                self.push(out, Stmt::Assert(test), span);
            }
            "compile_error" => {}
            _ => return false,
        }
        true
    }

    /// Arguments of an assertion's message.
    fn rest(&mut self, args: &[Expr], out: &mut Vec<StmtId>) {
        for arg in args {
            if !matches!(arg, Expr::Lit(_) | Expr::Path(_)) {
                let value = match self.macro_arg(arg) {
                    Arg::Positional(v) | Arg::Keyword(_, v) | Arg::Spread(v) | Arg::KeywordSpread(v) => v,
                };
                let span = self.span_of(value);
                self.push(out, Stmt::Expr(value), span);
            }
        }
    }

    /// Macros of the language that are values.
    pub fn known_value(&mut self, mac: &Macro) -> Option<ExprId> {
        let name = self.known(mac)?;
        let span = self.macro_span(mac);
        match name.as_str() {
            "vec" => self.vec(mac, span),
            "matches" => self.matches_macro(mac, span),
            "format" | "format_args" => {
                let args = self.parse_args(&mac.tokens)?;
                self.template(&args, span)
            }
            "print" | "println" | "eprint" | "eprintln" => Some(self.formatted(mac, &name, 0)),
            "write" | "writeln" => Some(self.formatted(mac, &name, 1)),
            "dbg" | "pin" => match &self.parse_args(&mac.tokens)?[..] {
                [only] => Some(self.expr(only)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A call of a macro that formats the arguments after the first `skip`.
    fn formatted(&mut self, mac: &Macro, name: &str, skip: usize) -> ExprId {
        let span = self.macro_span(mac);
        let args = match self.parse_args(&mac.tokens) {
            None => self.macro_args(&mac.tokens),
            Some(exprs) => {
                let (plain, texts) = exprs.split_at(skip.min(exprs.len()));
                let mut args: Vec<Arg> = plain.iter().map(|e| Arg::Positional(self.expr(e))).collect();
                match self.template(texts, span) {
                    Some(text) => args.push(Arg::Positional(text)),
                    None => args.extend(texts.iter().map(|e| self.macro_arg(e))),
                }
                args
            }
        };
        let callee = self.free(name, span);
        self.b.expr(ExprKind::Call { callee, args, kind: CallKind::Macro, optional: false }, span)
    }

    fn vec(&mut self, mac: &Macro, span: Span) -> Option<ExprId> {
        if let Some(args) = self.parse_args(&mac.tokens) {
            let args = args.iter().map(|e| Arg::Positional(self.expr(e))).collect();
            return Some(self.b.expr(ExprKind::Seq(SeqKind::List, args), span));
        }
        let parser = |input: ParseStream| {
            let value: Expr = input.parse()?;
            input.parse::<Token![;]>()?;
            Ok((value, input.parse::<Expr>()?))
        };
        let (value, count) = parser.parse2(mac.tokens.clone()).ok()?;
        Some(self.repeated(&value, &count, span))
    }

    fn matches_macro(&mut self, mac: &Macro, span: Span) -> Option<ExprId> {
        let parser = |input: ParseStream| {
            let subject: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = Pat::parse_multi_with_leading_vert(input)?;
            let mut guard = None;
            if input.peek(Token![if]) {
                input.parse::<Token![if]>()?;
                guard = Some(input.parse::<Expr>()?);
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
            Ok((subject, pat, guard))
        };
        let (subject, pat, guard) = parser.parse2(mac.tokens.clone()).ok()?;
        let subject = self.expr(&subject);
        let (pattern, guard) = self.scoped(|l| (l.pattern(&pat), guard.map(|g| l.expr(&g))));
        Some(self.b.expr(ExprKind::Matches { subject, pattern, guard }, span))
    }

    /// A format string with its arguments in place; none if it is not a constant text.
    fn template(&mut self, args: &[Expr], span: Span) -> Option<ExprId> {
        let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = args.first() else { return None };
        let place = self.at(text.span());
        let mut values: Vec<Option<&Expr>> = Vec::new();
        let mut named: Vec<(String, usize)> = Vec::new();
        for arg in &args[1..] {
            let value = match arg {
                Expr::Assign(assign) => {
                    if let Expr::Path(key) = &*assign.left
                        && let Some(key) = key.path.get_ident()
                    {
                        named.push((key.to_string(), values.len()));
                    }
                    &*assign.right
                }
                value => value,
            };
            values.push(Some(value));
        }
        let mut parts = Vec::new();
        let mut next = 0;
        for piece in pieces(&text.value()) {
            match piece {
                Piece::Text(text) => parts.push(self.b.string(&text, place)),
                Piece::Value(name, debug) => {
                    let index = match name.parse::<usize>() {
                        Ok(index) => Some(index),
                        Err(_) if name.is_empty() => {
                            next += 1;
                            Some(next - 1)
                        }
                        Err(_) => named.iter().find(|n| n.0 == name).map(|n| n.1),
                    };
                    match index {
                        // Each argument runs once, however often it is shown.
                        Some(index) => {
                            if let Some(value) = values.get_mut(index).and_then(Option::take) {
                                let value = self.expr(value);
                                parts.push(self.shown(value, debug));
                            }
                        }
                        None => {
                            if let Some(value) = self.captured(&name, text.span(), place) {
                                parts.push(self.shown(value, debug));
                            }
                        }
                    }
                }
            }
        }
        for value in values.into_iter().flatten() {
            parts.push(self.expr(value));
        }
        Some(self.b.expr(ExprKind::Template(parts), span))
    }

    /// A value as a format string shows it: by `Debug` it is typed as that.
    fn shown(&mut self, value: ExprId, debug: bool) -> ExprId {
        if !debug {
            return value;
        }
        let span = self.span_of(value);
        let of = self.free("Debug", span);
        let of = self.b.ty(Type::Ref(of));
        self.b.expr(ExprKind::Typed(value, of), span)
    }

    /// `{name}`: a variable read inside the text.
    fn captured(&mut self, name: &str, token: Token, place: Span) -> Option<ExprId> {
        let mut ident = syn::parse_str::<Ident>(name).ok()?;
        ident.set_span(token);
        Some(self.name_expr(&ident, VALUES, place))
    }
}

/// Whether a macro of that name is a statement if it is the language's own.
pub(super) fn is_statement(name: &str) -> bool {
    matches!(
        name,
        "panic"
            | "unreachable"
            | "todo"
            | "unimplemented"
            | "assert"
            | "assert_eq"
            | "assert_ne"
            | "debug_assert"
            | "debug_assert_eq"
            | "debug_assert_ne"
            | "compile_error"
    )
}

enum Piece {
    Text(String),
    /// Its name, and whether it is shown by `Debug`.
    Value(String, bool),
}

/// Cuts a format string into texts and the names of its arguments.
fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                plain.push(c);
            }
            '{' => {
                if !plain.is_empty() {
                    found.push(Piece::Text(std::mem::take(&mut plain)));
                }
                let inside: String = chars.by_ref().take_while(|&c| c != '}').collect();
                let name = inside.split(':').next().unwrap_or_default().trim();
                let debug = inside.split_once(':').is_some_and(|(_, how)| how.trim_end().ends_with('?'));
                found.push(Piece::Value(name.to_string(), debug));
            }
            _ => plain.push(c),
        }
    }
    if !plain.is_empty() {
        found.push(Piece::Text(plain));
    }
    found
}
