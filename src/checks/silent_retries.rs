//! SQ601: a storm that nobody sees.

use super::sites::{is_around, sites, written};
use super::words::{attempts, does, sentence};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Layer, LayerKind};

pub(super) const CHECK: Check = Check {
    name: "silent-retries",
    code: "SQ601",
    severity: Severity::Note,
    pedantic: true,
    summary: "A layer neither logs nor counts its attempts",
    page: include_str!("silent_retries.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, |_, layer| is_silent(layer), written) {
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "{} {} of `{}` and neither logs nor counts them: logs show one call where the wire has many",
                    sentence(&does(site.layer, "makes", "make")),
                    attempts(site.layer.attempts),
                    site.chain.call.target
                ))
                .help("Log the attempt's number, the status, the request id and the wait, and count attempts and final failures.")
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .done(),
        );
    }
}

/// A client's own retries cannot speak, a queue's always do.
fn is_silent(layer: &Layer) -> bool {
    is_around(layer) && layer.kind != LayerKind::Declared && !layer.logs
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn a_wrapper_that_says_nothing_is_found_at_its_loop() {
        let silent = Layer { logs: false, defined: Some(line(20)), ..looped(6, 3) };
        let found = check(&CHECK, vec![chain(vec![silent])]);
        assert_eq!((lines(&found), related(&found[0])), (vec![20], vec![6]));
    }

    #[test]
    fn a_loop_that_logs_a_queue_and_a_client_are_fine() {
        let quiet = |layer: Layer| Layer { logs: false, ..layer };
        assert_eq!(check(&CHECK, vec![chain(vec![quiet(job(5, 3)), looped(6, 3), quiet(built_in(50, 3))])]), vec![]);
    }
}
