//! SQ201: the same wait each time.

use super::sites::{first_wait, sites, wait_place, waits_are_ours};
use super::words::{does, seconds, sentence};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Layer, LayerKind, WaitKind};

pub(super) const CHECK: Check = Check {
    name: "fixed-wait",
    code: "SQ201",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A layer waits the same time before every attempt, with no jitter",
    page: include_str!("fixed_wait.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, |_, layer| is_fixed(layer), wait_place) {
        let wait = first_wait(site.layer).map_or("the same time".to_string(), seconds);
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "{} {wait} each time, with no jitter: callers of `{}` that fail together come back together",
                    sentence(&does(site.layer, "waits", "wait")),
                    site.chain.call.target
                ))
                .help(
                    "Draw each wait at random, between 0 and a limit that doubles with every attempt up to a cap \
                     (full jitter).",
                )
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .done(),
        );
    }
}

fn is_fixed(layer: &Layer) -> bool {
    // Of a library's own waits, one alone does not say that they stay the same.
    let untouched = layer.kind == LayerKind::Wrapper && !layer.waits.chosen;
    waits_are_ours(layer) && !untouched && layer.waits.kind == WaitKind::Fixed && !layer.waits.jitter
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::WaitRun;

    fn fixed(layer: Layer, wait: f64) -> Layer {
        waiting(layer, WaitKind::Fixed, &[wait])
    }

    #[test]
    fn the_same_two_seconds_each_time() {
        let mut layer = fixed(looped(6, 4), 2.0);
        layer.waits.place = Some(line(9));
        let found = check(&CHECK, vec![chain(vec![layer.clone(), built_in(50, 3)]), chain(vec![layer])]);
        assert_eq!((lines(&found), related(&found[0])), (vec![9], vec![6]));
        assert!(found[0].message.starts_with("The retry loop waits 2 s each time"));
    }

    #[test]
    fn jitter_growth_and_a_library_s_own_default_are_fine() {
        let mut jittered = fixed(looped(6, 4), 2.0);
        jittered.waits.jitter = true;
        let mut random = waiting(looped(7, 4), WaitKind::Random, &[]);
        random.waits.runs = vec![WaitRun { shortest: 0.0, longest: 2.0, random: true, times: 3 }];
        let growing = waiting(looped(8, 4), WaitKind::Exponential, &[1.0, 2.0, 4.0]);
        let default = fixed(built_in(50, 3), 1.0);
        assert_eq!(check(&CHECK, vec![chain(vec![jittered, random, growing, default])]), vec![]);
    }

    #[test]
    fn a_job_may_wait_the_same_minutes_each_time() {
        assert_eq!(check(&CHECK, vec![chain(vec![fixed(job(6, 4), 60.0)])]), vec![]);
        assert_eq!(lines(&check(&CHECK, vec![chain(vec![fixed(job(6, 4), 59.0)])])), [6]);
    }

    #[test]
    fn one_attempt_never_waits() {
        assert_eq!(check(&CHECK, vec![chain(vec![fixed(looped(6, 1), 2.0)])]), vec![]);
    }
}
