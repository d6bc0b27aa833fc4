//! The Rust front end over whole trees: nothing panics, nothing is lost without being listed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use squall::ir::{File, Language, dump};
use squall::lower::lower;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn rust(source: &str) -> File {
    lower("src/main.rs", Language::Rust, source)
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Lowers every `.rs` file under the directories in `RUST_TREES` (separated by `:`) and prints figures:
/// `RUST_TREES=~/.cargo/registry/src cargo test --release --test lower_rust -- --ignored --nocapture`.
#[test]
#[ignore = "needs RUST_TREES"]
#[allow(clippy::print_stdout)]
fn trees() {
    let mut files = Vec::new();
    for tree in std::env::var("RUST_TREES").unwrap_or_default().split(':').filter(|t| !t.is_empty()) {
        sources(Path::new(tree), &mut files);
    }
    files.sort();
    let (mut lines, mut bytes, mut problems, mut exprs) = (0, 0, 0, 0);
    let mut slowest = (Duration::ZERO, PathBuf::new());
    let start = Instant::now();
    let mut spent = Duration::ZERO;
    for path in &files {
        let Ok(source) = std::fs::read_to_string(path) else { continue };
        let begin = Instant::now();
        let file = lower(&path.to_string_lossy(), Language::Rust, &source);
        let took = begin.elapsed();
        spent += took;
        if took > slowest.0 {
            slowest = (took, path.clone());
        }
        assert_sound(&file, &source, path);
        lines += source.lines().count();
        bytes += source.len();
        exprs += file.exprs.len();
        problems += file.problems.len();
        for problem in file.problems.iter().take(5) {
            println!("{}:{}: {}", path.display(), file.line(problem.span.start), problem.message);
        }
        if file.functions[0].body.index() >= file.blocks.len() || (file.stmts.is_empty() && has_code(&source)) {
            println!("{}: nothing lowered, {} problems", path.display(), file.problems.len());
        }
    }
    println!(
        "{} files, {lines} lines, {bytes} bytes, {exprs} expressions, {problems} problems; {:.3} s lowering ({:.0} lines/s), {:.3} s in all; slowest {:?} {}",
        files.len(),
        spent.as_secs_f64(),
        lines as f64 / spent.as_secs_f64(),
        start.elapsed().as_secs_f64(),
        slowest.0,
        slowest.1.display(),
    );
}

/// Every span is text, every statement stands in one block at most.
fn assert_sound(file: &File, source: &str, path: &Path) {
    let spans = file.exprs.iter().map(|e| e.span).chain(file.stmt_spans.iter().copied());
    let spans = spans.chain(file.functions.iter().flat_map(|f| [f.span, f.name_span]));
    for span in spans.chain(file.classes.iter().flat_map(|c| [c.span, c.name_span])) {
        assert!(source.get(span.start as usize..span.end as usize).is_some(), "{}: {span:?}", path.display());
    }
    let mut seen = vec![false; file.stmts.len()];
    for stmt in file.blocks.iter().flatten() {
        assert!(!std::mem::replace(&mut seen[stmt.index()], true), "{}: {stmt:?} twice", path.display());
    }
}

fn has_code(source: &str) -> bool {
    source.lines().any(|l| {
        let l = l.trim();
        l.starts_with("fn ") || l.starts_with("pub ") || l.starts_with("use ")
    })
}

#[test]
fn a_file_may_be_empty() {
    for source in ["", "\n", "\u{feff}", "#!/usr/bin/env run\n", "// only a comment", "#![allow(dead_code)]"] {
        let file = rust(source);
        assert!(file.problems.is_empty(), "{source:?}: {:?}", file.problems);
        assert!(dump(&file).starts_with("file src/main.rs"));
    }
}
