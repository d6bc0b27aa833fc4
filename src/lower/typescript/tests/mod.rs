//! Tests of the lowered form, by group of features.

mod print;
mod scratch;

use crate::ir::File;

/// Lowers a TypeScript source that must have no problems.
fn lower(source: &str) -> File {
    lower_as("test.ts", source)
}

fn lower_as(path: &str, source: &str) -> File {
    let file = super::lower(path, source);
    assert!(file.problems.is_empty(), "{:?}", file.problems);
    file
}

/// The lowered form as text.
fn text(source: &str) -> String {
    print::print(&lower(source))
}
