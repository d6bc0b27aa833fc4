//! Layers that the code does not show (a gateway, a mesh, a platform that calls a function again),
//! declared in the configuration:
//!
//! ```toml
//! [[layer]]
//! at = "app/jobs.py:finish_session"   # file and function, the file relative to the configuration
//! attempts = 3                        # executions in all, or "unbounded"
//! wait = 60                           # seconds between attempts, if known
//! retries = ["connect", "server"]     # classes of failure; default: all
//! reason = "the platform delivers the message again"
//! ```

use super::ConfigError;
use super::keys::Reader;
use super::node::{Node, Value};
use crate::chains::Failure;
use std::path::{Component, Path, PathBuf};

/// A declared layer.
#[derive(Clone, PartialEq, Debug)]
pub struct DeclaredLayer {
    /// File of the function, relative to the analysed root, with `/`.
    pub path: String,
    /// The function (`name`, `Class.method`).
    pub function: String,
    /// Executions in all; none: unbounded.
    pub attempts: Option<u64>,
    /// Seconds between attempts.
    pub wait: Option<f64>,
    /// Classes of failure it retries.
    pub retries: Vec<Failure>,
    /// What it is, in the user's words.
    pub reason: Option<String>,
    /// Line of the configuration that declares it.
    pub line: u32,
}

const KEYS: [&str; 5] = ["at", "attempts", "wait", "retries", "reason"];

pub(super) fn read_all(reader: &Reader, node: &Node) -> Result<Vec<DeclaredLayer>, ConfigError> {
    match &node.value {
        Value::List(items) => items.iter().map(|item| read(reader, item)).collect(),
        _ => Err(reader.wrong("layer", node, "a list of tables ([[layer]])")),
    }
}

fn read(reader: &Reader, node: &Node) -> Result<DeclaredLayer, ConfigError> {
    let Value::Table(entries) = &node.value else { return Err(reader.wrong("layer", node, "a table")) };
    let mut at = None;
    let mut attempts = None;
    let (mut wait, mut retries, mut reason) = (None, Failure::ALL.to_vec(), None);
    for (key, value) in entries {
        let name = key.name.as_str();
        match name {
            "at" => at = Some(place(reader, value)?),
            "attempts" => attempts = Some(count(reader, value)?),
            "wait" => wait = Some(reader.seconds(name, value)?),
            "retries" => retries = failures(reader, value)?,
            "reason" => reason = Some(reader.text(name, value)?.to_string()),
            _ => return Err(reader.error(key.offset, format!("unknown key `{name}` of a layer")).known(name, &KEYS)),
        }
    }
    let missing = |key: &str, example: &str| {
        reader.error(node.offset, format!("a layer needs `{key}`")).help(format!("for example: {key} = {example}"))
    };
    let (path, function) = at.ok_or_else(|| missing("at", "\"app/jobs.py:finish_session\""))?;
    let attempts = attempts.ok_or_else(|| missing("attempts", "3"))?;
    let line = ConfigError::at(reader.file, reader.text, node.offset, "").at.map_or(1, |(line, _)| line);
    Ok(DeclaredLayer { path, function, attempts, wait, retries, reason, line })
}

fn place(reader: &Reader, node: &Node) -> Result<(String, String), ConfigError> {
    let text = reader.text("at", node)?;
    match text.rsplit_once(':') {
        Some((path, function)) if !path.is_empty() && !function.is_empty() => {
            Ok((path.to_string(), function.to_string()))
        }
        _ => Err(reader.error(node.offset, format!("`at` must be \"path:function\", not \"{text}\""))),
    }
}

fn count(reader: &Reader, node: &Node) -> Result<Option<u64>, ConfigError> {
    match &node.value {
        Value::Text(text) if text == "unbounded" => Ok(None),
        Value::Text(_) => Err(reader.error(node.offset, "`attempts` must be a whole number or \"unbounded\"")),
        _ => reader.count("attempts", node).map(Some),
    }
}

fn failures(reader: &Reader, node: &Node) -> Result<Vec<Failure>, ConfigError> {
    let names = Failure::ALL.map(Failure::name);
    let known = |(text, node): (&str, &Node)| {
        let unknown = || reader.error(node.offset, format!("unknown class of failure `{text}`")).known(text, &names);
        Failure::by_name(text).ok_or_else(unknown)
    };
    reader.placed("retries", node)?.into_iter().map(known).collect()
}

impl DeclaredLayer {
    /// Turns a path relative to the configuration's folder into one relative to the analysed root.
    pub(super) fn relative_to(&mut self, folder: &Path, root: &Path) {
        let mut whole = PathBuf::new();
        for part in folder.join(&self.path).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => drop(whole.pop()),
                other => whole.push(other),
            }
        }
        if let Ok(inside) = whole.strip_prefix(root) {
            self.path = inside.to_string_lossy().replace('\\', "/");
        }
    }
}
