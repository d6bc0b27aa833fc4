//! How long a layer waits in all, for reports.

use crate::chains::{Count, Layer, WaitKind};

/// Smallest and largest sum of a layer's waits in seconds, where they are known.
pub fn total(layer: &Layer) -> (Option<f64>, Option<f64>) {
    let waits = &layer.waits;
    if waits.kind == WaitKind::Unknown {
        return (None, None);
    }
    let attempts = match layer.attempts {
        Count::Exact(n) | Count::Time(Some(n)) => n,
        // Nothing waited is known even without a count.
        _ if waits.kind == WaitKind::None => return (Some(0.0), Some(0.0)),
        _ => return (None, None),
    };
    let mut left = attempts.saturating_sub(1) + u64::from(waits.after_last && attempts > 0);
    let (mut shortest, mut longest) = (0.0, 0.0);
    for (at, run) in waits.runs.iter().enumerate() {
        let last = at + 1 == waits.runs.len();
        let times = if last { left } else { run.times.min(left) };
        shortest += run.shortest * times as f64;
        longest += run.longest * times as f64;
        left -= times;
    }
    (finite(shortest), finite(longest))
}

fn finite(seconds: f64) -> Option<f64> {
    (seconds.is_finite() && !crate::timing::is_far(seconds)).then_some(seconds)
}
