//! The rust front end.

use crate::ir::{File, Language};
use crate::lower::Builder;

/// Lowers one rust file.
pub fn lower(path: &str, source: &str) -> File {
    Builder::new(path, Language::Rust, source).finish()
}
