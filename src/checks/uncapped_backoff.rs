//! SQ204: waits that double for ever.

use super::sites::{sites, wait_place, waits_are_ours};
use super::words::{attempts, seconds, who};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Count, Layer, WaitKind};

pub(super) const CHECK: Check = Check {
    name: "uncapped-backoff",
    code: "SQ204",
    severity: Severity::Note,
    pedantic: false,
    summary: "Exponential waits over more than 6 attempts, with no cap",
    page: include_str!("uncapped_backoff.md"),
    run,
};

/// Attempts that may double without a cap: the sixth waits 32 times the first.
const FEW: u64 = 6;

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, |_, layer| is_uncapped(layer), wait_place) {
        let layer = site.layer;
        let reaches = match (layer.attempts, layer.waits.runs.last()) {
            (Count::Exact(n), Some(_)) => longest(layer, n),
            _ => String::new(),
        };
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "The waits of {} double without a cap over {}{reaches}",
                    who(layer),
                    attempts(layer.attempts)
                ))
                .help("Cap the wait (30 s for background work, a few seconds where somebody waits), or make fewer attempts.")
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .done(),
        );
    }
}

/// The last wait, if the runs reach it.
fn longest(layer: &Layer, attempts: u64) -> String {
    let runs = &layer.waits.runs;
    let times: u64 = runs.iter().fold(0, |sum, run| sum.saturating_add(run.times));
    match runs.last() {
        Some(last) if times.saturating_add(1) >= attempts => format!(": the last one is {}", seconds(last.longest)),
        _ => String::new(),
    }
}

fn is_uncapped(layer: &Layer) -> bool {
    let many = match layer.attempts {
        Count::Exact(n) | Count::Unknown(n) => n > FEW,
        Count::Unbounded => true,
        // A time limit caps the waits, too.
        Count::Time(_) => false,
    };
    let waits = &layer.waits;
    waits_are_ours(layer) && waits.kind == WaitKind::Exponential && !waits.capped && many && layer.limit.is_none()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::LayerKind;

    fn doubling(mut layer: Layer) -> Layer {
        layer = waiting(layer, WaitKind::Exponential, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
        layer.waits.capped = false;
        layer
    }

    #[test]
    fn seven_attempts_that_double() {
        let found = check(&CHECK, vec![chain(vec![doubling(looped(6, 7))])]);
        assert_eq!(lines(&found), [6]);
        assert!(found[0].message.ends_with("over 7 attempts: the last one is 32 s"), "{}", found[0].message);
        let endless = doubling(layer(LayerKind::Decorator, 8, Count::Unbounded));
        assert_eq!(lines(&check(&CHECK, vec![chain(vec![endless])])), [8]);
    }

    #[test]
    fn few_attempts_a_cap_or_a_time_limit_are_fine() {
        let mut capped = doubling(looped(7, 20));
        capped.waits.capped = true;
        let limited = Layer { limit: Some(60.0), ..doubling(looped(8, 20)) };
        assert_eq!(check(&CHECK, vec![chain(vec![doubling(looped(6, 6)), capped, limited])]), vec![]);
    }
}
