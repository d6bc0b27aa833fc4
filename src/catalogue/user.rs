//! Users' own catalogue files: the same format, in their own folder, before ours.

use super::shelf::{Shelf, language_of};
use super::{Catalogue, check};
use crate::ir::Language;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

impl Catalogue {
    /// Our catalogue with users' files (or folders of `.toml` files, read in the order of their names) before it:
    /// an entry with the same path replaces ours.
    ///
    /// # Errors
    /// The first file that cannot be read or is wrong: `file:line:column: reason`.
    pub fn with_user_rules(paths: &[PathBuf]) -> Result<Self, String> {
        let mut shelves = Vec::new();
        let mut taken: FxHashMap<String, String> = FxHashMap::default();
        for path in paths {
            for file in toml_files(path)? {
                let name = file.display().to_string();
                let text = fs::read_to_string(&file).map_err(|e| format!("{name}: {e}"))?;
                let shelf = Shelf::new(name, Cow::Owned(text));
                if let Some(problem) = shelf.problem() {
                    return Err(problem.to_string());
                }
                if let Some(problem) = doubles(&shelf, &mut taken) {
                    return Err(problem);
                }
                shelves.push((language(&shelf), shelf));
            }
        }
        let count = shelves.len();
        let catalogue = Catalogue::from_shelves(shelves);
        for shelf in catalogue.shelves.iter().take(count) {
            if let Some(problem) = check::check(&catalogue, shelf).into_iter().next() {
                return Err(problem);
            }
        }
        Ok(catalogue)
    }
}

/// A path that an earlier file of the user has described already.
fn doubles(shelf: &Shelf, taken: &mut FxHashMap<String, String>) -> Option<String> {
    for path in check::paths(shelf.book()?) {
        if let Some(other) = taken.insert(path.to_string(), shelf.name.clone())
            && other != shelf.name
        {
            let offset = shelf.text.find(&format!("\"{path}\"")).unwrap_or(0);
            let reason = format!("`{path}` is described in {other} already");
            return Some(shelf.problem_at(offset, &reason));
        }
    }
    None
}

/// The language of a file: that of its first path; for a file without paths, that of its imports.
fn language(shelf: &Shelf) -> Language {
    let path = shelf.book().and_then(|book| check::paths(book).next());
    language_of(path.unwrap_or_default())
}

fn toml_files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let fail = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(fail)? {
        let file = entry.map_err(fail)?.path();
        if file.extension().is_some_and(|e| e == "toml") {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}
