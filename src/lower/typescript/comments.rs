//! Ignore comments: `// squall: ignore[rule, rule] reason`, also in block comments, also without rules.

use super::tree::Tree;
use crate::ir::{Ignore, Span};
use crate::lower::Builder;

/// Records the file's ignore comments.
pub fn ignores(builder: &mut Builder, tree: &Tree, source: &str) {
    if !source.contains("squall:") {
        return;
    }
    for &comment in &tree.comments {
        let mut start = comment.start;
        for line in tree.slice(comment).split_inclusive('\n') {
            let span = Span { start, end: start + line.trim_end().len() as u32 };
            start += line.len() as u32;
            if let Some(rules) = rules(line) {
                let number = builder.file().line(span.start);
                let line_start = builder.file().line_starts.get(number as usize - 1).copied().unwrap_or(0);
                let before = tree.slice(Span { start: line_start, end: comment.start.max(line_start) });
                let trailing = !before.trim_start_matches(['{', ' ', '\t', '\u{feff}']).is_empty();
                builder.file_mut().ignores.push(Ignore { line: number, trailing, rules, span });
            }
        }
    }
}

/// The rules named by one line of a comment, if it is an ignore comment.
fn rules(line: &str) -> Option<Vec<String>> {
    let text = line.trim().trim_start_matches(['/', '*', '!']).trim_start();
    let rest = text.strip_prefix("squall:")?.trim_start().strip_prefix("ignore")?;
    let Some(list) = rest.trim_start().strip_prefix('[') else {
        let is_whole_word = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
        return is_whole_word.then(Vec::new);
    };
    let (list, _) = list.split_once(']')?;
    Some(list.split(',').map(|rule| rule.trim().to_string()).filter(|rule| !rule.is_empty()).collect())
}
