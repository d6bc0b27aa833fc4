//! `package.json`: what a package exports, and the source files behind its built ones.

use super::path;
use crate::discover::Manifest;
use serde_json::Value;

/// A package of the tree.
pub struct Package {
    /// Its folder.
    pub folder: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    value: Value,
}

/// Folders that hold what was built, or what it was built from.
const BUILT: &[&str] = &[
    "dist",
    "build",
    "lib",
    "out",
    "output",
    "es",
    "esm",
    "cjs",
    "umd",
    "types",
    "typings",
    "dts",
    "module",
    "node",
    "browser",
    "_esm",
    "_cjs",
    "_types",
    "mjs",
    "commonjs",
    "dist-src",
    "dist-types",
    "dist-cjs",
    "dist-es",
    ".output",
];

/// Conditions nest at most so deep.
const DEPTH: usize = 12;

impl Package {
    /// Reads a manifest if it is one.
    pub fn read(manifest: &Manifest) -> Option<Self> {
        let (folder, name) = path::split(&manifest.path);
        if name != "package.json" {
            return None;
        }
        let value = crate::jsonc::parse(&manifest.text)?;
        let name = value.get("name").and_then(Value::as_str).map(str::to_string);
        Some(Self { folder: folder.to_string(), name, value })
    }

    /// Whether it is a package of its own: not only a word on how the files of a folder are read (`"type": "module"`).
    pub fn is_whole(&self) -> bool {
        self.name.is_some() || ["dependencies", "devDependencies"].iter().any(|kind| self.value.get(kind).is_some())
    }

    /// Whether it names another package among its dependencies.
    pub fn asks_for(&self, package: &str) -> bool {
        let kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
        kinds.iter().any(|kind| self.value.get(kind).is_some_and(|list| list.get(package).is_some()))
    }

    /// Files that may stand behind a subpath (`.`, `./x`) of the package, best first, relative to it. None: the
    /// package says that there is nothing.
    pub fn entries(&self, subpath: &str) -> Vec<String> {
        let mut targets = Vec::new();
        match self.value.get("exports") {
            Some(exports) if !exports.is_null() => {
                if let Some((value, star)) = subpath_of(exports, subpath) {
                    leaves(value, star, &mut targets);
                }
            }
            _ if subpath == "." => {
                for key in ["source", "module", "jsnext:main", "main", "browser", "types", "typings"] {
                    if let Some(target) = self.value.get(key).and_then(Value::as_str) {
                        targets.push(target.to_string());
                    }
                }
            }
            _ => {}
        }
        if let (".", Some(source)) = (subpath, self.value.get("source").and_then(Value::as_str)) {
            targets.insert(0, source.to_string());
        }
        targets
    }

    /// What a `#name` of the package's `imports` stands for: paths or other specifiers.
    pub fn imports(&self, name: &str) -> Vec<String> {
        let mut targets = Vec::new();
        if let Some(imports) = self.value.get("imports")
            && let Some((value, star)) = subpath_of(imports, name)
        {
            leaves(value, star, &mut targets);
        }
        targets
    }
}

/// The entry of an `exports` or `imports` table for a subpath, with what its star stands for.
fn subpath_of<'v, 't>(table: &'v Value, subpath: &'t str) -> Option<(&'v Value, &'t str)> {
    let entries = table.as_object().filter(|o| o.keys().any(|k| k.starts_with(['.', '#'])));
    let Some(entries) = entries else {
        // One target for the package itself.
        return (subpath == ".").then_some((table, ""));
    };
    if let Some(value) = entries.get(subpath) {
        return Some((value, ""));
    }
    let mut best: Option<(&str, &Value, &str)> = None;
    for (key, value) in entries {
        let star = if key.ends_with('/') { subpath.strip_prefix(key.as_str()) } else { path::star(key, subpath) };
        if let Some(star) = star
            && (key.contains('*') || key.ends_with('/'))
            && best.is_none_or(|(old, _, _)| key.len() > old.len())
        {
            best = Some((key, value, star));
        }
    }
    best.map(|(_, value, star)| (value, star))
}

/// Conditions, from what tells most about the sources to what tells least; others stand in the middle.
const ORDER: &[&str] = &["source", "import", "module", "node", "require", "default", "", "browser"];

fn rank(condition: &str) -> usize {
    let at = |name| ORDER.iter().position(|c| *c == name);
    at(condition).or_else(|| at("")).unwrap_or_default()
}

/// All targets below a value of conditions, those for types last.
fn leaves(value: &Value, star: &str, out: &mut Vec<String>) {
    let mut types = Vec::new();
    let mut open = vec![(value, false, 0)];
    while let Some((value, for_types, depth)) = open.pop() {
        match value {
            Value::String(target) => {
                let target = match target.strip_suffix('/') {
                    Some(folder) if !star.is_empty() => format!("{folder}/{star}"),
                    _ => target.replace('*', star),
                };
                let list = if for_types { &mut types } else { &mut *out };
                if !list.contains(&target) {
                    list.push(target);
                }
            }
            Value::Array(list) if depth < DEPTH => {
                open.extend(list.iter().rev().map(|v| (v, for_types, depth + 1)));
            }
            Value::Object(conditions) if depth < DEPTH => {
                let mut list: Vec<(&String, &Value)> = conditions.iter().collect();
                list.sort_by_key(|(key, _)| std::cmp::Reverse(rank(key)));
                open.extend(list.into_iter().map(|(key, v)| (v, for_types || key.starts_with("types"), depth + 1)));
            }
            _ => {}
        }
    }
    out.append(&mut types);
}

/// Where the source of a package's file may be, best first, without extension where it was built.
pub fn sources(target: &str) -> Vec<String> {
    let parts: Vec<&str> = target.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    let built = parts.iter().take(3).take_while(|p| BUILT.contains(p)).count();
    let mut rest = &parts[built..];
    let mut found = Vec::new();
    if built > 0 {
        if rest.first() == Some(&"src") {
            rest = &rest[1..];
        }
        found.push(format!("src/{}", rest.join("/")));
        found.push(rest.join("/"));
        if parts.first() != Some(&"lib") {
            found.push(format!("lib/{}", rest.join("/")));
        }
    } else if parts.first() != Some(&"src") {
        found.push(format!("src/{}", rest.join("/")));
    }
    found
}
