//! A finding: one cause, one primary place, ordered related places.

use crate::chains::Confidence;
use crate::source::Place;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

impl Severity {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place that belongs to a finding.
#[derive(Clone, PartialEq, Debug)]
pub struct Related {
    /// Where.
    pub place: Place,
    /// What is there.
    pub message: String,
}

/// Something a check found.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The check's name.
    pub rule: &'static str,
    /// Its code.
    pub code: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to change in this code.
    pub help: String,
    /// Where the fix goes.
    pub place: Place,
    /// The layers and other places involved.
    pub related: Vec<Related>,
    /// Index of the chain it is about.
    pub chain: Option<usize>,
    /// Named numbers.
    pub figures: Vec<(&'static str, u64)>,
    /// A key that survives moved lines: rule, path, enclosing function and the text of the place.
    pub fingerprint: String,
}
