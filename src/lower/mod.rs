//! Front ends: source text in, common IR out. Only this module knows a language's syntax; it knows no
//! library. Front ends are total: broken code lowers as far as it goes and the rest is listed in
//! [`crate::ir::File::problems`]. Trees are walked with an explicit stack or behind a depth guard.

mod builder;
pub mod python;
pub mod rust;
pub mod typescript;

pub use builder::Builder;

use crate::ir::{File, Language};

/// Lowers one file. `path` is relative to the analysed root and decides details of the language
/// (`.tsx`, `.pyi`).
pub fn lower(path: &str, language: Language, source: &str) -> File {
    match language {
        Language::Python => python::lower(path, source),
        Language::JavaScript => typescript::lower(path, source),
        Language::Rust => rust::lower(path, source),
    }
}

/// The language of a file name, if it is one squall reads.
pub fn language_of(path: &str) -> Option<Language> {
    let extension = path.rsplit_once('.')?.1;
    match extension {
        "py" | "pyi" => Some(Language::Python),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => Some(Language::JavaScript),
        "rs" => Some(Language::Rust),
        _ => None,
    }
}
