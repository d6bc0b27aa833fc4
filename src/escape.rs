//! Everything printed that came from the tree passes here: file names, source lines and whatever
//! messages quote. A repository that is looked at must not be able to move the cursor, colour the
//! terminal, forge a line, turn text around, or break out of a format.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character may not be shown as it is: control characters, marks that turn the direction
/// of text, line separators, and invisible ones that make two names look alike.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Replaces the characters for which `replace` has another text.
fn map(text: &str, replace: impl Fn(char) -> Option<Cow<'static, str>>) -> Cow<'_, str> {
    let Some(first) = text.char_indices().find(|&(_, c)| replace(c).is_some()).map(|(at, _)| at) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + 8);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        match replace(c) {
            Some(other) => out.push_str(&other),
            None => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// How an unsafe character is shown.
fn visible(c: char) -> Option<Cow<'static, str>> {
    match c {
        '\n' => Some(Cow::Borrowed("\\n")),
        '\r' => Some(Cow::Borrowed("\\r")),
        '\t' => Some(Cow::Borrowed("\\t")),
        c if is_unsafe(c) => Some(Cow::Owned(format!("\\u{{{:x}}}", c as u32))),
        _ => None,
    }
}

/// For terminals and plain text: one line, nothing in it acts.
pub fn line(text: &str) -> Cow<'_, str> {
    map(text, visible)
}

/// For JSON that is already serialised: the same text, with characters that could act on a terminal
/// written as `\uXXXX`. JSON holds such characters in strings only (line breaks between tokens stay).
pub fn json(text: &str) -> Cow<'_, str> {
    map(text, |c| {
        let inside = is_unsafe(c) && c >= '\u{7f}';
        inside.then(|| {
            let mut units = [0u16; 2];
            let mut out = String::new();
            for unit in c.encode_utf16(&mut units) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
            Cow::Owned(out)
        })
    })
}

/// For the message of a GitHub workflow command.
pub fn github_message(text: &str) -> String {
    // The runner turns %0A and the like back, so the visible form of line breaks is kept out of its hands.
    line(text).replace('%', "%25")
}

/// For a property (file, title) of a GitHub workflow command.
pub fn github_property(text: &str) -> String {
    github_message(text).replace(':', "%3A").replace(',', "%2C")
}

/// For XML and HTML, in text and in quoted attributes.
pub fn xml(text: &str) -> String {
    let shown = line(text);
    map(&shown, |c| {
        let entity = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&#39;",
            _ => return None,
        };
        Some(Cow::Borrowed(entity))
    })
    .into_owned()
}

/// For Markdown prose and table cells: no links, images, emphasis, HTML, mentions or cells of its own. Code
/// between single backticks stays code.
pub fn markdown(text: &str) -> String {
    let shown = line(text);
    let parts: Vec<&str> = shown.split('`').collect();
    // A run of several backticks, or one without a partner, pairs in ways that are not worth following.
    if shown.contains("``") || parts.len().is_multiple_of(2) {
        return prose(&shown);
    }
    let part = |(at, part): (usize, &&str)| match at % 2 {
        0 => prose(part),
        // Nothing acts inside code, except that a bar ends a table's cell.
        _ => format!("`{}`", part.replace('|', "\\|")),
    };
    parts.iter().enumerate().map(part).collect()
}

fn prose(text: &str) -> String {
    map(text, |c| match c {
        '<' => Some(Cow::Borrowed("&lt;")),
        '>' => Some(Cow::Borrowed("&gt;")),
        '&' => Some(Cow::Borrowed("&amp;")),
        // An entity keeps `@name` from notifying anybody.
        '@' => Some(Cow::Borrowed("&#64;")),
        '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '!' | '|' | '~' => Some(Cow::Owned(format!("\\{c}"))),
        _ => None,
    })
    .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_untouched() {
        assert!(matches!(line("app/größe.py"), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_acts_on_a_terminal() {
        assert_eq!(line("a\x1b[31mb\nc\rd\u{202e}e\u{9b}f\u{7f}"), r"a\u{1b}[31mb\nc\rd\u{202e}e\u{9b}f\u{7f}");
    }

    #[test]
    fn json_stays_the_same_text() {
        let text = "a\u{202e}\u{9b}\u{e0041}\x1b";
        let printed = serde_json::to_string(text).unwrap();
        let safe = json(&printed);
        assert!(safe.is_ascii());
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }

    #[test]
    fn formats_keep_their_frame() {
        assert_eq!(github_message("50%\n::error::x"), r"50%25\n::error::x");
        assert_eq!(github_property("a,b:c"), "a%2Cb%3Ac");
        assert_eq!(xml("<a b='\"'>&"), "&lt;a b=&#39;&quot;&#39;&gt;&amp;");
        assert_eq!(markdown("[x](y) @me | <b>"), r"\[x\](y) &#64;me \| &lt;b&gt;");
        assert_eq!(markdown("use `a_b|c` or `d"), r"use \`a\_b\|c\` or \`d");
        assert_eq!(markdown("use `a_b|c`, not d_e"), r"use `a_b\|c`, not d\_e");
    }
}
