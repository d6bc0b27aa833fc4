//! SQ404: a change that is sent again, and the server cannot know.

use super::side_effect_in_retry::MAYBE_DONE;
use super::sites::{asks_for_another, layers_of, repeats, repeats_class};
use super::words::{rank, who};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Confidence, Failure, Layer};
use crate::source::Place;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "idempotency-key-missing",
    code: "SQ404",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A retried call that changes state sends no idempotency key",
    page: include_str!("idempotency_key_missing.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    let mut calls: BTreeMap<Place, (usize, &Chain, &Layer)> = BTreeMap::new();
    for (index, chain) in input.analysis.chains.iter().enumerate() {
        let Some(layer) = repeating(input, chain) else { continue };
        let known = calls.entry(chain.call.place).or_insert((index, chain, layer));
        if rank(chain.worst) > rank(known.1.worst) {
            *known = (index, chain, layer);
        }
    }
    for (index, chain, layer) in calls.into_values() {
        let call = &chain.call;
        let (why, sure) = if call.plain_http {
            ("may have arrived before it failed", Confidence::Medium)
        } else {
            ("takes one", Confidence::High)
        };
        let name = call.idempotency.as_ref().map_or("Idempotency-Key", |(name, _)| name.as_str());
        out.push(
            input
                .draft(&CHECK, call.place, &call.function)
                .message(format!(
                    "`{}` changes state and is repeated by {} without an idempotency key, although it {why}",
                    call.target,
                    who(layer)
                ))
                .help(format!(
                    "Make one key for the operation, outside the retried region, and pass it as `{name}` with every attempt; if \
                     the service takes none, repeat only what never reached it."
                ))
                .chain(index)
                .confidence(chain.confidence.min(sure))
                .relate(layers_of(chain))
                .done(),
        );
    }
}

/// The layer that repeats a change without a key, if one does.
fn repeating<'a>(input: &Input, chain: &'a Chain) -> Option<&'a Layer> {
    let call = &chain.call;
    let keyed = input.analysis.facts.keys.iter().any(|key| key.call == call.place || key.call == call.whole);
    if !call.writes || keyed || matches!(call.idempotency, Some((_, true))) {
        return None;
    }
    let mut layers = chain.layers.iter().rev();
    if call.plain_http {
        if only_asks(input.sources.text(call.whole)) {
            return None;
        }
        return layers.find(|layer| MAYBE_DONE.into_iter().any(|class| repeats_class(layer, class)));
    }
    // An API known to take a key; what its own client repeats is the client's affair.
    call.idempotency.as_ref()?;
    let again = |layer: &Layer| {
        let mut classes = Failure::ALL.into_iter().filter(|class| repeats_class(layer, *class));
        repeats(layer) && (!layer.another || classes.any(|class| !asks_for_another(layer, class)))
    };
    layers.find(|layer| !layer.kind.is_built_in() && again(layer))
}

/// Whether a POST only asks, by its own words: a query of GraphQL is sent like a change, and is none.
fn only_asks(call: &str) -> bool {
    let text = call.to_lowercase();
    let query = ["graphql", "\"query\":", "'query':", "{ query", "{query"].iter().any(|word| text.contains(word));
    query && !text.contains("mutation")
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::{Facts, Failure, KeyUse};

    fn to_api(layers: Vec<Layer>, passes: bool) -> Chain {
        let mut chain = chain(layers);
        chain.call.writes = true;
        chain.call.idempotency = Some(("idempotency_key".to_string(), passes));
        chain
    }

    fn post(layers: Vec<Layer>) -> Chain {
        let mut chain = chain(layers);
        chain.call.writes = true;
        chain.call.plain_http = true;
        chain
    }

    #[test]
    fn an_api_that_takes_a_key_and_gets_none() {
        let found = check(&CHECK, vec![to_api(vec![looped(6, 3), built_in(50, 3)], false)]);
        assert_eq!((lines(&found), found[0].confidence), (vec![50], Confidence::High));
        assert!(found[0].help.contains("`idempotency_key`"));
    }

    #[test]
    fn a_post_that_may_have_arrived_is_less_sure() {
        let found = check(&CHECK, vec![post(vec![looped(6, 3)])]);
        assert_eq!((lines(&found), found[0].confidence), (vec![50], Confidence::Medium));
    }

    #[test]
    fn a_key_a_reading_call_and_one_that_never_arrived_are_fine() {
        let refused = only(looped(6, 3), &[Failure::Connect, Failure::RateLimit, Failure::Overloaded]);
        let chains = vec![
            to_api(vec![looped(6, 3)], true),
            to_api(vec![built_in(50, 3)], false),
            chain(vec![looped(6, 3)]),
            post(vec![refused]),
        ];
        assert_eq!(check(&CHECK, chains), vec![]);
    }

    #[test]
    fn a_key_made_per_attempt_is_the_other_check_s() {
        let key = KeyUse {
            place: line(9),
            function: String::new(),
            name: String::new(),
            call: line(50),
            remade_by: Some(line(6)),
        };
        let facts = Facts { keys: vec![key], ..Facts::default() };
        assert_eq!(check_facts(&CHECK, vec![post(vec![looped(6, 3)])], facts), vec![]);
    }

    #[test]
    fn a_query_is_no_change() {
        assert!(only_asks("requests.post(GRAPHQL_URL, json=body)"));
        assert!(only_asks("fetch(url, { method: 'POST', body: JSON.stringify({ query, variables }) })"));
        assert!(!only_asks("requests.post(GRAPHQL_URL, json={'query': MUTATION})"));
        assert!(!only_asks("requests.post(url, json=order)"));
    }
}
