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
mod gaps;
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
    report_errors(&mut builder, &tree);
    comments::ignores(&mut builder, &tree, source);
    let mut lower = Lower::new(builder, &tree);
    lower.module();
    lower.b.finish()
}

fn parse<'s>(path: &str, source: &'s str) -> Option<Tree<'s>> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "ts" | "mts" | "cts" => typed(source, Grammar::typescript()),
        "tsx" => typed(source, Grammar::tsx()),
        _ => javascript(source),
    }
}

fn typed<'s>(source: &'s str, grammar: &'static Grammar) -> Option<Tree<'s>> {
    let first = tree::parse(source, source, grammar)?;
    if first.errors.is_empty() {
        return Some(first);
    }
    let Some(blanked) = gaps::blanked(source) else { return Some(first) };
    match tree::parse(source, &blanked, grammar) {
        Some(second) if broken(&second) < broken(&first) => Some(second),
        _ => Some(first),
    }
}

/// Files called JavaScript may hold type annotations (Flow, or for a build step): the grammar that
/// understands more of the file wins.
fn javascript(source: &str) -> Option<Tree<'_>> {
    let plain = tree::parse(source, source, Grammar::javascript())?;
    if plain.errors.is_empty() {
        return Some(plain);
    }
    match typed(source, Grammar::tsx()) {
        Some(typed) if broken(&typed) < broken(&plain) => Some(typed),
        _ => Some(plain),
    }
}

/// How much of a file could not be read.
fn broken(tree: &Tree) -> u64 {
    tree.errors.iter().map(|span| u64::from(span.end - span.start) + 1).sum()
}

/// Syntax errors, of a file that is no source at all only the first ones.
fn report_errors(builder: &mut Builder, tree: &Tree) {
    let mut errors = tree.errors.iter();
    for &span in errors.by_ref().take(MAX_ERRORS) {
        builder.problem("syntax error: read as far as it goes", span);
    }
    let rest = errors.count();
    if rest > 0 {
        builder.problem(format!("{rest} more syntax errors"), Span::default());
    }
}
