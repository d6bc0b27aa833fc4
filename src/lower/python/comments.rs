//! `# squall: ignore[a, b] reason`, alone on a line, behind code, or behind another comment's text.

use crate::ir::{Ignore, Span};
use crate::lower::Builder;

/// Records the ignore comments among a file's comments.
pub(super) fn ignores(builder: &mut Builder, source: &str, comments: &[Span]) {
    for &comment in comments {
        let text = source.get(comment.start as usize..comment.end as usize).unwrap_or("");
        // Nearly all comments are left here.
        if !text.contains("squall") {
            continue;
        }
        let line = builder.file().line(comment.start);
        let line_start = builder.file().line_starts.get(line as usize - 1).copied().unwrap_or(0);
        let before = source.get(line_start as usize..comment.start as usize).unwrap_or("");
        let trailing = !before.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty();
        for (at, _) in text.match_indices('#') {
            if let Some(rules) = ignored(&text[at + 1..]) {
                let span = Span::new(comment.start as usize + at, comment.end as usize);
                builder.file_mut().ignores.push(Ignore { line, trailing, rules, span });
            }
        }
    }
}

/// The names ignored by a comment's text behind its `#`; empty: all.
fn ignored(text: &str) -> Option<Vec<String>> {
    let rest = text.trim_start().strip_prefix("squall:")?.trim_start().strip_prefix("ignore")?;
    let Some(list) = rest.trim_start().strip_prefix('[') else {
        let ends = rest.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, '#' | ':' | ',' | '.' | ';'));
        return ends.then(Vec::new);
    };
    let (names, _) = list.split_once(']')?;
    Some(names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string).collect())
}
