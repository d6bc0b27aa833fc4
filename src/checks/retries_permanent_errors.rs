//! SQ301: tries again what can never succeed.

use super::sites::{is_hidden, repeats_class, sites, written};
use super::words::{does, sentence, times};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Failure, Layer};
use crate::source::Place;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "retries-permanent-errors",
    code: "SQ301",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A layer retries failures that stay: 400, 401, 403, 404, 413, 422 or simply everything",
    page: include_str!("retries_permanent_errors.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    let mut by_default: BTreeMap<(Option<&str>, Place), usize> = BTreeMap::new();
    let sites = sites(input, retries_permanent, decision);
    for site in sites.iter().filter(|site| is_hidden(site.layer)) {
        *by_default.entry((site.layer.library.as_deref(), site.chain.call.place)).or_default() += 1;
    }
    for site in sites {
        // What a library does wherever nobody says otherwise is said once of a call.
        let one_of = match is_hidden(site.layer) {
            true => by_default.remove(&(site.layer.library.as_deref(), site.chain.call.place)),
            false => Some(1),
        };
        let Some(uses) = one_of else { continue };
        let more = if uses > 1 { format!(" (and in {} more places like this)", uses - 1) } else { String::new() };
        let count = site.layer.by_failure[Failure::Permanent.index()];
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "{} failures that stay as well: a wrong request or key ({}) of `{}` is made {}{more}",
                    sentence(&does(site.layer, "retries", "retry")),
                    statuses(site.layer),
                    site.chain.call.target,
                    times(count)
                ))
                .help(
                    "Retry only what can pass: no connection, timeouts, 408, 409, 429 and 5xx. Let other errors through at \
                     once, by type or status.",
                )
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .related(site.chain.call.place, "the call that fails for good")
                .done(),
        );
    }
}

fn retries_permanent(chain: &Chain, layer: &Layer) -> bool {
    layer.retries_everything
        && chain.call.can_fail_permanently
        && repeats_class(layer, Failure::Permanent)
        && (!layer.in_a_row || also_passing(layer))
}

/// Which statuses that stay a layer repeats.
fn statuses(layer: &Layer) -> String {
    match layer.permanent.as_slice() {
        [] => "400, 401, 404, 422".to_string(),
        some => some.iter().map(u16::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Whether a layer repeats what can pass as well. A call that stands there once more for what stays alone was written for
/// just that: what was missing is made in between, or another name is taken.
fn also_passing(layer: &Layer) -> bool {
    use Failure::{Connect, Disconnect, Overloaded, RateLimit, Server, Timeout};
    [Connect, Disconnect, Timeout, RateLimit, Overloaded, Server].into_iter().any(|class| repeats_class(layer, class))
}

/// Where the layer chooses its failures.
pub(super) fn decision(layer: &Layer) -> Place {
    layer.decides.unwrap_or(written(layer))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn greedy(at: u32) -> Layer {
        Layer { retries_everything: true, ..looped(at, 4) }
    }

    #[test]
    fn a_loop_that_catches_everything_is_found_at_its_handler() {
        let layer = Layer { decides: Some(line(9)), ..greedy(6) };
        let found = check(&CHECK, vec![chain(vec![layer])]);
        assert_eq!((lines(&found), related(&found[0])), (vec![9], vec![6, 50]));
        assert_eq!(lines(&check(&CHECK, vec![chain(vec![greedy(6)])])), [6]);
    }

    #[test]
    fn a_choice_of_failures_is_fine() {
        let choosy = only(greedy(6), &[Failure::RateLimit, Failure::Server]);
        assert_eq!(check(&CHECK, vec![chain(vec![choosy, job(5, 3)])]), vec![]);
    }

    #[test]
    fn a_call_that_cannot_fail_for_good_is_fine() {
        let mut chain = chain(vec![greedy(6)]);
        chain.call.can_fail_permanently = false;
        assert_eq!(check(&CHECK, vec![chain]), vec![]);
    }
}
