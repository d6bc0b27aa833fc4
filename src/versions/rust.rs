//! Cargo's files.

use super::range::{Grammar, Range};
use super::{Entry, Line, Origin, Problem, toml_text};
use serde::Deserialize;
use toml::{Spanned, Table, Value};

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    version: Option<Spanned<String>>,
}

/// `Cargo.lock`; the lock files of Python's tools have the same form.
pub(super) fn lock(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let lock: Lock = toml_text(text)?;
    let packages = lock.package.into_iter().filter_map(|package| {
        let version = package.version?;
        Some(Entry {
            package: package.name,
            folder: folder.to_string(),
            origin: Origin::Locked,
            line: Line::Offset(version.span().start),
            text: version.into_inner(),
            grammar: Grammar::Cargo,
            resolves: Vec::new(),
        })
    });
    Ok(packages.collect())
}

/// `Cargo.toml`
pub(super) fn manifest(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let table: Table = toml_text(text)?;
    let mut entries = Vec::new();
    let targets = table.get("target").and_then(Value::as_table).into_iter().flatten();
    let targets = targets.filter_map(|(_, target)| target.as_table());
    let workspace = table.get("workspace").and_then(Value::as_table);
    for place in targets.chain(workspace).chain([&table]) {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(list) = place.get(kind).and_then(Value::as_table) else { continue };
            for (name, what) in list {
                let field = |key| what.as_table().and_then(|t| t.get(key)).and_then(Value::as_str);
                // `workspace = true` is said further up.
                let Some(version) = what.as_str().or_else(|| field("version")) else { continue };
                let exact = Range::exact(version, Grammar::Cargo);
                entries.push(Entry {
                    package: field("package").unwrap_or(name).to_string(),
                    folder: folder.to_string(),
                    origin: if exact.is_some() { Origin::Pinned } else { Origin::Declared },
                    text: exact.unwrap_or_else(|| version.to_string()),
                    grammar: Grammar::Cargo,
                    resolves: Vec::new(),
                    line: super::python::mention(text, name),
                });
            }
        }
    }
    Ok(entries)
}
