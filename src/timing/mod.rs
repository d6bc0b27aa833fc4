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
    let worst = by_failure.into_iter().reduce(Count::larger).unwrap_or(Count::ONE);
    (worst, by_failure)
}

/// The product for one class of failure.
pub fn product_of(layers: &[Layer], class: Failure) -> Count {
    Count::product(layers.iter().map(|layer| layer.by_failure[class.index()]))
}
