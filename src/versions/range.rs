//! Declared ranges: what lies in them, and the newest version that they let in.

use super::Most;
use super::number::{Number, written};

/// Whose way of writing ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grammar {
    /// PEP 440, with Poetry's `^` and `~`.
    Python,
    /// npm: spaces are `and`, `||` is `or`, a bare version is exact.
    Npm,
    /// Cargo: a bare version is `^`.
    Cargo,
}

/// A range, as alternatives of which each has a lower and an upper end.
#[derive(Clone, Debug)]
pub(super) struct Range {
    spans: Vec<Span>,
}

#[derive(Clone, Debug, Default)]
struct Span {
    least: Option<Number>,
    /// The end, and whether it lies inside.
    end: Option<(Number, bool)>,
}

impl Range {
    /// Reads a range; none for what is no range (`workspace:*`, a path, a tag).
    pub fn read(text: &str, grammar: Grammar) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix("npm:").map_or(text, |t| t.rsplit_once('@').map_or(t, |(_, range)| range));
        let text = text.split(';').next().unwrap_or(text);
        let spans: Option<Vec<Span>> = text.split("||").map(|part| span(part, grammar)).collect();
        spans.filter(|s| !s.is_empty()).map(|spans| Range { spans })
    }

    /// The one version that the text names, if it names one.
    pub fn exact(text: &str, grammar: Grammar) -> Option<String> {
        let text = text.trim();
        let version = match grammar {
            Grammar::Python => text.strip_prefix("===").or_else(|| text.strip_prefix("=="))?,
            Grammar::Cargo => text.strip_prefix('=')?,
            Grammar::Npm => text.strip_prefix('=').unwrap_or(text),
        };
        let version = version.trim().trim_start_matches('v');
        let plain = version.chars().all(|c| c.is_ascii_alphanumeric() || ".-+!_".contains(c));
        let whole = grammar != Grammar::Npm || written(version) >= 3;
        let starts = version.starts_with(|c: char| c.is_ascii_digit());
        (starts && plain && whole && !version.split('.').any(|p| matches!(p, "x" | "X"))).then(|| version.to_string())
    }

    /// Whether a version lies in the range.
    pub fn contains(&self, version: &Number) -> bool {
        self.spans.iter().any(|span| {
            let low = span.least.as_ref().is_none_or(|least| version >= least);
            let high = span.end.as_ref().is_none_or(|(end, inside)| version < end || (*inside && version == end));
            low && high
        })
    }

    /// The newest that lies in it; none if it is open.
    pub fn most(&self) -> Option<Most> {
        let mut ends = Vec::new();
        for span in &self.spans {
            ends.push(span.end.clone()?);
        }
        let (end, inside) = ends.into_iter().max()?;
        Some(if inside { Most::Is(end) } else { Most::Below(end) })
    }
}

/// Conditions that all must hold.
fn span(text: &str, grammar: Grammar) -> Option<Span> {
    let mut span = Span::default();
    let text = text.trim();
    if grammar == Grammar::Npm
        && let Some((from, to)) = text.split_once(" - ")
    {
        span.least = Some(Number::read(from));
        let parts = written(to);
        span.end = Some(if parts >= 3 {
            (Number::read(to), true)
        } else {
            (Number::read(to).raised(parts.max(1) - 1), false)
        });
        return Some(span);
    }
    // `>= 1.2` is one condition in npm too.
    let mut joined = text.replace(',', " ");
    for sign in [">=", "<=", "==", "~=", "!=", ">", "<", "=", "^", "~"] {
        let spaced = format!("{sign} ");
        while joined.contains(&spaced) {
            joined = joined.replace(&spaced, sign);
        }
    }
    if joined.trim().is_empty() {
        return (grammar != Grammar::Cargo).then_some(span);
    }
    for condition in joined.split_whitespace() {
        add(&mut span, condition, grammar)?;
    }
    Some(span)
}

fn add(span: &mut Span, condition: &str, grammar: Grammar) -> Option<()> {
    let sign_ends = condition.find(|c: char| !"<>=~^!".contains(c))?;
    let (sign, version) = condition.split_at(sign_ends);
    let version = version.trim_start_matches('v');
    if matches!(version, "*" | "x" | "X") {
        return Some(());
    }
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number = Number::read(version);
    let parts = written(version);
    let wild = version.split('.').any(|p| matches!(p, "*" | "x" | "X"));
    let last = parts.max(1) - 1;
    let caret = || match number.leading() {
        // `^0` and `^0.0` leave open what is not written.
        Some(at) => number.raised(at.min(last)),
        None => number.raised(last),
    };
    let (least, end) = match sign {
        "" if wild => (Some(number.clone()), Some((number.raised(last), false))),
        "" if grammar == Grammar::Cargo => (Some(number.clone()), Some((caret(), false))),
        "" if grammar == Grammar::Npm && parts < 3 => (Some(number.clone()), Some((number.raised(last), false))),
        "==" | "=" | "===" if wild => (Some(number.clone()), Some((number.raised(last), false))),
        "" | "=" | "==" | "===" => (Some(number.clone()), Some((number.clone(), true))),
        "^" => (Some(number.clone()), Some((caret(), false))),
        // `~1.2.3` and `~1.2` keep 1.2, `~1` keeps 1.
        "~" => (Some(number.clone()), Some((number.raised(last.min(1)), false))),
        // `~=1.4.2` keeps 1.4, `~=1.4` keeps 1.
        "~=" => (Some(number.clone()), Some((number.raised(parts.max(2) - 2), false))),
        ">=" | ">" => (Some(number.clone()), None),
        "<" => (None, Some((number.clone(), false))),
        "<=" => (None, Some((number.clone(), true))),
        "!=" => (None, None),
        _ => return None,
    };
    if let Some(least) = least
        && span.least.as_ref().is_none_or(|old| least > *old)
    {
        span.least = Some(least);
    }
    if let Some(end) = end
        && span.end.as_ref().is_none_or(|old| end < *old)
    {
        span.end = Some(end);
    }
    Some(())
}
