//! Ways of writing retries: each folder under `fixtures/python/`, `fixtures/javascript/` and
//! `fixtures/rust/` is a small program, and
//! `worst.txt` says how many requests one failing call sends at most (1: nothing is sent twice). Where there is a
//! `findings.txt`, it lists all that the checks must say, a line each: the check, the file and the line; an
//! `absent.txt` names checks that must say nothing, a `present.txt` checks that must say something, and a `said.txt` texts
//! that must stand in what they say.
#![allow(clippy::unwrap_used, clippy::panic)]

use squall::catalogue::Catalogue;
use squall::chains::Count;
use squall::checks::Finding;
use squall::config::Config;
use squall::discover::{self, Scope};
use squall::report::Report;
use std::path::{Path, PathBuf};

fn analysed(folder: &Path, catalogue: &Catalogue) -> Report {
    let scope = Scope::of(&[folder.to_path_buf()]).unwrap();
    let config = Config::default();
    let project = discover::read(&scope, &config);
    squall::analyse(&project, &config, catalogue)
}

/// All that the checks say, a line each.
fn findings(report: &Report) -> String {
    let place =
        |f: &Finding| format!("{} {} {}", f.rule, report.sources.path(f.place), report.sources.start(f.place).line);
    let mut lines: Vec<String> = report.findings.iter().map(place).collect();
    lines.sort();
    lines.join("\n")
}

/// The largest worst case of a program: a number, or in words why there is none.
fn worst(report: &Report) -> String {
    let worst = report.analysis.chains.iter().map(|chain| chain.worst).reduce(Count::larger).unwrap_or(Count::ONE);
    match worst {
        Count::Exact(n) => n.to_string(),
        Count::Time(_) => "time".to_string(),
        Count::Unbounded => "unbounded".to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn python() {
    every_way_counts_the_same("fixtures/python");
}

#[test]
fn javascript() {
    every_way_counts_the_same("fixtures/javascript");
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
        let report = analysed(folder, &catalogue);
        let found = worst(&report);
        if let Ok(wanted) = std::fs::read_to_string(folder.join("findings.txt")) {
            let found = findings(&report);
            if found != wanted.trim() {
                wrong.push(format!("{}: the checks say\n{found}\nnot\n{}", folder.display(), wanted.trim()));
            }
        }
        if let Ok(absent) = std::fs::read_to_string(folder.join("absent.txt")) {
            let said = report.findings.iter().map(|f| f.rule).filter(|rule| absent.lines().any(|line| line == *rule));
            wrong.extend(said.map(|rule| format!("{}: the checks say {rule}", folder.display())));
        }
        if let Ok(present) = std::fs::read_to_string(folder.join("present.txt")) {
            let silent = present.lines().filter(|rule| report.findings.iter().all(|f| f.rule != *rule));
            wrong.extend(silent.map(|rule| format!("{}: {rule} says nothing", folder.display())));
        }
        if let Ok(said) = std::fs::read_to_string(folder.join("said.txt")) {
            let unsaid = said
                .lines()
                .filter(|text| report.findings.iter().all(|f| !f.message.contains(text) && !f.help.contains(text)));
            wrong.extend(unsaid.map(|text| format!("{}: nobody says {text}", folder.display())));
        }
        if folder.join("whole.txt").exists() {
            let cut = report.analysis.cut.iter();
            wrong.extend(cut.map(|what| format!("{}: not followed to the end: {what}", folder.display())));
        }
        if found != wanted.trim() {
            wrong.push(format!("{}: {found}, not {}", folder.display(), wanted.trim()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
