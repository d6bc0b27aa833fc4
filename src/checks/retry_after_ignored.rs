//! SQ205: the server says when to come back, and nobody reads it.

use super::sites::{is_own, repeats_class, sites, wait_place};
use super::words::{does, sentence};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Failure, Layer, WaitKind};

pub(super) const CHECK: Check = Check {
    name: "retry-after-ignored",
    code: "SQ205",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A layer retries 429 or 503/529 and never reads Retry-After",
    page: include_str!("retry_after_ignored.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, is_deaf, wait_place) {
        let layer = site.layer;
        let statuses: Vec<&str> = [(Failure::RateLimit, "429"), (Failure::Overloaded, "503 and 529")]
            .into_iter()
            .filter(|(class, _)| repeats_class(layer, *class))
            .map(|(_, name)| name)
            .collect();
        let mut draft = input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "{} {} of `{}` again and never read Retry-After: the server's word is not heard",
                    sentence(&does(layer, "tries", "try")),
                    statuses.join(", "),
                    site.chain.call.target
                ))
                .help(
                    "Read Retry-After (seconds or an HTTP date) and wait at least that long; fall back to backoff with jitter \
                     where it is missing. Or leave 429 and 503 to the client if it reads the header itself.",
                )
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related());
        let call = site.chain.call.place;
        if layer.kind.is_built_in() && call != site.place {
            draft = draft.related(call, "the call that is sent again");
        }
        out.push(draft.done());
    }
}

fn is_deaf(chain: &Chain, layer: &Layer) -> bool {
    let call = &chain.call;
    let asked = repeats_class(layer, Failure::RateLimit) || repeats_class(layer, Failure::Overloaded);
    let sent = call.sends_retry_after || (call.plain_http && (layer.by_status || tells_statuses_apart(layer)));
    asked && sent && !layer.waits.reads_retry_after && !layer.kind.is_job() && is_own(layer)
}

/// Whether a library's layer with waits of its own repeats some statuses and lets others through: the function below it
/// made errors of its own of them. (In a loop, such an error may carry what the header said.)
fn tells_statuses_apart(layer: &Layer) -> bool {
    use Failure::{Overloaded, Permanent, RateLimit, Server};
    let of_a_status = [RateLimit, Overloaded, Server, Permanent];
    layer.library.is_some()
        && layer.waits.kind != WaitKind::Unknown
        && of_a_status.iter().any(|class| !repeats_class(layer, *class))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn to_service(layers: Vec<Layer>) -> Chain {
        let mut chain = chain(layers);
        chain.call.sends_retry_after = true;
        chain
    }

    #[test]
    fn a_loop_over_a_service_that_sends_it() {
        let found = check(&CHECK, vec![to_service(vec![looped(6, 4), built_in(50, 3)])]);
        assert_eq!(lines(&found), [6]);
    }

    #[test]
    fn plain_http_only_where_the_layer_looks_at_the_status() {
        let mut chain = chain(vec![looped(6, 4)]);
        chain.call.plain_http = true;
        assert_eq!(check(&CHECK, vec![chain.clone()]), vec![]);
        chain.layers[0].by_status = true;
        assert_eq!(lines(&check(&CHECK, vec![chain])), [6]);
    }

    #[test]
    fn who_reads_it_a_queue_and_a_client_s_default_are_fine() {
        let mut reads = looped(6, 4);
        reads.waits.reads_retry_after = true;
        let others = only(looped(7, 4), &[Failure::Connect, Failure::Server]);
        assert_eq!(check(&CHECK, vec![to_service(vec![job(5, 3), reads, others, built_in(50, 3)])]), vec![]);
    }
}
