//! Tests of the lowered form, by group of features; `print` gives it as pseudo-code.

mod classes;
mod expressions;
mod functions;
mod modules;
mod objects;
mod places;
mod print;
mod robust;
mod scopes;
mod statements;
mod types;

use crate::ir::File;

/// Lowers a source that must have no problems.
fn lower_as(path: &str, source: &str) -> File {
    let file = super::lower(path, source);
    assert!(file.problems.is_empty(), "{:?}", file.problems);
    file
}

/// Checks the lowered form of a TypeScript source.
fn check(source: &str, expected: &str) {
    check_as("test.ts", source, expected);
}

fn check_as(path: &str, source: &str, expected: &str) {
    let text = print::print(&lower_as(path, source));
    let lines = |text: &str| text.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(lines(&text), lines(expected), "\n{text}");
}
