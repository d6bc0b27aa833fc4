//! Finds layers that have one thing wrong, each once however many chains run through it, and says which layers
//! a check holds responsible.

use super::words::{attempts, rank, who};
use super::{Input, Related};
use crate::chains::{Chain, Count, CountSource, Failure, Layer, LayerKind, WaitKind};
use crate::source::Place;
use std::collections::BTreeMap;

/// Most places that a finding names beside its own.
const MOST_RELATED: usize = 12;

/// A library's default is said at each of so many places; where there are more, once for all.
const SAID_ONCE_EACH: usize = 3;

/// A place with something wrong, and the layers that share it.
pub(super) struct Site<'a> {
    /// Where the fix goes.
    pub place: Place,
    /// The worst chain through it.
    pub index: usize,
    /// That chain.
    pub chain: &'a Chain,
    /// The layer in that chain.
    pub layer: &'a Layer,
    /// Everywhere that the layer is applied, each place once.
    applied: Vec<&'a Layer>,
}

impl Site<'_> {
    /// The function around the place, if the place is where the layer stands.
    pub fn function(&self) -> &str {
        if self.place == self.layer.place { &self.layer.function } else { "" }
    }

    /// Where the layer is applied and where its loop is.
    pub fn related(&self) -> Vec<Related> {
        let mut related = Vec::new();
        if self.applied.len() > MOST_RELATED {
            let message = format!("the same at {} more places", self.applied.len() - 1);
            related.push(Related { place: self.place, message });
        }
        for layer in &self.applied {
            if layer.place != self.place {
                let message = format!("{}, applied here: {}", who(layer), attempts(layer.attempts));
                related.push(Related { place: layer.place, message });
            }
            if let Some(place) = layer.defined.filter(|place| *place != self.place) {
                related.push(Related { place, message: "its loop is here".to_string() });
            }
            if related.len() >= MOST_RELATED {
                break;
            }
        }
        related
    }
}

/// The layers of all chains for which `is_wrong` holds, grouped by `place`, ordered by it.
pub(super) fn sites<'a>(
    input: &Input<'a>,
    is_wrong: impl Fn(&Chain, &Layer) -> bool,
    place: impl Fn(&Layer) -> Place,
) -> Vec<Site<'a>> {
    let mut found: BTreeMap<Place, Site<'a>> = BTreeMap::new();
    for (index, chain) in input.analysis.chains.iter().enumerate() {
        for layer in chain.layers.iter().filter(|layer| repeats(layer) && is_wrong(chain, layer)) {
            let place = place(layer);
            let site = found.entry(place).or_insert_with(|| Site { place, index, chain, layer, applied: Vec::new() });
            if !site.applied.iter().any(|known| known.place == layer.place) {
                site.applied.push(layer);
            }
            if rank(chain.worst) > rank(site.chain.worst) {
                (site.index, site.chain, site.layer) = (index, chain, layer);
            }
        }
    }
    one_of_many(found.into_values().collect())
}

/// A library's default that acts at many places is one thing wrong, with one remedy: the first place stands for all.
fn one_of_many(sites: Vec<Site>) -> Vec<Site> {
    let default = |site: &Site| -> Option<String> {
        let layer = site.layer;
        let elsewhere = |number: Place| (number.file, number.span.start) != (layer.place.file, layer.place.span.start);
        let written = layer.source == CountSource::Literal || layer.number.is_some_and(elsewhere);
        let untouched = layer.kind == LayerKind::Wrapper && (layer.untouched || !written);
        layer.library.clone().filter(|_| untouched && site.place == layer.place)
    };
    let mut many: BTreeMap<String, usize> = BTreeMap::new();
    sites.iter().filter_map(default).for_each(|library| *many.entry(library).or_default() += 1);
    let mut kept: Vec<Site> = Vec::new();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for site in sites {
        match default(&site).filter(|library| many.get(library).is_some_and(|n| *n > SAID_ONCE_EACH)) {
            Some(library) => match first.get(&library) {
                Some(&at) => kept[at].applied.extend(site.applied),
                None => {
                    first.insert(library, kept.len());
                    kept.push(site);
                }
            },
            None => kept.push(site),
        }
    }
    kept
}

/// Whether the layer repeats anything.
pub(super) fn repeats(layer: &Layer) -> bool {
    layer.attempts.repeats() || layer.by_failure.iter().any(|count| count.repeats())
}

/// Whether the layer repeats this class of failure.
pub(super) fn repeats_class(layer: &Layer, class: Failure) -> bool {
    layer.by_failure[class.index()].repeats()
}

/// Whether the code chose this layer: all but a client's untouched defaults.
pub(super) fn is_own(layer: &Layer) -> bool {
    let of_library = layer.kind.is_built_in() || layer.inherent;
    !of_library || layer.waits.chosen || layer.source != CountSource::Default
}

/// Whether it is a layer around a call, neither built into a client nor an engine's that starts the whole job again.
pub(super) fn is_around(layer: &Layer) -> bool {
    !layer.kind.is_built_in() && !layer.kind.is_job()
}

/// Whether a layer has its number from a library's default that nobody wrote.
pub(super) fn is_hidden(layer: &Layer) -> bool {
    layer.source == CountSource::Default && repeats(layer)
}

/// Where a layer's loop is if the code base wrote it, else where it stands.
pub(super) fn written(layer: &Layer) -> Place {
    layer.defined.unwrap_or(layer.place)
}

/// Where a layer's waits are written.
pub(super) fn wait_place(layer: &Layer) -> Place {
    layer.waits.place.unwrap_or(layer.place)
}

/// Whether two or more layers of the chain multiply for this class.
pub(super) fn multiplies(chain: &Chain, class: Failure) -> bool {
    let again = |layer: &&Layer| repeats_class(layer, class) && !asks_for_another(layer, class);
    chain.layers.iter().filter(again).nth(1).is_some()
}

/// Whether a layer follows a refusal of this class up with another request: the refused one is not sent again.
pub(super) fn asks_for_another(layer: &Layer, class: Failure) -> bool {
    layer.another && matches!(class, Failure::Conflict | Failure::Permanent)
}

/// A related place for every layer of a chain that repeats, outermost first, and for the loops behind them.
pub(super) fn layers_of(chain: &Chain) -> Vec<Related> {
    let mut related = Vec::new();
    for layer in chain.layers.iter().filter(|layer| repeats(layer)) {
        let source = match layer.source {
            CountSource::Default => "a library's default that nobody wrote".to_string(),
            other => other.name().to_string(),
        };
        let mut message = format!("{}: {} ({source})", who(layer), attempts(layer.attempts));
        if let Some(reason) = layer.reason.as_deref().filter(|_| matches!(layer.attempts, Count::Unknown(_))) {
            message.push_str(&format!(", {reason}"));
        }
        if !layer.also.is_empty() {
            let also: Vec<String> = layer.also.iter().take(5).map(u64::to_string).collect();
            message.push_str(&format!("; also reached by {}", also.join(", ")));
        }
        if let Some(misleading) = &layer.misleading {
            message.push_str(&format!("; {misleading}"));
        }
        related.push(Related { place: layer.place, message });
        if let Some(place) = layer.defined {
            related.push(Related { place, message: format!("the loop of {}", who(layer)) });
        }
        if let Some(place) = layer.number {
            related.push(Related { place, message: "its number is written here".to_string() });
        }
    }
    related
}

/// Whether the wait checks look at this layer: the code chose its waits, no engine sets them, and it is no job that
/// already waits for minutes.
pub(super) fn waits_are_ours(layer: &Layer) -> bool {
    let waits = &layer.waits;
    let ours = waits.chosen || !(layer.kind.is_built_in() || layer.inherent);
    let minutes = layer.kind.is_job() && first_wait(layer).is_some_and(|wait| wait >= super::fast_job_retry::MINUTE);
    ours && !waits.by_engine && !minutes
}

/// The first wait in seconds, at its largest; none if it is not known.
pub(super) fn first_wait(layer: &Layer) -> Option<f64> {
    match layer.waits.runs.first() {
        Some(run) => Some(run.longest),
        None if layer.waits.kind == WaitKind::None => Some(0.0),
        None => None,
    }
}
