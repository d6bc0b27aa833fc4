//! The checks as a whole: order, fingerprints, selection, and what they cost. Each check's own tests stand beside it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use squall::chains::*;
use squall::checks::{DEFAULT_BUDGET, Finding, Input, Selection, by_name, registry, run};
use squall::ir::Span;
use squall::source::{FileId, Place, Source, Sources};
use squall::timing::{DEFAULT_WINDOW, durations, peak, product};
use std::time::Instant;

fn sources(texts: &[(&str, &str)]) -> Sources {
    let files = texts.iter().map(|(path, text)| Source {
        path: path.to_string(),
        text: (*text).into(),
        line_starts: std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1))
            .collect(),
        is_test: false,
    });
    Sources { files: files.collect() }
}

/// Where a word stands in a file.
fn place(sources: &Sources, file: u32, word: &str) -> Place {
    let start = sources.files[file as usize].text.find(word).unwrap_or_default();
    Place { file: FileId(file), span: Span::new(start, start + word.len()) }
}

fn layer(kind: LayerKind, place: Place, attempts: u64) -> Layer {
    let waits = Waits {
        kind: WaitKind::None,
        runs: vec![],
        jitter: false,
        capped: true,
        after_last: false,
        by_engine: false,
        chosen: !kind.is_built_in(),
        place: None,
        reads_retry_after: false,
    };
    Layer {
        kind,
        library: Some(kind.name().to_string()),
        version: None,
        place,
        function: "work".to_string(),
        defined: None,
        attempts: Count::Exact(attempts),
        by_failure: [Count::Exact(attempts); 9],
        source: if kind.is_built_in() { CountSource::Default } else { CountSource::Literal },
        number: None,
        also: vec![],
        reason: None,
        text: String::new(),
        waits,
        setting: None,
        off: None,
        misleading: None,
        retries_everything: true,
        permanent: Vec::new(),
        by_status: false,
        logs: false,
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

fn chain(call: Place, layers: Vec<Layer>) -> Chain {
    let (worst, by_failure) = product(&layers);
    let (shortest, longest) = durations(&layers, Some(20.0));
    Chain {
        entries: vec![Entry { place: call, function: "main".to_string(), kind: EntryKind::Job }],
        call: OutboundCall {
            place: call,
            whole: call,
            function: "ask".to_string(),
            target: "acme.ask".to_string(),
            library: "acme".to_string(),
            client: None,
            other_clients: Vec::new(),
            sends_retry_after: true,
            spend_limit_429: true,
            plain_http: false,
            can_fail_permanently: true,
            timeout: Some(f64::INFINITY),
            timeout_written: false,
            stream: false,
            writes: true,
            idempotency: None,
        },
        peak: peak(&layers, DEFAULT_WINDOW),
        layers,
        worst,
        by_failure,
        shortest,
        longest,
        confidence: Confidence::High,
        path: vec![],
    }
}

fn findings(sources: &Sources, chains: Vec<Chain>, selection: &Selection) -> Vec<Finding> {
    let analysis = Analysis { chains, ..Analysis::default() };
    let input = Input { sources, analysis: &analysis, budget: DEFAULT_BUDGET, window: DEFAULT_WINDOW };
    run(&input, selection)
}

const TEXT: &str = "def outer():\n    for one in tries:\n        inner()\n\ndef inner():\n    for two in tries:\n        client.ask()\n";

fn storm(sources: &Sources, file: u32) -> Chain {
    let at = |word| place(sources, file, word);
    let layers = vec![
        layer(LayerKind::Loop, at("for one"), 4),
        layer(LayerKind::Loop, at("for two"), 4),
        layer(LayerKind::Sdk, at("ask"), 3),
    ];
    chain(at("ask"), layers)
}

#[test]
fn findings_come_in_the_order_of_the_files_whatever_the_chains_order() {
    let sources = sources(&[("a.py", TEXT), ("b.py", TEXT)]);
    let there = vec![storm(&sources, 0), storm(&sources, 1)];
    let back = vec![storm(&sources, 1), storm(&sources, 0)];
    let key = |f: &Finding| (f.place.file, sources.start(f.place).line, sources.start(f.place).column, f.code);
    let (found, again) = (findings(&sources, there, &Selection::all()), findings(&sources, back, &Selection::all()));
    assert!(found.is_sorted_by_key(key));
    let shown =
        |all: &[Finding]| all.iter().map(|f| (f.rule, f.message.clone(), f.fingerprint.clone())).collect::<Vec<_>>();
    assert_eq!(shown(&found), shown(&again));
    assert!(found.iter().any(|f| f.rule == "stacked-retries"));
}

#[test]
fn a_fingerprint_survives_moved_lines_and_is_unique() {
    let moved = format!("import os\n\n\n{TEXT}");
    let (before, after) = (sources(&[("a.py", TEXT)]), sources(&[("a.py", moved.as_str())]));
    let prints = |sources: &Sources| {
        let found = findings(sources, vec![storm(sources, 0)], &Selection::all());
        found.into_iter().map(|f| f.fingerprint).collect::<Vec<_>>()
    };
    assert_eq!(prints(&before), prints(&after));
    let mut unique = prints(&before);
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), prints(&before).len());
}

#[test]
fn lines_that_look_alike_are_told_apart() {
    let text = "def work():\n    client.ask()\n    client.ask()\n";
    let sources = sources(&[("a.py", text)]);
    let second = text.rfind("ask").unwrap();
    let places = [place(&sources, 0, "ask"), Place { file: FileId(0), span: Span::new(second, second + 3) }];
    let only = Selection::resolve(&["missing-timeout".to_string()], &[], false).unwrap();
    let chains = places.map(|at| chain(at, vec![layer(LayerKind::Loop, place(&sources, 0, "def work"), 3)]));
    let found = findings(&sources, chains.to_vec(), &only);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].fingerprint, format!("{}-1", found[0].fingerprint));
}

#[test]
fn only_what_is_selected_runs() {
    let sources = sources(&[("a.py", TEXT)]);
    let one = Selection::resolve(&["SQ101".to_string()], &[], false).unwrap();
    let found = findings(&sources, vec![storm(&sources, 0)], &one);
    assert!(!found.is_empty() && found.iter().all(|f| f.rule == "stacked-retries"));
    let pedantic = |all: &[Finding]| all.iter().any(|f| by_name(f.rule).is_some_and(|check| check.pedantic));
    assert!(!pedantic(&findings(&sources, vec![storm(&sources, 0)], &Selection::default())));
    assert!(pedantic(&findings(&sources, vec![storm(&sources, 0)], &Selection::all())));
}

#[test]
fn one_layer_on_many_chains_is_one_finding() {
    let sources = sources(&[("a.py", TEXT)]);
    let chains: Vec<Chain> = (0..50).map(|_| storm(&sources, 0)).collect();
    let found = findings(&sources, chains, &Selection::all());
    let mut causes: Vec<_> = found.iter().map(|f| (f.rule, f.place)).collect();
    causes.sort();
    causes.dedup();
    assert_eq!(causes.len(), found.len());
}

#[test]
fn no_place_and_no_count_can_break_a_check() {
    let sources = sources(&[("a.py", "\u{fe0f}é\n")]);
    let wild = Place { file: FileId(0), span: Span { start: 1, end: u32::MAX } };
    let counts = [Count::Exact(0), Count::Exact(u64::MAX), Count::Time(None), Count::Unbounded, Count::Unknown(0)];
    let mut chains = vec![chain(wild, vec![])];
    for outer in counts {
        for inner in counts {
            let mut layers = vec![layer(LayerKind::JobQueue, wild, 2), layer(LayerKind::Sdk, wild, 2)];
            for (layer, count) in layers.iter_mut().zip([outer, inner]) {
                (layer.attempts, layer.by_failure) = (count, [count; 9]);
                layer.by_failure[0] = Count::Exact(u64::MAX);
                let run = WaitRun { shortest: f64::NAN, longest: f64::INFINITY, random: true, times: u64::MAX };
                layer.waits.runs = vec![run, run];
                (layer.waits.kind, layer.waits.after_last, layer.waits.capped) = (WaitKind::Exponential, true, false);
            }
            chains.push(chain(wild, layers));
        }
    }
    assert!(!findings(&sources, chains, &Selection::all()).is_empty());
}

#[test]
fn thousands_of_chains_are_checked_in_no_time() {
    let sources = sources(&[("a.py", TEXT)]);
    let mut chains = Vec::new();
    for n in 0..5000u64 {
        let mut chain = storm(&sources, 0);
        for (depth, layer) in chain.layers.iter_mut().enumerate() {
            layer.waits.runs = (1..8)
                .map(|k| WaitRun {
                    shortest: (k * (depth as u64 + n % 7)) as f64,
                    longest: 9.0,
                    random: true,
                    times: 1,
                })
                .collect();
        }
        chains.push(chain);
    }
    let start = Instant::now();
    findings(&sources, chains, &Selection::all());
    // Far more than it takes, for slow machines and unoptimised builds.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn the_documented_codes_stay() {
    let codes: Vec<(&str, &str)> = registry().iter().map(|check| (check.code, check.name)).collect();
    for known in [
        ("SQ001", "unused-ignore"),
        ("SQ101", "stacked-retries"),
        ("SQ102", "hidden-sdk-retries"),
        ("SQ103", "unbounded-retries"),
        ("SQ105", "retry-count-mismatch"),
        ("SQ201", "fixed-wait"),
        ("SQ209", "sleep-after-last-attempt"),
        ("SQ304", "stream-restart"),
        ("SQ401", "non-resumable-job"),
        ("SQ404", "idempotency-key-missing"),
        ("SQ506", "missing-timeout"),
        ("SQ601", "silent-retries"),
    ] {
        assert!(codes.contains(&known), "{known:?}");
    }
    assert_eq!(codes.len(), 30);
}
