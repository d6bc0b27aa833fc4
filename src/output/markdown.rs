//! `--format markdown`: for comments on pull requests and for job summaries.

use super::summary::{Summary, closing};
use crate::checks::Finding;
use crate::escape;
use crate::report::Report;
use crate::source::Place;

/// The findings as a table, the help below each.
pub fn render(report: &Report) -> String {
    let mut out = String::from("## squall\n\n");
    for line in closing(report).lines() {
        out += &format!("{}  \n", escape::markdown(line));
    }
    if Summary::of(report).chains > 0 {
        out += &chains(report);
    }
    if !report.findings.is_empty() {
        out += "\n| severity | check | place | what |\n| --- | --- | --- | --- |\n";
        out.extend(report.findings.iter().map(|finding| row(report, finding)));
    }
    out
}

fn chains(report: &Report) -> String {
    let mut out = String::from("\n| call | layers | requests |\n| --- | --- | --- |\n");
    for chain in &report.analysis.chains {
        let call = format!("{} at {}", escape::markdown(&chain.call.target), spot(report, chain.call.place));
        let layer = |l: &crate::chains::Layer| {
            let library = l.library.as_deref().map(|l| format!("{} ", escape::markdown(l))).unwrap_or_default();
            format!("{library}{} {}", l.kind.name(), spot(report, l.place))
        };
        let layers: Vec<String> = chain.layers.iter().map(layer).collect();
        out += &format!("| {call} | {} | {} |\n", layers.join("<br>"), escape::markdown(&super::human::product(chain)));
    }
    out
}

fn row(report: &Report, finding: &Finding) -> String {
    let help = if finding.help.is_empty() { String::new() } else { format!("<br>{}", escape::markdown(&finding.help)) };
    let (message, place) = (escape::markdown(&finding.message), spot(report, finding.place));
    format!("| {} | {} ({}) | {place} | {message}{help} |\n", finding.severity.name(), finding.rule, finding.code)
}

fn spot(report: &Report, place: Place) -> String {
    format!("{}:{}", escape::markdown(report.sources.path(place)), report.sources.start(place).line)
}
