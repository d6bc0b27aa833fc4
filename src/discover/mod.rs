//! Which files are looked at, and their text. The only stage that touches the tree: everything after it
//! works on what it returns.
//!
//! Three steps: the [`Scope`] of the paths given (which root, which folders, which files to speak about);
//! a walk that honours `.gitignore` and leaves out what others wrote; reading, in parallel, in order of path.
//! The result depends on names and bytes in the tree only.

mod folders;
mod read;
mod scope;
mod test_files;
mod walk;

pub use scope::{Scope, ScopeError};

use crate::config::Config;
use crate::report::Skipped;
use crate::source::{FileId, Sources};
use std::path::PathBuf;
use std::sync::Arc;

/// A file about the project: manifests, lock files, module resolution.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Path relative to the root, with `/`.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
}

/// Everything a run reads.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The analysed root, absolute.
    pub root: PathBuf,
    /// Source files, ordered by path.
    pub sources: Sources,
    /// `package.json`, `tsconfig.json`, `pyproject.toml`, `requirements.txt`, `Cargo.toml`, lock files …, ordered by path.
    pub manifests: Vec<Manifest>,
    /// What was left out, ordered by path.
    pub skipped: Vec<Skipped>,
    /// Files that findings are shown for (one flag a file); none: all.
    pub focus: Option<Vec<bool>>,
}

impl Project {
    /// Whether findings about this file are shown.
    pub fn in_focus(&self, file: FileId) -> bool {
        self.focus.as_ref().is_none_or(|focus| focus.get(file.index()).copied().unwrap_or(false))
    }
}

/// Reads everything in a scope.
pub fn read(scope: &Scope, config: &Config) -> Project {
    let found = walk::walk(scope, config);
    let (sources, mut skipped) = read::sources(found.sources);
    let manifests = read::manifests(found.manifests);
    skipped.extend(found.skipped);
    skipped.sort();
    skipped.dedup();
    let focus = scope.focus(&sources);
    Project { root: scope.root.clone(), sources, manifests, skipped, focus }
}
