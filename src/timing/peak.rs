//! The peak: most attempts that can fall into one window if every attempt fails at once and every wait
//! comes out at its smallest.
//!
//! A window that holds most begins at an attempt. Which one is searched among the copies that can differ: all of
//! a short run, the first and last of a long one.

use super::pattern::{Level, Pattern};
use super::waits::{Side, gaps};
use crate::chains::{Count, Failure, Layer};

/// The window of the budget, unless configured: seconds.
pub const DEFAULT_WINDOW: f64 = 60.0;

/// Levels looked at one by one; a chain with more than these acts as if the outer ones did not wait.
const MOST_LEVELS: usize = 24;
/// Windows tried for one chain and class.
const MOST_WINDOWS: u64 = 2048;
/// Copies of one level from which a window is tried.
const MOST_STARTS: u64 = 64;

/// Most attempts in one window of so many seconds, the largest over the classes of failure; none if no number
/// bounds it. Where a count is only known to be at least something, so is the peak.
pub fn peak(layers: &[Layer], window: f64) -> Option<u64> {
    peaks(layers, window).into_iter().try_fold(0, |most, peak| Some(most.max(peak?)))
}

/// The same for each class of failure.
pub fn peaks(layers: &[Layer], window: f64) -> [Option<u64>; 9] {
    let counts = |class: Failure| layers.iter().map(move |layer| layer.by_failure[class.index()]);
    let mut found = [None; 9];
    for (at, class) in Failure::ALL.into_iter().enumerate() {
        // Most layers treat most classes alike: what was worked out for one is not worked out again.
        let same = Failure::ALL[..at].iter().position(|other| counts(*other).eq(counts(class)));
        found[at] = same.map_or_else(|| peak_of(layers, class, window), |other| found[other]);
    }
    found
}

/// Most attempts in one window for one class of failure.
fn peak_of(layers: &[Layer], class: Failure, window: f64) -> Option<u64> {
    let mut pattern = Pattern::new();
    let mut endless = false;
    // From the request outwards; what is around a layer without a bound never gets its turn.
    for layer in layers.iter().rev() {
        let count = layer.by_failure[class.index()];
        endless = matches!(count, Count::Unbounded | Count::Time(None));
        let copies = if endless { u64::MAX } else { count.at_least() };
        match copies {
            0 if matches!(count, Count::Exact(0)) => return Some(0),
            0 | 1 => continue,
            _ => pattern.repeat(level_of(layer, copies, pattern.levels().len() >= MOST_LEVELS)),
        }
        if endless {
            break;
        }
    }
    let most = most_in_window(&pattern, window);
    if endless && most >= u64::MAX.into() {
        return None;
    }
    Some(u64::try_from(most).unwrap_or(u64::MAX))
}

fn level_of(layer: &Layer, copies: u64, at_once: bool) -> Level {
    if at_once {
        return Level { copies, gaps: vec![(0.0, copies - 1)], trailing: 0.0 };
    }
    let waits = &layer.waits;
    let mut all = gaps(waits, if waits.after_last { copies } else { copies - 1 }, Side::Shortest);
    let mut trailing = 0.0;
    if waits.after_last
        && let Some(last) = all.last_mut()
    {
        trailing = last.0;
        last.1 -= 1;
    }
    all.retain(|gap| gap.1 > 0);
    Level { copies, gaps: all, trailing }
}

fn most_in_window(pattern: &Pattern, window: f64) -> u128 {
    if window.is_nan() || window <= 0.0 {
        return pattern.from(&vec![0; pattern.levels().len()], f64::MIN_POSITIVE);
    }
    if pattern.span() < window {
        return pattern.total();
    }
    let starts = starts(pattern, window);
    let mut path = vec![0; starts.len()];
    let mut turn = vec![0usize; starts.len()];
    let mut most = 0;
    // Every combination of copies, counted like an odometer.
    loop {
        for (place, (from, &at)) in path.iter_mut().zip(starts.iter().zip(&turn)) {
            *place = from[at];
        }
        most = most.max(pattern.from(&path, window));
        let mut wheel = 0;
        loop {
            let Some(at) = turn.get_mut(wheel) else { return most };
            *at += 1;
            if *at < starts[wheel].len() {
                break;
            }
            *at = 0;
            wheel += 1;
        }
    }
}

/// The copies of each level from which windows are tried, innermost level first. However many levels there are, the
/// combinations stay within bounds: the outer levels, whose copies are long, give way.
fn starts(pattern: &Pattern, window: f64) -> Vec<Vec<u64>> {
    let levels = pattern.levels();
    let mut limit = MOST_STARTS;
    loop {
        let mut starts: Vec<Vec<u64>> = levels
            .iter()
            .enumerate()
            .map(|(index, level)| starts_of(pattern, index, level, index + 1 == levels.len(), window, limit))
            .collect();
        let windows = starts.iter().fold(1u64, |n, from| n.saturating_mul(from.len() as u64));
        if windows <= MOST_WINDOWS {
            return starts;
        }
        if limit == 1 {
            let mut left = MOST_WINDOWS as usize;
            for from in &mut starts {
                from.truncate(left.max(1));
                left /= from.len();
            }
            return starts;
        }
        limit /= 2;
    }
}

fn starts_of(pattern: &Pattern, index: usize, level: &Level, outermost: bool, window: f64, limit: u64) -> Vec<u64> {
    // Nothing follows the outermost level: where its gaps never shrink, no later start holds more than the first.
    if outermost && level.gaps.windows(2).all(|pair| pair[0].0 <= pair[1].0) {
        return vec![0];
    }
    if level.copies <= limit {
        return (0..level.copies).collect();
    }
    let mut found = vec![0, level.copies - 1];
    let mut first = 0u64;
    let few = (limit / (2 * level.gaps.len().max(1) as u64)).max(1);
    for &(gap, times) in &level.gaps {
        let end = first.saturating_add(times);
        found.extend(first..first + few.min(times));
        found.extend(end - few.min(times)..end);
        // The start whose window just reaches the end of the run.
        let reach = (window / pattern.period(index, gap)).min(times as f64) as u64;
        let start = end.saturating_sub(reach);
        found.extend([start, start.saturating_add(1).min(level.copies - 1), start.saturating_sub(1)]);
        first = end;
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::super::properties::{fixed, layer, random};
    use super::*;
    use std::time::Instant;

    #[test]
    fn twelve_attempts_over_thirteen_minutes_peak_at_four() {
        let sdk = layer(Count::Exact(4), &[random(0.375, 0.5, 1), random(0.75, 1.0, 1), random(1.5, 2.0, 1)]);
        let job = layer(Count::Exact(3), &[fixed(240.0, 1), fixed(540.0, 1)]);
        assert_eq!(peak(&[job, sdk], 60.0), Some(4));
    }

    #[test]
    fn thirty_six_attempts_with_waits_of_two_seconds_peak_at_thirty_six() {
        let policy = layer(Count::Exact(4), &[fixed(2.0, 3)]);
        let layers = [layer(Count::Exact(3), &[]), policy, layer(Count::Exact(3), &[])];
        assert_eq!(peak(&layers, 60.0), Some(36));
    }

    #[test]
    fn a_window_is_open_at_its_end() {
        assert_eq!(peak(&[layer(Count::Exact(10), &[fixed(20.0, 9)])], 60.0), Some(3));
        assert_eq!(peak(&[layer(Count::Exact(10), &[fixed(60.0, 9)])], 60.0), Some(1));
    }

    #[test]
    fn a_window_can_begin_in_the_middle() {
        // 0, 50, 150 | 151, 201, 301: the last of one turn and the first two of the next.
        let inner = layer(Count::Exact(3), &[fixed(50.0, 1), fixed(100.0, 1)]);
        assert_eq!(peak(&[layer(Count::Exact(2), &[fixed(1.0, 1)]), inner], 60.0), Some(3));
        // A list that gets faster.
        assert_eq!(peak(&[layer(Count::Exact(4), &[fixed(90.0, 1), fixed(5.0, 2)])], 60.0), Some(3));
    }

    #[test]
    fn without_a_bound_the_waits_bound_the_window() {
        assert_eq!(peak(&[layer(Count::Unbounded, &[fixed(2.0, 1)])], 60.0), Some(30));
        assert_eq!(peak(&[layer(Count::Unbounded, &[fixed(0.0, 1)])], 60.0), None);
        assert_eq!(peak(&[layer(Count::Unbounded, &[])], 60.0), None);
        let outer = layer(Count::Exact(3), &[]);
        assert_eq!(peak(&[outer, layer(Count::Unbounded, &[fixed(2.0, 1)])], 60.0), Some(30));
        let inner = layer(Count::Exact(3), &[]);
        assert_eq!(peak(&[layer(Count::Unbounded, &[fixed(2.0, 1)]), inner], 60.0), Some(90));
        assert_eq!(peak(&[layer(Count::Time(None), &[])], 60.0), None);
    }

    #[test]
    fn layers_for_different_failures_do_not_share_a_window() {
        let mut outer = layer(Count::Exact(4), &[]);
        outer.by_failure = [Count::ONE; 9];
        outer.by_failure[Failure::Connect.index()] = Count::Exact(4);
        let mut inner = layer(Count::Exact(3), &[]);
        inner.by_failure[Failure::Connect.index()] = Count::ONE;
        assert_eq!(peak(&[outer, inner], 60.0), Some(4));
    }

    #[test]
    fn waits_that_an_engine_sets_are_no_zero() {
        let mut engine = layer(Count::Exact(4), &[]);
        engine.waits.by_engine = true;
        assert_eq!(peak(&[engine, layer(Count::Exact(3), &[])], 60.0), Some(3));
    }

    #[test]
    fn huge_counts_take_no_time() {
        let many = 1_000_000_000_000;
        let layers = [
            layer(Count::Exact(many), &[fixed(0.001, 1)]),
            layer(Count::Exact(many), &[fixed(5.0, 3), fixed(0.001, 1)]),
            layer(Count::Exact(many), &[fixed(1.0, 1), fixed(0.002, 7), fixed(0.001, 1)]),
        ];
        let start = Instant::now();
        assert!(peak(&layers, 60.0).is_some_and(|n| (60_000..=60_001).contains(&n)));
        assert!(start.elapsed().as_millis() < 200, "{:?}", start.elapsed());
        assert_eq!(
            peak(&[layer(Count::Exact(u64::MAX), &[]), layer(Count::Exact(u64::MAX), &[])], 60.0),
            Some(u64::MAX)
        );
    }

    #[test]
    fn hundreds_of_layers_are_no_danger() {
        let layers: Vec<Layer> = (0..500).map(|_| layer(Count::Exact(2), &[fixed(40.0, 1)])).collect();
        assert!(peak(&layers, 60.0).is_some());
    }
}
