//! Tests by group of syntax: source text in, IR dump out.

use crate::ir::{File, dump};

fn lowered(source: &str) -> File {
    super::lower("src/main.rs", source)
}

#[test]
fn print() {
    let path = std::env::var("DUMP").unwrap_or_default();
    let source = std::fs::read_to_string(&path).unwrap_or_default();
    let file = lowered(&source);
    println!("{}", dump(&file));
    println!("{:?}", file.problems);
}
