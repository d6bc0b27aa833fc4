//! `// squall: ignore[a, b] reason` comments.

use crate::ir::{Ignore, Span};

/// Reads an ignore comment; none if the comment says something else.
pub(super) fn ignore(source: &str, span: Span, line: u32, line_start: u32) -> Option<Ignore> {
    let text = source.get(span.start as usize..span.end as usize)?;
    let text = text.trim_start_matches('/').trim_start().strip_prefix("squall:")?;
    let text = text.trim_start().strip_prefix("ignore")?;
    if text.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_') {
        return None;
    }
    let rules = match text.trim_start().strip_prefix('[').and_then(|t| t.split_once(']')) {
        Some((list, _)) => list.split(',').map(|r| r.trim().to_string()).filter(|r| !r.is_empty()).collect(),
        None => Vec::new(),
    };
    let before = source.get(line_start as usize..span.start as usize)?;
    Some(Ignore { line, trailing: !before.trim().is_empty(), rules, span })
}
