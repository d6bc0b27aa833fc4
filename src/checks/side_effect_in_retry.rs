//! SQ402: something that must not happen twice, in a region that is repeated.

use super::sites::{layers_of, repeats, repeats_class};
use super::words::{rank, sentence, up_to_times, who};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Confidence, Failure, Job, JobStep, Layer, SideEffect};
use crate::source::Place;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "side-effect-in-retry",
    code: "SQ402",
    severity: Severity::Error,
    pedantic: false,
    summary: "A retried region also sends mail, charges, publishes, enqueues, writes or creates",
    page: include_str!("side_effect_in_retry.md"),
    run,
};

const HELP: &str = "Take it out of the retried region, or let it happen once: store that it was done under an id before it \
                    is done again.";

/// Failures after which the request may have done its work.
pub(super) const MAYBE_DONE: [Failure; 4] = [Failure::Disconnect, Failure::Timeout, Failure::Server, Failure::Answer];

fn run(input: &Input, out: &mut Vec<Finding>) {
    let facts = input.analysis.facts.effects.iter().filter(|effect| !effect.guarded && effect.times.repeats());
    out.extend(facts.filter(|effect| effect.call.is_some()).map(|effect| in_region(input, effect)));
    for job in input.analysis.jobs.iter().filter(|job| repeats(&job.layer)) {
        let again = (0..job.steps.len()).filter(|at| happens_again(&job.steps, *at));
        out.extend(again.map(|at| in_job(input, job, &job.steps[at])));
    }
    created(input, out);
}

fn in_region(input: &Input, effect: &SideEffect) -> Finding {
    let mut draft = input
        .draft(&CHECK, effect.place, &effect.function)
        .message(format!(
            "`{}` ({}) stands in a region that is retried and can happen {}",
            effect.what,
            effect.kind,
            up_to_times(effect.times)
        ))
        .help(HELP)
        .confidence(sure(effect.guessed))
        .related(effect.layer, "this layer repeats the region");
    if let Some(region) = effect.region {
        draft = draft.related(region, "the function that it repeats");
    }
    if let Some(call) = effect.call {
        draft = draft.related(call, "the region is repeated for this call");
    }
    draft.done()
}

fn sure(guessed: bool) -> Confidence {
    if guessed { Confidence::Low } else { Confidence::High }
}

/// An effect before a step that can fail comes again with the job's next run.
fn happens_again(steps: &[JobStep], at: usize) -> bool {
    let step = &steps[at];
    step.effect.is_some() && !step.guarded && at + 1 < steps.len()
}

fn in_job(input: &Input, job: &Job, step: &JobStep) -> Finding {
    input
        .draft(&CHECK, step.place, &job.function)
        .message(format!(
            "`{}` ({}) happens again, {}, whenever a later step of `{}` fails: {} begins at the beginning",
            step.what,
            step.effect.as_deref().unwrap_or("effect"),
            up_to_times(job.layer.attempts),
            job.function,
            who(&job.layer)
        ))
        .help(HELP)
        .confidence(sure(job.layer.guessed))
        .related(job.layer.place, sentence(&who(&job.layer)))
        .related(job.place, "the job begins here")
        .done()
}

/// Calls that create something at an API without idempotency keys.
fn created(input: &Input, out: &mut Vec<Finding>) {
    let mut calls: BTreeMap<Place, (usize, &Chain, &Layer)> = BTreeMap::new();
    for (index, chain) in input.analysis.chains.iter().enumerate().filter(|(_, chain)| creates(chain)) {
        let Some(layer) = chain.layers.iter().rev().find(|layer| repeats_blindly(layer)) else { continue };
        let known = calls.entry(chain.call.place).or_insert((index, chain, layer));
        if rank(chain.worst) > rank(known.1.worst) {
            *known = (index, chain, layer);
        }
    }
    for (index, chain, layer) in calls.into_values() {
        out.push(
            input
                .draft(&CHECK, layer.place, &layer.function)
                .message(format!(
                    "`{}` creates something, takes no idempotency key, and is repeated by {} although it may have arrived",
                    chain.call.target,
                    who(layer)
                ))
                .help(
                    "Repeat it only for failures that never reached the server, or look first whether the thing is there.",
                )
                .chain(index)
                .confidence(chain.confidence)
                .relate(layers_of(chain))
                .related(chain.call.place, "the creating call")
                .done(),
        );
    }
}

fn creates(chain: &Chain) -> bool {
    chain.call.writes && !chain.call.plain_http && chain.call.idempotency.is_none()
}

/// Whether a layer outside the client repeats a request that may have done its work.
fn repeats_blindly(layer: &Layer) -> bool {
    !layer.kind.is_built_in() && MAYBE_DONE.into_iter().any(|class| repeats_class(layer, class))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::{Analysis, Count, Facts};

    fn effect(times: u64, guarded: bool) -> Facts {
        let effect = SideEffect {
            place: line(11),
            function: "twice".to_string(),
            kind: "mail".to_string(),
            what: "send".to_string(),
            layer: line(9),
            region: None,
            guessed: false,
            times: Count::Exact(times),
            call: Some(line(10)),
            guarded,
        };
        Facts { effects: vec![effect], ..Facts::default() }
    }

    fn job_of(steps: &[(u32, Option<&str>, bool)]) -> Analysis {
        let steps = steps.iter().map(|&(at, effect, guarded)| JobStep {
            place: line(at),
            what: format!("step {at}"),
            worst: Count::ONE,
            guarded,
            effect: effect.map(str::to_string),
        });
        let job = Job { function: "j".to_string(), place: line(20), layer: job(10, 3), steps: steps.collect() };
        Analysis { jobs: vec![job], ..Analysis::default() }
    }

    #[test]
    fn a_mail_in_a_retried_region() {
        let found = check_facts(&CHECK, vec![], effect(4, false));
        assert_eq!((lines(&found), related(&found[0])), (vec![11], vec![9, 10]));
        assert!(found[0].message.contains("can happen up to 4 times"));
    }

    #[test]
    fn a_guarded_mail_or_one_outside_is_fine() {
        assert_eq!(check_facts(&CHECK, vec![], effect(4, true)), vec![]);
        assert_eq!(check_facts(&CHECK, vec![], effect(1, false)), vec![]);
    }

    #[test]
    fn a_mail_before_a_step_that_fails_is_sent_with_each_run() {
        let found = check_analysis(&CHECK, &job_of(&[(21, Some("mail"), false), (22, None, false)]));
        assert_eq!((lines(&found), related(&found[0])), (vec![21], vec![10, 20]));
        assert_eq!(check_analysis(&CHECK, &job_of(&[(21, Some("mail"), true), (22, None, false)])), vec![]);
        assert_eq!(check_analysis(&CHECK, &job_of(&[(21, None, false), (22, Some("write"), false)])), vec![]);
    }

    #[test]
    fn a_creating_call_without_keys_under_a_loop() {
        let mut creating = chain(vec![looped(12, 3), built_in(50, 4)]);
        creating.call.writes = true;
        let found = check(&CHECK, vec![creating.clone()]);
        assert_eq!((lines(&found), found[0].chain), (vec![12], Some(0)));
        let mut keyed = creating.clone();
        keyed.call.idempotency = Some(("key".to_string(), true));
        let mut reading = creating.clone();
        reading.call.writes = false;
        let mut never_arrived = creating;
        never_arrived.layers[0] = only(looped(12, 3), &[Failure::Connect, Failure::RateLimit]);
        assert_eq!(check(&CHECK, vec![keyed, reading, never_arrived]), vec![]);
    }
}
