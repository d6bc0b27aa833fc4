//! One catalogue file, read when it is first asked for.

use super::book::Book;
use super::schema::LibraryFile;
use crate::ir::Language;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A file's text and, once somebody asks, what it says.
#[derive(Debug)]
pub(super) struct Shelf {
    pub name: String,
    pub text: Cow<'static, str>,
    book: OnceLock<Result<Book, String>>,
}

impl Shelf {
    pub fn new(name: String, text: Cow<'static, str>) -> Self {
        Shelf { name, text, book: OnceLock::new() }
    }

    /// What the file says; nothing if it is wrong (then [`Shelf::problem`] says why).
    pub fn book(&self) -> Option<&Book> {
        self.read().as_ref().ok()
    }

    /// What the file says, if somebody has asked before.
    pub fn opened(&self) -> Option<&Book> {
        self.book.get()?.as_ref().ok()
    }

    /// Why the file cannot be used: `file:line:column: reason`.
    pub fn problem(&self) -> Option<&str> {
        self.read().as_ref().err().map(String::as_str)
    }

    fn read(&self) -> &Result<Book, String> {
        self.book.get_or_init(|| {
            toml::from_str::<LibraryFile>(&self.text).map(Book::new).map_err(|error| {
                let at = error.span().map_or(0, |span| span.start);
                self.problem_at(at, error.message())
            })
        })
    }

    /// A problem at a byte of the file.
    pub fn problem_at(&self, offset: usize, reason: &str) -> String {
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        let column = before[start..].chars().count() + 1;
        let reason = reason.trim().replace('\n', "; ");
        format!("{}:{line}:{column}: {reason}", self.name)
    }

    /// The import roots, found without reading the whole file: the strings of the first `imports = […]`.
    /// A test holds this to what the parser says.
    pub fn imports(&self) -> Vec<&str> {
        let Some(at) = self.text.find("\nimports = [") else {
            return Vec::new();
        };
        let list = &self.text[at + "\nimports = [".len()..];
        let list = list.split_once(']').map_or(list, |l| l.0);
        list.split('"').skip(1).step_by(2).collect()
    }
}

/// The language whose paths are written like this one.
pub(super) fn language_of(path: &str) -> Language {
    if path.contains("::") {
        Language::Rust
    } else if path.contains(':') {
        Language::JavaScript
    } else {
        Language::Python
    }
}
