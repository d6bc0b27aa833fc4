//! `macro_rules!`: reading a definition and matching an invocation against its arms.
//!
//! Matching works on token trees.

use super::fragments::{fragment, is_kind};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use rustc_hash::FxHashMap;

/// A part of a matcher or transcriber.
#[derive(Debug)]
pub(super) enum Node {
    Token(TokenTree),
    Group(Delimiter, Span, Vec<Node>),
    /// `$name` or `$name:kind`.
    Var(String, String),
    /// `$( … ) separator op`.
    Repeat(Vec<Node>, Option<TokenTree>, char),
    /// `$crate`
    Crate(Span),
}

/// One `(matcher) => { body }`.
#[derive(Debug)]
pub(super) struct Rule {
    pub matcher: Vec<Node>,
    pub body: Vec<Node>,
}

/// What a `$name` stands for.
#[derive(Debug, Clone)]
pub(super) enum Binding {
    /// Tokens, and whether they are one expression or type that must stay together.
    Leaf(Vec<TokenTree>, bool),
    /// One for each turn of a repetition.
    Seq(Vec<Binding>),
}

pub(super) type Bindings = FxHashMap<String, Binding>;

/// Reads a definition's arms; those that cannot be read are left out.
pub(super) fn parse(tokens: TokenStream) -> Vec<Rule> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut rules = Vec::new();
    let mut at = 0;
    while at + 3 < tokens.len() {
        let (TokenTree::Group(matcher), TokenTree::Group(body)) = (&tokens[at], &tokens[at + 3]) else { break };
        if !is_punct(&tokens[at + 1], '=') || !is_punct(&tokens[at + 2], '>') {
            break;
        }
        rules.push(Rule { matcher: nodes(matcher.stream()), body: nodes(body.stream()) });
        at += 4;
        if tokens.get(at).is_some_and(|t| is_punct(t, ';')) {
            at += 1;
        }
    }
    rules
}

pub(super) fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == char)
}

/// Brackets are at most as deep here as in the file, which the scan has bounded.
fn nodes(stream: TokenStream) -> Vec<Node> {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut found = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        at += 1;
        match token {
            TokenTree::Group(g) => found.push(Node::Group(g.delimiter(), g.span(), nodes(g.stream()))),
            TokenTree::Punct(p) if p.as_char() == '$' => match tokens.get(at) {
                Some(TokenTree::Ident(name)) if name == "crate" => {
                    at += 1;
                    found.push(Node::Crate(name.span()));
                }
                Some(TokenTree::Ident(name)) => {
                    at += 1;
                    let kind = match (tokens.get(at), tokens.get(at + 1)) {
                        (Some(colon), Some(TokenTree::Ident(kind)))
                            if is_punct(colon, ':') && is_kind(&kind.to_string()) =>
                        {
                            at += 2;
                            kind.to_string()
                        }
                        _ => String::new(),
                    };
                    found.push(Node::Var(name.to_string(), kind));
                }
                Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis => {
                    at += 1;
                    let mut separator = None;
                    let mut op = '*';
                    if let Some(next) = tokens.get(at) {
                        at += 1;
                        match repeat_op(next) {
                            Some(found) => op = found,
                            None => {
                                separator = Some(next.clone());
                                if let Some(found) = tokens.get(at).and_then(repeat_op) {
                                    op = found;
                                    at += 1;
                                }
                            }
                        }
                    }
                    found.push(Node::Repeat(nodes(g.stream()), separator, op));
                }
                _ => found.push(Node::Token(token.clone())),
            },
            _ => found.push(Node::Token(token.clone())),
        }
    }
    found
}

fn repeat_op(token: &TokenTree) -> Option<char> {
    match token {
        TokenTree::Punct(p) if matches!(p.as_char(), '*' | '+' | '?') => Some(p.as_char()),
        _ => None,
    }
}

/// Matches an invocation's tokens against a matcher; `budget` bounds the work.
pub(super) fn matches(rule: &Rule, tokens: &[TokenTree], budget: &mut usize) -> Option<Bindings> {
    let mut bindings = Bindings::default();
    let end = match_nodes(&rule.matcher, tokens, &mut bindings, budget)?;
    (end == tokens.len()).then_some(bindings)
}

fn match_nodes(nodes: &[Node], tokens: &[TokenTree], found: &mut Bindings, budget: &mut usize) -> Option<usize> {
    let mut at = 0;
    for (i, node) in nodes.iter().enumerate() {
        *budget = budget.checked_sub(1)?;
        match node {
            Node::Crate(_) => return None,
            Node::Token(expected) => {
                if !same(expected, tokens.get(at)?) {
                    return None;
                }
                at += 1;
            }
            Node::Group(delimiter, _, inner) => {
                let TokenTree::Group(g) = tokens.get(at)? else { return None };
                if g.delimiter() != *delimiter {
                    return None;
                }
                let inside: Vec<TokenTree> = g.stream().into_iter().collect();
                if match_nodes(inner, &inside, found, budget)? != inside.len() {
                    return None;
                }
                at += 1;
            }
            Node::Var(name, kind) => {
                let len = fragment(kind, &tokens[at..])?;
                *budget = budget.checked_sub(len)?;
                let whole = matches!(kind.as_str(), "expr" | "expr_2021" | "ty") && len > 1;
                found.insert(name.clone(), Binding::Leaf(tokens[at..at + len].to_vec(), whole));
                at += len;
            }
            Node::Repeat(inner, separator, op) => {
                at += repeat(inner, separator.as_ref(), *op, &nodes[i + 1..], &tokens[at..], found, budget)?;
            }
        }
    }
    Some(at)
}

fn repeat(
    inner: &[Node],
    separator: Option<&TokenTree>,
    op: char,
    after: &[Node],
    tokens: &[TokenTree],
    found: &mut Bindings,
    budget: &mut usize,
) -> Option<usize> {
    let mut names = Vec::new();
    variables(inner, &mut names);
    let mut turns: Vec<Bindings> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        // `$($key:ident)* end`: a token that the rest begins with ends the repetition.
        if let Some(Node::Token(next)) = after.first()
            && same(next, &tokens[at])
            && !matches!(inner.first(), Some(Node::Token(_)))
            && separator.is_none()
        {
            break;
        }
        let mut from = at;
        if !turns.is_empty()
            && let Some(separator) = separator
        {
            if !same(separator, &tokens[at]) {
                break;
            }
            from += 1;
        }
        let mut turn = Bindings::default();
        match match_nodes(inner, &tokens[from..], &mut turn, budget) {
            Some(len) if from + len > at => {
                at = from + len;
                turns.push(turn);
            }
            _ => break,
        }
        if op == '?' {
            break;
        }
    }
    if op == '+' && turns.is_empty() {
        return None;
    }
    for name in names {
        let all = turns.iter_mut().filter_map(|turn| turn.remove(&name)).collect();
        found.insert(name, Binding::Seq(all));
    }
    Some(at)
}

/// The `$names` in a part.
pub(super) fn variables(nodes: &[Node], names: &mut Vec<String>) {
    for node in nodes {
        match node {
            Node::Var(name, _) => names.push(name.clone()),
            Node::Group(_, _, inner) | Node::Repeat(inner, ..) => variables(inner, names),
            Node::Token(_) | Node::Crate(_) => {}
        }
    }
}

fn same(expected: &TokenTree, token: &TokenTree) -> bool {
    match (expected, token) {
        (TokenTree::Punct(a), TokenTree::Punct(b)) => a.as_char() == b.as_char(),
        (TokenTree::Ident(a), TokenTree::Ident(b)) => a == b,
        (TokenTree::Literal(a), TokenTree::Literal(b)) => a.to_string() == b.to_string(),
        _ => false,
    }
}
