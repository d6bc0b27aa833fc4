//! The walk: which files are candidates. Only what lies in the tree decides: the machine's global
//! ignore file and `.git/info/exclude` do not, links are not followed.

use super::folders::{Out, left_out};
use super::scope::Scope;
use super::test_files::is_test;
use crate::config::Config;
use crate::lower::language_of;
use crate::report::Skipped;
use ignore::WalkBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A file to read.
pub(super) struct Candidate {
    pub(super) file: PathBuf,
    pub(super) shown: String,
    pub(super) is_test: bool,
}

/// What a walk found.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) sources: Vec<Candidate>,
    pub(super) manifests: Vec<Candidate>,
    pub(super) skipped: Vec<Skipped>,
}

/// Walks every folder of a scope; files given by name are there even if they are ignored.
pub(super) fn walk(scope: &Scope, config: &Config) -> Walked {
    let excluded = Arc::new(excluded(config));
    let mut found = Walked::default();
    for folder in &scope.walks {
        walk_one(scope, folder, &excluded, &mut found);
    }
    for file in &scope.files {
        if !excluded.matched_path_or_any_parents(file, false).is_ignore() {
            found.file(scope, file);
        }
    }
    for list in [&mut found.sources, &mut found.manifests] {
        list.sort_by(|a, b| a.shown.cmp(&b.shown));
        list.dedup_by(|a, b| a.file == b.file);
    }
    found
}

/// The `exclude` patterns. They were checked when the configuration was read.
fn excluded(config: &Config) -> Gitignore {
    let Some(folder) = &config.folder else { return Gitignore::empty() };
    let mut builder = GitignoreBuilder::new(folder);
    for pattern in &config.exclude {
        let _ = builder.add_line(None, pattern);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

fn walk_one(scope: &Scope, folder: &Path, excluded: &Arc<Gitignore>, found: &mut Walked) {
    let skipped = Arc::new(Mutex::new(Vec::new()));
    let mut builder = WalkBuilder::new(folder);
    // Ignore files above the root count only inside a repository: whoever keeps `*` in a `.gitignore` of
    // the home folder does not mean every project below it.
    let in_repository = folder.ancestors().any(|f| f.join(".git").exists());
    builder.standard_filters(false).git_ignore(true).require_git(false).parents(in_repository).follow_links(false);
    builder.sort_by_file_name(Ord::cmp);
    let (list, scope_of, excluded) = (Arc::clone(&skipped), scope.clone(), Arc::clone(excluded));
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|t| t.is_dir());
        if entry.depth() == 0 {
            return true;
        }
        if excluded.matched(entry.path(), is_folder).is_ignore() {
            return false;
        }
        match is_folder.then(|| left_out(entry.path())).flatten() {
            None => !entry.file_name().to_string_lossy().starts_with('.'),
            Some(Out::Silent) => false,
            Some(Out::Listed(reason)) => {
                if let Ok(mut list) = list.lock() {
                    list.push(Skipped { file: scope_of.shown(entry.path()) + "/", reason: reason.into() });
                }
                false
            }
        }
    });
    for entry in builder.build() {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|t| t.is_file()) => found.file(scope, entry.path()),
            Ok(_) => {}
            Err(error) => found.skipped.extend(unreadable(scope, &error)),
        }
    }
    if let Ok(mut list) = skipped.lock() {
        found.skipped.append(&mut list);
    }
}

/// A folder that could not be entered. (A bad line in a `.gitignore` is git's business, and silent there too.)
fn unreadable(scope: &Scope, error: &ignore::Error) -> Option<Skipped> {
    let ignore::Error::WithDepth { err, .. } = error else { return None };
    let ignore::Error::WithPath { path, err } = err.as_ref() else { return None };
    let denied = err.io_error().is_some_and(|e| e.kind() == std::io::ErrorKind::PermissionDenied);
    let reason = if denied { "permission denied" } else { "cannot be read" };
    Some(Skipped { file: scope.shown(path) + "/", reason: reason.into() })
}

impl Walked {
    fn file(&mut self, scope: &Scope, file: &Path) {
        let shown = scope.shown(file);
        let name = shown.rsplit('/').next().unwrap_or(&shown);
        let (known, manifest) = (language_of(name).is_some(), is_manifest(&shown, name));
        if !known && !manifest {
            return;
        }
        let candidate = Candidate { file: file.to_path_buf(), is_test: is_test(&shown), shown };
        match (known, candidate.file.to_str()) {
            (_, None) => self.skipped.push(Skipped { file: candidate.shown, reason: "name is not UTF-8".into() }),
            (true, _) => self.sources.push(candidate),
            (false, _) => self.manifests.push(candidate),
        }
    }
}

/// Files that say which packages, versions and module paths a project has.
fn is_manifest(path: &str, name: &str) -> bool {
    let requirements = || name.ends_with(".txt") && (name.contains("requirements") || path.contains("requirements/"));
    let typescript = || name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"));
    const NAMES: [&str; 16] = [
        "package.json",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "bun.lock",
        "pnpm-lock.yaml",
        "pnpm-workspace.yaml",
        "pyproject.toml",
        "setup.cfg",
        "Pipfile",
        "Pipfile.lock",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "Cargo.toml",
        "Cargo.lock",
    ];
    NAMES.contains(&name) || requirements() || typescript()
}
