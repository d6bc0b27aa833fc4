//! Sums and shapes of waits, from runs of equal waits.

use crate::chains::{WaitKind, WaitRun, Waits};

/// A wait that an engine sets and nobody knows: longer than any window, and finite so that sums stay sums.
const FAR: f64 = 1e15;

/// Whether a wait is no number of seconds that anybody wrote, but one that somebody else decides.
pub fn is_far(seconds: f64) -> bool {
    seconds >= FAR / 10.0
}

/// Which end of a random wait is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Shortest,
    Longest,
}

/// `gaps` waits one after another as (seconds, how many), the last run going on. Never empty unless `gaps` is 0.
/// A wait that is not known counts as 0, or as far apart if an engine sets it.
pub(super) fn gaps(waits: &Waits, gaps: u64, side: Side) -> Vec<(f64, u64)> {
    let mut left = gaps;
    let mut out: Vec<(f64, u64)> = Vec::with_capacity(waits.runs.len() + 1);
    for run in &waits.runs {
        let times = run.times.min(left);
        push(&mut out, seconds(run, side), times);
        left -= times;
    }
    let rest = match waits.runs.last() {
        Some(last) => seconds(last, side),
        None if waits.by_engine => FAR,
        None => 0.0,
    };
    push(&mut out, rest, left);
    out
}

fn push(out: &mut Vec<(f64, u64)>, wait: f64, times: u64) {
    if times == 0 {
        return;
    }
    match out.last_mut() {
        Some((last, n)) if *last == wait => *n = n.saturating_add(times),
        _ => out.push((wait, times)),
    }
}

/// The wait of a run, made sane.
fn seconds(run: &WaitRun, side: Side) -> f64 {
    let wait = match side {
        Side::Shortest => run.shortest.min(run.longest),
        Side::Longest => run.longest.max(run.shortest),
    };
    if wait.is_nan() { 0.0 } else { wait.clamp(0.0, FAR) }
}

/// Whether the waits are known at all.
pub(super) fn is_known(waits: &Waits) -> bool {
    !(waits.runs.is_empty() && (waits.by_engine || matches!(waits.kind, WaitKind::Unknown)))
}

/// Smallest and largest sum of the waits of a layer of so many attempts; none if a wait is not known.
pub fn total_wait(waits: &Waits, attempts: u64) -> Option<(f64, f64)> {
    if !is_known(waits) {
        return None;
    }
    let times = if waits.after_last { attempts } else { attempts.saturating_sub(1) };
    let sum = |side| gaps(waits, times, side).iter().map(|&(wait, n)| wait * n as f64).sum::<f64>();
    Some((sum(Side::Shortest), sum(Side::Longest)))
}

/// What a sequence of waits looks like. A growing sequence that stops growing at its end is capped, and a
/// first wait of 0 before a growing one is a start, not a shape.
pub fn classify(runs: &[WaitRun]) -> WaitKind {
    if runs.iter().all(|run| seconds(run, Side::Longest) == 0.0) {
        return WaitKind::None;
    }
    let mut values: Vec<f64> = Vec::with_capacity(runs.len());
    for run in runs {
        let longest = seconds(run, Side::Longest);
        // A long run in the middle is no growth: two equal waits show that.
        let shown = if run.times > 1 { 2 } else { 1 };
        values.extend(std::iter::repeat_n(longest, shown));
    }
    if values.windows(2).all(|pair| close(pair[0], pair[1])) {
        return if runs.iter().any(|run| run.random || run.shortest < run.longest) {
            WaitKind::Random
        } else {
            WaitKind::Fixed
        };
    }
    let growing = growing_part(&values);
    if growing.len() < 2 {
        return WaitKind::List;
    }
    shape(growing)
}

/// Without a first 0 and without the capped end.
fn growing_part(values: &[f64]) -> &[f64] {
    let values = match values {
        [first, rest @ ..] if *first == 0.0 => rest,
        all => all,
    };
    let mut end = values.len();
    while end > 1 && close(values[end - 1], values[end - 2]) {
        end -= 1;
    }
    &values[..end]
}

/// Two values are a pattern only if the second is the first times a small whole number; more show it themselves.
fn shape(values: &[f64]) -> WaitKind {
    if let [a, b] = values {
        let factor = b / a;
        let whole = close(factor, factor.round()) && (2.0..=10.0).contains(&factor.round());
        return if whole { WaitKind::Exponential } else { WaitKind::List };
    }
    let (factor, step) = (values[1] / values[0], values[1] - values[0]);
    let follows = |next: &dyn Fn(f64) -> f64| {
        let last = values.len() - 2;
        values.windows(2).enumerate().all(|(i, pair)| {
            let expected = next(pair[0]);
            // The last step may be cut by a cap.
            close(pair[1], expected) || (i == last && i > 1 && pair[1] < expected && pair[1] >= pair[0])
        })
    };
    if factor > 1.0 && follows(&|value| value * factor) {
        WaitKind::Exponential
    } else if step > 0.0 && follows(&|value| value + step) {
        WaitKind::Linear
    } else {
        WaitKind::List
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(waits: &[f64]) -> Vec<WaitRun> {
        waits.iter().map(|&w| WaitRun { shortest: w, longest: w, random: false, times: 1 }).collect()
    }

    #[test]
    fn shapes_are_told_apart() {
        assert_eq!(classify(&[]), WaitKind::None);
        assert_eq!(classify(&runs(&[0.0, 0.0])), WaitKind::None);
        assert_eq!(classify(&runs(&[2.0])), WaitKind::Fixed);
        assert_eq!(classify(&runs(&[2.0, 2.0, 2.0])), WaitKind::Fixed);
        assert_eq!(classify(&runs(&[1.0, 2.0, 3.0])), WaitKind::Linear);
        assert_eq!(classify(&runs(&[1.0, 2.0, 4.0, 8.0])), WaitKind::Exponential);
        assert_eq!(classify(&runs(&[1.0, 2.0])), WaitKind::Exponential);
        assert_eq!(classify(&runs(&[240.0, 540.0])), WaitKind::List);
        assert_eq!(classify(&runs(&[0.1, 0.5, 7.0])), WaitKind::List);
        assert_eq!(classify(&[WaitRun { shortest: 0.0, longest: 3.0, random: true, times: 4 }]), WaitKind::Random);
    }

    #[test]
    fn a_cap_and_a_first_zero_do_not_hide_the_shape() {
        assert_eq!(classify(&runs(&[0.0, 2.0, 4.0, 8.0])), WaitKind::Exponential);
        assert_eq!(classify(&runs(&[1.0, 2.0, 4.0, 8.0, 10.0, 10.0])), WaitKind::Exponential);
        assert_eq!(classify(&runs(&[1.0, 2.0, 4.0, 3.0])), WaitKind::List);
    }

    #[test]
    fn the_last_run_goes_on() {
        let waits = Waits { runs: runs(&[1.0, 2.0]), ..super::super::properties::waits() };
        assert_eq!(gaps(&waits, 5, Side::Shortest), vec![(1.0, 1), (2.0, 4)]);
        assert_eq!(total_wait(&waits, 4), Some((5.0, 5.0)));
        let after = Waits { after_last: true, ..waits };
        assert_eq!(total_wait(&after, 4), Some((7.0, 7.0)));
    }

    #[test]
    fn a_wait_that_is_not_known_has_no_sum() {
        let waits = Waits { kind: WaitKind::Unknown, ..super::super::properties::waits() };
        assert_eq!(total_wait(&waits, 4), None);
    }
}
