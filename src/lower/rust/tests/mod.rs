//! Tests by group of syntax: source text in, lines of the IR's text form out.

mod broken;
mod classes;
mod control;
mod expressions;
mod macros;
mod names;

use crate::ir::{File, dump};

/// Lowers a file that must be readable.
fn lowered(source: &str) -> File {
    let file = super::lower("src/main.rs", source);
    assert!(file.problems.is_empty(), "{:?}", file.problems);
    file
}

/// Asserts that the lines stand in the IR's text form in that order, others between them.
fn check(source: &str, lines: &[&str]) {
    let text = dump(&lowered(source));
    let mut rest = text.lines();
    for line in lines {
        assert!(rest.any(|l| l.trim() == *line), "no line `{line}` (in this order) in\n{text}");
    }
}

/// The same for statements of a function body.
fn check_body(body: &str, lines: &[&str]) {
    check(&format!("fn job() {{ {body} }}"), lines);
}

/// The source text of a span.
fn text(source: &str, span: crate::ir::Span) -> &str {
    &source[span.start as usize..span.end as usize]
}
