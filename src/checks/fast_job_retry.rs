//! SQ208: a job that starts over within a minute, around calls that already retry.

use super::sites::{first_wait, repeats, repeats_class, sites, wait_place};
use super::words::{arithmetic, seconds, sentence, who, worst_class};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Failure, Layer};

pub(super) const CHECK: Check = Check {
    name: "fast-job-retry",
    code: "SQ208",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A job is run again within a minute, around calls that already retry",
    page: include_str!("fast_job_retry.md"),
    run,
};

/// What a job waits at least before its next run, in seconds.
pub(super) const MINUTE: f64 = 60.0;

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, is_fast, wait_place) {
        let wait = match first_wait(site.layer) {
            Some(wait) if wait > 0.0 => format!("after {}", seconds(wait)),
            _ => "at once".to_string(),
        };
        let inner: Vec<Layer> = inside(site.chain, site.layer).cloned().collect();
        let class = worst_class(site.chain);
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "{} starts over {wait}, around calls of `{}` that already retry ({})",
                    sentence(&who(site.layer)),
                    site.chain.call.target,
                    arithmetic(&inner, class)
                ))
                .help(
                    "Leave the seconds to the layer next to the call, and let the job wait for minutes: 240 s, then 540 s, for \
                     example, with jitter.",
                )
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .relate(super::sites::layers_of(site.chain))
                .done(),
        );
    }
}

/// Whether it is a job layer that comes back too fast to a call that others retry already.
pub(super) fn is_fast(chain: &Chain, layer: &Layer) -> bool {
    let fast = layer.kind.is_job() && !layer.waits.by_engine && first_wait(layer).is_some_and(|wait| wait < MINUTE);
    // They must retry the same failure, or one of them never sees it.
    let common = |inner: &Layer| {
        Failure::ALL.into_iter().any(|class| repeats_class(layer, class) && repeats_class(inner, class))
    };
    fast && inside(chain, layer).any(|inner| repeats(inner) && common(inner))
}

/// The layers inside this one.
fn inside<'a>(chain: &'a Chain, layer: &Layer) -> impl Iterator<Item = &'a Layer> {
    let from = chain.layers.iter().position(|other| other == layer).map_or(chain.layers.len(), |at| at + 1);
    chain.layers.iter().skip(from)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::WaitKind;

    #[test]
    fn a_job_at_once_over_a_client_that_retries() {
        let found = check(&CHECK, vec![chain(vec![job(10, 3), built_in(50, 3)])]);
        assert_eq!(lines(&found), [10]);
        assert!(found[0].message.contains("starts over at once, around calls of"), "{}", found[0].message);
        let soon = waiting(job(10, 3), WaitKind::Exponential, &[10.0, 200.0]);
        assert_eq!(lines(&check(&CHECK, vec![chain(vec![soon, looped(8, 2)])])), [10]);
    }

    #[test]
    fn minutes_an_engine_and_a_call_that_does_not_retry_are_fine() {
        let slow = waiting(job(10, 3), WaitKind::List, &[240.0, 540.0]);
        let mut engine = job(11, 3);
        engine.waits.by_engine = true;
        let mut unknown = job(12, 3);
        unknown.waits.kind = WaitKind::Unknown;
        let over = |layer| chain(vec![layer, built_in(50, 3)]);
        assert_eq!(check(&CHECK, vec![over(slow), over(engine), over(unknown), chain(vec![job(13, 3)])]), vec![]);
    }

    #[test]
    fn a_client_that_retries_other_failures_does_not_count() {
        let outer = only(job(10, 3), &[Failure::Permanent]);
        let inner = only(built_in(50, 3), &[Failure::RateLimit]);
        assert_eq!(check(&CHECK, vec![chain(vec![outer, inner])]), vec![]);
    }
}
