//! SQ209: one wait too many.

use super::sites::{sites, wait_place};
use super::words::{sentence, up_to, who};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Count, Layer, WaitKind};
use crate::timing::total_wait;

pub(super) const CHECK: Check = Check {
    name: "sleep-after-last-attempt",
    code: "SQ209",
    severity: Severity::Note,
    pedantic: false,
    summary: "The code waits once more after the last attempt failed",
    page: include_str!("sleep_after_last_attempt.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, |_, layer| is_idle(layer), wait_place) {
        let lost = last_wait(site.layer).map_or(String::new(), |wait| format!(" for {}", up_to(wait)));
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "{} waits once more{lost} after its last attempt, for nothing",
                    sentence(&who(site.layer))
                ))
                .help("Leave the loop before the wait when no attempt is left.")
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .done(),
        );
    }
}

fn is_idle(layer: &Layer) -> bool {
    let waits = &layer.waits;
    let bounded = matches!(layer.attempts, Count::Exact(_) | Count::Unknown(_) | Count::Time(_));
    waits.after_last && bounded && waits.kind != WaitKind::None
}

/// The wait after the last attempt, at its largest.
fn last_wait(layer: &Layer) -> Option<f64> {
    let attempts = layer.attempts.number()?;
    let (with, without) =
        (total_wait(&layer.waits, attempts)?.1, total_wait(&layer.waits, attempts.saturating_sub(1))?.1);
    Some(with - without).filter(|wait| *wait > 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn sleeping(attempts: Count) -> Layer {
        let mut layer = waiting(looped(6, 3), WaitKind::Exponential, &[1.0, 2.0, 4.0]);
        layer.attempts = attempts;
        layer.waits.after_last = true;
        layer.waits.place = Some(line(9));
        layer
    }

    #[test]
    fn the_third_wait_of_three_attempts_is_lost() {
        let found = check(&CHECK, vec![chain(vec![sleeping(Count::Exact(3))])]);
        assert_eq!(lines(&found), [9]);
        assert_eq!(
            found[0].message,
            "The retry loop waits once more for up to 4 s after its last attempt, for nothing"
        );
    }

    #[test]
    fn leaving_before_the_wait_and_never_leaving_are_fine() {
        let leaves = waiting(looped(7, 3), WaitKind::Fixed, &[1.0]);
        assert_eq!(check(&CHECK, vec![chain(vec![sleeping(Count::Unbounded)]), chain(vec![leaves])]), vec![]);
    }
}
