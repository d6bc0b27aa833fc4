//! What one run found: the pipeline's last value and all that the output formats see.

use crate::chains::{Analysis, Confidence};
use crate::checks::{Finding, Severity};
use crate::source::{FileId, Place, Sources};
use std::time::Duration;

/// A file or folder that was left out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Skipped {
    /// Path relative to the analysed root; a folder's ends with `/`.
    pub file: String,
    /// Why.
    pub reason: String,
}

/// Something in a file that could not be read as code; the rest of the file was.
#[derive(Clone, PartialEq, Debug)]
pub struct Unread {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
}

/// The result of one run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The files that were analysed.
    pub sources: Sources,
    /// Chains and jobs.
    pub analysis: Analysis,
    /// What the checks found, after ignores and the smallest confidence, ordered by place and rule.
    pub findings: Vec<Finding>,
    /// Findings below the smallest confidence.
    pub hidden: usize,
    /// Findings that an ignore comment silenced.
    pub ignored: usize,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// What could not be read inside files.
    pub unread: Vec<Unread>,
    /// The window of the peak in seconds, for texts.
    pub window: f64,
    /// How long each stage took, in order. Never part of the findings: it differs from run to run.
    pub timings: Vec<(&'static str, Duration)>,
}

impl Report {
    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }
}

/// Puts findings into their final form: those that involve files in focus and are sure enough, in order.
/// Returns them and the number of those not sure enough.
pub fn settle(
    mut findings: Vec<Finding>,
    analysis: &Analysis,
    least: Confidence,
    in_focus: impl Fn(FileId) -> bool,
) -> (Vec<Finding>, usize) {
    findings.retain(|finding| involves(finding, analysis, &in_focus));
    let before = findings.len();
    findings.retain(|finding| finding.confidence >= least);
    findings.sort_by(|a, b| (a.place, a.code, a.chain, &a.message).cmp(&(b.place, b.code, b.chain, &b.message)));
    let hidden = before - findings.len();
    (findings, hidden)
}

/// Whether a finding, or the chain it is about, passes through a file in focus.
fn involves(finding: &Finding, analysis: &Analysis, in_focus: &impl Fn(FileId) -> bool) -> bool {
    let own = std::iter::once(finding.place).chain(finding.related.iter().map(|r| r.place));
    let chain = finding.chain.and_then(|at| analysis.chains.get(at));
    let passed = chain.into_iter().flat_map(|chain| {
        let layers = chain.layers.iter().flat_map(|l| [Some(l.place), l.defined, l.number].into_iter().flatten());
        std::iter::once(chain.call.place).chain(layers).chain(chain.path.iter().map(|step| step.place))
    });
    own.chain(passed).any(|place| in_focus(place.file))
}
