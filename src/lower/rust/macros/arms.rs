//! Macros with arms that wait for the first of several futures: `pattern = future [, if test] => body`.
//!
//! They become a `match` on the macro call over its futures, whose arms each bind the awaited value of
//! their own future: which one runs is not known.

use super::Lowerer;
use super::rules::is_punct;
use crate::ir::*;
use crate::lower::rust::lowerer::Dest;
use crate::lower::rust::scope::MACROS;
use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Macro, Pat, Token};

/// One arm.
struct Choice {
    /// Pattern and future; none for `else`.
    waits: Option<(Pat, Expr)>,
    test: Option<Expr>,
    arrow: proc_macro2::Span,
    body: Expr,
}

/// Whether tokens hold a `=>` outside brackets.
pub(super) fn has_arms(tokens: &TokenStream) -> bool {
    let mut before = false;
    for token in tokens.clone() {
        if before && is_punct(&token, '>') {
            return true;
        }
        before = is_punct(&token, '=');
    }
    false
}

fn parse(input: ParseStream) -> syn::Result<Vec<Choice>> {
    let mut choices = Vec::new();
    if input.peek(syn::Ident) && input.peek2(Token![;]) {
        // `biased;`
        input.parse::<Ident>()?;
        input.parse::<Token![;]>()?;
    }
    while !input.is_empty() {
        let named_default = input.peek(Ident) && input.peek2(Token![=>]);
        let waits = if input.peek(Token![else]) {
            input.parse::<Token![else]>()?;
            None
        } else if named_default {
            input.parse::<Ident>()?;
            None
        } else {
            Some(waits(input)?)
        };
        let mut test = None;
        if input.peek(Token![,]) && input.peek2(Token![if]) {
            input.parse::<Token![,]>()?;
            input.parse::<Token![if]>()?;
            test = Some(input.parse()?);
        }
        let arrow = input.parse::<Token![=>]>()?.spans[0];
        let body = Expr::parse_with_earlier_boundary_rule(input)?;
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        }
        choices.push(Choice { waits, test, arrow, body });
    }
    Ok(choices)
}

/// `pattern = future`, `receive(channel) -> pattern`
fn waits(input: ParseStream) -> syn::Result<(Pat, Expr)> {
    let ahead = input.fork();
    if Pat::parse_multi_with_leading_vert(&ahead).is_ok() && ahead.peek(Token![=]) && !ahead.peek(Token![=>]) {
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        input.parse::<Token![=]>()?;
        return Ok((pat, input.parse()?));
    }
    let future = input.parse()?;
    input.parse::<Token![->]>()?;
    Ok((Pat::parse_multi_with_leading_vert(input)?, future))
}

impl Lowerer {
    /// Lowers a macro with arms; false if it has none.
    pub fn arms_into(&mut self, mac: &Macro, dest: Dest, out: &mut Vec<StmtId>) -> bool {
        if !has_arms(&mac.tokens) {
            return false;
        }
        let Ok(choices) = parse.parse2(mac.tokens.clone()) else { return false };
        let span = self.macro_span(mac);
        let callee = self.path(None, &mac.path, MACROS);
        let mut args = Vec::new();
        let mut futures = Vec::new();
        for choice in &choices {
            futures.push(choice.waits.as_ref().map(|(_, future)| {
                let value = self.expr(future);
                let place = self.span_of(value);
                let temp = self.temp("future");
                self.assign(out, temp, value, place);
                args.push(Arg::Positional(self.read(temp, place)));
                (temp, place)
            }));
        }
        let subject = self.b.expr(ExprKind::Call { callee, args, kind: CallKind::Macro, optional: false }, span);
        let mut arms = Vec::new();
        for (choice, future) in choices.iter().zip(futures) {
            arms.push(self.scoped(|l| {
                let mut stmts = Vec::new();
                if let (Some((temp, place)), Some((pat, _))) = (future, &choice.waits) {
                    let read = l.read(temp, place);
                    let value = l.b.expr(ExprKind::Await(read), place);
                    let target = l.pattern(pat);
                    let stmt = Stmt::Assign { targets: vec![target], value: Some(value), op: None, declared: None };
                    l.push(&mut stmts, stmt, place);
                }
                let guard = choice.test.as_ref().map(|t| l.expr(t));
                l.lower_into(&choice.body, dest, &mut stmts);
                let body = l.b.block(stmts);
                let pattern = l.b.pattern(Pattern::Unknown);
                Arm { pattern, guard, body, falls_through: false, span: l.at(choice.arrow) }
            }));
        }
        self.push(out, Stmt::Match { subject, arms, is_switch: false }, span);
        true
    }
}
