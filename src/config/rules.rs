//! The user's own catalogue files, named by file or folder in `rules = [...]`. They are read here, at the
//! rim; what they say is the catalogue's business.

use super::ConfigError;
use super::keys::Reader;
use super::node::Node;
use std::path::{Path, PathBuf};

/// A catalogue file of the user's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleFile {
    /// Where it is, for messages.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// Reads every file that `rules` names: a file itself, a folder's `*.toml` in order of name, one level
/// of subfolders (the languages) included.
pub(super) fn load(reader: &Reader, node: &Node) -> Result<Vec<RuleFile>, ConfigError> {
    let folder = reader.file.parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    for (name, node) in reader.placed("rules", node)? {
        let failed = |error: std::io::Error| reader.error(node.offset, format!("`rules`: {name}: {error}"));
        let before = files.len();
        for path in listed(&folder.join(name)).map_err(failed)? {
            files.push(RuleFile { text: std::fs::read_to_string(&path).map_err(failed)?, path });
        }
        if files.len() == before {
            return Err(reader.error(node.offset, format!("`rules`: {name}: no .toml file in this folder")));
        }
    }
    Ok(files)
}

fn listed(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !std::fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let walk = walkdir::WalkDir::new(path).max_depth(2).sort_by_file_name();
    let mut files = Vec::new();
    for entry in walk {
        let entry = entry?;
        if entry.file_type().is_file() && entry.path().extension().is_some_and(|e| e == "toml") {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}
