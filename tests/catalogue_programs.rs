//! What the catalogue says of libraries' calls, one program a file under `fixtures/catalogue/`. The line of a call ends
//! with a comment that begins with `=` and says how often it is sent, by class of failure: `# = once`,
//! `# = 3 connect, disconnect; 6 rate-limit`, `# = 4 all` (but for a refused answer). Behind a `!` the checks that must speak of this
//! line, and with a `-` before their names those that must not.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use squall::catalogue::Catalogue;
use squall::chains::{Chain, Count, Failure};
use squall::config::Config;
use squall::discover::{self, Scope};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[test]
fn python() {
    held("fixtures/catalogue/python");
}

#[test]
fn javascript() {
    held("fixtures/catalogue/javascript");
}

#[test]
fn rust() {
    held("fixtures/catalogue/rust");
}

/// A chain as its comment says it.
fn said(chain: &Chain) -> String {
    let mut classes: Vec<(String, Vec<&str>)> = Vec::new();
    for failure in Failure::ALL {
        let count = match chain.by_failure[failure.index()] {
            Count::Exact(1) => continue,
            Count::Exact(n) => n.to_string(),
            Count::Time(_) => "time".to_string(),
            Count::Unbounded => "unbounded".to_string(),
            Count::Unknown(least) => format!("{least} or more"),
        };
        match classes.iter_mut().find(|(known, _)| *known == count) {
            Some((_, list)) => list.push(failure.name()),
            None => classes.push((count, vec![failure.name()])),
        }
    }
    let shown = |(count, list): (String, Vec<&str>)| match list.len() {
        8 if !list.contains(&"answer") => format!("{count} all"),
        _ => format!("{count} {}", list.join(", ")),
    };
    let text = classes.into_iter().map(shown).collect::<Vec<_>>().join("; ");
    if text.is_empty() { "once".to_string() } else { text }
}

/// Line to what must be said of it.
fn wanted(text: &str) -> BTreeMap<usize, String> {
    let comment =
        |line: &str| line.split_once("# = ").or_else(|| line.split_once("// = ")).map(|(_, c)| c.trim().to_string());
    text.lines().enumerate().filter_map(|(i, line)| Some((i + 1, comment(line)?))).collect()
}

fn held(folder: &str) {
    let catalogue = Catalogue::embedded();
    let mut programs: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    programs.sort();
    let wrong: Vec<String> = programs.iter().flat_map(|program| wrong_in(program, &catalogue)).collect();
    assert!(!programs.is_empty() && wrong.is_empty(), "{}", wrong.join("\n"));
}

fn wrong_in(program: &Path, catalogue: &Catalogue) -> Vec<String> {
    let config = Config { include_infrastructure: true, ..Config::default() };
    // By itself: among its neighbours they would be one project.
    let name = program.file_name().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(program).unwrap();
    let tree = support::Tree::new(&[(name, &text)]);
    let project = discover::read(&Scope::of(std::slice::from_ref(&tree.root)).unwrap(), &config);
    let report = squall::analyse(&project, &config, catalogue);
    let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for chain in &report.analysis.chains {
        let line = report.sources.start(chain.call.place).line as usize;
        let all = found.entry(line).or_default();
        let text = said(chain);
        if !all.contains(&text) {
            all.push(text);
        }
    }
    let mut wrong = Vec::new();
    let wanted = wanted(&text);
    for (line, comment) in &wanted {
        let (count, checks) = comment.split_once('!').unwrap_or((comment, ""));
        let seen = found.remove(line).unwrap_or_default().join(" | ");
        if seen != count.trim() {
            wrong.push(format!("{}:{line}: {seen}, not {}", program.display(), count.trim()));
        }
        for check in checks.split([',', ' ']).filter(|c| !c.is_empty()) {
            let (name, must) = check.strip_prefix('-').map_or((check, true), |name| (name, false));
            let here =
                |f: &&squall::checks::Finding| f.rule == name && report.sources.start(f.place).line as usize == *line;
            if report.findings.iter().any(|f| here(&f)) != must {
                let verb = if must { "does not speak" } else { "speaks" };
                wrong.push(format!("{}:{line}: {name} {verb}", program.display()));
            }
        }
    }
    wrong.extend(
        found.iter().map(|(line, all)| format!("{}:{line}: {} by nobody's word", program.display(), all.join(" | "))),
    );
    wrong
}
