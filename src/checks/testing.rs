//! What the tests of the checks are made of: a little source text with numbered lines, layers, chains and the
//! only door to running one check.

use super::*;
use crate::chains::*;
use crate::ir::Span;
use crate::source::{FileId, Place, Source};

/// Lines of 10 bytes each, so that line `n` is easy to name.
pub(super) fn sources() -> Sources {
    let text: String = (1..=99).map(|n| format!("line {n:04}\n")).collect();
    let line_starts = (0..99).map(|n| n * 10).collect();
    let file = |path: &str| Source {
        path: path.to_string(),
        text: text.clone().into(),
        line_starts: Vec::clone(&line_starts),
        is_test: false,
    };
    Sources { files: vec![file("app/a.py"), file("app/b.py")] }
}

/// A line of the first file.
pub(super) fn line(n: u32) -> Place {
    Place { file: FileId(0), span: Span { start: (n - 1) * 10, end: (n - 1) * 10 + 9 } }
}

/// A layer at a line that repeats everything, at once.
pub(super) fn layer(kind: LayerKind, at: u32, attempts: Count) -> Layer {
    Layer {
        kind,
        library: None,
        version: None,
        place: line(at),
        function: "work".to_string(),
        defined: None,
        attempts,
        by_failure: [attempts; 9],
        source: CountSource::Literal,
        number: None,
        also: Vec::new(),
        reason: None,
        text: "retry".to_string(),
        waits: Waits {
            kind: WaitKind::None,
            runs: Vec::new(),
            jitter: false,
            capped: true,
            after_last: false,
            by_engine: false,
            chosen: !kind.is_built_in(),
            place: None,
            reads_retry_after: false,
        },
        setting: None,
        off: None,
        misleading: None,
        retries_everything: false,
        permanent: Vec::new(),
        by_status: false,
        logs: true,
        limit: None,
        decides: None,
        spares_spent_quota: false,
        rereads: None,
        inherent: false,
        another: false,
        untouched: false,
        guessed: false,
        in_a_row: false,
        family: None,
    }
}

/// A loop.
pub(super) fn looped(at: u32, attempts: u64) -> Layer {
    layer(LayerKind::Loop, at, Count::Exact(attempts))
}

/// A queue's retry.
pub(super) fn job(at: u32, attempts: u64) -> Layer {
    Layer { library: Some("queue".to_string()), ..layer(LayerKind::JobQueue, at, Count::Exact(attempts)) }
}

/// A client's own retries by default, at the call's line.
pub(super) fn built_in(at: u32, attempts: u64) -> Layer {
    Layer {
        library: Some("acme".to_string()),
        source: CountSource::Default,
        setting: Some("max_retries".to_string()),
        off: Some("max_retries=0".to_string()),
        ..layer(LayerKind::Sdk, at, Count::Exact(attempts))
    }
}

/// The same layer for some classes of failure only.
pub(super) fn only(mut layer: Layer, classes: &[Failure]) -> Layer {
    for class in Failure::ALL {
        if !classes.contains(&class) {
            layer.by_failure[class.index()] = Count::ONE;
        }
    }
    layer
}

/// The same layer with waits.
pub(super) fn waiting(mut layer: Layer, kind: WaitKind, waits: &[f64]) -> Layer {
    layer.waits.kind = kind;
    layer.waits.runs = waits.iter().map(|&w| WaitRun { shortest: w, longest: w, random: false, times: 1 }).collect();
    layer
}

/// A chain over these layers, the call at line 50.
pub(super) fn chain(layers: Vec<Layer>) -> Chain {
    let (worst, by_failure) = crate::timing::product(&layers);
    let (shortest, longest) = crate::timing::durations(&layers, Some(20.0));
    let peak = crate::timing::peak(&layers, 60.0);
    Chain {
        entries: vec![Entry { place: line(1), function: "main".to_string(), kind: EntryKind::Function }],
        call: OutboundCall {
            place: line(50),
            whole: line(50),
            function: "ask".to_string(),
            target: "acme.messages.create".to_string(),
            library: "acme".to_string(),
            client: None,
            other_clients: Vec::new(),
            sends_retry_after: false,
            spend_limit_429: false,
            plain_http: false,
            can_fail_permanently: true,
            timeout: Some(20.0),
            timeout_written: true,
            stream: false,
            writes: false,
            idempotency: None,
        },
        layers,
        worst,
        by_failure,
        peak,
        shortest,
        longest,
        confidence: Confidence::High,
        path: Vec::new(),
    }
}

/// What one check finds in these chains.
pub(super) fn check(check: &'static Check, chains: Vec<Chain>) -> Vec<Finding> {
    check_analysis(check, &Analysis { chains, ..Analysis::default() })
}

/// What one check finds beside these facts.
pub(super) fn check_facts(of: &'static Check, chains: Vec<Chain>, facts: Facts) -> Vec<Finding> {
    check_analysis(of, &Analysis { chains, facts, ..Analysis::default() })
}

/// What one check finds.
pub(super) fn check_analysis(check: &'static Check, analysis: &Analysis) -> Vec<Finding> {
    let sources = sources();
    let input = Input { sources: &sources, analysis, budget: DEFAULT_BUDGET, window: 60.0 };
    let mut found = Vec::new();
    (check.run)(&input, &mut found);
    super::builder::finish(&sources, found)
}

/// The lines at which a check fires.
pub(super) fn lines(findings: &[Finding]) -> Vec<u32> {
    findings.iter().map(|finding| sources().start(finding.place).line).collect()
}

/// The lines of the related places.
pub(super) fn related(finding: &Finding) -> Vec<u32> {
    finding.related.iter().map(|related| sources().start(related.place).line).collect()
}
