//! Places of syn's tokens as byte ranges of the file.
//!
//! proc-macro2 counts characters; its own `byte_range` keeps a growing map per file, so lines of plain
//! ASCII, nearly all, are computed from line and column instead.

use crate::ir::Span;
use proc_macro2::{LineColumn, Span as Token};
use std::ops::Range;

/// Converts spans of one source text.
pub(super) struct Spans {
    lines: Vec<u32>,
    /// Lines with characters of several bytes; empty if there are none.
    wide: Vec<bool>,
    len: u32,
}

impl Spans {
    /// For a source text as it was parsed.
    pub fn new(source: &str) -> Self {
        let mut lines = vec![0];
        lines.extend(source.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        let wide = if source.is_ascii() {
            Vec::new()
        } else {
            source.split_inclusive('\n').map(|line| !line.is_ascii()).chain([false]).collect()
        };
        Self { lines, wide, len: source.len() as u32 }
    }

    /// The bytes a token covers.
    pub fn of(&self, token: Token) -> Span {
        let range = |pick: fn(Range<usize>) -> usize| pick(token.byte_range()) as u32;
        let start = self.plain(token.start()).unwrap_or_else(|| range(|r| r.start));
        let end = self.plain(token.end()).unwrap_or_else(|| range(|r| r.end));
        Span { start, end: end.max(start) }
    }

    fn plain(&self, at: LineColumn) -> Option<u32> {
        let line = at.line.saturating_sub(1);
        if self.wide.get(line) == Some(&true) {
            return None;
        }
        let start = self.lines.get(line).copied().unwrap_or(self.len);
        Some((start + at.column as u32).min(self.len))
    }
}

/// From the first byte of one span to the last of another; parts of a macro's body and of its arguments
/// have no common range, then the first counts.
pub(super) fn join(first: Span, last: Span) -> Span {
    if last.end >= first.end && last.start >= first.start { Span { start: first.start, end: last.end } } else { first }
}
