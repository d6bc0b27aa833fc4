//! SQ202: waits that grow in step for everybody.

use super::sites::{sites, wait_place, waits_are_ours};
use super::words::{seconds, sentence, who};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Layer, WaitKind};

pub(super) const CHECK: Check = Check {
    name: "backoff-without-jitter",
    code: "SQ202",
    severity: Severity::Warning,
    pedantic: false,
    summary: "Waits grow from attempt to attempt, with no jitter",
    page: include_str!("backoff_without_jitter.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, |_, layer| grows_in_step(layer), wait_place) {
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "The waits of {} grow{} with no jitter: callers of `{}` that fail together come back together each time",
                    who(site.layer),
                    shown(site.layer),
                    site.chain.call.target
                ))
                .help(sentence(
                    "draw each wait at random between 0 and the value that is computed now (full jitter), or switch on the \
                     library's own jitter.",
                ))
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .done(),
        );
    }
}

fn grows_in_step(layer: &Layer) -> bool {
    let waits = &layer.waits;
    let grows = match waits.kind {
        WaitKind::Linear | WaitKind::Exponential => true,
        WaitKind::List => waits.runs.windows(2).any(|pair| pair[1].longest > pair[0].longest),
        _ => false,
    };
    let random = waits.jitter || waits.runs.iter().any(|run| run.random);
    waits_are_ours(layer) && grows && !random
}

/// ` (1 s, 2 s, 4 s ...)`
fn shown(layer: &Layer) -> String {
    let values: Vec<String> = layer.waits.runs.iter().take(3).map(|run| seconds(run.longest)).collect();
    match (values.is_empty(), layer.waits.runs.len() > 3) {
        (true, _) => String::new(),
        (false, true) => format!(" ({} ...)", values.join(", ")),
        (false, false) => format!(" ({})", values.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn growing_waits_without_chance_are_found_where_they_are_written() {
        let mut layer = waiting(looped(6, 5), WaitKind::Exponential, &[1.0, 2.0, 4.0, 8.0]);
        layer.waits.place = Some(line(9));
        let found = check(&CHECK, vec![chain(vec![layer])]);
        assert_eq!(lines(&found), [9]);
        assert!(found[0].message.contains("grow (1 s, 2 s, 4 s ...) with no jitter"), "{}", found[0].message);
        let list = waiting(looped(6, 4), WaitKind::List, &[0.1, 0.5, 7.0]);
        assert_eq!(lines(&check(&CHECK, vec![chain(vec![list])])), [6]);
    }

    #[test]
    fn jitter_equal_waits_and_an_engine_s_waits_are_fine() {
        let mut jittered = waiting(looped(6, 5), WaitKind::Exponential, &[1.0, 2.0]);
        jittered.waits.jitter = true;
        let mut engine = waiting(looped(8, 4), WaitKind::Exponential, &[1.0, 2.0]);
        engine.waits.by_engine = true;
        let falling = waiting(looped(9, 3), WaitKind::List, &[5.0, 1.0]);
        let fixed = waiting(looped(7, 4), WaitKind::Fixed, &[1.0]);
        let default = waiting(built_in(50, 4), WaitKind::Exponential, &[1.0, 2.0]);
        assert_eq!(check(&CHECK, vec![chain(vec![jittered, engine, falling, fixed, default])]), vec![]);
    }

    #[test]
    fn a_job_may_grow_from_a_minute_on() {
        let slow = waiting(job(6, 3), WaitKind::List, &[240.0, 540.0]);
        let fast = waiting(job(7, 3), WaitKind::Exponential, &[1.0, 2.0]);
        assert_eq!(lines(&check(&CHECK, vec![chain(vec![slow]), chain(vec![fast])])), [7]);
    }
}
