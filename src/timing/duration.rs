//! How long a chain goes on: D(layer) = A x D(inside) + waits(layer).

use super::waits::{is_far, total_wait};
use super::{product, product_of};
use crate::chains::{Count, Failure, Layer};

/// Shortest and longest duration in seconds of the worst case. Shortest: failures at once and smallest waits. Longest:
/// every request takes its whole timeout, largest waits. None where that is not known or has no bound.
pub fn durations(layers: &[Layer], timeout: Option<f64>) -> (Option<f64>, Option<f64>) {
    let (worst, by_failure) = product(layers);
    let timeout = timeout.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    // Several classes can make the worst case by different layers; the longest of them counts.
    let classes = Failure::ALL.into_iter().filter(|class| by_failure[class.index()] == worst);
    let mut shortest = Some(0.0);
    let mut longest = Some(0.0);
    for class in classes {
        debug_assert_eq!(product_of(layers, class), worst);
        shortest = both(shortest, fold(layers, class, Some(0.0), shortest_of), f64::max);
        longest = both(longest, fold(layers, class, timeout, longest_of), f64::max);
    }
    let known = |s: &f64| s.is_finite() && !is_far(*s);
    (shortest.filter(known), longest.filter(known))
}

fn both(a: Option<f64>, b: Option<f64>, join: fn(f64, f64) -> f64) -> Option<f64> {
    Some(join(a?, b?))
}

/// From the request outwards.
fn fold(
    layers: &[Layer],
    class: Failure,
    request: Option<f64>,
    step: fn(&Layer, Count, f64) -> Option<f64>,
) -> Option<f64> {
    layers.iter().rev().try_fold(request?, |inside, layer| match layer.by_failure[class.index()] {
        Count::Exact(1) => Some(inside),
        count => step(layer, count, inside),
    })
}

fn shortest_of(layer: &Layer, count: Count, inside: f64) -> Option<f64> {
    match count {
        Count::Exact(n) | Count::Time(Some(n)) => Some(n as f64 * inside + total_wait(&layer.waits, n)?.0),
        // Without a wait it goes on until the limit.
        Count::Time(None) => layer.limit,
        Count::Unbounded | Count::Unknown(_) => None,
    }
}

/// A limit is looked at between attempts, so that the last one may still run.
fn longest_of(layer: &Layer, count: Count, inside: f64) -> Option<f64> {
    let limited = layer.limit.filter(|seconds| seconds.is_finite()).map(|seconds| seconds + inside);
    match count {
        Count::Exact(n) => {
            let counted = n as f64 * inside + total_wait(&layer.waits, n)?.1;
            Some(limited.map_or(counted, |limit| limit.min(counted)))
        }
        Count::Time(_) | Count::Unbounded => limited,
        Count::Unknown(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::properties::{fixed, layer, random};
    use super::*;

    #[test]
    fn the_storm_of_the_report_worker() {
        let sdk = layer(Count::Exact(3), &[random(0.375, 0.5, 1), random(0.75, 1.0, 1)]);
        let layers = [layer(Count::Exact(3), &[]), layer(Count::Exact(4), &[fixed(2.0, 3)]), sdk];
        assert_eq!(durations(&layers, Some(600.0)), (Some(31.5), Some(21636.0)));
        assert_eq!(durations(&layers, None), (Some(31.5), None));
        assert_eq!(durations(&layers, Some(f64::INFINITY)), (Some(31.5), None));
    }

    #[test]
    fn a_layer_that_does_not_act_for_the_worst_class_takes_no_time() {
        let mut outer = layer(Count::Exact(4), &[fixed(100.0, 3)]);
        outer.by_failure = [Count::ONE; 9];
        outer.by_failure[Failure::Connect.index()] = Count::Exact(4);
        let mut inner = layer(Count::Exact(11), &[fixed(1.0, 1)]);
        inner.by_failure = [Count::ONE; 9];
        inner.by_failure[Failure::Disconnect.index()] = Count::Exact(11);
        assert_eq!(durations(&[outer, inner], Some(1.0)), (Some(10.0), Some(21.0)));
    }

    #[test]
    fn unbounded_and_unknown_have_no_duration() {
        assert_eq!(durations(&[layer(Count::Unbounded, &[])], Some(1.0)), (None, None));
        assert_eq!(durations(&[layer(Count::Unknown(3), &[])], Some(1.0)), (None, None));
    }

    #[test]
    fn a_limit_ends_the_longest() {
        let mut outer = layer(Count::Exact(6), &[fixed(1.0, 5)]);
        outer.limit = Some(30.0);
        assert_eq!(durations(&[outer], Some(20.0)), (Some(5.0), Some(50.0)));
    }

    #[test]
    fn no_layer_is_one_request() {
        assert_eq!(durations(&[], Some(20.0)), (Some(0.0), Some(20.0)));
    }
}
