//! From the paths given to what is analysed: the root, the folders walked, and the files that findings
//! are shown for. A folder is its own root. For a file (pre-commit gives files) the whole project around
//! it is analysed, since a layer and the call under it are rarely in one file.

use crate::config;
use crate::escape;
use crate::lower::language_of;
use crate::source::Sources;
use std::path::{Component, Path, PathBuf};

/// What is analysed.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Paths in reports are relative to it.
    pub root: PathBuf,
    /// Folders to walk, none inside another.
    pub(super) walks: Vec<PathBuf>,
    /// Files given by name.
    pub(super) files: Vec<PathBuf>,
    /// Folders given by name.
    folders: Vec<PathBuf>,
}

/// A path that cannot be analysed.
#[derive(Debug)]
pub struct ScopeError {
    path: PathBuf,
    what: String,
}

impl std::fmt::Display for ScopeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", escape::line(&self.path.to_string_lossy()), self.what)
    }
}

impl std::error::Error for ScopeError {}

impl Scope {
    /// The scope of some paths; of the working directory if there are none.
    ///
    /// # Errors
    /// A path that is not there, or neither file nor folder.
    pub fn of(paths: &[PathBuf]) -> Result<Scope, ScopeError> {
        let here = [PathBuf::from(".")];
        let paths = if paths.is_empty() { &here[..] } else { paths };
        let (mut walks, mut files, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let fail = |what: String| ScopeError { path: path.clone(), what };
            let whole = path.canonicalize().map_err(|error| fail(reason(&error)))?;
            if whole.is_dir() {
                walks.push(whole.clone());
                folders.push(whole);
            } else if whole.is_file() {
                walks.push(project_of(&whole));
                files.push(whole);
            } else {
                return Err(fail("is neither a file nor a folder".into()));
            }
        }
        walks.sort();
        // Sorted by component, so whatever holds a folder stands before it.
        walks.dedup_by(|later, earlier| later.starts_with(earlier));
        let root =
            walks.iter().skip(1).fold(walks.first().cloned().unwrap_or_default(), |root, walk| common(&root, walk));
        Ok(Scope { root, walks, files, folders })
    }

    /// Whether every path given is a file of no known language.
    pub fn is_foreign(&self) -> bool {
        self.folders.is_empty() && !self.files.iter().any(|f| language_of(&f.to_string_lossy()).is_some())
    }

    /// The files that findings are shown for: all, unless files were given.
    pub(super) fn focus(&self, sources: &Sources) -> Option<Vec<bool>> {
        if self.files.is_empty() {
            return None;
        }
        let wanted = |path: &str| {
            let path = self.root.join(path);
            self.files.contains(&path) || self.folders.iter().any(|folder| path.starts_with(folder))
        };
        Some(sources.files.iter().map(|file| wanted(&file.path)).collect())
    }

    /// A path as reports show it.
    pub(super) fn shown(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        let parts = inside.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or folder".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}

/// The project a file belongs to: the nearest folder upwards with a configuration or `.git`, else with the manifest
/// of a workspace, else with that of a package, else its own.
fn project_of(file: &Path) -> PathBuf {
    let own = file.parent().unwrap_or(file);
    let marked = own.ancestors().find(|folder| folder.join(".git").exists() || config::is_configured(folder));
    let marked = marked.or_else(|| own.ancestors().find(|folder| is_workspace(folder)));
    let marked = marked.or_else(|| own.ancestors().find(|folder| PACKAGES.iter().any(|m| folder.join(m).is_file())));
    marked.unwrap_or(own).to_path_buf()
}

/// Manifests of packages.
const PACKAGES: [&str; 4] = ["Cargo.toml", "package.json", "pyproject.toml", "setup.py"];

/// Manifests that say which packages belong together, with the word by which they do (none: by being there).
const WORKSPACES: [(&str, &str); 5] = [
    ("pnpm-workspace.yaml", ""),
    ("package.json", "\"workspaces\""),
    ("Cargo.toml", "[workspace]"),
    ("pyproject.toml", "[tool.uv.workspace]"),
    ("lerna.json", ""),
];

fn is_workspace(folder: &Path) -> bool {
    WORKSPACES
        .iter()
        .any(|(name, word)| std::fs::read_to_string(folder.join(name)).is_ok_and(|text| text.contains(word)))
}

fn common(a: &Path, b: &Path) -> PathBuf {
    a.components().zip(b.components()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect()
}
