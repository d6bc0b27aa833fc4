//! Variants: the failures that are followed, and counts by them.

use super::model::*;

/// The variants that are run: every class of failure, with the statuses that code tells apart.
pub const VARIANTS: [Variant; 14] = [
    v(Failure::Connect, 0),
    v(Failure::Disconnect, 0),
    v(Failure::Timeout, 0),
    v(Failure::RateLimit, 429),
    v(Failure::Overloaded, 503),
    v(Failure::Overloaded, 529),
    v(Failure::Server, 500),
    v(Failure::Server, 502),
    v(Failure::Conflict, 409),
    v(Failure::Conflict, 408),
    v(Failure::Permanent, 400),
    v(Failure::Permanent, 401),
    v(Failure::Permanent, 404),
    v(Failure::Permanent, 422),
];

/// One way in which an outbound call can fail for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    /// The class of failure.
    pub failure: Failure,
    /// The status that arrives, if one does.
    pub status: Option<u16>,
}

const fn v(failure: Failure, status: u16) -> Variant {
    Variant { failure, status: if status == 0 { None } else { Some(status) } }
}

/// The worst count over the variants.
pub fn worst_of(counts: &[Count]) -> Count {
    counts.iter().copied().reduce(Count::larger).unwrap_or(Count::ONE)
}

/// The statuses of failures that stay, of those that are repeated.
pub fn permanent_of(counts: &[Count]) -> Vec<u16> {
    let repeated =
        VARIANTS.iter().zip(counts).filter(|(v, count)| v.failure == Failure::Permanent && **count != Count::ONE);
    repeated.filter_map(|(v, _)| v.status).collect()
}

/// Counts by class of failure: the worst of a class's statuses.
pub fn by_failure(counts: &[Count]) -> [Count; 9] {
    let mut table = [Count::ONE; 9];
    for (variant, count) in VARIANTS.iter().zip(counts) {
        let slot = &mut table[variant.failure.index()];
        *slot = slot.larger(*count);
    }
    table
}
