//! Source texts and places in them. Everything a report names is a [`Place`]; lines and columns are
//! worked out only when it is printed.

use crate::ir::Span;
use std::sync::Arc;

/// A file's index in [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

impl FileId {
    /// The position in [`Sources`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The bytes.
    pub span: Span,
}

/// A file's text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path relative to the analysed root, with `/`.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// Byte offset of the start of each line.
    pub line_starts: Vec<u32>,
    /// Whether it is a test, judged relative to the analysed root.
    pub is_test: bool,
}

/// All files of one run, ordered by path.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The files.
    pub files: Vec<Source>,
}

/// A position for people: both from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// Line from 1.
    pub line: u32,
    /// Column from 1, in characters.
    pub column: u32,
}

impl Sources {
    /// The file behind an id.
    pub fn file(&self, id: FileId) -> &Source {
        &self.files[id.index()]
    }

    /// Path of a place's file.
    pub fn path(&self, place: Place) -> &str {
        &self.file(place.file).path
    }

    /// Where a place starts.
    pub fn start(&self, place: Place) -> Position {
        self.file(place.file).position(place.span.start)
    }

    /// Where a place ends.
    pub fn end(&self, place: Place) -> Position {
        self.file(place.file).position(place.span.end)
    }

    /// The text of a place (empty if the place does not fit the text).
    pub fn text(&self, place: Place) -> &str {
        self.file(place.file).text.get(place.span.start as usize..place.span.end as usize).unwrap_or("")
    }
}

impl Source {
    /// A file of that text.
    pub fn new(path: String, text: &str, is_test: bool) -> Self {
        let starts = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(at, _)| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        Self { path, text: Arc::from(text), line_starts, is_test }
    }

    /// The text of a line (from 1), without its end.
    pub fn line(&self, line: u32) -> &str {
        let at = |n: u32| self.line_starts.get(n as usize).map(|&s| s as usize);
        let start = at(line.saturating_sub(1)).unwrap_or(self.text.len());
        let end = at(line).unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0) as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(1, |t| t.chars().count() as u32 + 1);
        Position { line: line as u32, column }
    }
}
