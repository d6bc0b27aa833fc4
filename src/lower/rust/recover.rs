//! Files that syn refuses: the items it does not take are found one by one and blanked out, so that the
//! rest of the file is read where it stands, and each loss is listed.

use super::scan::{Chunk, survey};
use crate::ir::Span;

/// A text that parses, and what was lost to get there.
pub(super) struct Recovered {
    pub text: String,
    pub lost: Vec<(String, Span)>,
}

/// Blanks what does not parse or would need more than `limit` bytes of stack.
pub(super) fn recover(source: &str, limit: usize) -> Recovered {
    let mut found = Recovered { text: source.to_string(), lost: Vec::new() };
    let mut bytes = source.as_bytes().to_vec();
    for chunk in survey(source).items {
        inspect(source, chunk, limit, &mut bytes, &mut found.lost);
    }
    // Only whole characters were replaced, by spaces.
    found.text = String::from_utf8(bytes).unwrap_or_default();
    found
}

fn inspect(source: &str, chunk: Chunk, limit: usize, bytes: &mut [u8], lost: &mut Vec<(String, Span)>) {
    let Some(reason) = refused(&source[chunk.start..chunk.end], chunk.cost, limit) else { return };
    if members(source, chunk, limit, bytes, lost) {
        return;
    }
    // A bracket or quote left open swallows what follows: look for items at the start of lines.
    let pieces = by_lines(source, chunk);
    if pieces.len() == 1 {
        return lose(source, chunk, &reason, bytes, lost);
    }
    for mut piece in pieces {
        let text = &source[piece.start..piece.end];
        piece.cost = survey(text).cost;
        if let Some(reason) = refused(text, piece.cost, limit)
            && !members(source, piece, limit, bytes, lost)
        {
            lose(source, piece, &reason, bytes, lost);
        }
    }
}

/// Inspects the members of a `mod`, `impl` or `trait` instead of the whole; false if it is none.
fn members(source: &str, chunk: Chunk, limit: usize, bytes: &mut [u8], lost: &mut Vec<(String, Span)>) -> bool {
    let Some((head, members)) = container(source, chunk, limit) else { return false };
    for member in members {
        let wrapped = format!("{head}{}}}", &source[member.start..member.end]);
        if let Some(reason) = refused(&wrapped, member.cost, limit) {
            lose(source, member, &reason, bytes, lost);
        }
    }
    true
}

/// Why a piece of source is not read.
fn refused(text: &str, cost: usize, limit: usize) -> Option<String> {
    if cost > limit {
        return Some("it is nested too deeply".to_string());
    }
    syn::parse_str::<syn::File>(text).err().map(|e| e.to_string())
}

fn lose(source: &str, chunk: Chunk, reason: &str, bytes: &mut [u8], lost: &mut Vec<(String, Span)>) {
    let first = source[chunk.token.min(chunk.end)..chunk.end].lines().next().unwrap_or_default();
    let shown: String = first.trim().chars().take(60).collect();
    if !shown.is_empty() {
        let span = Span::new(chunk.token, chunk.end);
        lost.push((format!("`{shown}` could not be read and is left out: {reason}"), span));
    }
    for byte in &mut bytes[chunk.start..chunk.end] {
        if !matches!(*byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

/// The head up to the brace and the members of a `mod`, `impl` or `trait` that is closed properly.
fn container(source: &str, chunk: Chunk, limit: usize) -> Option<(String, Vec<Chunk>)> {
    let text = source[chunk.token..chunk.end].trim_end();
    let open = text.find('{')?;
    let head = &text[..=open];
    let is_container =
        head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| matches!(word, "mod" | "impl" | "trait"));
    if !is_container || !text.ends_with('}') || refused(&format!("{head}}}"), 0, limit).is_some() {
        return None;
    }
    let start = chunk.token + open + 1;
    let inside = source.get(start..chunk.token + text.len() - 1)?;
    let members = survey(inside).items.into_iter().map(|c| Chunk {
        start: start + c.start,
        token: start + c.token,
        end: start + c.end,
        cost: c.cost,
    });
    Some((head.to_string(), members.collect()))
}

/// Pieces of a chunk that begin at the start of a line with the word of an item or an attribute.
fn by_lines(source: &str, chunk: Chunk) -> Vec<Chunk> {
    const WORDS: [&str; 15] = [
        "#[", "pub ", "pub(", "fn ", "async ", "unsafe ", "const ", "static ", "struct ", "enum ", "impl", "trait ",
        "mod ", "use ", "type ",
    ];
    let mut starts = vec![chunk.start];
    let mut at = chunk.start;
    let mut after_attribute = false;
    for line in source[chunk.start..chunk.end].split_inclusive('\n') {
        let begins = WORDS.iter().any(|w| line.starts_with(w));
        if begins && at > chunk.token && !after_attribute {
            starts.push(at);
        }
        after_attribute = line.starts_with("#[");
        at += line.len();
    }
    let ends = starts.iter().copied().skip(1).chain([chunk.end]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| Chunk { start, token: first_token(source, start, end), end, cost: 0 })
        .collect()
}

fn first_token(source: &str, start: usize, end: usize) -> usize {
    let text = &source[start..end];
    start + (text.len() - text.trim_start().len())
}
