//! The Python front end, held to dumps of what it lowers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod broken;
mod classes;
mod expressions;
mod functions;
mod ignores;
mod imports;
mod robustness;
mod scopes;
mod spans;
mod statements;
mod types;

use squall::ir::{File, Language, dump};
use squall::lower::lower;

fn python(source: &str) -> File {
    lower("module.py", Language::Python, source)
}

/// Lowers a source and compares its dump (without the line naming the file).
#[track_caller]
fn check(source: &str, expected: &str) {
    let text = dump(&python(source.strip_prefix('\n').unwrap_or(source)));
    let dumped = text.split_once('\n').map_or("", |(_, rest)| rest);
    assert_eq!(dumped.trim(), expected.trim());
}
