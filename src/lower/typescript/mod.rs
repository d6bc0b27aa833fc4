//! The TypeScript and JavaScript front end.
//!
//! A file is parsed by the grammar its extension asks for, copied into a compact tree (`tree`), and
//! lowered in one walk that declares each scope's names before it lowers what is in it, so that every
//! use is resolved at once. Nothing here knows a library or a runtime's globals.
//!
//! What a function is called (for ids): its own name; else that of the variable, property (`a.b.send`,
//! without `exports` and `prototype`) or object key (`client.send`) it is directly put into.

mod calls;
mod chain;
mod class;
mod comments;
mod commonjs;
mod declare;
mod enums;
mod exports;
mod expr;
mod function;
mod hoist;
mod imports;
mod interface;
mod jsx;
mod kind;
mod literal;
mod loops;
mod lowerer;
mod object;
mod pattern;
mod scope;
mod stmt;
mod tree;
mod types;

#[cfg(test)]
mod tests;

use crate::ir::{File, Language, Span};
use crate::lower::Builder;
use kind::Grammar;
use lowerer::Lower;
use tree::Tree;

/// Syntax errors listed one by one.
const MAX_ERRORS: usize = 20;

/// Lowers one TypeScript or JavaScript file.
pub fn lower(path: &str, source: &str) -> File {
    let mut builder = Builder::new(path, Language::JavaScript, source);
    let Some(tree) = parse(path, source) else {
        builder.problem("takes too long to parse: left out", Span::default());
        return builder.finish();
    };
    report_errors(&mut builder, &tree, source);
    comments::ignores(&mut builder, &tree, source);
    let mut lower = Lower::new(builder, &tree);
    lower.module();
    lower.b.finish()
}

fn parse<'s>(path: &str, source: &'s str) -> Option<Tree<'s>> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "ts" | "mts" | "cts" => tree::parse(source, Grammar::typescript()),
        "tsx" => tree::parse(source, Grammar::tsx()),
        _ => javascript(source),
    }
}

/// Files called JavaScript may hold type annotations (Flow, or for a build step): the grammar that
/// understands more of the file wins.
fn javascript(source: &str) -> Option<Tree<'_>> {
    let plain = tree::parse(source, Grammar::javascript())?;
    if plain.errors.is_empty() {
        return Some(plain);
    }
    let broken = |tree: &Tree| tree.errors.iter().map(|span| u64::from(span.end - span.start) + 1).sum::<u64>();
    match tree::parse(source, Grammar::tsx()) {
        Some(typed) if broken(&typed) < broken(&plain) => Some(typed),
        _ => Some(plain),
    }
}

/// Syntax errors, of a file that is no source at all only the first ones.
fn report_errors(builder: &mut Builder, tree: &Tree, source: &str) {
    let mut errors = tree.errors.iter().filter(|&&span| !is_grammar_gap(tree, span, source));
    for &span in errors.by_ref().take(MAX_ERRORS) {
        builder.problem("syntax error: read as far as it goes", span);
    }
    let rest = errors.count();
    if rest > 0 {
        builder.problem(format!("{rest} more syntax errors"), Span::default());
    }
}

/// `export type * from "m"` is valid, is read as an export all the same, and not known to the grammar.
fn is_grammar_gap(tree: &Tree, span: Span, source: &str) -> bool {
    let after = source.get(span.end as usize..).unwrap_or_default();
    tree.slice(span) == "type" && after.trim_start().starts_with('*')
}
