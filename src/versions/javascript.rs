//! The files of npm, Yarn, pnpm and Bun.

use super::range::{Grammar, Range};
use super::{Entry, Line, Origin, Problem, join, json_text};
use crate::jsonc;
use serde_json::{Map, Value};

const KINDS: [&str; 4] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// `package.json`
pub(super) fn package(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let json: Value = json_text(text)?;
    let mut entries = Vec::new();
    for kind in KINDS {
        let list = json.get(kind).and_then(Value::as_object).into_iter().flatten();
        for (name, range) in list.filter_map(|(name, range)| Some((name, range.as_str()?))) {
            // `"old": "npm:real@^1"` installs another package under this name.
            let real = range.strip_prefix("npm:").and_then(|r| r.rfind('@').filter(|i| *i > 0).map(|i| &r[..i]));
            let bare = range.strip_prefix("npm:").and_then(|r| r.rsplit_once('@')).map_or(range, |(_, range)| range);
            let exact = Range::exact(bare, Grammar::Npm);
            entries.push(Entry {
                package: real.unwrap_or(name).to_string(),
                folder: folder.to_string(),
                origin: if exact.is_some() { Origin::Pinned } else { Origin::Declared },
                text: exact.unwrap_or_else(|| bare.to_string()),
                grammar: Grammar::Npm,
                resolves: Vec::new(),
                line: Line::Mention(format!("\"{name}\": \"{range}\"")),
            });
        }
    }
    Ok(entries)
}

/// `package-lock.json` and `npm-shrinkwrap.json`: by the folder that a package is installed in, and the older form by name.
pub(super) fn npm(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let json: Value = json_text(text)?;
    let mut entries = Vec::new();
    let version = |what: &Value| what.get("version").and_then(Value::as_str).map(String::from);
    for (path, what) in json.get("packages").and_then(Value::as_object).into_iter().flatten() {
        let Some((user, name)) = path.rsplit_once("node_modules/") else { continue };
        // What another package brought along is not what the program imports.
        if user.contains("node_modules/") {
            continue;
        }
        let Some(version) = version(what) else { continue };
        let real = what.get("name").and_then(Value::as_str).unwrap_or(name);
        entries.push(locked(real, version, join(folder, user), Line::Mention(format!("\"{path}\""))));
    }
    if json.get("packages").is_none() {
        for (name, what) in json.get("dependencies").and_then(Value::as_object).into_iter().flatten() {
            if let Some(version) = version(what) {
                entries.push(locked(name, version, folder.to_string(), Line::Mention(format!("\"{name}\""))));
            }
        }
    }
    Ok(entries)
}

/// `yarn.lock`, of both forms: descriptors on a line of their own, the version below.
pub(super) fn yarn(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let mut entries = Vec::new();
    let mut head: Option<(String, Vec<String>)> = None;
    for (i, line) in text.lines().enumerate() {
        let number = u32::try_from(i + 1).unwrap_or(u32::MAX);
        if line.starts_with("<<<<<<<") {
            return Err(format!("line {number}: a merge conflict"));
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if !line.starts_with(' ') {
            let Some(descriptors) = line.strip_suffix(':') else {
                return Err(format!("line {number}: expected a package and `:`"));
            };
            head = descriptor(descriptors);
            continue;
        }
        let Some(version) = line.strip_prefix("  version") else { continue };
        let version = version.trim_start_matches(':').trim().trim_matches('"');
        if let Some((name, ranges)) = head.take() {
            let mut entry = locked(&name, version.to_string(), folder.to_string(), Line::Number(number));
            entry.resolves = ranges;
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// `"stripe@npm:^13.0.0, stripe@npm:^13.1.0"`: the package's name and the ranges; none for packages of the tree itself.
fn descriptor(text: &str) -> Option<(String, Vec<String>)> {
    let mut name = None;
    let mut ranges = Vec::new();
    for one in text.split(',') {
        let one = one.trim().trim_matches('"');
        let at = one.rfind('@').filter(|i| *i > 0)?;
        // `a@npm:b@^1`: the first `@` after the name's own.
        let first = one.get(1..)?.find('@').map_or(at, |i| i + 1);
        let (package, range) = (one.get(..first)?, one.get(first + 1..)?);
        let (package, range) = match range.strip_prefix("npm:") {
            Some(inner) => match inner.rfind('@').filter(|i| *i > 0) {
                Some(i) => (inner.get(..i)?, inner.get(i + 1..)?),
                None => (package, inner),
            },
            None if range.contains(':') => return None,
            None => (package, range),
        };
        name.get_or_insert_with(|| package.to_string());
        ranges.push(range.to_string());
    }
    Some((name?, ranges))
}

/// `pnpm-lock.yaml`: what each folder of the workspace depends on. Only mappings matter, and those are written one key a line.
pub(super) fn pnpm(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let mut entries = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let number = u32::try_from(i + 1).unwrap_or(u32::MAX);
        let bare = line.trim_start();
        if line.starts_with("<<<<<<<") {
            return Err(format!("line {number}: a merge conflict"));
        }
        if bare.starts_with('\t') || line.starts_with('\t') {
            return Err(format!("line {number}: a tab"));
        }
        if bare.is_empty() || bare.starts_with(['#', '-']) {
            continue;
        }
        let indent = line.len() - bare.len();
        path.retain(|(deep, _)| *deep < indent);
        let Some((key, value)) = pair(bare) else { continue };
        if let Some((user, name)) = depends(&path, key)
            && let Some(version) = plain_version(value)
        {
            entries.push(locked(name, version, join(folder, user), Line::Number(number)));
        }
        path.push((indent, key.to_string()));
    }
    if path.is_empty() && !text.trim().is_empty() {
        return Err("line 1: no keys".into());
    }
    Ok(entries)
}

/// A key and what stands after its colon.
pub(super) fn pair(line: &str) -> Option<(&str, &str)> {
    let quote = line.chars().next().filter(|c| matches!(c, '\'' | '"'));
    if let Some(quote) = quote {
        let end = line.get(1..)?.find(quote)? + 1;
        return Some((line.get(1..end)?, line.get(end + 1..)?.strip_prefix(':')?.trim()));
    }
    let end = line.find(": ").or_else(|| line.ends_with(':').then(|| line.len() - 1))?;
    Some((line.get(..end)?, line.get(end + 1..)?.trim()))
}

/// The workspace folder and the package whose version stands under this path and key.
fn depends<'p>(path: &'p [(usize, String)], key: &'p str) -> Option<(&'p str, &'p str)> {
    let mut names: Vec<&str> = path.iter().map(|(_, name)| name.as_str()).collect();
    names.push(key);
    let (user, rest) = match names.as_slice() {
        ["importers", user, rest @ ..] => (*user, rest),
        rest => ("", rest),
    };
    match rest {
        [kind, name] | [kind, name, "version"] if KINDS.contains(kind) => Some((user, name)),
        _ => None,
    }
}

/// `13.11.0(react@18.2.0)`, `13.11.0_react@18`: the version itself; none for links and empty values.
fn plain_version(value: &str) -> Option<String> {
    let value = value.trim_matches(['\'', '"']);
    let version = value.split(['(', '_']).next().unwrap_or(value);
    let version = version.rsplit_once('@').map_or(version, |(_, v)| v);
    version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_string())
}

/// `bun.lock`: JSON with commas at the end.
pub(super) fn bun(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let Some(json) = jsonc::parse(text) else {
        let strict: Result<Value, Problem> = json_text(text);
        return Err(strict.err().unwrap_or_else(|| "line 1: not JSON".into()));
    };
    let empty = Map::new();
    let workspaces = json.get("workspaces").and_then(Value::as_object).unwrap_or(&empty);
    let user_of = |name: &str| {
        let found = workspaces.iter().find(|(_, w)| w.get("name").and_then(Value::as_str) == Some(name));
        found.map(|(path, _)| path.as_str())
    };
    let mut entries = Vec::new();
    for (key, what) in json.get("packages").and_then(Value::as_object).into_iter().flatten() {
        let Some(id) = what.get(0).and_then(Value::as_str) else { continue };
        let Some((name, version)) = id.rfind('@').filter(|i| *i > 0).map(|i| (&id[..i], &id[i + 1..])) else {
            continue;
        };
        if !version.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        // `app/stripe`: the copy of a workspace; the copy of another package is not what the program imports.
        let user = match key.strip_suffix(name).map(|u| u.trim_end_matches('/')) {
            Some("") => "",
            Some(user) => match user_of(user) {
                Some(path) => path,
                None => continue,
            },
            None => "",
        };
        entries.push(locked(name, version.to_string(), join(folder, user), Line::Mention(format!("\"{id}\""))));
    }
    Ok(entries)
}

fn locked(name: &str, version: String, folder: String, line: Line) -> Entry {
    Entry {
        package: name.to_string(),
        folder,
        origin: Origin::Locked,
        text: version,
        grammar: Grammar::Npm,
        resolves: Vec::new(),
        line,
    }
}
