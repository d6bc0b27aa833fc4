//! Writing out a macro's body with its variables filled in. Tokens keep their places: those of the body
//! point into the definition, those of arguments to the call.

use super::rules::{Binding, Bindings, Node, Rule, variables};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use rustc_hash::FxHashMap;

type Env<'b> = FxHashMap<&'b str, &'b Binding>;

/// The body of a rule that matched; none if it is not plain or exceeds `budget` tokens.
pub(super) fn transcribe(rule: &Rule, bindings: &Bindings, budget: &mut usize) -> Option<TokenStream> {
    let env: Env<'_> = bindings.iter().map(|(name, binding)| (name.as_str(), binding)).collect();
    let mut out = Vec::new();
    write(&rule.body, &env, &mut out, budget)?;
    Some(out.into_iter().collect())
}

fn write(nodes: &[Node], env: &Env<'_>, out: &mut Vec<TokenTree>, budget: &mut usize) -> Option<()> {
    for node in nodes {
        *budget = budget.checked_sub(1)?;
        match node {
            Node::Token(token) => out.push(token.clone()),
            Node::Crate(span) => out.push(TokenTree::Ident(Ident::new("crate", *span))),
            Node::Group(delimiter, span, inner) => {
                let mut tokens = Vec::new();
                write(inner, env, &mut tokens, budget)?;
                let mut group = Group::new(*delimiter, tokens.into_iter().collect());
                group.set_span(*span);
                out.push(TokenTree::Group(group));
            }
            Node::Var(name, _) => match env.get(name.as_str())? {
                Binding::Leaf(tokens, whole) => {
                    *budget = budget.checked_sub(tokens.len())?;
                    if *whole {
                        let mut group = Group::new(Delimiter::None, tokens.iter().cloned().collect());
                        group.set_span(tokens.first().map(TokenTree::span)?);
                        out.push(TokenTree::Group(group));
                    } else {
                        out.extend(tokens.iter().cloned());
                    }
                }
                Binding::Seq(_) => return None,
            },
            Node::Repeat(inner, separator, _) => {
                let mut names = Vec::new();
                variables(inner, &mut names);
                let lists: Vec<(&str, &Vec<Binding>)> = names
                    .iter()
                    .filter_map(|n| match env.get_key_value(n.as_str()) {
                        Some((name, Binding::Seq(list))) => Some((*name, list)),
                        _ => None,
                    })
                    .collect();
                let turns = lists.iter().map(|(_, list)| list.len()).min()?;
                let mut turn_env = env.clone();
                for turn in 0..turns {
                    for (name, list) in &lists {
                        turn_env.insert(name, &list[turn]);
                    }
                    if turn > 0 {
                        out.extend(separator.clone());
                    }
                    write(inner, &turn_env, out, budget)?;
                }
            }
        }
    }
    Some(())
}
