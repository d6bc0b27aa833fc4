//! The typescript front end.

use crate::ir::{File, Language};
use crate::lower::Builder;

/// Lowers one typescript file.
pub fn lower(path: &str, source: &str) -> File {
    Builder::new(path, Language::JavaScript, source).finish()
}
