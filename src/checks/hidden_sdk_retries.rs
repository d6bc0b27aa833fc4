//! SQ102: a factor of the product that nobody wrote.

use super::remedy::switch_off;
use super::sites::{is_hidden, layers_of, multiplies, repeats_class};
use super::words::{arithmetic, at, attempts, counted, figure, rank, sentence, up_to_times, who};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Chain, Failure, Layer};
use crate::source::Place;
use crate::timing::product;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "hidden-sdk-retries",
    code: "SQ102",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A library's default retries, which nobody wrote, multiply with another layer",
    page: include_str!("hidden_sdk_retries.md"),
    run,
};

/// A chain in which a default multiplies.
struct Hidden<'a> {
    index: usize,
    chain: &'a Chain,
    class: Failure,
}

fn run(input: &Input, out: &mut Vec<Finding>) {
    // The cause is the client that was made without a number: one finding a client, else one a call.
    let mut causes: BTreeMap<(Place, String), Vec<Hidden>> = BTreeMap::new();
    for (index, chain) in input.analysis.chains.iter().enumerate() {
        let Some(class) = multiplied(chain) else { continue };
        let place = chain.call.client.unwrap_or(chain.call.place);
        causes.entry((place, chain.call.library.clone())).or_default().push(Hidden { index, chain, class });
    }
    for mut all in causes.into_values() {
        all.sort_by_key(|hidden| (std::cmp::Reverse(rank(count(hidden))), hidden.index));
        out.extend(finding(input, &all));
    }
}

fn count(hidden: &Hidden) -> crate::chains::Count {
    hidden.chain.by_failure[hidden.class.index()]
}

/// The worst class for which a default multiplies with another layer.
fn multiplied(chain: &Chain) -> Option<Failure> {
    Failure::ALL
        .into_iter()
        .filter(|class| multiplies(chain, *class))
        .filter(|class| chain.layers.iter().any(|layer| is_hidden(layer) && repeats_class(layer, *class)))
        .rev()
        .max_by_key(|class| rank(chain.by_failure[class.index()]))
}

fn finding(input: &Input, all: &[Hidden]) -> Option<Finding> {
    let (worst, others) = all.split_first()?;
    let chain = worst.chain;
    let hidden = |layer: &&Layer| is_hidden(layer) && repeats_class(layer, worst.class);
    // The innermost is the one that its caller sees least.
    let layer = chain.layers.iter().rev().find(hidden)?;
    let mut draft = input
        .draft(&CHECK, chain.call.place, &chain.call.function)
        .message(format!(
            "{} make {} by default, which nobody wrote; multiplied, one failing call of `{}` is sent {}: {}",
            sentence(&plural(layer)),
            attempts(layer.by_failure[worst.class.index()]),
            chain.call.target,
            up_to_times(chain.by_failure[worst.class.index()]),
            arithmetic(&chain.layers, worst.class)
        ))
        .help(help(input, chain, layer))
        .chain(worst.index)
        .confidence(chain.confidence)
        .relate(layers_of(chain));
    for client in chain.call.client.iter().chain(&chain.call.other_clients) {
        draft = draft.related(*client, "the client is made here");
    }
    let calls = others.len();
    for other in others.iter().filter(|other| other.chain.call.place != chain.call.place).take(10) {
        let text = format!("the same default acts here ({})", counted(calls, "further chain", "further chains"));
        draft = draft.related(other.chain.call.place, text);
    }
    Some(draft.done())
}

fn plural(layer: &Layer) -> String {
    if super::words::is_plural(layer) { who(layer) } else { format!("the runs of {}", who(layer)) }
}

/// Switch the default off, or write the number and let the other layer go.
fn help(input: &Input, chain: &Chain, layer: &Layer) -> String {
    let sources = input.sources;
    let before = chain.worst;
    let without = |gone: &Layer| {
        let rest: Vec<Layer> = chain.layers.iter().filter(|l| !std::ptr::eq(*l, gone)).cloned().collect();
        format!("{} -> {}", figure(before), figure(product(&rest).0))
    };
    let own = if layer.kind.is_built_in() {
        format!("{}: {}", sentence(&switch_off(sources, chain, layer)), without(layer))
    } else {
        let setting = layer.setting.as_deref().map_or("the number".to_string(), |name| format!("`{name}`"));
        format!("Write {setting} of {} at {}, as low as it may be", who(layer), at(sources, layer.place))
    };
    let around =
        chain.layers.iter().rev().find(|other| {
            !std::ptr::eq(*other, layer) && super::sites::is_around(other) && super::sites::repeats(other)
        });
    match around {
        Some(other) => format!(
            "{own}. Or let it own the retries and take {} at {} away: {}.",
            who(other),
            at(sources, super::sites::written(other)),
            without(other)
        ),
        None => format!("{own}."),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::CountSource;

    #[test]
    fn a_default_under_a_loop_is_named_with_its_switch() {
        let mut chain = chain(vec![looped(6, 4), built_in(50, 3)]);
        chain.call.client = Some(line(3));
        let found = check(&CHECK, vec![chain]);
        assert_eq!(lines(&found), [50]);
        assert_eq!(
            found[0].message,
            "The acme client's own retries make 3 attempts by default, which nobody wrote; multiplied, one failing call of \
             `acme.messages.create` is sent up to 12 times: loop 4 x acme 3"
        );
        assert_eq!(
            found[0].help,
            "Pass `max_retries=0` where the client is made at app/a.py:3: 12 -> 4. Or let it own the retries and take the \
             retry loop at app/a.py:6 away: 12 -> 3."
        );
    }

    #[test]
    fn a_default_alone_is_fine() {
        assert_eq!(check(&CHECK, vec![chain(vec![built_in(50, 3)])]), vec![]);
    }

    #[test]
    fn a_number_that_somebody_wrote_is_not_hidden() {
        let mut written = built_in(50, 3);
        written.source = CountSource::Literal;
        assert_eq!(check(&CHECK, vec![chain(vec![looped(6, 4), written])]), vec![]);
    }

    #[test]
    fn a_default_that_retries_other_failures_does_not_multiply() {
        let outer = only(looped(6, 4), &[Failure::Permanent]);
        let inner = only(built_in(50, 3), &[Failure::RateLimit]);
        assert_eq!(check(&CHECK, vec![chain(vec![outer, inner])]), vec![]);
    }

    #[test]
    fn one_client_is_one_finding() {
        let calls = [50, 60].map(|at| {
            let mut chain = chain(vec![looped(6, 4), built_in(at, 3)]);
            chain.call.place = line(at);
            chain.call.client = Some(line(3));
            chain
        });
        let found = check(&CHECK, calls.to_vec());
        assert_eq!(lines(&found), [50]);
        assert!(related(&found[0]).contains(&60));
    }
}
