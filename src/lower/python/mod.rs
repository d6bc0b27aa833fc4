//! The python front end.

use crate::ir::{File, Language};
use crate::lower::Builder;

/// Lowers one python file.
pub fn lower(path: &str, source: &str) -> File {
    Builder::new(path, Language::Python, source).finish()
}
