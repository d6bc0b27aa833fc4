//! What the tests of the command line share: the real binary, trees made for one test, and the report
//! worker's storm as a report made by hand.
#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::panic)]

use squall::chains::*;
use squall::checks::{Finding, Related, Severity};
use squall::ir::Span;
use squall::report::Skipped;
use squall::source::{FileId, Place, Source, Sources};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of its own for one test, gone when the test ends.
pub struct Tree {
    pub root: PathBuf,
}

impl Tree {
    /// A tree with these files.
    pub fn new(files: &[(&str, &str)]) -> Tree {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("squall-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let root = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&root).unwrap();
        let tree = Tree { root: root.canonicalize().unwrap() };
        for (path, text) in files {
            tree.write(path, text.as_bytes());
        }
        tree
    }

    pub fn write(&self, path: &str, bytes: &[u8]) {
        let file = self.root.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }

    /// Runs the binary in this tree.
    pub fn run(&self, args: &[&str]) -> Run {
        run_in(&self.root, args)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// What a run said.
pub struct Run {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// The report it printed.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.out, self.err))
    }

    /// The run, whose status must be this.
    #[track_caller]
    pub fn status(self, status: i32) -> Run {
        assert_eq!(self.status, status, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// The files that were skipped, with reasons.
    pub fn skipped(&self) -> Vec<(String, String)> {
        let json = self.json();
        let text = |v: &serde_json::Value| v.as_str().unwrap().to_string();
        json["skipped"].as_array().unwrap().iter().map(|s| (text(&s["file"]), text(&s["reason"]))).collect()
    }

    /// How many files were analysed.
    pub fn files(&self) -> u64 {
        self.json()["summary"]["files"].as_u64().unwrap()
    }
}

pub fn run_in(folder: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squall"));
    command.current_dir(folder).args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    let Output { status, stdout, stderr } = command.output().unwrap();
    let status = status.code().unwrap_or_else(|| panic!("killed: {status}: {}", String::from_utf8_lossy(&stderr)));
    Run { status, out: String::from_utf8(stdout).unwrap(), err: String::from_utf8(stderr).unwrap() }
}

/// The folder of the report worker's sources.
pub fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/report-worker")
}

/// The sources of the report worker.
pub fn sources() -> Sources {
    let file = |path: &str| {
        let text = std::fs::read_to_string(fixture().join(path)).unwrap();
        Source::new(path.into(), &text, false)
    };
    Sources { files: ["app/claude.py", "app/jobs.py", "app/live.py", "app/report.py"].map(file).into() }
}

/// The first place of a text in a file.
pub fn place(sources: &Sources, path: &str, text: &str) -> Place {
    let file = sources.files.iter().position(|f| f.path == path).unwrap();
    let start = sources.files[file].text.find(text).unwrap_or_else(|| panic!("{path}: {text}"));
    Place { file: FileId(file as u32), span: Span::new(start, start + text.len()) }
}

pub fn waits(kind: WaitKind, seconds: f64) -> Waits {
    Waits {
        kind,
        runs: vec![WaitRun { shortest: seconds, longest: seconds, random: false, times: 1 }],
        jitter: false,
        capped: true,
        after_last: false,
        by_engine: false,
        chosen: true,
        place: None,
        reads_retry_after: false,
    }
}

pub fn layer(sources: &Sources, kind: LayerKind, at: (&str, &str), function: &str, attempts: u64) -> Layer {
    let place = place(sources, at.0, at.1);
    Layer {
        decides: None,
        spares_spent_quota: false,
        rereads: None,
        inherent: false,
        another: false,
        untouched: false,
        guessed: false,
        in_a_row: false,
        family: None,
        kind,
        library: None,
        version: None,
        place,
        function: function.into(),
        defined: None,
        attempts: Count::Exact(attempts),
        by_failure: [Count::Exact(attempts); 9],
        source: CountSource::Literal,
        number: None,
        also: vec![],
        reason: None,
        text: sources.text(place).into(),
        waits: waits(WaitKind::None, 0.0),
        setting: None,
        off: None,
        misleading: None,
        retries_everything: false,
        permanent: Vec::new(),
        by_status: false,
        logs: false,
        limit: None,
    }
}

/// The chain of 3 x 4 x 3.
pub fn chain(sources: &Sources) -> Chain {
    let call = place(sources, "app/report.py", "create");
    let whole = place(sources, "app/report.py", "client.messages.create(\n        model=\"claude-sonnet-4-5\",");
    let mut queue = layer(sources, LayerKind::JobQueue, ("app/jobs.py", "Retry(max=2)"), "finish_session", 3);
    queue.library = Some("rq".into());
    let mut retry = layer(
        sources,
        LayerKind::Decorator,
        ("app/report.py", "retry(stop=stop_after_attempt(4), wait=wait_fixed(2))"),
        "ask",
        4,
    );
    retry.library = Some("tenacity".into());
    retry.text = "stop_after_attempt(4)".into();
    retry.waits = waits(WaitKind::Fixed, 2.0);
    let mut client = layer(sources, LayerKind::Sdk, ("app/report.py", "create"), "ask", 3);
    client.library = Some("anthropic".into());
    client.source = CountSource::Default;
    client.text = "max_retries=2".into();
    client.setting = Some("max_retries".into());
    client.by_failure[Failure::Permanent.index()] = Count::ONE;
    client.by_failure[Failure::Answer.index()] = Count::ONE;
    client.waits = waits(WaitKind::Exponential, 0.5);
    let mut by_failure = [Count::Exact(36); 9];
    by_failure[Failure::Permanent.index()] = Count::Exact(12);
    by_failure[Failure::Answer.index()] = Count::ONE;
    let step = |place, function: &str| Step { place, function: function.into() };
    let entry = place(sources, "app/jobs.py", "finish_session");
    Chain {
        entries: vec![Entry { place: entry, function: "finish_session".into(), kind: EntryKind::Function }],
        call: OutboundCall {
            timeout_written: false,
            place: call,
            whole,
            function: "ask".into(),
            target: "anthropic.messages.create".into(),
            library: "anthropic".into(),
            client: Some(place(sources, "app/claude.py", "anthropic.Anthropic()")),
            other_clients: Vec::new(),
            sends_retry_after: true,
            spend_limit_429: false,
            plain_http: false,
            can_fail_permanently: true,
            timeout: Some(600.0),
            stream: false,
            writes: false,
            idempotency: None,
        },
        layers: vec![queue, retry, client],
        worst: Count::Exact(36),
        by_failure,
        peak: Some(36),
        shortest: Some(31.5),
        longest: Some(21636.0),
        confidence: Confidence::High,
        path: vec![
            step(place(sources, "app/jobs.py", "enqueue"), "finish_session"),
            step(place(sources, "app/report.py", "ask(\"Score"), "build_report"),
            step(call, "ask"),
        ],
    }
}

pub fn finding(
    rule: &'static str,
    code: &'static str,
    severity: Severity,
    place: Place,
    message: &str,
    help: &str,
) -> Finding {
    Finding {
        rule,
        code,
        severity,
        confidence: Confidence::High,
        message: message.into(),
        help: help.into(),
        place,
        related: vec![],
        chain: Some(0),
        figures: vec![],
        fingerprint: format!("{rule}|app/report.py|ask|create"),
    }
}

/// The storm as a report.
pub fn report() -> squall::Report {
    let sources = sources();
    let chain = chain(&sources);
    let related = |l: &Layer| Related { place: l.place, message: format!("{} attempts here", l.text) };
    let mut stacked = finding(
        "stacked-retries",
        "SQ101",
        Severity::Error,
        chain.call.place,
        "up to 36 requests within 60 s for one failing call: 3 layers multiply (3 x 4 x 3), the budget is 10",
        "pass `max_retries=0` to the Anthropic client: 36 becomes 12; without the decorator it would be 9",
    );
    stacked.related = chain.layers.iter().map(related).collect();
    let fixed = finding(
        "fixed-wait",
        "SQ201",
        Severity::Warning,
        place(&sources, "app/report.py", "wait_fixed(2)"),
        "every failed attempt waits the same 2 s: workers that fail together retry together",
        "use `wait_random_exponential(multiplier=1, max=60)`",
    );
    let mut job = finding(
        "non-resumable-job",
        "SQ401",
        Severity::Error,
        place(&sources, "app/jobs.py", "build_report, session_id"),
        "the job starts over: a run whose third step fails sends 42 requests, at most 108",
        "store the result of each step and skip what is stored",
    );
    job.chain = None;
    job.figures = vec![("failing_job_requests", 42), ("worst_job_requests", 108)];
    job.related = vec![Related {
        place: place(&sources, "app/report.py", "scores = ask"),
        message: "step 1 of 3, done over".into(),
    }];
    let analysis = Analysis { chains: vec![chain], jobs: vec![], files: 4, cut: vec![], ..Analysis::default() };
    let findings = squall::report::settle(vec![stacked, fixed, job], &analysis, Confidence::Medium, |_| true).0;
    let skipped = vec![Skipped { file: "app/blob.py".into(), reason: "not UTF-8".into() }];
    squall::Report { sources, analysis, findings, hidden: 2, skipped, window: 60.0, ..Default::default() }
}
