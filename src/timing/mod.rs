//! Arithmetic of storms: products of counts, durations, and the most attempts that fit into one window.
//!
//! Pure functions over layers; nothing here knows where a layer comes from. The rules are those of the
//! counting page: layers multiply per class of failure, waits are known as runs of equal waits, and
//! nothing is ever unrolled attempt by attempt.

mod count;
mod duration;
mod pattern;
mod peak;
#[cfg(test)]
mod properties;
mod waits;

pub use count::Product;
pub use duration::durations;
pub use peak::{DEFAULT_WINDOW, peak, peaks};
pub use waits::{classify, is_far, total_wait};

use crate::chains::{Count, Failure, Layer};

/// The worst case of a chain and the product for each class of failure. Classes are never mixed: the worst case is
/// that of the one class that makes most attempts.
pub fn product(layers: &[Layer]) -> (Count, [Count; 9]) {
    let by_failure = Failure::ALL.map(|class| product_of(layers, class));
    (worst(layers, &by_failure), by_failure)
}

/// The worst case of a chain, of its products by class.
pub fn worst(layers: &[Layer], by_failure: &[Count; 9]) -> Count {
    let of = |counts: &mut dyn Iterator<Item = Count>| counts.reduce(Count::larger).unwrap_or(Count::ONE);
    let answered = Failure::ALL.into_iter().filter(|class| *class != Failure::Timeout);
    let answered = of(&mut answered.map(|class| by_failure[class.index()]));
    let late = by_failure[Failure::Timeout.index()];
    // How often a loop goes round that only its own clock lets go on says nothing of what is answered: that is passed on
    // at once, and is no factor in what multiplies below.
    let multiplied = answered.number().is_some_and(|n| n > 1 && n > late.at_least());
    if multiplied && layers.iter().any(is_by_clock) { answered } else { of(&mut by_failure.iter().copied()) }
}

/// Whether a layer of unknown length goes on for nothing but time that is up.
fn is_by_clock(layer: &Layer) -> bool {
    Failure::ALL.into_iter().all(|class| match layer.by_failure[class.index()] {
        Count::Unknown(_) => class == Failure::Timeout,
        count => class != Failure::Timeout && count == Count::ONE,
    })
}

/// The product for one class of failure.
pub fn product_of(layers: &[Layer], class: Failure) -> Count {
    Count::product(layers.iter().map(|layer| layer.by_failure[class.index()]))
}
