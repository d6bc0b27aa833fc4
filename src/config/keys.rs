//! The keys of a configuration: each one's name, form and effect, in one place.

use super::node::{Node, Value};
use super::{Config, ConfigError, FailOn, Found, confidence_by_name, layer};
use std::path::{Path, PathBuf};

/// Every key, for "did you mean" and for the documentation.
pub const KEYS: [&str; 12] = [
    "budget",
    "window",
    "select",
    "ignore",
    "pedantic",
    "fail-on",
    "min-confidence",
    "include-tests",
    "include-infrastructure",
    "exclude",
    "rules",
    "layer",
];

/// Reads values with errors that name the key and point into the file.
pub(super) struct Reader<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
}

/// Puts all that a configuration says into `config`.
pub(super) fn apply(found: &Found, config: &mut Config) -> Result<(), ConfigError> {
    let reader = Reader { file: &found.file, text: &found.text };
    let Value::Table(entries) = &found.part.value else { return Ok(()) };
    for (key, node) in entries {
        let name = key.name.as_str();
        match name {
            "budget" => config.budget = reader.count(name, node)?,
            "window" => config.window = reader.seconds(name, node)?,
            "select" => config.selection.select = reader.texts(name, node)?,
            "ignore" => config.selection.ignore = reader.texts(name, node)?,
            "pedantic" => config.selection.pedantic = reader.flag(name, node)?,
            "fail-on" => config.fail_on = reader.choice(name, node, &FailOn::NAMES, FailOn::by_name)?,
            "min-confidence" => {
                config.min_confidence = reader.choice(name, node, &["low", "medium", "high"], confidence_by_name)?;
            }
            "include-tests" => config.include_tests = reader.flag(name, node)?,
            "include-infrastructure" => config.include_infrastructure = reader.flag(name, node)?,
            "exclude" => config.exclude = reader.patterns(name, node)?,
            "rules" => config.rules = reader.paths(name, node)?,
            "layer" => config.layers = layer::read_all(&reader, node)?,
            _ => return Err(reader.error(key.offset, format!("unknown key `{name}`")).known(name, &KEYS)),
        }
    }
    Ok(())
}

impl Reader<'_> {
    pub(super) fn error(&self, offset: usize, message: impl Into<String>) -> ConfigError {
        ConfigError::at(self.file, self.text, offset, message)
    }

    pub(super) fn wrong(&self, key: &str, node: &Node, wanted: &str) -> ConfigError {
        self.error(node.offset, format!("`{key}` must be {wanted}, not {}", node.value.kind()))
    }

    pub(super) fn count(&self, key: &str, node: &Node) -> Result<u64, ConfigError> {
        match node.value {
            Value::Integer(n) if n >= 1 => Ok(n.unsigned_abs()),
            Value::Integer(n) => Err(self.error(node.offset, format!("`{key}` must be 1 or more, not {n}"))),
            _ => Err(self.wrong(key, node, "a whole number")),
        }
    }

    pub(super) fn seconds(&self, key: &str, node: &Node) -> Result<f64, ConfigError> {
        let seconds = match node.value {
            Value::Integer(n) => n as f64,
            Value::Float(n) => n,
            _ => return Err(self.wrong(key, node, "a number of seconds")),
        };
        let valid = seconds.is_finite() && seconds > 0.0;
        valid.then_some(seconds).ok_or_else(|| self.error(node.offset, format!("`{key}` must be more than 0 seconds")))
    }

    fn flag(&self, key: &str, node: &Node) -> Result<bool, ConfigError> {
        match node.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.wrong(key, node, "true or false")),
        }
    }

    pub(super) fn text<'n>(&self, key: &str, node: &'n Node) -> Result<&'n str, ConfigError> {
        match &node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong(key, node, "a string")),
        }
    }

    /// A list of strings with their places.
    pub(super) fn placed<'n>(&self, key: &str, node: &'n Node) -> Result<Vec<(&'n str, &'n Node)>, ConfigError> {
        let Value::List(items) = &node.value else { return Err(self.wrong(key, node, "a list of strings")) };
        items.iter().map(|item| Ok((self.text(key, item)?, item))).collect()
    }

    fn texts(&self, key: &str, node: &Node) -> Result<Vec<String>, ConfigError> {
        Ok(self.placed(key, node)?.into_iter().map(|(text, _)| text.to_string()).collect())
    }

    /// Files and folders that are there, relative to the configuration's folder.
    fn paths(&self, key: &str, node: &Node) -> Result<Vec<PathBuf>, ConfigError> {
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let there = |(name, node): (&str, &Node)| {
            let path = folder.join(name);
            let missing = || self.error(node.offset, format!("`{key}`: no such file or folder: {name}"));
            path.exists().then_some(path).ok_or_else(missing)
        };
        self.placed(key, node)?.into_iter().map(there).collect()
    }

    /// Patterns that the walker will understand: a wrong one is refused here, where its place is known.
    fn patterns(&self, key: &str, node: &Node) -> Result<Vec<String>, ConfigError> {
        for (pattern, node) in self.placed(key, node)? {
            let mut builder = ignore::gitignore::GitignoreBuilder::new("");
            if let Err(error) = builder.add_line(None, pattern) {
                return Err(self.error(node.offset, format!("`{key}`: {error}")));
            }
        }
        self.texts(key, node)
    }

    fn choice<T>(
        &self,
        key: &str,
        node: &Node,
        names: &[&str],
        by_name: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let text = self.text(key, node)?;
        by_name(text)
            .ok_or_else(|| self.error(node.offset, format!("`{key}`: unknown value `{text}`")).known(text, names))
    }
}
