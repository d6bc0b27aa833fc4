//! What a `Cargo.toml` says about crates: names, roots, dependencies.

use crate::discover::Manifest;
use rustc_hash::FxHashMap;
use toml::{Table, Value};

/// A package.
#[derive(Debug, Default)]
pub(super) struct Package {
    /// Its folder.
    pub folder: String,
    /// Its name, as code writes it.
    pub name: String,
    /// The library's name and root.
    pub library: Option<(String, String)>,
    /// Roots of binaries, examples, tests that are named.
    pub others: Vec<String>,
    /// Dependencies: name in code, real name of the package, folder if it is a path.
    pub dependencies: Vec<(String, String, Option<String>)>,
}

/// The packages of all manifests, ordered by folder.
pub(super) fn packages(manifests: &[Manifest]) -> Vec<Package> {
    let tables: Vec<(String, Table)> = manifests
        .iter()
        .filter(|m| m.path == "Cargo.toml" || m.path.ends_with("/Cargo.toml"))
        .filter_map(|m| Some((folder_of(&m.path).to_string(), m.text.parse::<Table>().ok()?)))
        .collect();
    let mut shared: FxHashMap<&str, &Table> = FxHashMap::default();
    for (folder, table) in &tables {
        if let Some(dependencies) = table_at(table, &["workspace", "dependencies"]) {
            shared.insert(folder, dependencies);
        }
    }
    tables.iter().filter_map(|(folder, table)| package(folder, table, &shared)).collect()
}

fn package(folder: &str, table: &Table, shared: &FxHashMap<&str, &Table>) -> Option<Package> {
    let name = table_at(table, &["package"])?.get("name")?.as_str()?.to_string();
    let library = table_at(table, &["lib"]);
    let text = |t: Option<&Table>, key: &str| t.and_then(|t| t.get(key)).and_then(Value::as_str).map(str::to_string);
    let crate_name = text(library, "name").unwrap_or_else(|| name.clone()).replace('-', "_");
    let root = text(library, "path").unwrap_or_else(|| "src/lib.rs".to_string());
    let mut package = Package {
        folder: folder.to_string(),
        name: name.replace('-', "_"),
        library: Some((crate_name, join(folder, &root))),
        ..Package::default()
    };
    for key in ["bin", "example", "test", "bench"] {
        for target in table.get(key).and_then(Value::as_array).into_iter().flatten() {
            if let Some(path) = target.get("path").and_then(Value::as_str) {
                package.others.push(join(folder, path));
            }
        }
    }
    let workspace = ancestors(folder).find_map(|f| shared.get(f).map(|t| (f, *t)));
    let mut tables: Vec<&Table> = Vec::new();
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    tables.extend(kinds.iter().filter_map(|k| table_at(table, &[k])));
    if let Some(targets) = table_at(table, &["target"]) {
        for target in targets.values().filter_map(Value::as_table) {
            tables.extend(kinds.iter().filter_map(|k| table_at(target, &[k])));
        }
    }
    for dependencies in tables {
        for (key, value) in dependencies {
            package.dependencies.push(dependency(folder, key, value, workspace));
        }
    }
    Some(package)
}

fn dependency(
    folder: &str,
    key: &str,
    value: &Value,
    workspace: Option<(&str, &Table)>,
) -> (String, String, Option<String>) {
    let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
    let (folder, value) = match workspace {
        Some((root, shared)) if inherited => match shared.get(key) {
            Some(value) => (root, value),
            None => (folder, value),
        },
        _ => (folder, value),
    };
    let real = value.get("package").and_then(Value::as_str).filter(|real| !fork(real, key)).unwrap_or(key);
    let path = value.get("path").and_then(Value::as_str).map(|path| join(folder, path));
    (key.replace('-', "_"), real.replace('-', "_"), path)
}

/// Whether a package that goes by another's name is a fork of that one: `mine-client = client`, `client-next = client`.
/// Code that is written against the name means what the name means.
fn fork(package: &str, name: &str) -> bool {
    let (package, name) = (package.replace('_', "-"), name.replace('_', "-"));
    package != name
        && (package.strip_suffix(&name).is_some_and(|rest| rest.ends_with('-'))
            || package.strip_prefix(&name).is_some_and(|rest| rest.starts_with('-')))
}

fn table_at<'t>(table: &'t Table, path: &[&str]) -> Option<&'t Table> {
    let mut at = table;
    for key in path {
        at = at.get(*key)?.as_table()?;
    }
    Some(at)
}

/// A folder and all around it.
pub(super) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |f| if f.is_empty() { None } else { Some(folder_of(f)) })
}

/// The folder of a path.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A relative path from a folder, without `.` and `..`.
pub(super) fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
