//! What is wrong: one check a file, over layers, chains, jobs and facts. Checks see no syntax tree and no
//! file system, and print nothing.
//!
//! A new check is a file with a [`Check`] and a page beside it (`NAME.md`), and one line in `registry.rs`.

mod builder;
mod finding;
mod registry;
mod remedy;
mod selection;
mod sites;
#[cfg(test)]
mod testing;
mod words;

mod backoff_without_jitter;
mod batch_fails_together;
mod fast_job_retry;
mod fixed_wait;
mod hidden_sdk_retries;
mod idempotency_key_missing;
mod idempotency_key_per_attempt;
mod missing_timeout;
mod no_circuit_breaker;
mod no_deadline;
mod no_wait;
mod non_resumable_job;
mod retries_permanent_errors;
mod retries_spend_limit;
mod retry_after_clamped;
mod retry_after_date_unparsed;
mod retry_after_ignored;
mod retry_by_message;
mod retry_count_mismatch;
mod shared_circuit_breaker;
mod shared_client;
mod side_effect_in_retry;
mod silent_retries;
mod sleep_after_last_attempt;
mod stacked_retries;
mod stream_restart;
mod unbounded_retries;
mod uncapped_backoff;
mod unlimited_fan_out;
mod unused_ignore;

pub use finding::{Finding, Related, Severity};
pub use registry::{by_name, registry};
pub use selection::{Selection, UnknownCheck};
pub use unused_ignore::unused_ignore;

use crate::chains::{Analysis, Confidence};
use crate::source::Sources;

/// The budget unless configured: attempts in one window.
pub const DEFAULT_BUDGET: u64 = 10;

/// What a check looks at.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The texts, for places.
    pub sources: &'a Sources,
    /// Chains, jobs and facts.
    pub analysis: &'a Analysis,
    /// Most attempts that may fall into one window.
    pub budget: u64,
    /// The window in seconds.
    pub window: f64,
}

/// One rule.
#[derive(Debug)]
pub struct Check {
    /// What users write in configuration and ignores.
    pub name: &'static str,
    /// SQ, group, two digits.
    pub code: &'static str,
    /// How bad a finding of it is.
    pub severity: Severity,
    /// Off unless selected.
    pub pedantic: bool,
    /// What is wrong, in one line.
    pub summary: &'static str,
    /// The public page, in Markdown.
    pub page: &'static str,
    /// Adds what it finds.
    pub run: fn(&Input, &mut Vec<Finding>),
}

/// Runs the selected checks. The findings come ordered by file, line, column and code, each cause once.
pub fn run(input: &Input, selection: &Selection) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in registry().iter().filter(|check| selection.contains(check)) {
        (check.run)(input, &mut findings);
    }
    for finding in &mut findings {
        // What rests on a client that was only recognised by its shape is no surer than that.
        let chain = finding.chain.and_then(|at| input.analysis.chains.get(at));
        if chain.is_some_and(|c| c.layers.iter().any(|layer| layer.family.is_some())) {
            finding.confidence = finding.confidence.min(Confidence::Medium);
        }
    }
    builder::finish(input.sources, findings)
}
