//! When the attempts of nested layers happen, as nested runs of equal gaps. A pattern of 10^12 attempts takes
//! the space of its layers, and counting those before a moment takes one step a run.

/// One layer's repetitions of what is inside.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// Copies of the inner pattern.
    pub copies: u64,
    /// Gaps between them: seconds and how many, together one fewer than copies.
    pub gaps: Vec<(f64, u64)>,
    /// A wait after the last copy.
    pub trailing: f64,
}

/// Nested levels, innermost first, over a burst of simultaneous attempts.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Attempts at one moment.
    burst: u128,
    levels: Vec<Level>,
    /// Attempts of the pattern up to each level (index 0: the burst).
    totals: Vec<u128>,
    /// Seconds from the first attempt of the pattern up to each level to its end.
    spans: Vec<f64>,
}

impl Pattern {
    /// Nothing repeated yet.
    pub fn new() -> Pattern {
        Pattern { burst: 1, levels: Vec::new(), totals: vec![1], spans: vec![0.0] }
    }

    /// The pattern repeated by another layer.
    pub fn repeat(&mut self, level: Level) {
        let at_once = level.trailing == 0.0 && level.gaps.iter().all(|gap| gap.0 == 0.0);
        if at_once && self.levels.is_empty() {
            self.burst = self.burst.saturating_mul(level.copies.into());
            self.totals = vec![self.burst];
            return;
        }
        let total = self.total().saturating_mul(level.copies.into());
        let waits: f64 = level.gaps.iter().map(|&(gap, n)| gap * n as f64).sum();
        let span = self.span() * level.copies as f64 + waits + level.trailing;
        self.totals.push(total);
        self.spans.push(span);
        self.levels.push(level);
    }

    /// The levels, innermost first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// All attempts.
    pub fn total(&self) -> u128 {
        self.totals.last().copied().unwrap_or(1)
    }

    /// Seconds from first attempt to end.
    pub fn span(&self) -> f64 {
        self.spans.last().copied().unwrap_or(0.0)
    }

    /// Seconds of one copy and the gap after it, at a level.
    pub fn period(&self, level: usize, gap: f64) -> f64 {
        self.spans[level] + gap
    }

    /// Attempts less than `within` seconds after the one at `path`, itself included. The path is the copy at each level,
    /// innermost first.
    pub fn from(&self, path: &[u64], within: f64) -> u128 {
        let mut found = if within > 0.0 { self.burst } else { 0 };
        // Seconds from the attempt to the end of the copy it is in.
        let mut elapsed = 0.0;
        for (index, (level, &copy)) in self.levels.iter().zip(path).enumerate() {
            let (after, rest) = self.tail(index, level, copy, within - elapsed);
            found = found.saturating_add(after);
            elapsed += rest;
        }
        found
    }

    /// What comes after copy number `copy` of a level: attempts less than `within` seconds after its end, and the
    /// seconds until the level's end.
    fn tail(&self, index: usize, level: &Level, copy: u64, within: f64) -> (u128, f64) {
        let (mut skip, mut found, mut time, mut counting) = (copy, 0u128, 0.0, true);
        for &(gap, times) in &level.gaps {
            let units = times - skip.min(times);
            skip -= skip.min(times);
            if units == 0 {
                continue;
            }
            // A unit is a gap and the copy after it; put off by the gap, the first copy begins at 0.
            let period = self.period(index, gap);
            if counting {
                let left = within - time - gap;
                let whole = whole_copies(left - self.spans[index], period, units);
                found = found.saturating_add(self.totals[index].saturating_mul(whole.into()));
                if whole < units {
                    found = found.saturating_add(self.before(index, left - period * whole as f64));
                    counting = false;
                }
            }
            time += period * units as f64;
        }
        (found, time + level.trailing)
    }

    /// Attempts of the pattern up to a level less than `within` seconds after its first.
    fn before(&self, height: usize, mut within: f64) -> u128 {
        let mut found = 0u128;
        let mut height = height;
        // From the outermost level inwards: whole copies are counted, the one that is cut is looked into.
        while height > 0 && within > 0.0 {
            if within > self.spans[height] {
                return found.saturating_add(self.totals[height]);
            }
            let index = height - 1;
            for &(gap, times) in &self.levels[index].gaps {
                let (whole, rest) = whole_units(within, self.period(index, gap), times);
                found = found.saturating_add(self.totals[index].saturating_mul(whole.into()));
                within = rest;
                if whole < times {
                    break;
                }
            }
            height = index;
        }
        if within > 0.0 { found.saturating_add(self.burst) } else { found }
    }
}

/// How many units of `period` seconds end before `within`, at most `units`, and the seconds left for the next one.
fn whole_units(within: f64, period: f64, units: u64) -> (u64, f64) {
    if within <= 0.0 {
        return (0, within);
    }
    if period <= 0.0 {
        return (units, within);
    }
    // The end of a unit can be an attempt (no gap after the last one): it must lie before the window's end.
    let whole = ((within / period).ceil() - 1.0).max(0.0);
    if whole >= units as f64 {
        (units, within - period * units as f64)
    } else {
        (whole as u64, within - period * whole)
    }
}

/// How many of `units` copies begin before `within`, one every `period` seconds from 0 on.
fn whole_copies(within: f64, period: f64, units: u64) -> u64 {
    if within <= 0.0 {
        return 0;
    }
    if period <= 0.0 {
        return units;
    }
    let whole = (within / period).ceil();
    if whole >= units as f64 { units } else { whole as u64 }
}
