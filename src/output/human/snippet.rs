//! The source line of a place, with carets under it. Long lines are cut around the place.

use super::digits;
use crate::checks::Severity;
use crate::escape;
use crate::output::layout::{WIDTH, width};
use crate::output::paint::Paint;
use crate::source::{Place, Sources};

/// What is printed of a line, and which part of it is meant.
struct Shown {
    before: String,
    marked: String,
    after: String,
}

/// Writes where a place is and its first line. Returns the width of the line number.
pub(super) fn write(sources: &Sources, place: Place, severity: Severity, paint: Paint, out: &mut String) -> usize {
    let (start, end) = (sources.start(place), sources.end(place));
    let gutter = digits(start.line).max(2);
    let margin = " ".repeat(gutter);
    let path = escape::line(sources.path(place));
    out.push_str(&format!("{margin}{} {path}:{}:{}\n", paint.frame("-->"), start.line, start.column));
    let line = sources.file(place.file).line(start.line);
    let from = start.column as usize - 1;
    // A place of several lines is marked to the end of its first.
    let to = if end.line == start.line { end.column as usize - 1 } else { usize::MAX };
    let shown = cut(line, from, to, WIDTH - gutter - 3);
    let bar = paint.frame("|");
    let carets = "^".repeat(width(&shown.marked).max(1));
    let number = paint.frame(&crate::output::layout::pad_left(&start.line.to_string(), gutter));
    out.push_str(&format!("{margin} {bar}\n"));
    let Shown { before, marked, after } = &shown;
    out.push_str(&format!("{number} {bar} {}\n", format!("{before}{marked}{after}").trim_end()));
    out.push_str(&format!("{margin} {bar} {}{}\n", " ".repeat(width(before)), paint.severity(severity, &carets)));
    out.push_str(&format!("{margin} {bar}\n"));
    gutter
}

/// The part of a line around the characters `from..to` that fits into `columns`.
fn cut(line: &str, from: usize, to: usize, columns: usize) -> Shown {
    const DOTS: &str = "...";
    // Far-off characters never fit; leaving them out first keeps lines of megabytes cheap.
    let chars: Vec<char> = line.chars().skip(from.saturating_sub(columns)).take(3 * columns).collect();
    let skipped = from.saturating_sub(columns);
    let (from, to) = (from - skipped, to.saturating_sub(skipped));
    let cells: Vec<String> = chars.into_iter().map(cell).collect();
    let part = |range: std::ops::Range<usize>| {
        cells.get(range.start.min(cells.len())..range.end.min(cells.len())).unwrap_or(&[]).concat()
    };
    let (mut before, mut marked, mut after) = (part(0..from), part(from..to.max(from)), part(to.max(from)..usize::MAX));
    // The marked part comes first, then what follows, then what stands before.
    let room = columns - DOTS.len() * 2;
    let keep_before = room / 2;
    if skipped > 0 || width(&before) + width(&marked).min(room / 2) > room {
        before = DOTS.to_string() + last_columns(&before, keep_before.saturating_sub(DOTS.len()));
    }
    let left = columns.saturating_sub(width(&before) + DOTS.len());
    if width(&marked) > left {
        marked = first_columns(&marked, left).to_string() + DOTS;
        after.clear();
    } else if width(&marked) + width(&after) > left + DOTS.len() {
        after = first_columns(&after, left - width(&marked)).to_string() + DOTS;
    }
    Shown { before, marked, after }
}

/// One character as printed.
fn cell(c: char) -> String {
    match c {
        '\t' => "    ".into(),
        c => escape::line(c.encode_utf8(&mut [0; 4])).into_owned(),
    }
}

fn first_columns(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += width(c.encode_utf8(&mut [0; 4]));
        used > columns
    });
    end.map_or(text, |(at, _)| &text[..at])
}

fn last_columns(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|(_, c)| {
        used += width(c.encode_utf8(&mut [0; 4]));
        used > columns
    });
    start.map_or(text, |(at, c)| &text[at + c.len_utf8()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, from: usize, to: usize, columns: usize) -> (String, String) {
        let shown = cut(line, from, to, columns);
        let text = format!("{}{}{}", shown.before, shown.marked, shown.after);
        assert!(width(&text) <= columns, "{text}");
        (text, shown.marked)
    }

    #[test]
    fn short_lines_are_whole() {
        assert_eq!(check("\tab(cd)", 1, 3, 40), ("    ab(cd)".into(), "ab".into()));
        assert_eq!(check("ab", 5, 9, 40), ("ab".into(), "".into()));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let line = format!("{}(needle){}", "a".repeat(100), "b".repeat(5000));
        let (text, marked) = check(&line, 101, 107, 40);
        assert_eq!(marked, "needle");
        assert!(text.starts_with("...aaa") && text.ends_with("bbb..."), "{text}");
        check(&"x".repeat(1_000_000), 999_990, usize::MAX, 40);
        check(&"\u{202e}\u{1b}".repeat(1000), 600, 900, 40);
    }
}
