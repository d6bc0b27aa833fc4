//! SQ101: layers whose product sends more attempts in one window than the budget allows.

use super::sites::{layers_of, multiplies};
use super::words::{arithmetic, by_class, rank, seconds, up_to_times};
use super::{Check, Finding, Input, Related, Severity};
use crate::chains::{Chain, Confidence, Count, Failure, WaitKind};
use crate::source::Place;
use crate::timing::peaks;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "stacked-retries",
    code: "SQ101",
    severity: Severity::Error,
    pedantic: false,
    summary: "Retry layers multiply to more attempts in one window than the budget",
    page: include_str!("stacked_retries.md"),
    run,
};

/// A chain over the budget, by the class of failure that makes most attempts.
struct Storm<'a> {
    index: usize,
    chain: &'a Chain,
    class: Failure,
    /// Most attempts in a window; none: no number bounds it.
    peak: Option<u64>,
}

impl Storm<'_> {
    fn count(&self) -> Count {
        self.chain.by_failure[self.class.index()]
    }
}

fn run(input: &Input, out: &mut Vec<Finding>) {
    let mut calls: BTreeMap<Place, Vec<Storm>> = BTreeMap::new();
    for (index, chain) in input.analysis.chains.iter().enumerate() {
        if let Some(storm) = storm(input, index, chain) {
            calls.entry(chain.call.place).or_default().push(storm);
        }
    }
    for mut storms in calls.into_values() {
        storms.sort_by_key(|storm| (std::cmp::Reverse(rank(storm.count())), storm.index));
        out.extend(finding(input, &storms));
    }
}

/// The worst class for which two layers multiply past the budget.
fn storm<'a>(input: &Input, index: usize, chain: &'a Chain) -> Option<Storm<'a>> {
    let multiplying: Vec<Failure> = Failure::ALL.into_iter().filter(|class| multiplies(chain, *class)).collect();
    if multiplying.is_empty() {
        return None;
    }
    let peaks = peaks(&chain.layers, input.window);
    multiplying
        .into_iter()
        .map(|class| Storm { index, chain, class, peak: peaks[class.index()] })
        .filter(|storm| storm.peak.is_none_or(|peak| peak > input.budget))
        // Of equally bad classes the first one.
        .reduce(|worst, other| if rank(other.count()) > rank(worst.count()) { other } else { worst })
}

fn finding(input: &Input, storms: &[Storm]) -> Option<Finding> {
    let (worst, others) = storms.split_first()?;
    let chain = worst.chain;
    let mut draft = input
        .draft(&CHECK, chain.call.place, &chain.call.function)
        .message(message(input, worst))
        .help(super::remedy::instruction(input, chain))
        .chain(worst.index)
        .confidence(confidence(chain))
        .relate(layers_of(chain));
    for other in others {
        draft = draft.relate(layers_of(other.chain).into_iter().take(8).map(|related| Related {
            message: format!("{}, in another chain to this call", related.message),
            ..related
        }));
    }
    Some(draft.done())
}

fn message(input: &Input, storm: &Storm) -> String {
    let chain = storm.chain;
    let product = arithmetic(&chain.layers, storm.class);
    let classes = match by_class(chain) {
        classes if classes.is_empty() => classes,
        classes => format!(" ({classes})"),
    };
    let window = seconds(input.window);
    // A number that is not known was counted as 1.
    let is_open = chain.layers.iter().any(|layer| matches!(layer.attempts, Count::Unknown(_)));
    let peak = match storm.peak {
        Some(peak) if is_open => format!("at least {peak} of them within {window}"),
        Some(peak) => format!("up to {peak} of them within {window}"),
        None => format!("as many of them within {window} as the machine can send"),
    };
    format!(
        "One failing call of `{}` is sent {}: {product}{classes}; {peak}, and the budget is {}",
        chain.call.target,
        up_to_times(storm.count()),
        input.budget
    )
}

/// A wait that could not be evaluated was counted as 0.
fn confidence(chain: &Chain) -> Confidence {
    let guessed = chain
        .layers
        .iter()
        .any(|layer| layer.waits.kind == WaitKind::Unknown && layer.waits.runs.is_empty() && !layer.waits.by_engine);
    if guessed { chain.confidence.min(Confidence::Medium) } else { chain.confidence }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::LayerKind;

    #[test]
    fn the_storm_of_thirty_six_is_said_with_its_arithmetic_and_one_change() {
        let mut policy = looped(6, 4);
        policy.library = Some("policy".to_string());
        policy.kind = LayerKind::Decorator;
        let mut chain = chain(vec![job(10, 3), policy, built_in(50, 3)]);
        chain.call.client = Some(line(3));
        let found = check(&CHECK, vec![chain]);
        assert_eq!(lines(&found), [50]);
        assert_eq!(
            found[0].message,
            "One failing call of `acme.messages.create` is sent up to 36 times: queue 3 x policy 4 x acme 3; \
             up to 36 of them within 60 s, and the budget is 10"
        );
        assert_eq!(
            found[0].help,
            "Pass `max_retries=0` where the client is made at app/a.py:3; the policy decorator at app/a.py:6 then owns the \
             retries: 36 -> 12. That is still above the budget of 10: then also let queue's job retry at app/a.py:10 wait for \
             minutes between runs, 240 s and 540 s for example: at most 4 instead of 12 in 60 s."
        );
        assert_eq!(related(&found[0]), [10, 6, 50]);
    }

    #[test]
    fn three_by_three_is_within_the_budget() {
        assert_eq!(check(&CHECK, vec![chain(vec![looped(6, 3), built_in(50, 3)])]), vec![]);
    }

    #[test]
    fn a_job_that_waits_for_minutes_is_the_remedy() {
        let job = waiting(job(10, 3), WaitKind::List, &[240.0, 540.0]);
        assert_eq!(check(&CHECK, vec![chain(vec![job, built_in(50, 4)])]), vec![]);
    }

    #[test]
    fn one_layer_alone_is_no_stack() {
        assert_eq!(check(&CHECK, vec![chain(vec![looped(6, 20), built_in(50, 1)])]), vec![]);
    }

    #[test]
    fn layers_for_different_failures_do_not_multiply() {
        let outer = only(looped(6, 11), &[Failure::RateLimit]);
        let inner = only(built_in(50, 11), &[Failure::Connect]);
        assert_eq!(check(&CHECK, vec![chain(vec![outer, inner])]), vec![]);
    }

    #[test]
    fn a_loop_without_bound_over_a_client_that_retries_is_a_stack() {
        let found = check(&CHECK, vec![chain(vec![layer(LayerKind::Loop, 6, Count::Unbounded), built_in(50, 3)])]);
        assert_eq!(lines(&found), [50]);
        assert!(found[0].message.contains("without bound: loop (no bound) x acme 3"), "{}", found[0].message);
    }

    #[test]
    fn many_ways_to_one_call_are_one_finding_about_the_worst() {
        let found =
            check(&CHECK, vec![chain(vec![looped(6, 4), built_in(50, 3)]), chain(vec![looped(8, 6), built_in(50, 3)])]);
        assert_eq!((lines(&found), found[0].chain), (vec![50], Some(1)));
        assert_eq!(related(&found[0]), [8, 50, 6]);
    }

    #[test]
    fn a_count_that_is_not_known_is_said_to_be() {
        let found = check(&CHECK, vec![chain(vec![layer(LayerKind::Loop, 6, Count::Unknown(1)), looped(8, 12)])]);
        assert!(found[0].message.contains("at least 12 times (a count is not known): loop ? x loop 12"));
        assert!(found[0].message.contains("; at least 12 of them within 60 s"));
    }

    #[test]
    fn a_wait_that_is_not_known_lowers_the_confidence() {
        let mut outer = looped(6, 4);
        outer.waits.kind = WaitKind::Unknown;
        let found = check(&CHECK, vec![chain(vec![outer, built_in(50, 3)])]);
        assert_eq!(found[0].confidence, Confidence::Medium);
    }
}
