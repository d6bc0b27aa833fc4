//! SQ103: a layer that goes on for ever.

use super::sites::{Site, sites};
use super::words::{sentence, who};
use super::{Check, Finding, Input, Related, Severity};
use crate::chains::{Count, CountSource, Failure, Layer};
use crate::source::Place;
use std::collections::BTreeMap;

/// Other calls of the client that are named.
const MOST_CALLS: usize = 8;

pub(super) const CHECK: Check = Check {
    name: "unbounded-retries",
    code: "SQ103",
    severity: Severity::Error,
    pedantic: false,
    summary: "A layer retries with no bound in number or time",
    page: include_str!("unbounded_retries.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    let sites = sites(input, |_, layer| is_unbounded(layer), place);
    // What a client does by itself is one thing wrong, however many of its calls there are.
    let mut clients: BTreeMap<(&str, Place), Vec<Related>> = BTreeMap::new();
    let of_client = |site: &Site| -> Option<Place> {
        let untouched = site.layer.kind.is_built_in() && site.layer.source == CountSource::Default;
        site.chain.call.client.filter(|_| untouched)
    };
    for site in &sites {
        if let Some(client) = of_client(site) {
            let message = format!("`{}` as well", site.chain.call.target);
            let calls = clients.entry((&site.chain.call.library, client)).or_default();
            calls.push(Related { place: site.place, message });
        }
    }
    for site in &sites {
        let layer = site.layer;
        let mut others = Vec::new();
        if let Some(client) = of_client(site) {
            let Some(calls) = clients.remove(&(site.chain.call.library.as_str(), client)) else { continue };
            others.extend(calls.into_iter().skip(1).take(MOST_CALLS));
            others.push(Related { place: client, message: "the client is made here".to_string() });
        }
        let setting = match &layer.setting {
            Some(name) => format!("Set `{name}`"),
            None => "Count the attempts and leave after a few".to_string(),
        };
        out.push(
            input
                .draft(&CHECK, site.place, site.function())
                .message(format!(
                    "{} can go on for ever{}: no number of attempts and no time limit bounds `{}`",
                    sentence(&who(layer)),
                    classes(layer),
                    site.chain.call.target
                ))
                .help(format!("{setting}, or give the whole a deadline; say at the end that it failed."))
                .chain(site.index)
                .confidence(site.chain.confidence)
                .relate(site.related())
                .relate(others)
                .done(),
        );
    }
}

fn is_unbounded(layer: &Layer) -> bool {
    layer.limit.is_none() && (layer.attempts == Count::Unbounded || layer.by_failure.contains(&Count::Unbounded))
}

/// The number is missing where the loop is, unless the place that applies it hands the number in.
fn place(layer: &Layer) -> Place {
    if layer.number.is_some() { layer.place } else { super::sites::written(layer) }
}

/// Which failures have no bound, if others have one.
fn classes(layer: &Layer) -> String {
    let endless: Vec<&str> = Failure::ALL
        .into_iter()
        .filter(|class| layer.by_failure[class.index()] == Count::Unbounded)
        .map(Failure::name)
        .collect();
    let others = Failure::ALL.iter().any(|class| {
        let count = layer.by_failure[class.index()];
        count.repeats() && count != Count::Unbounded
    });
    if others && !endless.is_empty() { format!(" on {}", endless.join(", ")) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::LayerKind;

    fn endless(at: u32) -> Layer {
        layer(LayerKind::Loop, at, Count::Unbounded)
    }

    #[test]
    fn each_endless_layer_is_found_once() {
        let chains = vec![chain(vec![endless(6), endless(9)]), chain(vec![endless(6), built_in(50, 3)])];
        assert_eq!(lines(&check(&CHECK, chains)), [6, 9]);
    }

    #[test]
    fn a_time_limit_is_a_bound() {
        let limited = Layer { limit: Some(60.0), ..endless(6) };
        let timed = layer(LayerKind::Loop, 7, Count::Time(None));
        assert_eq!(check(&CHECK, vec![chain(vec![limited]), chain(vec![timed])]), vec![]);
    }

    #[test]
    fn a_bound_for_one_failure_only_is_none() {
        let mut counted = looped(6, 3);
        counted.by_failure[Failure::Timeout.index()] = Count::Unbounded;
        let found = check(&CHECK, vec![chain(vec![counted])]);
        assert!(found[0].message.contains("can go on for ever on timeout:"), "{}", found[0].message);
    }

    #[test]
    fn a_wrapper_without_bound_is_found_at_its_loop() {
        let wrapper = Layer { defined: Some(line(20)), ..endless(6) };
        let found = check(&CHECK, vec![chain(vec![wrapper])]);
        assert_eq!((lines(&found), related(&found[0])), (vec![20], vec![6]));
    }
}
