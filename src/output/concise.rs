//! `--format concise`: one line a finding, `file:line:column: severity[rule] message`, as editors and grep like it.

use super::paint::Paint;
use crate::escape;
use crate::report::Report;

/// The findings, one a line.
pub fn render(report: &Report, paint: Paint) -> String {
    let line = |finding: &crate::checks::Finding| {
        let at = report.sources.start(finding.place);
        let path = escape::line(report.sources.path(finding.place));
        let label = format!("{}[{}]", finding.severity.name(), finding.rule);
        let label = paint.severity(finding.severity, &label);
        format!("{path}:{}:{}: {label} {}\n", at.line, at.column, escape::line(&finding.message))
    };
    report.findings.iter().map(line).collect()
}
