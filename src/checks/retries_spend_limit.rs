//! SQ302: waits for a quota that comes back next month.

use super::retries_permanent_errors::decision;
use super::sites::{is_own, repeats_class, sites};
use super::words::{does, sentence};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Failure, Layer};

pub(super) const CHECK: Check = Check {
    name: "retries-spend-limit",
    code: "SQ302",
    severity: Severity::Note,
    pedantic: false,
    summary: "A layer retries every 429 of a service that also answers a spent quota with 429",
    page: include_str!("retries_spend_limit.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for site in sites(input, retries_spent, decision) {
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "{} every 429 of `{}`, also the one of a spent quota, which has no Retry-After and fails until somebody pays",
                    sentence(&does(site.layer, "retries", "retry")),
                    site.chain.call.target
                ))
                .help("End on a 429 without Retry-After (or with the service's quota code), and tell a person.")
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .done(),
        );
    }
}

fn retries_spent(chain: &Chain, layer: &Layer) -> bool {
    let every = repeats_class(layer, Failure::RateLimit) && !layer.spares_spent_quota;
    chain.call.spend_limit_429 && every && is_own(layer) && !layer.kind.is_job()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn of_service(layers: Vec<Layer>) -> Chain {
        let mut chain = chain(layers);
        chain.call.spend_limit_429 = true;
        chain
    }

    #[test]
    fn every_429_is_retried() {
        assert_eq!(lines(&check(&CHECK, vec![of_service(vec![looped(6, 4)])])), [6]);
    }

    #[test]
    fn who_looks_at_the_quota_and_other_services_are_fine() {
        let spares = Layer { spares_spent_quota: true, ..looped(6, 4) };
        let others = only(looped(7, 4), &[Failure::Server]);
        let chains = vec![of_service(vec![job(5, 3), spares, others, built_in(50, 3)]), chain(vec![looped(8, 4)])];
        assert_eq!(check(&CHECK, chains), vec![]);
    }
}
