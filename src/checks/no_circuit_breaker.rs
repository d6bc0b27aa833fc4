//! SQ504: a job that keeps knocking while the service is down.

use super::sites::layers_of;
use super::words::{rank, up_to_times};
use super::{Check, Finding, Input, Severity};
use crate::chains::Chain;
use crate::source::Place;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "no-circuit-breaker",
    code: "SQ504",
    severity: Severity::Note,
    pedantic: true,
    summary: "A background job retries a remote service with no circuit breaker on the way",
    page: include_str!("no_circuit_breaker.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    let breakers = &input.analysis.facts.breakers;
    let guarded = |chain: &Chain| {
        let call = &chain.call;
        breakers.iter().flat_map(|breaker| &breaker.guards).any(|g| g.call == call.place || g.call == call.whole)
    };
    let mut calls: BTreeMap<Place, (usize, &Chain)> = BTreeMap::new();
    let open = |(_, chain): &(usize, &Chain)| super::shared_client::retries_in_background(chain) && !guarded(chain);
    for (index, chain) in input.analysis.chains.iter().enumerate().filter(open) {
        let known = calls.entry(chain.call.place).or_insert((index, chain));
        if rank(chain.worst) > rank(known.1.worst) {
            *known = (index, chain);
        }
    }
    for (index, chain) in calls.into_values() {
        out.push(
            input
                .draft(&CHECK, chain.call.place, &chain.call.function)
                .message(format!(
                    "Each background job sends `{}` {} while the service is down, and no circuit breaker stops the next job",
                    chain.call.target,
                    up_to_times(chain.worst)
                ))
                .help(
                    "Put a breaker of its own around this service: over 30 % of the last 20 calls failed, start no job for 60 s, \
                     for example.",
                )
                .chain(index)
                .confidence(chain.confidence)
                .relate(layers_of(chain))
                .done(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::{Breaker, Confidence, Facts, Guarded};

    #[test]
    fn a_retried_job_without_a_breaker() {
        assert_eq!(lines(&check(&CHECK, vec![chain(vec![job(10, 3)]), chain(vec![looped(6, 3)])])), [50]);
    }

    #[test]
    fn a_breaker_on_the_way_is_fine() {
        let breaker = Breaker {
            place: line(40),
            function: String::new(),
            name: "b".to_string(),
            made: None,
            guards: vec![Guarded { call: line(50), service: "acme".to_string() }],
            confidence: Confidence::High,
        };
        let facts = Facts { breakers: vec![breaker], ..Facts::default() };
        assert_eq!(check_facts(&CHECK, vec![chain(vec![job(10, 3)])], facts), vec![]);
    }
}
