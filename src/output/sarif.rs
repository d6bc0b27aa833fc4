//! `--format sarif`: SARIF 2.1.0, for code scanning.

use super::json::to_text;
use crate::chains::Chain;
use crate::checks::Finding;
use crate::report::Report;
use crate::source::Place;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The findings as a SARIF log.
pub fn render(report: &Report) -> String {
    let used: BTreeMap<&str, &str> = report.findings.iter().map(|f| (f.code, f.rule)).collect();
    let place: BTreeMap<&str, usize> = used.keys().enumerate().map(|(at, &code)| (code, at)).collect();
    let rules: Vec<Value> =
        used.iter().map(|(code, name)| json!({"id": name, "name": name, "properties": {"code": code}})).collect();
    let results: Vec<Value> = report.findings.iter().map(|f| result(report, f, place.get(f.code).copied())).collect();
    to_text(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "squall", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    }))
}

fn result(report: &Report, finding: &Finding, rule: Option<usize>) -> Value {
    let related = finding.related.iter().enumerate().map(|(at, r)| {
        let mut location = location(report, r.place, Some(&r.message));
        location["id"] = json!(at + 1);
        location
    });
    let text = if finding.help.is_empty() {
        finding.message.clone()
    } else {
        format!("{}\n{}", finding.message, finding.help)
    };
    let mut result = json!({
        "ruleId": finding.rule,
        "level": finding.severity.name(),
        "message": {"text": text},
        "locations": [location(report, finding.place, None)],
        "relatedLocations": related.collect::<Vec<_>>(),
        "partialFingerprints": {"squall/v1": finding.fingerprint},
        "properties": {"confidence": finding.confidence.name()},
    });
    if let Some(rule) = rule {
        result["ruleIndex"] = json!(rule);
    }
    if let Some(chain) = finding.chain.and_then(|at| report.analysis.chains.get(at)).filter(|c| !c.path.is_empty()) {
        result["codeFlows"] = json!([flow(report, chain)]);
    }
    result
}

/// The way from an entry point to the call.
fn flow(report: &Report, chain: &Chain) -> Value {
    let steps = chain.path.iter().map(|step| json!({"location": location(report, step.place, Some(&step.function))}));
    json!({"threadFlows": [{"locations": steps.collect::<Vec<_>>()}]})
}

fn location(report: &Report, place: Place, message: Option<&str>) -> Value {
    let (start, end) = (report.sources.start(place), report.sources.end(place));
    let mut location = json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(report.sources.path(place)), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column},
    }});
    if let Some(text) = message {
        location["message"] = json!({"text": text});
    }
    location
}

/// A relative path as a URI reference.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(byte as char),
            // Writing to a String cannot fail.
            _ => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}
