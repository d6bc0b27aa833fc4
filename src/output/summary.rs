//! The figures of a whole run, and the last line.

use super::json::at_least;
use crate::chains::Count;
use crate::checks::Severity;
use crate::report::Report;
use std::collections::BTreeSet;

/// The figures of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Summary {
    pub files: usize,
    /// Different layers on all chains.
    pub layers: usize,
    pub outbound_calls: usize,
    pub chains: usize,
    /// The largest number known; 1 without chains, none if every chain is unbounded.
    pub worst: Option<u64>,
    /// Whether any chain has no bound.
    pub unbounded: bool,
    /// Whether the largest number is only a lower bound.
    pub at_least: bool,
    pub errors: usize,
    pub warnings: usize,
    pub notes: usize,
}

impl Summary {
    /// The figures of a report.
    pub fn of(report: &Report) -> Self {
        let chains = &report.analysis.chains;
        let layers: BTreeSet<_> =
            chains.iter().flat_map(|c| &c.layers).map(|l| (l.place, l.kind, l.library.as_deref())).collect();
        let calls: BTreeSet<_> = chains.iter().map(|c| c.call.place).collect();
        let largest = chains.iter().filter_map(|c| at_least(c.worst)).max();
        let worst = if chains.is_empty() { Some(1) } else { largest };
        Self {
            files: report.sources.files.len(),
            layers: layers.len(),
            outbound_calls: calls.len(),
            chains: chains.len(),
            worst,
            unbounded: chains.iter().any(|c| c.worst == Count::Unbounded),
            at_least: chains.iter().any(|c| matches!(c.worst, Count::Unknown(n) if Some(n) >= worst)),
            errors: report.count(Severity::Error),
            warnings: report.count(Severity::Warning),
            notes: report.count(Severity::Note),
        }
    }

    /// How bad the worst chain is, in words.
    fn storm(&self) -> String {
        let requests = match self.worst {
            _ if self.chains == 0 => return "no retried call".into(),
            Some(n) => format!("up to {}{n} requests", if self.at_least { ">= " } else { "" }),
            None => String::new(),
        };
        match (self.unbounded, requests.is_empty()) {
            (false, false) => format!("{requests} for one failing call"),
            (false, true) => "bounded by time only".into(),
            (true, true) => "no bound on the requests for one failing call".into(),
            (true, false) => format!("no bound on one failing call, {requests} on the others"),
        }
    }
}

/// "1 file", "2 files".
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The last lines of a run: what was looked at, what was found, and what is not shown.
pub fn closing(report: &Report) -> String {
    let s = Summary::of(report);
    let found = [(s.errors, "error"), (s.warnings, "warning"), (s.notes, "note")];
    let found: Vec<String> = found.into_iter().filter(|(n, _)| *n > 0).map(|(n, noun)| plural(n, noun)).collect();
    let found = if found.is_empty() { "no findings".into() } else { found.join(", ") };
    let looked =
        format!("{}, {}, {}", plural(s.files, "file"), plural(s.layers, "retry layer"), plural(s.chains, "chain"));
    let mut unseen = Vec::new();
    if report.hidden > 0 {
        unseen.push(format!("{} below --min-confidence", report.hidden));
    }
    if report.ignored > 0 {
        unseen.push(format!("{} ignored", report.ignored));
    }
    if !report.skipped.is_empty() {
        unseen.push(format!("{} skipped", report.skipped.len()));
    }
    let unseen = if unseen.is_empty() { String::new() } else { format!(" ({})", unseen.join(", ")) };
    format!("{looked}: {}\n{found}{unseen}\n", s.storm())
}

/// How many findings each check has, the most first; then how many calls lead nowhere known, and why.
pub fn statistics(report: &Report) -> String {
    let mut counts: std::collections::BTreeMap<(&str, &str), usize> = std::collections::BTreeMap::new();
    for finding in &report.findings {
        *counts.entry((finding.code, finding.rule)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let findings = counts.into_iter().map(|((code, rule), count)| format!("{count:>6}  {code}  {rule}\n"));
    let mut lost: Vec<_> = report.unresolved.iter().collect();
    lost.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let lost = lost.into_iter().map(|(why, count)| format!("{count:>6}  unresolved calls: {why}\n"));
    findings.chain(lost).collect()
}
