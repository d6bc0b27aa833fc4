//! JSON as configuration files are written: with comments and trailing commas.

use serde_json::Value;

/// Reads lenient JSON; none if it cannot be read even so.
pub fn parse(text: &str) -> Option<Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&plain(text))).ok()
}

/// The text without comments and without commas before a closing bracket.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/', ',']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = match rest.as_bytes() {
            [b'"', ..] => {
                let end = string_end(rest);
                out.push_str(&rest[..end]);
                end
            }
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest.find("*/").map_or(rest.len(), |end| end + 2),
            [b',', ..] => {
                if !closes(&rest[1..]) {
                    out.push(',');
                }
                1
            }
            _ => {
                out.push('/');
                1
            }
        };
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Where the string that starts here ends.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether the next thing that counts is a closing bracket.
fn closes(mut rest: &str) -> bool {
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else {
            return rest.starts_with(['}', ']']);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use serde_json::json;

    #[test]
    fn comments_and_commas() {
        let text = "// first\n{ \"a\": [1, 2,], /* , } */ \"b\": \"// no, comment }\", // last,\n }";
        assert_eq!(parse(text), Some(json!({ "a": [1, 2], "b": "// no, comment }" })));
        assert_eq!(parse("\u{feff}{\"a\": 1, /* x */ }"), Some(json!({ "a": 1 })));
        for broken in ["", "{", "{\"a\": \"", "/*", "//", "{\"a\\", ","] {
            assert_eq!(parse(broken), None, "{broken}");
        }
    }
}
