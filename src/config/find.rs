//! Where the configuration is: the nearest file upwards that has a part for squall. The search ends
//! at the folder that holds `.git`, so that a stray file above a repository never changes its result.

use super::ConfigError;
use super::node::{Node, Value};
use std::path::{Path, PathBuf};

/// Files that can hold configuration, the strongest first, and where in them it is.
const FILES: [(&str, &[&[&str]]); 4] = [
    ("squall.toml", &[&[]]),
    ("pyproject.toml", &[&["tool", "squall"]]),
    ("package.json", &[&["squall"]]),
    ("Cargo.toml", &[&["package", "metadata", "squall"], &["workspace", "metadata", "squall"]]),
];

/// A configuration file and squall's part of it.
#[derive(Debug, Clone)]
pub struct Found {
    /// The file.
    pub file: PathBuf,
    /// Its whole text.
    pub text: String,
    /// Squall's part.
    pub part: Node,
}

/// The nearest configuration upwards from a folder.
///
/// # Errors
/// A file that mentions squall and cannot be read or parsed.
pub fn find(folder: &Path) -> Result<Option<Found>, ConfigError> {
    for folder in folder.ancestors() {
        if let Some(found) = in_folder(folder)? {
            return Ok(Some(found));
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    Ok(None)
}

/// Whether a folder has a configuration of its own. A broken one counts: it is reported when loaded.
pub fn is_configured(folder: &Path) -> bool {
    !matches!(in_folder(folder), Ok(None))
}

fn in_folder(folder: &Path) -> Result<Option<Found>, ConfigError> {
    for (name, parts) in FILES {
        let file = folder.join(name);
        if !file.is_file() {
            continue;
        }
        if let Some(found) = read(&file, parts)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The configuration in a file that the user named.
///
/// # Errors
/// It cannot be read or parsed, or is one of the shared files without a part for squall.
pub fn open(file: &Path) -> Result<Found, ConfigError> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let parts =
        FILES.into_iter().find(|(known, _)| *known == name).map_or(&[&[] as &[&str]] as &[&[&str]], |(_, parts)| parts);
    let found = read(file, parts)?;
    let wanted = || parts.iter().map(|part| format!("[{}]", part.join("."))).collect::<Vec<_>>().join(" or ");
    found.ok_or_else(|| ConfigError::file(file, format!("no {} in this file", wanted())))
}

fn read(file: &Path, parts: &[&[&str]]) -> Result<Option<Found>, ConfigError> {
    let bytes = std::fs::read(file).map_err(|error| ConfigError::file(file, format!("cannot be read: {error}")))?;
    let own = parts.iter().any(|part| part.is_empty());
    let Ok(text) = String::from_utf8(bytes) else {
        // A manifest that is none of ours may be as broken as it likes.
        return if own { Err(ConfigError::file(file, "is not UTF-8")) } else { Ok(None) };
    };
    let text = text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text);
    if !own && !text.contains("squall") {
        return Ok(None);
    }
    let json = file.extension().is_some_and(|e| e == "json");
    let tree = if json { Node::from_json(&text) } else { Node::from_toml(&text) };
    let tree = tree.map_err(|(offset, message)| ConfigError::at(file, &text, offset, message))?;
    let Some(part) = parts.iter().find_map(|part| tree.part(part)).cloned() else { return Ok(None) };
    // A package may be called squall: `{"squall": "1.0"}` in its dependencies is no configuration, but a
    // part that is no table is a mistake worth a word.
    if !matches!(part.value, Value::Table(_)) {
        return Err(ConfigError::at(
            file,
            &text,
            part.offset,
            format!("squall's part must be a table, not {}", part.value.kind()),
        ));
    }
    Ok(Some(Found { file: file.to_path_buf(), text, part }))
}
