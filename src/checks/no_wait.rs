//! SQ203: tries again at once.

use super::sites::{sites, wait_place, waits_are_ours};
use super::words::{attempts, does, sentence};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Failure, Layer, WaitKind};

pub(super) const CHECK: Check = Check {
    name: "no-wait",
    code: "SQ203",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A layer tries again at once, without any wait",
    page: include_str!("no_wait.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, is_immediate, wait_place) {
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "{} again at once: {} of `{}` with no wait between them",
                    sentence(&does(site.layer, "tries", "try")),
                    attempts(site.layer.attempts),
                    site.chain.call.target
                ))
                .help("Wait before every further attempt: at random between 0 and a limit that doubles up to a cap.")
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .done(),
        );
    }
}

fn is_immediate(chain: &Chain, layer: &Layer) -> bool {
    let waits = &layer.waits;
    let at_once = waits.kind == WaitKind::None;
    // An answer that was refused, or a request, came from a server in good health: asking again at once (with another
    // name, or after what was missing was made) does no harm.
    // And where only a time that is up goes round, that time lies between the attempts.
    let harmless =
        Failure::ALL.into_iter().filter(|class| super::sites::repeats_class(layer, *class)).all(|class| match class {
            Failure::Answer | Failure::Timeout => true,
            Failure::Permanent if renews(layer) => true,
            Failure::Conflict | Failure::Permanent => layer.in_a_row || super::sites::asks_for_another(layer, class),
            _ => false,
        });
    at_once && !harmless && waits_are_ours(layer) && !super::fast_job_retry::is_fast(chain, layer)
}

/// Whether of the failures that stay it tries only those again where the key was refused: with a new one, at once.
fn renews(layer: &Layer) -> bool {
    !layer.permanent.is_empty() && layer.permanent.iter().all(|status| matches!(status, 401 | 403))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn a_loop_without_a_wait() {
        let found = check(&CHECK, vec![chain(vec![looped(6, 4)])]);
        assert_eq!(lines(&found), [6]);
        assert!(found[0].message.starts_with("The retry loop tries again at once: 4 attempts of"));
    }

    #[test]
    fn a_wait_a_client_s_default_a_refused_answer_and_a_time_that_is_up_are_fine() {
        let waits = waiting(looped(6, 4), WaitKind::Fixed, &[1.0]);
        let answers = only(looped(7, 3), &[Failure::Answer]);
        let hedges = only(looped(9, 3), &[Failure::Timeout]);
        let mut unknown = looped(8, 3);
        unknown.waits.kind = WaitKind::Unknown;
        let renewed = Layer { permanent: vec![401], ..only(looped(10, 2), &[Failure::Permanent]) };
        let layers = vec![waits, answers, hedges, unknown, renewed, built_in(50, 3)];
        assert_eq!(check(&CHECK, vec![chain(layers)]), vec![]);
    }

    #[test]
    fn a_job_over_a_client_that_retries_is_said_by_the_other_check() {
        assert_eq!(check(&CHECK, vec![chain(vec![job(6, 3), built_in(50, 3)])]), vec![]);
        assert_eq!(lines(&check(&CHECK, vec![chain(vec![job(6, 3)])])), [6]);
    }
}
