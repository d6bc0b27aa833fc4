//! `--format gitlab`: GitLab's code quality report.

use super::json::to_text;
use crate::checks::Severity;
use crate::report::Report;
use serde::Serialize;
use std::collections::HashMap;

#[derive(Serialize)]
struct Issue<'a> {
    description: &'a str,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// The findings as a list of issues.
pub fn render(report: &Report) -> String {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let issues = report.findings.iter().map(|finding| {
        // GitLab drops all but one issue of a fingerprint.
        let count = seen.entry(&finding.fingerprint).or_default();
        *count += 1;
        let fingerprint = match *count {
            1 => finding.fingerprint.clone(),
            n => format!("{}#{n}", finding.fingerprint),
        };
        let severity = match finding.severity {
            Severity::Error => "critical",
            Severity::Warning => "major",
            Severity::Note => "minor",
        };
        let (begin, end) = (report.sources.start(finding.place).line, report.sources.end(finding.place).line);
        let location = Location { path: report.sources.path(finding.place), lines: Lines { begin, end } };
        Issue { description: &finding.message, check_name: finding.rule, fingerprint, severity, location }
    });
    to_text(&issues.collect::<Vec<_>>())
}
