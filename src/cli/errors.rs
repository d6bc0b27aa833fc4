//! Why a command could not do its work, and the status that says so.

use crate::config::ConfigError;
use crate::discover::ScopeError;

/// What ends a run early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Scope(#[from] ScopeError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{0} is not built yet")]
    NotBuilt(&'static str),
    #[error("cannot write: {0}")]
    Write(#[from] std::io::Error),
    #[error("no Python, TypeScript, JavaScript or Rust file found in {0}\n  help: --allow-empty makes this a success")]
    Empty(String),
}

impl Failure {
    /// The exit status.
    pub(super) fn status(&self) -> u8 {
        match self {
            Failure::Empty(_) => super::EMPTY,
            _ => super::WRONG,
        }
    }
}
