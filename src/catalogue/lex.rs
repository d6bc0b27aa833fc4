//! Tokens of formulas.

use std::fmt;

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    Name(String),
    /// An operator, a bracket or a word of the language.
    Symbol(&'static str),
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Token::Number(n) => write!(f, "`{n}`"),
            Token::Text(t) => write!(f, "\"{t}\""),
            Token::Name(n) => write!(f, "`{n}`"),
            Token::Symbol(s) => write!(f, "`{s}`"),
            Token::End => f.write_str("the end"),
        }
    }
}

/// Longest first, so that `**` is not read as `*` twice.
const SYMBOLS: [&str; 18] =
    ["**", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",", "."];

const WORDS: [&str; 8] = ["and", "or", "not", "in", "true", "false", "null", "inf"];

/// Splits a formula into tokens, each with its column (from 1). The last one is [`Token::End`].
pub(super) fn lex(text: &str) -> Result<Vec<(usize, Token)>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut column = 1;
    while let Some(c) = rest.chars().next() {
        let length = if c.is_whitespace() {
            c.len_utf8()
        } else if c == '"' || c == '\'' {
            let inside = &rest[1..];
            let Some(end) = inside.find(c) else {
                return Err(format!("column {column}: the text does not end"));
            };
            tokens.push((column, Token::Text(inside[..end].to_string())));
            end + 2
        } else if c.is_ascii_digit() {
            let word = number(rest);
            let digits = word.replace('_', "");
            let Ok(n) = digits.parse() else {
                return Err(format!("column {column}: not a number: `{word}`"));
            };
            tokens.push((column, Token::Number(n)));
            word.len()
        } else if c.is_alphabetic() || c == '_' || c == '$' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
            let word = &rest[..end];
            tokens.push((
                column,
                WORDS.iter().find(|w| **w == word).map_or_else(|| Token::Name(word.to_string()), |w| Token::Symbol(w)),
            ));
            end
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            tokens.push((column, Token::Symbol(symbol)));
            symbol.len()
        } else {
            return Err(format!("column {column}: unexpected `{c}`"));
        };
        column += rest[..length].chars().count();
        rest = &rest[length..];
    }
    tokens.push((column, Token::End));
    Ok(tokens)
}

/// The longest prefix that looks like a number: digits, `_`, a point followed by a digit, an exponent.
fn number(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(&b) = bytes.get(end) {
        let digit_follows = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        let goes_on = match b {
            b'0'..=b'9' | b'_' => true,
            b'.' => digit_follows,
            b'e' | b'E' => digit_follows || matches!(bytes.get(end + 1), Some(b'-' | b'+')),
            b'-' | b'+' => end > 0 && matches!(bytes[end - 1], b'e' | b'E') && digit_follows,
            _ => false,
        };
        if !goes_on {
            break;
        }
        end += 1;
    }
    &text[..end]
}
