//! Versions that a workspace keeps in one place: `"stripe": "catalog:"` in a package, the range in the workspace's own file.

use super::javascript::pair;
use super::range::{Grammar, Range};
use super::{Entry, Line, Origin, above};
use serde_json::Value;

/// What stands before a catalogue's name in a package's range.
const PREFIX: &str = "catalog:";

/// One catalogue's range for a package: its own entry, which bears the catalogue's name (`default`) in `resolves`.
fn entry(catalog: &str, package: &str, range: &str, folder: &str, line: Line) -> Entry {
    let exact = Range::exact(range, Grammar::Npm);
    Entry {
        package: package.to_string(),
        folder: folder.to_string(),
        origin: if exact.is_some() { Origin::Pinned } else { Origin::Declared },
        text: exact.unwrap_or_else(|| range.to_string()),
        grammar: Grammar::Npm,
        resolves: vec![catalog.to_string()],
        line,
    }
}

/// The catalogues of a `pnpm-workspace.yaml`: `catalog` is the one without a name, `catalogs` holds those with one.
pub(super) fn pnpm(text: &str, folder: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        if bare.is_empty() || bare.starts_with(['#', '-']) {
            continue;
        }
        let indent = line.len() - bare.len();
        path.retain(|(deep, _)| *deep < indent);
        let Some((key, value)) = pair(bare) else { continue };
        let catalog = match path.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().as_slice() {
            ["catalog"] => Some("default".to_string()),
            ["catalogs", name] => Some((*name).to_string()),
            _ => None,
        };
        let value = value.split(" #").next().unwrap_or(value).trim().trim_matches(['\'', '"']);
        if let Some(catalog) = catalog
            && !value.is_empty()
        {
            let number = Line::Number(u32::try_from(i + 1).unwrap_or(u32::MAX));
            entries.push(entry(&catalog, key, value, folder, number));
        }
        path.push((indent, key.to_string()));
    }
    entries
}

/// The catalogues that a `package.json` itself holds, at the top or below `workspaces`, as Bun reads them.
pub(super) fn bun(json: &Value, folder: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for holder in [Some(json), json.get("workspaces")].into_iter().flatten() {
        let named = holder.get("catalogs").and_then(Value::as_object).into_iter().flatten();
        let named = named.map(|(name, list)| (name.as_str(), list));
        for (catalog, list) in holder.get("catalog").map(|list| ("default", list)).into_iter().chain(named) {
            for (package, range) in list.as_object().into_iter().flatten() {
                let Some(range) = range.as_str() else { continue };
                entries.push(entry(
                    catalog,
                    package,
                    range,
                    folder,
                    Line::Mention(format!("\"{package}\": \"{range}\"")),
                ));
            }
        }
    }
    entries
}

/// What a package's `catalog:name` stands for: the entry of the nearest workspace above that has this catalogue.
pub(super) fn meant<'c>(declared: &Entry, catalogs: &'c [(usize, Entry)]) -> Option<&'c (usize, Entry)> {
    let name = declared.text.strip_prefix(PREFIX)?.trim();
    let name = if name.is_empty() { "default" } else { name };
    let inside = format!("{}/", declared.folder);
    above(&inside).find_map(|folder| {
        catalogs.iter().find(|(_, entry)| {
            entry.folder == folder
                && entry.package == declared.package
                && entry.resolves.first().is_some_and(|catalog| catalog == name)
        })
    })
}
