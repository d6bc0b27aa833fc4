//! `--format json`, schema 1. The form is a contract: `schema/report-1.json` describes it and a test holds
//! the output to it. Fields are only ever added.

use super::summary::Summary;
use super::waits;
use crate::chains::{Chain, Confidence, Count, Failure, Layer, WaitKind};
use crate::checks::Finding;
use crate::escape;
use crate::report::{Report, Skipped};
use crate::source::{Place, Sources};
use crate::versions::Assumed;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The whole report.
#[derive(Serialize)]
struct Root<'a> {
    schema: u32,
    tool: Tool,
    summary: JsonSummary,
    skipped: Vec<JsonSkipped<'a>>,
    /// What was not followed to the end, to stay within bounds.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    cut: &'a [String],
    chains: Vec<JsonChain<'a>>,
    findings: Vec<JsonFinding<'a>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct JsonSummary {
    files: usize,
    layers: usize,
    outbound_calls: usize,
    chains: usize,
    worst: Option<u64>,
    unbounded: bool,
    findings: BySeverity,
}

#[derive(Serialize)]
struct BySeverity {
    error: usize,
    warning: usize,
    note: usize,
}

#[derive(Serialize)]
struct JsonSkipped<'a> {
    file: &'a str,
    reason: &'a str,
}

/// One chain.
#[derive(Serialize)]
pub(super) struct JsonChain<'a> {
    id: String,
    entries: Vec<Spot<'a>>,
    call: Call<'a>,
    attempts: Attempts,
    seconds: Seconds,
    confidence: &'static str,
    layers: Vec<JsonLayer<'a>>,
    path: Vec<Spot<'a>>,
}

/// A line and the function around it.
#[derive(Serialize)]
struct Spot<'a> {
    file: &'a str,
    line: u32,
    function: &'a str,
}

#[derive(Serialize)]
struct Call<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
    target: &'a str,
}

#[derive(Serialize)]
struct Attempts {
    worst: Option<u64>,
    bound: &'static str,
    peak: Option<u64>,
    by_failure: ByFailure,
}

/// A count by class of failure, every class listed; null where there is no number.
struct ByFailure([Count; 9]);

impl Serialize for ByFailure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Failure::ALL.len()))?;
        for failure in Failure::ALL {
            map.serialize_entry(failure.name(), &at_least(self.0[failure.index()]))?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Seconds {
    shortest: Option<f64>,
    longest: Option<f64>,
}

#[derive(Serialize)]
struct JsonLayer<'a> {
    kind: &'static str,
    library: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<JsonVersion<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'a str>,
    file: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    defined: Option<Line<'a>>,
    attempts: Option<u64>,
    bound: &'static str,
    source: &'static str,
    retries: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    text: &'a str,
    wait: Wait,
}

/// The version of the library that a layer's figures are for, and what says so.
#[derive(Serialize)]
struct JsonVersion<'a> {
    version: &'a str,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl<'a> From<&'a Assumed> for JsonVersion<'a> {
    fn from(assumed: &'a Assumed) -> Self {
        let place = assumed.place.as_ref();
        JsonVersion {
            version: &assumed.text,
            origin: assumed.origin.name(),
            file: place.map(|(file, _)| file.as_str()),
            line: place.map(|(_, line)| *line),
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct Wait {
    kind: &'static str,
    jitter: bool,
    shortest: Option<f64>,
    longest: Option<f64>,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'static str,
    code: &'static str,
    severity: &'static str,
    confidence: &'static str,
    message: &'a str,
    help: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    related: Vec<JsonRelated<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<String>,
    figures: Figures<'a>,
    fingerprint: &'a str,
}

#[derive(Serialize)]
struct JsonRelated<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    message: &'a str,
}

/// Named numbers as an object, in the order of the check.
struct Figures<'a>(&'a [(&'static str, u64)]);

impl Serialize for Figures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// The text of a report as JSON.
pub fn render(report: &Report) -> String {
    let sources = &report.sources;
    let summary = Summary::of(report);
    let root = Root {
        schema: 1,
        tool: Tool { name: "squall", version: env!("CARGO_PKG_VERSION") },
        summary: JsonSummary {
            files: summary.files,
            layers: summary.layers,
            outbound_calls: summary.outbound_calls,
            chains: summary.chains,
            worst: summary.worst,
            unbounded: summary.unbounded,
            findings: BySeverity { error: summary.errors, warning: summary.warnings, note: summary.notes },
        },
        skipped: report.skipped.iter().map(|Skipped { file, reason }| JsonSkipped { file, reason }).collect(),
        cut: &report.analysis.cut,
        chains: report.analysis.chains.iter().enumerate().map(|(at, c)| chain(sources, at, c)).collect(),
        findings: report.findings.iter().map(|f| finding(sources, f)).collect(),
    };
    to_text(&root)
}

/// JSON for people and programs: indented, and safe to print.
pub(super) fn to_text(value: &impl Serialize) -> String {
    // Our own types with string keys always serialise.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    escape::json(&text).into_owned() + "\n"
}

/// A chain's name in reports, from its position.
pub fn chain_id(at: usize) -> String {
    format!("c{}", at + 1)
}

/// A chain for programs, with its position.
pub(super) fn chain<'a>(sources: &'a Sources, at: usize, chain: &'a Chain) -> JsonChain<'a> {
    let call = &chain.call;
    let start = sources.start(call.place);
    let spot =
        |place: Place, function: &'a str| Spot { file: sources.path(place), line: sources.start(place).line, function };
    JsonChain {
        id: chain_id(at),
        entries: chain.entries.iter().map(|e| spot(e.place, &e.function)).collect(),
        call: Call {
            file: sources.path(call.place),
            line: start.line,
            column: start.column,
            function: &call.function,
            target: &call.target,
        },
        attempts: Attempts {
            worst: at_least(chain.worst),
            bound: chain_bound(chain.worst),
            peak: chain.peak,
            by_failure: ByFailure(chain.by_failure),
        },
        seconds: Seconds { shortest: finite(chain.shortest), longest: finite(chain.longest) },
        confidence: chain.confidence.name(),
        layers: chain.layers.iter().map(|l| layer(sources, l)).collect(),
        path: chain.path.iter().map(|s| spot(s.place, &s.function)).collect(),
    }
}

fn layer<'a>(sources: &'a Sources, layer: &'a Layer) -> JsonLayer<'a> {
    let start = sources.start(layer.place);
    let (attempts, bound) = match layer.attempts {
        Count::Exact(n) => (Some(n), "exact"),
        Count::Time(n) => (n, "time"),
        Count::Unbounded => (None, "unbounded"),
        Count::Unknown(_) => (None, "unknown"),
    };
    let retried = |f: &Failure| layer.by_failure[f.index()] != Count::ONE;
    let (shortest, longest) = waits::total(layer);
    JsonLayer {
        kind: layer.kind.name(),
        library: layer.library.as_deref(),
        version: layer.version.as_ref().map(JsonVersion::from),
        family: layer.family.as_deref(),
        file: sources.path(layer.place),
        line: start.line,
        column: start.column,
        function: &layer.function,
        defined: layer.defined.map(|d| Line { file: sources.path(d), line: sources.start(d).line }),
        attempts,
        bound,
        source: layer.source.name(),
        retries: Failure::ALL.iter().filter(|f| retried(f)).map(|f| f.name()).collect(),
        reason: layer.reason.as_deref(),
        text: &layer.text,
        wait: Wait { kind: wait_kind(layer.waits.kind), jitter: layer.waits.jitter, shortest, longest },
    }
}

fn finding<'a>(sources: &'a Sources, finding: &'a Finding) -> JsonFinding<'a> {
    let (start, end) = (sources.start(finding.place), sources.end(finding.place));
    let related = finding.related.iter().map(|r| {
        let at = sources.start(r.place);
        JsonRelated { file: sources.path(r.place), line: at.line, column: at.column, message: &r.message }
    });
    JsonFinding {
        rule: finding.rule,
        code: finding.code,
        severity: finding.severity.name(),
        confidence: Confidence::name(finding.confidence),
        message: &finding.message,
        help: &finding.help,
        file: sources.path(finding.place),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        related: related.collect(),
        chain: finding.chain.map(chain_id),
        figures: Figures(&finding.figures),
        fingerprint: &finding.fingerprint,
    }
}

/// The number of a count, or the most that is known of it.
pub(super) fn at_least(count: Count) -> Option<u64> {
    match count {
        Count::Exact(n) | Count::Unknown(n) => Some(n),
        Count::Time(n) => n,
        Count::Unbounded => None,
    }
}

fn chain_bound(count: Count) -> &'static str {
    match count {
        Count::Exact(_) => "exact",
        Count::Time(_) => "time",
        Count::Unbounded => "unbounded",
        Count::Unknown(_) => "at-least",
    }
}

fn wait_kind(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::None => "none",
        WaitKind::Fixed => "fixed",
        WaitKind::Linear => "linear",
        WaitKind::Exponential => "exponential",
        WaitKind::Random => "random",
        WaitKind::List => "list",
        WaitKind::RetryAfter => "retry-after",
        WaitKind::Unknown => "unknown",
    }
}

fn finite(seconds: Option<f64>) -> Option<f64> {
    seconds.filter(|s| s.is_finite())
}
