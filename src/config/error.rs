//! A configuration that cannot be used: what is wrong, where, and what to write instead.

use crate::escape;
use crate::nearest::nearest;
use crate::source::Source;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// Line and column from 1, if the file could be read.
    pub at: Option<(u32, u32)>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl ConfigError {
    /// An error about a whole file.
    pub fn file(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_path_buf(), at: None, message: message.into(), help: None }
    }

    /// An error at a byte of a file's text.
    pub fn at(file: &Path, text: &str, offset: usize, message: impl Into<String>) -> Self {
        let place = Source::new(String::new(), text, false).position(offset.min(text.len()) as u32);
        Self { at: Some((place.line, place.column)), ..Self::file(file, message) }
    }

    /// The error with a help line.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The error with the known names, the nearest first.
    pub fn known(self, word: &str, known: &[&str]) -> Self {
        match nearest(word, known.iter().copied()) {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self.help(format!("known: {}", known.join(", "))),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", escape::line(&self.file.to_string_lossy()))?;
        if let Some((line, column)) = self.at {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", escape::line(&self.message))?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {}", escape::line(help)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ConfigError {}
