//! Python's files: requirements, manifests and the lock files of uv, Poetry, PDM and Pipenv.

use super::range::{Grammar, Range};
use super::{Entry, Line, Origin, Problem, json_text, rust, toml_text};
use serde_json::Value as Json;
use toml::{Table, Value};

/// A name as PyPI compares names: `Slack_SDK` is `slack-sdk`.
pub(super) fn normal(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars() {
        match c {
            '-' | '_' | '.' if out.ends_with('-') => {}
            '-' | '_' | '.' => out.push('-'),
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// `uv.lock`, `poetry.lock`, `pdm.lock`: `[[package]]` with name and version.
pub(super) fn lock(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let mut entries = rust::lock(text, folder)?;
    for entry in &mut entries {
        entry.package = normal(&entry.package);
        entry.grammar = Grammar::Python;
    }
    Ok(entries)
}

/// `Pipfile.lock`
pub(super) fn pipfile_lock(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let json: Json = json_text(text)?;
    let mut entries = Vec::new();
    for group in ["default", "develop"] {
        let Some(packages) = json.get(group).and_then(Json::as_object) else { continue };
        for (name, what) in packages {
            let Some(version) = what.get("version").and_then(Json::as_str) else { continue };
            entries.push(Entry {
                package: normal(name),
                folder: folder.to_string(),
                origin: Origin::Locked,
                text: version.trim_start_matches('=').to_string(),
                grammar: Grammar::Python,
                resolves: Vec::new(),
                line: Line::Mention(format!("\"{name}\"")),
            });
        }
    }
    Ok(entries)
}

/// `Pipfile`
pub(super) fn pipfile(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let table: Table = toml_text(text)?;
    let mut entries = Vec::new();
    for group in ["packages", "dev-packages"] {
        named(table.get(group), text, folder, &mut entries);
    }
    Ok(entries)
}

/// `pyproject.toml`: standard metadata, dependency groups, Poetry, PDM and uv.
pub(super) fn pyproject(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let table: Table = toml_text(text)?;
    let mut entries = Vec::new();
    let at = |path: &[&str]| {
        let mut here = table.get(*path.first()?)?;
        for key in path.get(1..)? {
            here = here.as_table()?.get(*key)?;
        }
        Some(here)
    };
    let mut lists: Vec<&Value> = Vec::new();
    lists.extend(at(&["project", "dependencies"]));
    lists.extend(at(&["tool", "uv", "dev-dependencies"]));
    let groups: [&[&str]; 3] =
        [&["project", "optional-dependencies"], &["dependency-groups"], &["tool", "pdm", "dev-dependencies"]];
    for group in groups {
        lists.extend(at(group).and_then(Value::as_table).into_iter().flat_map(|t| t.values()));
    }
    for item in lists.into_iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str) {
        let line = Line::Mention(item.to_string());
        entries.extend(requirement(item, folder, line));
    }
    named(at(&["tool", "poetry", "dependencies"]), text, folder, &mut entries);
    named(at(&["tool", "poetry", "dev-dependencies"]), text, folder, &mut entries);
    let groups = at(&["tool", "poetry", "group"]).and_then(Value::as_table);
    for group in groups.into_iter().flat_map(|t| t.values()) {
        named(group.as_table().and_then(|g| g.get("dependencies")), text, folder, &mut entries);
    }
    Ok(entries)
}

/// A table of names and ranges, as Poetry and Pipenv write it.
fn named(table: Option<&Value>, text: &str, folder: &str, entries: &mut Vec<Entry>) {
    for (name, what) in table.and_then(Value::as_table).into_iter().flatten() {
        // A list of alternatives by platform: the first stands for all.
        let what = what.as_array().and_then(|list| list.first()).unwrap_or(what);
        let inner = what.as_table().and_then(|t| t.get("version")).and_then(Value::as_str);
        let Some(range) = what.as_str().or(inner) else { continue };
        // A bare version is exact for both tools.
        let bare = range.starts_with(|c: char| c.is_ascii_digit()) && !range.contains('*');
        let range = if bare { format!("=={range}") } else { range.to_string() };
        entries.push(entry(name, &range, folder, mention(text, name)));
    }
}

/// `requirements.txt` and its like.
pub(super) fn requirements(text: &str, folder: &str) -> Vec<Entry> {
    // A folder of requirements belongs to the project that it lies in.
    let folder = match folder.rsplit_once('/') {
        Some((above, "requirements")) => above,
        None if folder == "requirements" => "",
        _ => folder,
    };
    let mut entries = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split(" #").next().unwrap_or(line).trim().trim_end_matches('\\').trim();
        if line.is_empty() || line.starts_with(['#', '-']) {
            continue;
        }
        let number = u32::try_from(i + 1).unwrap_or(u32::MAX);
        let line = line.split(" --hash").next().unwrap_or(line);
        entries.extend(requirement(line, folder, Line::Number(number)));
    }
    entries
}

/// `setup.cfg`: `install_requires` and extras, one requirement a line.
pub(super) fn setup_cfg(text: &str, folder: &str) -> Result<Vec<Entry>, Problem> {
    let mut entries = Vec::new();
    let (mut section, mut listing) = ("", false);
    for (i, line) in text.lines().enumerate() {
        let bare = line.trim();
        if bare.starts_with(['#', ';']) || bare.is_empty() {
            continue;
        }
        let number = u32::try_from(i + 1).unwrap_or(u32::MAX);
        if let Some(name) = bare.strip_prefix('[') {
            let Some(name) = name.strip_suffix(']') else {
                return Err(format!("line {number}: a section's name does not end"));
            };
            (section, listing) = (name, false);
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        if !indented {
            let key = bare.split(['=', ':']).next().unwrap_or("").trim();
            listing = (section == "options" && key == "install_requires") || section == "options.extras_require";
            let value = bare.split_once('=').map_or("", |(_, v)| v.trim());
            if listing {
                entries.extend(requirement(value, folder, Line::Number(number)));
            }
        } else if listing {
            entries.extend(requirement(bare, folder, Line::Number(number)));
        }
    }
    Ok(entries)
}

/// `boto3[crt]==1.43.2 ; python_version > "3.9"`
fn requirement(text: &str, folder: &str, line: Line) -> Option<Entry> {
    let text = text.split(';').next().unwrap_or(text).trim();
    let end = text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() || rest.trim_start().starts_with('@') {
        return None;
    }
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('[').map_or(rest, |r| r.split_once(']').map_or("", |(_, after)| after));
    let range = rest.trim().trim_start_matches('(').trim_end_matches(')');
    (!range.is_empty()).then(|| entry(name, range, folder, line))
}

fn entry(name: &str, range: &str, folder: &str, line: Line) -> Entry {
    let exact = Range::exact(range, Grammar::Python);
    Entry {
        package: normal(name),
        folder: folder.to_string(),
        origin: if exact.is_some() { Origin::Pinned } else { Origin::Declared },
        text: exact.unwrap_or_else(|| range.trim().to_string()),
        grammar: Grammar::Python,
        resolves: Vec::new(),
        line,
    }
}

/// The line of a TOML file whose key is this name.
pub(super) fn mention(text: &str, name: &str) -> Line {
    let number = text.lines().position(|line| {
        let line = line.trim_start().trim_start_matches(['"', '\'']);
        let rest = line.strip_prefix(name).map(|r| r.trim_start_matches(['"', '\'']).trim_start());
        rest.is_some_and(|r| r.starts_with(['=', '.']))
    });
    Line::Number(number.map_or(1, |n| u32::try_from(n + 1).unwrap_or(u32::MAX)))
}
