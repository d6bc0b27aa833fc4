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
    /// How many calls lead nowhere known, by the reason.
    pub unresolved: std::collections::BTreeMap<&'static str, usize>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::Related;
    use crate::ir::Span;

    #[test]
    fn findings_are_kept_by_focus_and_confidence_and_put_in_order() {
        let place = |file: u32, at: usize| Place { file: FileId(file), span: Span::new(at, at + 1) };
        let finding = |place: Place, confidence: Confidence, related: &[Place]| Finding {
            rule: "fixed-wait",
            code: "SQ201",
            severity: Severity::Warning,
            confidence,
            message: String::new(),
            help: String::new(),
            place,
            related: related.iter().map(|&place| Related { place, message: String::new() }).collect(),
            chain: None,
            figures: Vec::new(),
            fingerprint: String::new(),
        };
        let all = vec![
            finding(place(1, 5), Confidence::High, &[]),
            finding(place(0, 9), Confidence::High, &[place(1, 0)]),
            finding(place(0, 7), Confidence::High, &[]),
            finding(place(1, 2), Confidence::Low, &[]),
        ];
        let analysis = Analysis::default();
        let (kept, hidden) = settle(all, &analysis, Confidence::Medium, |file| file == FileId(1));
        assert_eq!(kept.iter().map(|f| f.place).collect::<Vec<_>>(), [place(0, 9), place(1, 5)]);
        assert_eq!(hidden, 1);
    }
}
