//! Builds findings: fills in what every finding has, gives them their order and their fingerprints.

use super::{Check, Finding, Input, Related};
use crate::chains::Confidence;
use crate::source::{Place, Sources};
use rustc_hash::FxHashMap;

/// A finding under way.
pub(super) struct Draft(Finding);

impl Input<'_> {
    /// Starts a finding at a place in a function.
    pub(super) fn draft(&self, check: &Check, place: Place, function: &str) -> Draft {
        Draft(Finding {
            rule: check.name,
            code: check.code,
            severity: check.severity,
            confidence: Confidence::High,
            message: String::new(),
            help: String::new(),
            place,
            related: Vec::new(),
            chain: None,
            figures: Vec::new(),
            fingerprint: fingerprint(self.sources, check.name, place, function),
        })
    }
}

impl Draft {
    /// What is wrong, in one sentence.
    pub(super) fn message(mut self, message: impl Into<String>) -> Draft {
        self.0.message = message.into();
        self
    }

    /// What to change.
    pub(super) fn help(mut self, help: impl Into<String>) -> Draft {
        self.0.help = help.into();
        self
    }

    /// At most so sure.
    pub(super) fn confidence(mut self, at_most: Confidence) -> Draft {
        self.0.confidence = self.0.confidence.min(at_most);
        self
    }

    /// The chain it is about.
    pub(super) fn chain(mut self, index: usize) -> Draft {
        self.0.chain = Some(index);
        self
    }

    /// Another place; each place is named once.
    pub(super) fn related(mut self, place: Place, message: impl Into<String>) -> Draft {
        if !self.0.related.iter().any(|related| related.place == place) {
            self.0.related.push(Related { place, message: message.into() });
        }
        self
    }

    /// Several other places.
    pub(super) fn relate(self, related: impl IntoIterator<Item = Related>) -> Draft {
        related.into_iter().fold(self, |draft, related| draft.related(related.place, related.message))
    }

    /// A number that goes with it.
    pub(super) fn figure(mut self, name: &'static str, value: u64) -> Draft {
        self.0.figures.push((name, value));
        self
    }

    /// The finding.
    pub(super) fn done(self) -> Finding {
        self.0
    }
}

/// Orders findings, keeps one a rule and place, and numbers those that look alike.
pub(super) fn finish(sources: &Sources, mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_cached_key(|finding| {
        let at = sources.start(finding.place);
        (finding.place.file, at.line, at.column, finding.code, finding.message.clone())
    });
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        match kept.iter_mut().rev().take_while(|k| k.place == finding.place).find(|k| k.rule == finding.rule) {
            Some(same) => absorb(same, finding),
            None => kept.push(finding),
        }
    }
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    for finding in &mut kept {
        let times = seen.entry(finding.fingerprint.clone()).or_default();
        if *times > 0 {
            finding.fingerprint.push_str(&format!("-{times}"));
        }
        *times += 1;
    }
    kept
}

/// One cause, one finding: the second one at a place only adds its places.
fn absorb(kept: &mut Finding, other: Finding) {
    kept.confidence = kept.confidence.max(other.confidence);
    for related in other.related {
        if !kept.related.iter().any(|known| known.place == related.place) {
            kept.related.push(related);
        }
    }
}

/// A key that survives moved lines: the rule, the file, the function and the line's text without its spacing.
fn fingerprint(sources: &Sources, rule: &str, place: Place, function: &str) -> String {
    let mut hash = Fnv::new();
    for part in [rule, sources.path(place), function] {
        hash.add(part.as_bytes());
        hash.add(&[0]);
    }
    for word in line_of(sources, place).split_whitespace() {
        hash.add(word.as_bytes());
        hash.add(b" ");
    }
    format!("{:016x}", hash.0)
}

/// The line on which a place begins.
fn line_of(sources: &Sources, place: Place) -> &str {
    let text = &sources.file(place.file).text;
    let at = (place.span.start as usize).min(text.len());
    let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else { return "" };
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = after.find('\n').map_or(text.len(), |newline| at + newline);
    text.get(start..end).unwrap_or("")
}

/// FNV-1a: written down here because a fingerprint must be the same on every machine and in every release.
struct Fnv(u64);

impl Fnv {
    fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
