//! SQ104: bounded in number, not in time.

use super::sites::{layers_of, repeats};
use super::words::{rank, up_to};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Count, EntryKind};
use crate::source::Place;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "no-deadline",
    code: "SQ104",
    severity: Severity::Note,
    pedantic: true,
    summary: "Bounded attempts but no total time limit, on a long chain or one that serves requests",
    page: include_str!("no_deadline.md"),
    run,
};

/// What a chain may take without a deadline, in seconds.
const LONG: f64 = 600.0;

fn run(input: &Input, out: &mut Vec<Finding>) {
    let mut calls: BTreeMap<Place, (usize, &Chain)> = BTreeMap::new();
    for (index, chain) in input.analysis.chains.iter().enumerate().filter(|(_, chain)| is_open_ended(chain)) {
        let longest = |chain: &Chain| (serves(chain), chain.longest.map_or(0, |s| s as u64), rank(chain.worst));
        let known = calls.entry(chain.call.place).or_insert((index, chain));
        if longest(chain) > longest(known.1) {
            *known = (index, chain);
        }
    }
    for (index, chain) in calls.into_values() {
        let target = &chain.call.target;
        let takes = chain.longest.map_or("an unknown time".to_string(), up_to);
        let message = if serves(chain) {
            format!(
                "`{target}` is retried while a request waits for the answer ({takes}), and nothing limits the total time"
            )
        } else {
            format!("`{target}` and its retries take {takes}, and nothing limits the total time")
        };
        out.push(
            input
                .draft(&CHECK, chain.call.place, &chain.call.function)
                .message(message)
                .help(
                    "Give the whole operation a deadline: 8 to 15 s where somebody waits, minutes in the background; stop \
                     retrying when the next wait would pass it.",
                )
                .chain(index)
                .confidence(chain.confidence)
                .relate(layers_of(chain))
                .done(),
        );
    }
}

fn is_open_ended(chain: &Chain) -> bool {
    let bounded = matches!(chain.worst, Count::Exact(_) | Count::Unknown(_)) && chain.worst.repeats();
    let long = chain.longest.is_some_and(|longest| longest > LONG);
    bounded && !has_budget(chain) && (long || serves(chain))
}

/// Whether the outermost layer of one run has a limit: then it holds for all inside.
fn has_budget(chain: &Chain) -> bool {
    let outermost = chain.layers.iter().find(|layer| repeats(layer) && !layer.kind.is_job());
    outermost.is_some_and(|layer| layer.limit.is_some())
}

/// Whether a request or a socket waits for it.
fn serves(chain: &Chain) -> bool {
    let waits = |kind: EntryKind| matches!(kind, EntryKind::RequestHandler | EntryKind::WebSocket);
    let in_background = chain.layers.iter().any(|layer| layer.kind.is_job() && repeats(layer));
    !in_background && chain.entries.iter().any(|entry| waits(entry.kind))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::Layer;

    fn lasting(longest: f64, layers: Vec<Layer>) -> Chain {
        Chain { longest: Some(longest), ..chain(layers) }
    }

    fn handled(layers: Vec<Layer>) -> Chain {
        let mut chain = lasting(5.0, layers);
        chain.entries[0].kind = EntryKind::RequestHandler;
        chain
    }

    #[test]
    fn a_long_chain_and_a_request_s_chain_want_a_deadline() {
        let found = check(&CHECK, vec![lasting(21636.0, vec![looped(6, 4), built_in(50, 3)])]);
        assert_eq!(lines(&found), [50]);
        assert!(found[0].message.contains("take up to 21636 s"));
        assert_eq!(lines(&check(&CHECK, vec![handled(vec![looped(6, 2)])])), [50]);
    }

    #[test]
    fn short_chains_limits_and_jobs_behind_a_request_are_fine() {
        let limited = Layer { limit: Some(60.0), ..looped(6, 4) };
        let behind = handled(vec![job(6, 3)]);
        let chains = vec![lasting(599.0, vec![looped(6, 4)]), handled(vec![limited, built_in(50, 3)]), behind];
        assert_eq!(check(&CHECK, chains), vec![]);
    }

    #[test]
    fn a_limit_inside_another_layer_does_not_limit_the_whole() {
        let limited = Layer { limit: Some(60.0), ..looped(8, 4) };
        assert_eq!(lines(&check(&CHECK, vec![lasting(900.0, vec![looped(6, 30), limited])])), [50]);
    }
}
