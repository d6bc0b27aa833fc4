//! Lines of a width, whatever the terminal's: the same report is the same bytes everywhere.

use unicode_width::UnicodeWidthStr;

/// Columns of a report for people.
pub const WIDTH: usize = 80;

/// Columns a text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Breaks a text into lines of at most `columns`, at spaces. A word longer than a line stays whole: paths and
/// names are to be copied.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = width(word);
        if used > 0 && used + 1 + wide > columns {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += wide;
        }
    }
    lines
}

/// A text with spaces up to a width.
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// A text with spaces before it up to a width.
pub fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Seconds for people: "2 s", "31.5 s", "12 min", "6 h".
pub fn duration(seconds: f64) -> String {
    let round = |value: f64| {
        let text = format!("{value:.1}");
        text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
    };
    match seconds {
        s if crate::timing::is_far(s) => "as long as the server says".to_string(),
        s if s < 120.0 => format!("{} s", round(s)),
        s if s < 7200.0 => format!("{} min", round(s / 60.0)),
        s if s < 172_800.0 => format!("{} h", round(s / 3600.0)),
        s => format!("{} days", round(s / 86_400.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_spaces() {
        assert_eq!(wrap("aa bb ccccccc d", 5), ["aa bb", "ccccccc", "d"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn durations_read_well() {
        assert_eq!(
            [0.5, 31.5, 120.0, 21636.0, 200_000.0].map(duration),
            ["0.5 s", "31.5 s", "2 min", "6 h", "2.3 days"]
        );
    }
}
