//! Facts beyond chains, held as findings: each folder under `fixtures/facts/CHECK/` is a small program in which
//! `want: CHECK` marks every line that the check must name, and no other.
#![allow(clippy::unwrap_used, clippy::panic)]

use squall::catalogue::Catalogue;
use squall::config::Config;
use squall::discover::{self, Scope};
use std::path::{Path, PathBuf};

/// Findings of a check in a folder: `file:line`, with figures where the marks have some.
fn found(folder: &Path, check: &str, catalogue: &Catalogue) -> Vec<String> {
    let scope = Scope::of(&[folder.to_path_buf()]).unwrap();
    let mut config = Config::default();
    config.selection.pedantic = true;
    let project = discover::read(&scope, &config);
    let report = squall::analyse(&project, &config, catalogue);
    let mut list: Vec<String> = report
        .findings
        .iter()
        .filter(|f| f.rule == check)
        .map(|f| {
            let file = report.sources.file(f.place.file);
            let figures: String = f.figures.iter().map(|(name, n)| format!(" {name}={n}")).collect();
            format!("{}:{}{figures}", file.path, file.position(f.place.span.start).line)
        })
        .collect();
    list.sort();
    list
}

/// What the marks ask for.
fn wanted(folder: &Path, check: &str) -> Vec<String> {
    let mut list = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for (i, line) in text.lines().enumerate() {
                let Some((_, rest)) = line.split_once(&format!("want: {check}")) else { continue };
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                list.push(format!("{name}:{}{}", i + 1, rest.trim_end()));
            }
        }
    }
    list.sort();
    list
}

fn folders(at: &Path) -> Vec<PathBuf> {
    let mut list: Vec<PathBuf> =
        std::fs::read_dir(at).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    list.sort();
    list
}

#[test]
fn fixtures_hold_exactly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/facts");
    let only = std::env::var("FACTS_ONLY").unwrap_or_default();
    let catalogue = Catalogue::embedded();
    let mut wrong = Vec::new();
    for check in folders(&root) {
        let name = check.file_name().unwrap().to_string_lossy().into_owned();
        for program in folders(&check) {
            if !program.display().to_string().contains(&only) {
                continue;
            }
            let (found, wanted) = (found(&program, &name, &catalogue), wanted(&program, &name));
            if found != wanted {
                let short = program.strip_prefix(&root).unwrap().display().to_string();
                wrong.push(format!("{short}: found {found:?}, wanted {wanted:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
