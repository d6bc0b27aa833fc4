//! Ways of writing retries: each folder under `fixtures/javascript/`, `fixtures/python/` and `fixtures/rust/` is a small program, and
//! `worst.txt` says how many requests one failing call sends at most (1: nothing is sent twice).
#![allow(clippy::unwrap_used, clippy::panic)]

use squall::catalogue::Catalogue;
use squall::chains::Count;
use squall::config::Config;
use squall::discover::{self, Scope};
use std::path::{Path, PathBuf};

/// The largest worst case of a program: a number, or in words why there is none.
fn worst(folder: &Path, catalogue: &Catalogue) -> String {
    let scope = Scope::of(&[folder.to_path_buf()]).unwrap();
    let config = Config::default();
    let project = discover::read(&scope, &config);
    let report = squall::analyse(&project, &config, catalogue);
    let worst = report.analysis.chains.iter().map(|chain| chain.worst).reduce(Count::larger).unwrap_or(Count::ONE);
    match worst {
        Count::Exact(n) => n.to_string(),
        Count::Time(_) => "time".to_string(),
        Count::Unbounded => "unbounded".to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn javascript() {
    every_way_counts_the_same("fixtures/javascript");
}

#[test]
fn python() {
    every_way_counts_the_same("fixtures/python");
}

#[test]
fn rust() {
    every_way_counts_the_same("fixtures/rust");
}

fn every_way_counts_the_same(programs: &str) {
    let catalogue = Catalogue::embedded();
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(programs).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    assert!(!folders.is_empty());
    let mut wrong = Vec::new();
    for folder in &folders {
        let wanted = std::fs::read_to_string(folder.join("worst.txt")).unwrap();
        let found = worst(folder, &catalogue);
        if found != wanted.trim() {
            wrong.push(format!("{}: {found}, not {}", folder.display(), wanted.trim()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
