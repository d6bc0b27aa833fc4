//! Valid TypeScript that the grammar does not know. A file with syntax errors is parsed once more with
//! these blanked out (only for the parser: positions and texts stay those of the source), and the reading
//! with fewer errors counts. What is blanked says nothing about calls.

use regex::Regex;
use std::ops::Range;
use std::sync::OnceLock;

/// Variance (`interface Box<in out T>`) and the `type` of `export type * from "m"`.
fn words() -> Option<&'static Regex> {
    static WORDS: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r"[<,]\s*(?:const\s+)?((?:in|out)(?:\s+out)?)\s+[\w$]|\bexport\s+(type)\s*\*";
    WORDS.get_or_init(|| Regex::new(pattern).ok()).as_ref()
}

/// `import("m").T` in a type, in front of type arguments.
fn imported_type() -> Option<&'static Regex> {
    static IMPORTED: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r#"\bimport\((?:"[^"\n]*"|'[^'\n]*')\)(?:\.[\w$]+)+<"#;
    IMPORTED.get_or_init(|| Regex::new(pattern).ok()).as_ref()
}

/// `typeof import("m")` in front of a call's type arguments' end: `load<typeof import("m")>()`.
fn module_type() -> Option<&'static Regex> {
    static MODULE: OnceLock<Option<Regex>> = OnceLock::new();
    MODULE.get_or_init(|| Regex::new(r"[\w$](<)\s*typeof\s+import\(").ok()).as_ref()
}

/// The end of type arguments in front of a template.
fn tagged() -> Option<&'static Regex> {
    static TAGGED: OnceLock<Option<Regex>> = OnceLock::new();
    TAGGED.get_or_init(|| Regex::new("(>)`").ok()).as_ref()
}

/// A copy of the source with the gaps blanked out, if it has any.
pub fn blanked(source: &str) -> Option<String> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for found in words()?.captures_iter(source) {
        ranges.extend(found.get(1).or(found.get(2)).map(|word| word.range()));
    }
    for found in imported_type()?.find_iter(source) {
        ranges.extend(bracketed(source, found.end() - 1));
    }
    for found in module_type()?.captures_iter(source) {
        ranges.extend(found.get(1).and_then(|open| bracketed(source, open.start())));
    }
    for found in tagged()?.find_iter(source) {
        ranges.extend(type_arguments_before(source, found.start()));
    }
    if ranges.is_empty() {
        return None;
    }
    let mut bytes = source.as_bytes().to_vec();
    for range in ranges {
        for byte in bytes.get_mut(range).into_iter().flatten().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    String::from_utf8(bytes).ok()
}

/// From a `<` to the `>` that closes it, if that is near.
fn bracketed(source: &str, start: usize) -> Option<Range<usize>> {
    let mut open = 0usize;
    for (at, byte) in source.bytes().enumerate().skip(start).take(2000) {
        match byte {
            b'<' => open += 1,
            b'>' if source.as_bytes().get(at.wrapping_sub(1)) != Some(&b'=') => open = open.saturating_sub(1),
            b';' => return None,
            _ => {}
        }
        if open == 0 {
            return Some(start..at + 1);
        }
    }
    None
}

/// From the `<` after a name to the `>` at `end`, if that is near: what a tag is told of its result.
fn type_arguments_before(source: &str, end: usize) -> Option<Range<usize>> {
    let bytes = source.as_bytes();
    let mut open = 0usize;
    for at in (end.saturating_sub(2000)..=end).rev() {
        match bytes.get(at)? {
            b'>' if at.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b'=') => open += 1,
            b'<' => open = open.checked_sub(1)?,
            b'`' => return None,
            _ => {}
        }
        if open == 0 {
            let before = bytes.get(at.checked_sub(1)?)?;
            let is_name = before.is_ascii_alphanumeric() || matches!(before, b'_' | b'$');
            return is_name.then_some(at..end + 1);
        }
    }
    None
}
