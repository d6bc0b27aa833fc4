//! Fragments of `macro_rules!`: how far a `$name:kind` reaches. Those that are grammar (`expr`, `ty`, …) are
//! measured by syn, an expression first up to the next separator, so that long lists stay linear.

use super::rules::is_punct;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};

/// Whether a word is a kind of fragment.
pub(super) fn is_kind(word: &str) -> bool {
    matches!(
        word,
        "block"
            | "expr"
            | "expr_2021"
            | "ident"
            | "item"
            | "lifetime"
            | "literal"
            | "meta"
            | "pat"
            | "pat_param"
            | "path"
            | "stmt"
            | "tt"
            | "ty"
            | "vis"
    )
}

/// How many tokens a fragment of that kind takes.
pub(super) fn fragment(kind: &str, tokens: &[TokenTree]) -> Option<usize> {
    let first = tokens.first();
    if let Some(TokenTree::Group(g)) = first
        && g.delimiter() == Delimiter::None
        && kind != "vis"
    {
        return Some(1);
    }
    match kind {
        "tt" => match first? {
            TokenTree::Punct(p) if p.as_char() == '\'' => Some(2.min(tokens.len())),
            _ => Some(1),
        },
        "ident" => matches!(first?, TokenTree::Ident(i) if i != "_").then_some(1),
        "lifetime" => (is_punct(first?, '\'') && tokens.len() > 1).then_some(2),
        "literal" => match first? {
            TokenTree::Literal(_) => Some(1),
            TokenTree::Ident(i) if i == "true" || i == "false" => Some(1),
            token if is_punct(token, '-') => matches!(tokens.get(1)?, TokenTree::Literal(_)).then_some(2),
            _ => None,
        },
        "block" => matches!(first?, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace).then_some(1),
        "vis" => match first {
            Some(TokenTree::Ident(i)) if i == "pub" => Some(match tokens.get(1) {
                Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis => 2,
                _ => 1,
            }),
            _ => Some(0),
        },
        "expr" | "expr_2021" => expression(tokens),
        "ty" => prefix::<syn::Type>(tokens),
        "path" => prefix::<syn::Path>(tokens),
        "pat" => measured(tokens, syn::Pat::parse_multi_with_leading_vert),
        "pat_param" => measured(tokens, syn::Pat::parse_single),
        "stmt" => prefix::<syn::Stmt>(tokens),
        "item" => prefix::<syn::Item>(tokens),
        "meta" => prefix::<syn::Meta>(tokens),
        _ => None,
    }
}

fn expression(tokens: &[TokenTree]) -> Option<usize> {
    let separator = |t: &TokenTree| is_punct(t, ',') || is_punct(t, ';');
    // Commas of `f::<A, B>()` are inside an expression: then the part up to the first is none.
    let mut end = tokens.iter().position(separator).unwrap_or(tokens.len());
    for _ in 0..4 {
        let part: TokenStream = tokens[..end].iter().cloned().collect();
        if syn::parse2::<syn::Expr>(part).is_ok() {
            return Some(end);
        }
        match tokens.get(end + 1..).and_then(|rest| rest.iter().position(separator)) {
            Some(next) => end += 1 + next,
            None => break,
        }
    }
    prefix::<syn::Expr>(tokens)
}

fn prefix<T: Parse>(tokens: &[TokenTree]) -> Option<usize> {
    measured(tokens, T::parse)
}

fn measured<T>(tokens: &[TokenTree], parse: impl Fn(ParseStream) -> syn::Result<T>) -> Option<usize> {
    let all: TokenStream = tokens.iter().cloned().collect();
    let parser = |input: ParseStream| {
        parse(input)?;
        let rest: TokenStream = input.parse()?;
        Ok(rest.into_iter().count())
    };
    let rest = parser.parse2(all).ok()?;
    tokens.len().checked_sub(rest)
}
