//! `--format github`: workflow commands, which GitHub shows beside the lines of a pull request.

use crate::checks::{Finding, Severity};
use crate::escape;
use crate::report::Report;

/// The findings, one command a line.
pub fn render(report: &Report) -> String {
    report.findings.iter().map(|finding| command(report, finding)).collect()
}

fn command(report: &Report, finding: &Finding) -> String {
    let (start, end) = (report.sources.start(finding.place), report.sources.end(finding.place));
    let level = match finding.severity {
        Severity::Note => "notice",
        other => other.name(),
    };
    let file = escape::github_property(report.sources.path(finding.place));
    let title = escape::github_property(&format!("squall {} ({})", finding.rule, finding.code));
    let message = escape::github_message(&finding.message);
    let help = escape::github_message(&finding.help);
    // `%0A` is how a command says a line break.
    let text = if help.is_empty() { message } else { format!("{message}%0A{help}") };
    let at = format!("line={},endLine={},col={},endColumn={}", start.line, end.line, start.column, end.column);
    format!("::{level} file={file},{at},title={title}::{text}\n")
}
