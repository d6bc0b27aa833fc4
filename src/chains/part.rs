//! Chains under construction, and their layers.

use super::model::*;
use super::variant::VARIANTS;
use crate::ir::ExprId;
use crate::layers::machine::Outcome;
use crate::link::token::*;
use std::rc::Rc;

/// A layer of a chain under construction, with its count for each variant.
#[derive(Clone, Debug)]
pub struct PartLayer {
    /// The facts.
    pub layer: Layer,
    /// Executions by variant.
    pub counts: Vec<Count>,
    /// A wrapper that calls its own parameter: the layer stands where this component is called.
    pub placed_by: Option<CompId>,
    /// What of the chain's path it repeats.
    pub stands: Stands,
}

/// Where in a chain a layer stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stands {
    /// How many calls of the path are inside of it.
    pub below: usize,
    /// It is code around the call above those, in the function that makes it; else it repeats that call's callee.
    pub own: bool,
    /// The policy object or decorator of a library.
    pub made: Option<Tok>,
}

/// A chain under construction: from a function down to an outbound call.
#[derive(Clone, Debug)]
pub struct Part {
    /// The outbound call.
    pub call: Rc<OutboundCall>,
    /// Its token, to tell calls apart.
    pub sink: (CompId, ExprId),
    /// Layers, outermost first.
    pub layers: Vec<PartLayer>,
    /// How the function ends, by variant.
    pub outcomes: Vec<Vec<Outcome>>,
    /// Calls from the function to the outbound call.
    pub path: Vec<(CompId, ExprId)>,
    /// How sure.
    pub confidence: Confidence,
    /// Above so many calls of the path stands a function that was not followed to its end: what is around it is guessed.
    pub lost: Option<usize>,
    /// It goes through a loop of a function that was not followed to its end, and that may repeat it.
    pub at_least: bool,
    /// Nobody around sees that it fails: they go on as if nothing had.
    pub unseen: bool,
    /// Nobody waits for it: what is cut off around it does not end it, and does not come of it.
    pub detached: bool,
    /// Other ways down that came out alike, of requests that may change something: for so many last calls of the path,
    /// others.
    pub others: Vec<(usize, Rc<[(CompId, ExprId)]>)>,
    /// There are more of them.
    pub more: bool,
}

/// At most so many other ways are kept.
const OTHERS: usize = 8;

impl Part {
    /// All ways down from where it begins; none if not all are known.
    pub fn ways(&self) -> Option<Vec<Vec<(CompId, ExprId)>>> {
        let other = |(instead, last): &(usize, Rc<[(CompId, ExprId)]>)| {
            let first = self.path.len().saturating_sub(*instead);
            [&self.path[..first], last].concat()
        };
        (!self.more).then(|| [self.path.clone()].into_iter().chain(self.others.iter().map(other)).collect())
    }

    /// Keeps the ways of another one that stands for the same.
    pub(super) fn also(&mut self, other: &Part) {
        if !self.call.writes || !self.call.plain_http {
            return;
        }
        let Some(ways) = other.ways() else {
            self.more = true;
            return;
        };
        for way in ways {
            let known = way == self.path || self.others.iter().any(|(_, last)| **last == *way);
            if !known && self.others.len() < OTHERS {
                self.others.push((self.path.len(), way.into()));
            } else if !known {
                self.more = true;
            }
        }
    }

    pub(super) fn same_layers(&self, other: &Part) -> bool {
        self.layers.len() == other.layers.len()
            && self
                .layers
                .iter()
                .zip(&other.layers)
                .all(|(a, b)| a.layer.place == b.layer.place && a.layer.kind == b.layer.kind && a.counts == b.counts)
    }

    /// Whether a layer of the program goes on for ever, as far as can be seen.
    pub(super) fn is_endless(&self) -> bool {
        self.layers.iter().any(|l| l.stands.own && l.counts.iter().any(|c| matches!(c, Count::Unbounded)))
    }

    /// Whether a layer repeats what a function hands on that was not followed to its end.
    pub(super) fn is_guessed(&self) -> bool {
        self.layers.iter().any(|layer| self.guesses(layer) && layer.layer.attempts != Count::ONE)
    }

    /// Whether a layer stands around a function that was not followed to its end.
    pub(crate) fn guesses(&self, layer: &PartLayer) -> bool {
        let stands = layer.stands;
        self.lost.is_some_and(|lost| stands.below > lost || (stands.own && stands.below == lost))
    }

    pub(super) fn weight(&self) -> u64 {
        (0..VARIANTS.len())
            .map(|i| Count::product(self.layers.iter().map(|l| l.counts[i])).at_least())
            .max()
            .unwrap_or(1)
    }
}

impl PartLayer {
    /// Limits the executions of each variant.
    pub(super) fn stop_after(&mut self, stops: &[Option<u64>]) {
        for (count, stop) in self.counts.iter_mut().zip(stops) {
            let Some(stop) = *stop else { continue };
            *count = match *count {
                Count::Exact(n) | Count::Time(Some(n)) if n <= stop => *count,
                _ => Count::Exact(stop),
            };
        }
        self.layer.attempts = super::variant::worst_of(&self.counts);
        self.layer.by_failure = super::variant::by_failure(&self.counts);
    }
}
