//! Numbers, strings, f-strings.

use super::Lower;
use super::kind::{Field, Kind};
use super::tree::Node;
use crate::ir::*;
use std::borrow::Cow;

/// A number's value.
pub(super) fn number(text: &str) -> Literal {
    let digits: String = text.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect();
    let digits = digits.strip_suffix('l').unwrap_or(&digits);
    let radix = |prefix: &str, radix| digits.strip_prefix(prefix).map(|rest| i64::from_str_radix(rest, radix));
    if let Some(parsed) = radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| radix("0b", 2)) {
        return parsed.map_or(Literal::Other, Literal::Int);
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        // Python 2 wrote octal numbers with a leading zero only.
        let octal = digits.len() > 1 && digits.starts_with('0') && digits.bytes().any(|b| b != b'0');
        let parsed = if octal { i64::from_str_radix(digits, 8) } else { digits.parse() };
        return parsed.map_or(Literal::Other, Literal::Int);
    }
    digits.parse().map_or(Literal::Other, Literal::Float)
}

/// The parts of one or several adjacent string literals.
#[derive(Default)]
struct Parts {
    text: String,
    text_span: Option<Span>,
    /// What stands before `text`.
    parts: Vec<ExprId>,
    is_bytes: bool,
}

impl Lower {
    /// A string, an f-string, or several adjacent ones.
    pub(super) fn string(&mut self, node: Node) -> ExprId {
        let mut parts = Parts::default();
        if node.kind() == Kind::String {
            self.string_parts(node, &mut parts);
        }
        for child in node.children().filter(|child| child.kind() == Kind::String) {
            self.string_parts(child, &mut parts);
        }
        if parts.is_bytes {
            return self.builder.expr(ExprKind::Literal(Literal::Other), node.span());
        }
        if parts.parts.is_empty() {
            return self.builder.string(&parts.text, node.span());
        }
        self.flush(&mut parts);
        self.builder.expr(ExprKind::Template(parts.parts), node.span())
    }

    fn string_parts(&mut self, node: Node, parts: &mut Parts) {
        let prefix = node.child_of(Kind::StringStart).map_or("", Node::text);
        let has = |letter: char| prefix.contains([letter, letter.to_ascii_uppercase()]);
        parts.is_bytes |= has('b');
        let (raw, formatted) = (has('r'), has('f') || has('t'));
        for child in node.children() {
            match child.kind() {
                Kind::StringContent => {
                    parts.text.push_str(&decode(child.text(), raw, formatted));
                    let start = parts.text_span.map_or(child.span().start, |span| span.start);
                    parts.text_span = Some(Span { start, end: child.span().end });
                }
                Kind::Interpolation => {
                    self.flush(parts);
                    self.interpolation(child, parts);
                }
                _ => {}
            }
        }
    }

    fn interpolation(&mut self, node: Node, parts: &mut Parts) {
        if !self.enter(node) {
            return;
        }
        for child in node.children() {
            match child.kind() {
                Kind::FormatSpecifier => {
                    for nested in child.children().filter(|c| c.kind() == Kind::FormatExpression) {
                        self.interpolation(nested, parts);
                    }
                }
                _ if child.field() == Field::Expression => parts.parts.push(self.expr(child)),
                _ => {}
            }
        }
        self.leave();
    }

    fn flush(&mut self, parts: &mut Parts) {
        if let Some(span) = parts.text_span.take() {
            let text = std::mem::take(&mut parts.text);
            parts.parts.push(self.builder.string(&text, span));
        }
    }
}

/// Resolves escapes (and an f-string's doubled braces).
fn decode(text: &str, raw: bool, formatted: bool) -> Cow<'_, str> {
    let escapes = !raw && text.contains('\\');
    let braces = formatted && text.contains(['{', '}']);
    if !escapes && !braces {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' && escapes {
            escape(&mut chars, &mut out);
        } else {
            if braces && (c == '{' || c == '}') {
                chars.next_if_eq(&c);
            }
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn escape(chars: &mut std::iter::Peekable<std::str::Chars>, out: &mut String) {
    let Some(c) = chars.next() else { return out.push('\\') };
    let code = |chars: &mut std::iter::Peekable<std::str::Chars>, first: u32, radix: u32, most: usize| {
        let mut value = first;
        for _ in 0..most {
            let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            chars.next();
        }
        char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
    };
    match c {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'a' => out.push('\u{7}'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'v' => out.push('\u{b}'),
        '\\' | '\'' | '"' => out.push(c),
        '\n' => {}
        '\r' => {
            chars.next_if_eq(&'\n');
        }
        'x' => out.push(code(chars, 0, 16, 2)),
        'u' => out.push(code(chars, 0, 16, 4)),
        'U' => out.push(code(chars, 0, 16, 8)),
        '0'..='7' => out.push(code(chars, c.to_digit(8).unwrap_or(0), 8, 2)),
        other => {
            out.push('\\');
            out.push(other);
        }
    }
}
