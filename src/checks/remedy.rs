//! The one change that lowers a chain's storm most while somebody still retries.

use super::Input;
use super::words::{at, sentence, who};
use crate::chains::{Chain, Count, Layer, LayerKind};
use crate::source::Sources;
use crate::timing::{peak, product};

/// What to do with one layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    /// Switch a client's own retries off.
    Off,
    /// Take the layer away.
    Drop,
    /// Let the job's runs wait for minutes.
    Spread,
}

/// A change and what it leads to.
#[derive(Clone, Debug)]
pub(super) struct Change {
    kind: Kind,
    /// The layer in the chain it was worked out for.
    index: usize,
    /// The worst case afterwards.
    pub worst: Count,
    /// The peak afterwards.
    pub peak: Option<u64>,
}

/// The best single change of a chain; none if no layer can go without the last one going.
pub(super) fn best(input: &Input, layers: &[Layer]) -> Option<Change> {
    let now = (size(peak(layers, input.window)), number(product(layers).0));
    let mut changes: Vec<Change> = (0..layers.len()).filter_map(|index| change(input, layers, index)).collect();
    changes.retain(|c| (size(c.peak), number(c.worst)) < now);
    changes.sort_by_key(|c| (size(c.peak), number(c.worst), c.kind, c.index));
    let first = changes.first()?.clone();
    // A job that waits for minutes between its runs is what the remedy looks like, if that is enough.
    let spread = changes.iter().find(|c| c.kind == Kind::Spread && size(c.peak) <= input.budget);
    // A client's switch is one line, and whoever wrote the layer around it keeps control: preferred at a like gain.
    let off = changes.iter().find(|c| c.kind == Kind::Off && size(c.peak) <= size(first.peak).saturating_mul(2));
    Some(spread.or(off).cloned().unwrap_or(first))
}

/// What comes of changing one layer. Only a chain that keeps another layer may lose this one.
fn change(input: &Input, layers: &[Layer], index: usize) -> Option<Change> {
    let layer = &layers[index];
    let others = layers.iter().enumerate().filter(|(i, l)| *i != index && super::sites::repeats(l)).count();
    if !super::sites::repeats(layer) || others == 0 {
        return None;
    }
    let rest = without(layers, index);
    let peak = peak(&rest, input.window);
    match kind_of(layer) {
        Kind::Spread => Some(Change { kind: Kind::Spread, index, worst: product(layers).0, peak }),
        kind => Some(Change { kind, index, worst: product(&rest).0, peak }),
    }
}

fn kind_of(layer: &Layer) -> Kind {
    match layer.kind {
        LayerKind::JobQueue | LayerKind::Workflow => Kind::Spread,
        LayerKind::Sdk | LayerKind::Transport => Kind::Off,
        _ => Kind::Drop,
    }
}

fn without(layers: &[Layer], index: usize) -> Vec<Layer> {
    layers.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, layer)| layer.clone()).collect()
}

fn size(peak: Option<u64>) -> u64 {
    peak.unwrap_or(u64::MAX)
}

fn number(count: Count) -> u64 {
    match count {
        Count::Unbounded | Count::Time(None) => u64::MAX,
        other => other.at_least(),
    }
}

/// What to write where, with the product after it; if the budget is still exceeded, the next change too.
pub(super) fn instruction(input: &Input, chain: &Chain) -> String {
    let Some(change) = best(input, &chain.layers) else {
        return "Bound one layer, and let it be the only one that retries.".to_string();
    };
    let mut text = sentence(&phrase(input, chain, &chain.layers, &change));
    if size(change.peak) > input.budget {
        // A spread job no longer counts in a window; a layer that went is gone.
        let rest = without(&chain.layers, change.index);
        if let Some(next) = best(input, &rest) {
            let then = phrase(input, chain, &rest, &next);
            text.push_str(&format!(". That is still above the budget of {}: then also {then}", input.budget));
        }
    }
    text.push('.');
    text
}

fn phrase(input: &Input, chain: &Chain, layers: &[Layer], change: &Change) -> String {
    let sources = input.sources;
    let layer = &layers[change.index];
    let before = product(layers).0;
    let result = format!("{} -> {}", plain(before), plain(change.worst));
    match change.kind {
        Kind::Off => format!("{}{}: {result}", switch_off(sources, chain, layer), owner(sources, layers, change.index)),
        Kind::Drop => format!(
            "take {} at {} away{}: {result}",
            who(layer),
            at(sources, super::sites::written(layer)),
            owner(sources, layers, change.index)
        ),
        Kind::Spread => format!(
            "let {} at {} wait for minutes between runs, 240 s and 540 s for example: at most {} instead of {} in {}",
            who(layer),
            at(sources, layer.place),
            size(change.peak),
            peak(layers, input.window).map_or("any number".to_string(), |n| n.to_string()),
            super::words::seconds(input.window)
        ),
    }
}

/// How a client's own retries are switched off in this code.
pub(super) fn switch_off(sources: &Sources, chain: &Chain, layer: &Layer) -> String {
    let place = layer.number.or(chain.call.client);
    let how = match (&layer.off, &layer.setting) {
        (Some(off), _) => format!("pass `{off}`"),
        (None, Some(setting)) => format!("set `{setting}` so that it does not retry"),
        (None, None) => format!("switch {} off", who(layer)),
    };
    match place {
        Some(place) if Some(place) == chain.call.client => {
            let places: Vec<String> =
                std::iter::once(&place).chain(&chain.call.other_clients).map(|p| at(sources, *p)).collect();
            match places.split_last() {
                Some((last, [])) => format!("{how} where the client is made at {last}"),
                Some((last, others)) => {
                    format!("{how} wherever the client is made, at {} and {last}", others.join(", "))
                }
                None => how,
            }
        }
        Some(place) => format!("{how} at {}", at(sources, place)),
        None => format!("{how} at {}", at(sources, layer.place)),
    }
}

/// Who retries once a layer is gone: the innermost one left that is no job, else the innermost.
fn owner(sources: &Sources, layers: &[Layer], gone: usize) -> String {
    let left =
        || layers.iter().enumerate().rev().filter(|(i, l)| *i != gone && super::sites::repeats(l)).map(|(_, l)| l);
    match left().find(|layer| !layer.kind.is_job()).or_else(|| left().next()) {
        Some(layer) => {
            let verb = if super::words::is_plural(layer) { "own" } else { "owns" };
            format!("; {} at {} then {verb} the retries", who(layer), at(sources, layer.place))
        }
        None => String::new(),
    }
}

fn plain(count: Count) -> String {
    match count {
        Count::Unbounded => "no bound".to_string(),
        other => super::words::figure(other),
    }
}
