//! Which versions of packages the analysed tree uses, from its own lock files, requirements and manifests.
//!
//! For a file of the tree, its folder is asked first, then those above it. What a folder says: a lock file's version
//! before an exact pin before a declared range. A range alone does not end the search: a lock file or pin further up
//! that lies in it is the workspace's word on it. A range that nothing settles stands for the newest version in it, as
//! an installer would take: it only says something if it has an upper end. Where no folder above knows the package, the
//! tree's other folders are asked, the nearest to the root first. A file that cannot be read as what its name says is
//! left out and told.

mod catalogs;
mod javascript;
mod number;
mod python;
mod range;
mod rust;

use crate::catalogue::schema::Library;
use crate::discover::Manifest;
use crate::ir::{File, Language};
use crate::report::Skipped;
use number::Number;
use range::{Grammar, Range};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::Arc;

/// How sure a version is. The order is that of preference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// A lock file says it.
    Locked,
    /// A requirement names exactly this version.
    Pinned,
    /// The newest that a declared range lets in.
    Declared,
    /// Nothing in the tree says: the one in which the catalogue's figures were seen.
    Catalogue,
}

impl Origin {
    /// Its word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Locked => "locked",
            Origin::Pinned => "pinned",
            Origin::Declared => "declared",
            Origin::Catalogue => "catalogue",
        }
    }
}

/// The version of a package that figures were computed for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// The version, or the range as it is written.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The file and line that say it; none for the catalogue's own.
    pub place: Option<(String, u32)>,
    most: Most,
}

/// What is known about the version.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Most {
    /// It is this one.
    Is(Number),
    /// It is the newest below this one.
    Below(Number),
}

impl Assumed {
    /// A version that no file of the tree names.
    pub fn of_catalogue(version: &str) -> Self {
        // A file about several packages names each before its version; the first is the one that figures depend on.
        let words = version.split([' ', ',']);
        let number = words.into_iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        Assumed {
            text: version.to_string(),
            origin: Origin::Catalogue,
            place: None,
            most: Most::Is(Number::read(number.unwrap_or(version))),
        }
    }

    /// Whether it is this version or a later one.
    pub fn is_at_least(&self, version: &str) -> bool {
        let wanted = Number::read(version);
        match &self.most {
            Most::Is(number) => *number >= wanted,
            Most::Below(end) => *end > wanted,
        }
    }
}

/// What one line of a file says about a package.
#[derive(Clone, Debug)]
struct Entry {
    /// The name, as its registry compares names.
    package: String,
    /// Folder that it holds for, without a slash at the end.
    folder: String,
    origin: Origin,
    /// The version or range.
    text: String,
    grammar: Grammar,
    /// Declared ranges that a lock file resolves to this version.
    resolves: Vec<String>,
    line: Line,
}

/// Where an entry stands in its file.
#[derive(Clone, Debug)]
enum Line {
    /// On this line, from 1.
    Number(u32),
    /// At this byte.
    Offset(usize),
    /// At the first mention of this text.
    Mention(String),
}

/// What a manifest says, before it is known where it lies.
struct Found {
    entries: Vec<Entry>,
    /// Ranges that packages of the workspace refer to.
    catalogs: Vec<Entry>,
    language: Language,
}

/// Why a file cannot be read.
type Problem = String;

/// The versions that a tree's files name.
#[derive(Debug, Default)]
pub struct Versions {
    /// Language and package to what is said about it.
    known: FxHashMap<(Language, String), Vec<(usize, Entry)>>,
    /// Path and text of the files that say something.
    files: Vec<(String, Arc<str>)>,
    /// Files that cannot be read as what their names say, ordered by path.
    pub problems: Vec<Skipped>,
}

impl Versions {
    /// Reads the manifests of a tree. Files on which no version depends are passed over.
    pub fn read(manifests: &[Manifest]) -> Self {
        let read: Vec<Option<Result<Found, Problem>>> = manifests.par_iter().map(entries).collect();
        let mut versions = Versions::default();
        let mut catalogs: Vec<(usize, Entry)> = Vec::new();
        for (manifest, found) in manifests.iter().zip(read) {
            match found {
                None => {}
                Some(Err(reason)) => {
                    versions.problems.push(Skipped { file: manifest.path.clone(), reason });
                }
                Some(Ok(found)) => {
                    let file = versions.files.len();
                    versions.files.push((manifest.path.clone(), manifest.text.clone()));
                    catalogs.extend(found.catalogs.into_iter().map(|entry| (file, entry)));
                    for entry in found.entries {
                        let key = (found.language, entry.package.clone());
                        versions.known.entry(key).or_default().push((file, entry));
                    }
                }
            }
        }
        if !catalogs.is_empty() {
            for (at, entry) in versions.known.values_mut().flatten() {
                if let Some((file, meant)) = catalogs::meant(entry, &catalogs) {
                    let folder = std::mem::take(&mut entry.folder);
                    (*at, *entry) = (*file, Entry { folder, resolves: Vec::new(), ..meant.clone() });
                }
            }
        }
        versions
    }

    /// The version that a file of the tree uses of the first of these packages that the tree knows.
    pub fn of<'n>(
        &self,
        language: Language,
        packages: impl IntoIterator<Item = &'n str>,
        file: &str,
    ) -> Option<Assumed> {
        if self.known.is_empty() {
            return None;
        }
        packages.into_iter().find_map(|package| {
            let name = if language == Language::Python { python::normal(package) } else { package.to_string() };
            // Crates are imported with `_` and may be named with `-`.
            let other = || self.known.get(&(language, name.replace('_', "-"))).filter(|_| language == Language::Rust);
            let entries = self.known.get(&(language, name.clone())).or_else(other)?;
            self.nearest(entries, file)
        })
    }

    /// The version of a library that a file uses: the tree's, or the catalogue's own.
    pub fn assumed_of(&self, library: &Library, file: &File) -> Option<Assumed> {
        if library.package.is_empty() {
            return None;
        }
        let packages = std::iter::once(&library.package).chain(&library.imports).map(String::as_str);
        self.of(file.language, packages, &file.path)
            .or_else(|| (!library.version.is_empty()).then(|| Assumed::of_catalogue(&library.version)))
    }

    fn nearest(&self, entries: &[(usize, Entry)], file: &str) -> Option<Assumed> {
        let mut range: Option<(usize, &Entry, Range)> = None;
        for folder in above(file) {
            let here = entries.iter().filter(|(_, e)| e.folder == folder);
            if let Some(answer) = self.in_folder(here, &mut range) {
                return Some(answer);
            }
        }
        if let Some((at, entry, range)) = range {
            return self.declared(at, entry, &range);
        }
        // No folder above: a tree that keeps its requirements aside.
        let mut aside: Vec<&(usize, Entry)> = entries.iter().collect();
        aside.sort_by_key(|(at, e)| (depth(&e.folder), e.folder.clone(), e.origin, *at));
        let first = aside.first()?.1.folder.clone();
        let mut range = None;
        self.in_folder(aside.into_iter().filter(|(_, e)| e.folder == first), &mut range)
            .or_else(|| range.and_then(|(at, entry, range)| self.declared(at, entry, &range)))
    }

    /// What the files of one folder settle; a range is kept for the folders above.
    fn in_folder<'a>(
        &self,
        entries: impl Iterator<Item = &'a (usize, Entry)>,
        range: &mut Option<(usize, &'a Entry, Range)>,
    ) -> Option<Assumed> {
        let mut fixed: Vec<&(usize, Entry)> = Vec::new();
        for found in entries {
            let (at, entry) = found;
            if entry.origin != Origin::Declared {
                fixed.push(found);
                continue;
            }
            let Some(read) = Range::read(&entry.text, entry.grammar) else { continue };
            if range.is_none() {
                *range = Some((*at, entry, read));
            }
        }
        let wanted = range.as_ref();
        let fits = |entry: &Entry| {
            wanted.is_none_or(|(_, declared, range)| {
                entry.resolves.contains(&declared.text) || range.contains(&Number::read(&entry.text))
            })
        };
        // The best that fits: a lock file's before a pin; of several the one resolved for this range, then the newest.
        let best = fixed.iter().filter(|(_, e)| fits(e)).min_by_key(|(at, e)| {
            let exact = wanted.is_some_and(|(_, declared, _)| e.resolves.contains(&declared.text));
            (e.origin, !exact, Reverse(Number::read(&e.text)), *at)
        });
        best.map(|(at, entry)| self.assumed(*at, entry, Most::Is(Number::read(&entry.text))))
    }

    fn declared(&self, at: usize, entry: &Entry, range: &Range) -> Option<Assumed> {
        Some(self.assumed(at, entry, range.most()?))
    }

    fn assumed(&self, at: usize, entry: &Entry, most: Most) -> Assumed {
        let place = self.files.get(at).map(|(path, text)| (path.clone(), line(text, &entry.line)));
        Assumed { text: entry.text.clone(), origin: entry.origin, place, most }
    }
}

/// What a manifest says; none for one that says nothing about versions.
fn entries(manifest: &Manifest) -> Option<Result<Found, Problem>> {
    let name = manifest.path.rsplit('/').next().unwrap_or(&manifest.path);
    let folder = manifest.path.strip_suffix(name).unwrap_or("").trim_end_matches('/');
    let text = &*manifest.text;
    let catalogs = match name {
        "pnpm-workspace.yaml" => catalogs::pnpm(text, folder),
        "package.json" if text.contains("\"catalog") => {
            serde_json::from_str(text).map(|json| catalogs::bun(&json, folder)).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let (language, read): (_, Result<Vec<Entry>, Problem>) = match name {
        "uv.lock" | "poetry.lock" | "pdm.lock" => (Language::Python, python::lock(text, folder)),
        "Pipfile.lock" => (Language::Python, python::pipfile_lock(text, folder)),
        "Pipfile" => (Language::Python, python::pipfile(text, folder)),
        "pyproject.toml" => (Language::Python, python::pyproject(text, folder)),
        "setup.cfg" => (Language::Python, python::setup_cfg(text, folder)),
        _ if name.ends_with(".txt") => (Language::Python, Ok(python::requirements(text, folder))),
        "package-lock.json" | "npm-shrinkwrap.json" => (Language::JavaScript, javascript::npm(text, folder)),
        "yarn.lock" => (Language::JavaScript, javascript::yarn(text, folder)),
        "pnpm-lock.yaml" => (Language::JavaScript, javascript::pnpm(text, folder)),
        "pnpm-workspace.yaml" => (Language::JavaScript, Ok(Vec::new())),
        "bun.lock" => (Language::JavaScript, javascript::bun(text, folder)),
        "package.json" => (Language::JavaScript, javascript::package(text, folder)),
        "Cargo.lock" => (Language::Rust, rust::lock(text, folder)),
        "Cargo.toml" => (Language::Rust, rust::manifest(text, folder)),
        _ => return None,
    };
    Some(read.map(|entries| Found { entries, catalogs, language }))
}

/// The folders of a file, nearest first; the last is the root (empty).
fn above(file: &str) -> impl Iterator<Item = &str> {
    let mut rest = file.rfind('/').map(|i| &file[..i]).or(Some(""));
    std::iter::from_fn(move || {
        let folder = rest?;
        rest = if folder.is_empty() { None } else { Some(folder.rfind('/').map_or("", |i| &folder[..i])) };
        Some(folder)
    })
}

fn depth(folder: &str) -> usize {
    if folder.is_empty() { 0 } else { folder.matches('/').count() + 1 }
}

/// A folder below another one.
fn join(folder: &str, below: &str) -> String {
    let below = below.trim_start_matches("./").trim_end_matches('/');
    match (folder, below) {
        (folder, "" | ".") => folder.to_string(),
        ("", below) => below.to_string(),
        (folder, below) => format!("{folder}/{below}"),
    }
}

fn line(text: &str, line: &Line) -> u32 {
    let offset = match line {
        Line::Number(number) => return *number,
        Line::Offset(offset) => Some(*offset),
        Line::Mention(mention) => text.find(mention.as_str()),
    };
    let before = text.get(..offset.unwrap_or(0)).unwrap_or("");
    u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
}

/// Text as TOML; the problem says where it is not.
fn toml_text<'t, T: serde::Deserialize<'t>>(text: &'t str) -> Result<T, Problem> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let reason = error.message().trim().replace('\n', "; ");
        format!("line {}: {reason}", line(text, &Line::Offset(at)))
    })
}

/// Text as JSON.
fn json_text<'t, T: serde::Deserialize<'t>>(text: &'t str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| {
        let whole = error.to_string();
        let reason = whole.split(" at line ").next().unwrap_or(&whole);
        format!("line {}: {reason}", error.line())
    })
}

#[cfg(test)]
mod tests;
