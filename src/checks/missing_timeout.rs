//! SQ506: a retry that never comes, because the first attempt never ends.

use super::sites::{is_own, layers_of, repeats};
use super::words::{rank, seconds};
use super::{Check, Finding, Input, Severity};
use crate::chains::Chain;
use crate::source::Place;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const CHECK: Check = Check {
    name: "missing-timeout",
    code: "SQ506",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A retried call has no timeout, or only a library's default of more than 5 minutes",
    page: include_str!("missing_timeout.md"),
    run,
};

/// The longest default that still counts as a timeout, in seconds.
const LONG: f64 = 300.0;

fn run(input: &Input, out: &mut Vec<Finding>) {
    // The calls of one client want one timeout.
    let mut calls: BTreeMap<Place, (usize, &Chain, BTreeSet<Place>)> = BTreeMap::new();
    for (index, chain) in input.analysis.chains.iter().enumerate().filter(|(_, chain)| can_hang(chain)) {
        let cause = chain.call.client.unwrap_or(chain.call.place);
        let known = calls.entry(cause).or_insert((index, chain, BTreeSet::new()));
        known.2.insert(chain.call.place);
        if rank(chain.worst) > rank(known.1.worst) {
            (known.0, known.1) = (index, chain);
        }
    }
    // Where something was not followed to its end there may be calls that no chain is known of.
    let least = if input.analysis.cut.is_empty() { "" } else { "at least " };
    for (index, chain, all) in calls.into_values() {
        let call = &chain.call;
        let others = match all.len() - 1 {
            0 => String::new(),
            1 => format!(" (so has {least}one more call of this client)"),
            n => format!(" (so have {least}{n} more calls of this client)"),
        };
        let has = match call.timeout {
            Some(timeout) if timeout.is_finite() => {
                format!("only {}'s default of {} an attempt", call.library, seconds(timeout))
            }
            _ => "no timeout".to_string(),
        };
        out.push(
            input
                .draft(&CHECK, call.place, &call.function)
                .message(format!(
                    "`{}` is retried and has {has}{others}: a server that stays silent holds every attempt",
                    call.target
                ))
                .help("Set a timeout for connecting and one for reading, where the client is made or at the call.")
                .chain(index)
                .confidence(chain.confidence)
                .relate(layers_of(chain))
                .done(),
        );
    }
}

fn can_hang(chain: &Chain) -> bool {
    let retried = chain.layers.iter().any(|layer| repeats(layer) && is_own(layer));
    let endless = chain
        .call
        .timeout
        .is_some_and(|timeout| timeout.is_infinite() || (timeout > LONG && !chain.call.timeout_written));
    retried && endless
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::Layer;

    fn with(timeout: Option<f64>, written: bool, layer: Layer) -> Chain {
        let mut chain = chain(vec![layer]);
        chain.call.timeout = timeout;
        chain.call.timeout_written = written;
        chain
    }

    #[test]
    fn none_or_ten_minutes_by_default() {
        let found = check(&CHECK, vec![with(Some(f64::INFINITY), false, looped(6, 3))]);
        assert_eq!((lines(&found), found[0].message.contains("has no timeout")), (vec![50], true));
        let found = check(&CHECK, vec![with(Some(600.0), false, looped(6, 3))]);
        assert!(found[0].message.contains("only acme's default of 600 s an attempt"), "{}", found[0].message);
    }

    #[test]
    fn the_calls_of_one_client_are_one_finding_and_counted() {
        let hangs = |place: u32| {
            let mut chain = with(Some(f64::INFINITY), false, looped(6, 3));
            chain.call.client = Some(line(40));
            chain.call.place = line(place);
            chain
        };
        let said = |cut: &[&str]| {
            let cut = cut.iter().map(|c| c.to_string()).collect();
            let analysis =
                crate::chains::Analysis { chains: vec![hangs(50), hangs(60), hangs(70)], cut, ..Default::default() };
            check_analysis(&CHECK, &analysis)[0].message.clone()
        };
        assert!(said(&[]).contains("(so have 2 more calls of this client)"), "{}", said(&[]));
        let some = said(&["paths through f beyond the limit"]);
        assert!(some.contains("(so have at least 2 more calls of this client)"), "{some}");
    }

    #[test]
    fn a_timeout_somebody_wrote_a_short_default_and_an_unknown_one_are_fine() {
        let chains = vec![
            with(Some(600.0), true, looped(6, 3)),
            with(Some(60.0), false, looped(6, 3)),
            with(None, false, looped(6, 3)),
            with(Some(600.0), false, built_in(50, 3)),
        ];
        assert_eq!(check(&CHECK, chains), vec![]);
    }
}
