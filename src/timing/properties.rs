//! What holds for all layers, tried on random ones; and the small builders the tests beside it use.

use super::*;
use crate::chains::{CountSource, LayerKind, WaitKind, WaitRun, Waits};
use crate::ir::Span;
use crate::source::{FileId, Place};
use proptest::prelude::*;

pub(super) fn fixed(wait: f64, times: u64) -> WaitRun {
    WaitRun { shortest: wait, longest: wait, random: false, times }
}

pub(super) fn random(shortest: f64, longest: f64, times: u64) -> WaitRun {
    WaitRun { shortest, longest, random: true, times }
}

/// No waits.
pub(super) fn waits() -> Waits {
    Waits {
        kind: WaitKind::None,
        runs: Vec::new(),
        jitter: false,
        capped: true,
        after_last: false,
        by_engine: false,
        chosen: true,
        place: None,
        reads_retry_after: false,
    }
}

/// A layer that repeats every class of failure.
pub(super) fn layer(attempts: Count, runs: &[WaitRun]) -> Layer {
    let place = Place { file: FileId(0), span: Span { start: 0, end: 0 } };
    Layer {
        kind: LayerKind::Loop,
        library: None,
        version: None,
        place,
        function: String::new(),
        defined: None,
        attempts,
        by_failure: [attempts; 9],
        source: CountSource::Literal,
        number: None,
        also: Vec::new(),
        reason: None,
        text: String::new(),
        waits: Waits { kind: classify(runs), runs: runs.to_vec(), ..waits() },
        setting: None,
        off: None,
        misleading: None,
        retries_everything: false,
        permanent: Vec::new(),
        by_status: false,
        logs: false,
        limit: None,
        decides: None,
        spares_spent_quota: false,
        rereads: None,
        inherent: false,
        another: false,
        untouched: false,
        guessed: false,
        in_a_row: false,
        family: None,
    }
}

/// Any count.
fn count() -> impl Strategy<Value = Count> {
    let number = prop_oneof![1u64..20, Just(u64::MAX), Just(1 << 40)];
    prop_oneof![
        6 => number.clone().prop_map(Count::Exact),
        1 => number.clone().prop_map(|n| Count::Time(Some(n))),
        1 => Just(Count::Time(None)),
        1 => Just(Count::Unbounded),
        2 => number.prop_map(Count::Unknown),
    ]
}

/// A layer small enough to unroll, its waits multiples of a quarter of a second so that sums are exact.
fn small_layer() -> impl Strategy<Value = Layer> {
    let run = (prop_oneof![Just(0u32), 1u32..40, 100u32..400], 1u64..4)
        .prop_map(|(quarters, times)| fixed(f64::from(quarters) / 4.0, times));
    (1u64..6, prop::collection::vec(run, 0..3), any::<bool>()).prop_map(|(attempts, runs, after_last)| {
        let mut layer = layer(Count::Exact(attempts), &runs);
        layer.waits.after_last = after_last;
        layer
    })
}

/// Every attempt's time, one by one.
fn unrolled(layers: &[Layer]) -> Vec<f64> {
    fn run(layers: &[Layer], clock: &mut f64, out: &mut Vec<f64>) {
        let Some((layer, inner)) = layers.split_first() else {
            out.push(*clock);
            return;
        };
        let attempts = layer.attempts.at_least();
        let waits: Vec<f64> =
            layer.waits.runs.iter().flat_map(|run| std::iter::repeat_n(run.shortest, run.times as usize)).collect();
        for attempt in 0..attempts {
            run(inner, clock, out);
            if attempt + 1 < attempts || (layer.waits.after_last && attempts > 1) {
                *clock += waits.get(attempt as usize).or(waits.last()).copied().unwrap_or(0.0);
            }
        }
    }
    let (mut clock, mut out) = (0.0, Vec::new());
    run(layers, &mut clock, &mut out);
    out
}

fn naive_peak(times: &[f64], window: f64) -> u64 {
    times
        .iter()
        .map(|&from| times.iter().filter(|&&t| t >= from && t < from + window).count() as u64)
        .max()
        .unwrap_or(0)
}

proptest! {
    #[test]
    fn order_and_grouping_do_not_matter(mut counts in prop::collection::vec(count(), 0..6), cut in 0usize..6) {
        let whole = Count::product(counts.iter().copied());
        let (a, b) = counts.split_at(cut.min(counts.len()));
        let product = |part: &[Count]| part.iter().copied().map(Product::from).fold(Product::ONE, Product::times);
        prop_assert_eq!(product(a).times(product(b)).count(), whole);
        prop_assert_eq!(product(b).times(product(a)).count(), whole);
        counts.reverse();
        prop_assert_eq!(Count::product(counts), whole);
    }

    #[test]
    fn unbounded_absorbs_and_unknown_never_becomes_a_number(counts in prop::collection::vec(count(), 0..6)) {
        let product = Count::product(counts.iter().copied());
        prop_assert_eq!(counts.contains(&Count::Unbounded), product == Count::Unbounded);
        if counts.iter().any(|c| matches!(c, Count::Unknown(_))) {
            prop_assert!(product.number().is_none());
        }
    }

    #[test]
    fn larger_is_commutative_and_associative(a in count(), b in count(), c in count()) {
        prop_assert_eq!(a.larger(b).larger(c), a.larger(b.larger(c)));
        prop_assert_eq!(a.larger(b).at_least(), b.larger(a).at_least());
    }

    #[test]
    fn nesting_order_does_not_change_the_product(mut layers in prop::collection::vec(small_layer(), 0..4)) {
        let before = product(&layers);
        layers.reverse();
        prop_assert_eq!(product(&layers), before);
    }

    #[test]
    fn the_peak_is_at_most_the_worst_case(layers in prop::collection::vec(small_layer(), 0..4)) {
        let (worst, _) = product(&layers);
        prop_assert!(peak(&layers, 60.0).is_some_and(|peak| Some(peak) <= worst.number()));
        prop_assert_eq!(peak(&layers, 1e12), worst.number());
    }

    #[test]
    fn without_waits_the_peak_is_the_worst_case(counts in prop::collection::vec(1u64..1000, 0..4)) {
        let layers: Vec<Layer> = counts.iter().map(|&n| layer(Count::Exact(n), &[])).collect();
        prop_assert_eq!(peak(&layers, 60.0), product(&layers).0.number());
    }

    #[test]
    fn the_peak_is_that_of_the_unrolled_attempts(layers in prop::collection::vec(small_layer(), 1..4), window in 1u32..400) {
        let window = f64::from(window) / 2.0;
        let times = unrolled(&layers);
        prop_assert_eq!(peak(&layers, window), Some(naive_peak(&times, window)));
    }

    #[test]
    fn the_shortest_duration_is_that_of_the_unrolled_attempts(layers in prop::collection::vec(small_layer(), 1..4)) {
        let mut layers = layers;
        for layer in &mut layers {
            layer.waits.after_last = false;
        }
        let last = unrolled(&layers).last().copied();
        prop_assert_eq!(durations(&layers, None).0, last);
    }
}
