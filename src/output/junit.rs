//! `--format junit`: each finding is a failed test; a run without findings is one that passed.

use crate::checks::Finding;
use crate::escape;
use crate::report::Report;

/// The findings as a test suite.
pub fn render(report: &Report) -> String {
    let count = report.findings.len();
    let cases: String = report.findings.iter().map(|finding| case(report, finding)).collect();
    let cases = if count == 0 { "    <testcase name=\"squall\" classname=\"squall\"/>\n".to_string() } else { cases };
    let tests = count.max(1);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  \
         <testsuite name=\"squall\" tests=\"{tests}\" failures=\"{count}\" errors=\"0\">\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

fn case(report: &Report, finding: &Finding) -> String {
    let at = report.sources.start(finding.place);
    let path = escape::xml(report.sources.path(finding.place));
    let (message, help) = (escape::xml(&finding.message), escape::xml(&finding.help));
    let name = format!("{}:{}:{}", path, at.line, at.column);
    format!(
        "    <testcase name=\"{} at {name}\" classname=\"squall.{}\" file=\"{path}\" line=\"{}\">\n      \
         <failure type=\"{}\" message=\"{message}\">{name}: {message}\n{help}</failure>\n    </testcase>\n",
        finding.rule,
        finding.rule,
        at.line,
        finding.severity.name(),
    )
}
