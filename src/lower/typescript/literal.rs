//! Constants: numbers, strings with their escapes, templates.

use super::kind::Kind;
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;
use std::borrow::Cow;

/// Largest integer up to which every integer is exact as a number.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Lower<'_, '_> {
    /// A number; whole ones are integers however they are written (`1e3`, `5.0`).
    pub fn number(&mut self, n: Node) -> ExprId {
        let literal = number(self.tree.text(n));
        let span = self.span(n);
        self.b.expr(ExprKind::Literal(literal), span)
    }

    /// A string.
    pub fn string(&mut self, n: Node) -> ExprId {
        let text = unquote(self.tree.text(n));
        let span = self.span(n);
        self.b.string(&text, span)
    }

    /// A template: a plain string if nothing is put into it.
    pub fn template(&mut self, n: Node) -> ExprId {
        let tree = self.tree;
        let span = tree.span(n);
        let mut parts = Vec::new();
        let mut start = span.start + 1;
        for hole in tree.named(n).filter(|&c| tree.kind(c) == Kind::TemplateSubstitution) {
            let at = tree.span(hole);
            self.template_text(start, at.start, &mut parts);
            start = at.end;
            if let Some(inner) = tree.first(hole) {
                parts.push(self.expr(inner));
            }
        }
        self.template_text(start, span.end.saturating_sub(1), &mut parts);
        self.b.expr(ExprKind::Template(parts), span)
    }

    fn template_text(&mut self, start: u32, end: u32, parts: &mut Vec<ExprId>) {
        if start < end {
            let span = Span { start, end };
            let text = unescape(self.tree.slice(span));
            parts.push(self.b.string(&text, span));
        }
    }

    /// A template as a value.
    pub fn template_value(&mut self, n: Node) -> ExprId {
        if self.tree.first(n).is_some() {
            return self.template(n);
        }
        self.string(n)
    }
}

/// The value of a number as it is written.
fn number(text: &str) -> Literal {
    let plain: Cow<str> = if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    let digits = plain.strip_suffix('n').unwrap_or(&plain);
    if let Some((radix, rest)) = radix(digits) {
        return i64::from_str_radix(rest, radix).map_or(Literal::Other, Literal::Int);
    }
    if let Ok(value) = digits.parse::<i64>() {
        return Literal::Int(value);
    }
    if digits.len() < plain.len() {
        return Literal::Other;
    }
    match digits.parse::<f64>() {
        Ok(value) if value.fract() == 0.0 && value.abs() <= EXACT => Literal::Int(value as i64),
        Ok(value) if value.is_finite() => Literal::Float(value),
        _ => Literal::Other,
    }
}

fn radix(text: &str) -> Option<(u32, &str)> {
    let rest = text.strip_prefix('0')?;
    match rest.as_bytes().first()? {
        b'x' | b'X' => Some((16, &rest[1..])),
        b'o' | b'O' => Some((8, &rest[1..])),
        b'b' | b'B' => Some((2, &rest[1..])),
        _ if rest.bytes().all(|b| (b'0'..=b'7').contains(&b)) => Some((8, rest)),
        _ => None,
    }
}

/// The value of a quoted string.
pub fn unquote(text: &str) -> Cow<'_, str> {
    let quotes = ['"', '\'', '`'];
    let inner = text.strip_prefix(quotes).unwrap_or(text);
    let inner = inner.strip_suffix(quotes).unwrap_or(inner);
    unescape(inner)
}

/// Resolves backslash escapes.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let mut chars = rest[at + 1..].chars();
        let escape = chars.next();
        rest = escaped(escape, chars.as_str(), &mut out);
    }
    out.push_str(rest);
    out.into()
}

/// Appends what an escape stands for and returns the text after it.
fn escaped<'s>(escape: Option<char>, rest: &'s str, out: &mut String) -> &'s str {
    match escape {
        Some('n') => out.push('\n'),
        Some('t') => out.push('\t'),
        Some('r') => out.push('\r'),
        Some('b') => out.push('\u{8}'),
        Some('f') => out.push('\u{c}'),
        Some('v') => out.push('\u{b}'),
        Some('0') => out.push('\0'),
        Some('\r') => return rest.strip_prefix('\n').unwrap_or(rest),
        Some('\n' | '\u{2028}' | '\u{2029}') | None => {}
        Some('x') => return code(rest.get(..2), rest.get(2..), out).unwrap_or(rest),
        Some('u') => {
            let (digits, after) = match rest.strip_prefix('{').and_then(|r| r.split_once('}')) {
                Some((digits, after)) => (Some(digits), Some(after)),
                None => (rest.get(..4), rest.get(4..)),
            };
            return code(digits, after, out).unwrap_or(rest);
        }
        Some(other) => out.push(other),
    }
    rest
}

fn code<'s>(digits: Option<&str>, after: Option<&'s str>, out: &mut String) -> Option<&'s str> {
    let value = u32::from_str_radix(digits?, 16).ok()?;
    out.push(char::from_u32(value).unwrap_or('\u{fffd}'));
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let cases = [
            ("3", Literal::Int(3)),
            ("1_000", Literal::Int(1000)),
            ("1e3", Literal::Int(1000)),
            ("5.0", Literal::Int(5)),
            (".5", Literal::Float(0.5)),
            ("0x1F", Literal::Int(31)),
            ("0b101", Literal::Int(5)),
            ("0o17", Literal::Int(15)),
            ("017", Literal::Int(15)),
            ("089", Literal::Int(89)),
            ("10n", Literal::Int(10)),
            ("0", Literal::Int(0)),
            ("1e999", Literal::Other),
            ("99999999999999999999n", Literal::Other),
            ("0x", Literal::Other),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn strings() {
        let cases = [
            (r#""a\nb""#, "a\nb"),
            (r"'it\'s'", "it's"),
            (r"'\x41\u0042\u{1F600}'", "AB\u{1F600}"),
            ("'a\\\nb'", "ab"),
            ("'a\\\r\nb'", "ab"),
            (r"'\xZZ\u{}'", "ZZ{}"),
            (r"'\uD83D'", "\u{fffd}"),
            ("'é\\é'", "éé"),
            ("'", ""),
            ("'\\", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(unquote(text), expected, "{text}");
        }
    }
}
