//! Comparing versions.

/// A version's numbers. A pre-release comes before its release.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Number {
    parts: [u64; 4],
    /// 0 for a pre-release, 1 for a release.
    released: u8,
}

impl Number {
    /// Reads `1.2.3`, `v1.2`, `2.0.0-beta.1`, `2.0rc1`, `1!2.0.post1`; what is no number counts as nothing.
    pub fn read(text: &str) -> Self {
        let text = text.trim().trim_start_matches(['v', 'V', '=']);
        let text = text.split_once('!').map_or(text, |(_, rest)| rest);
        let mut parts = [0; 4];
        let mut released = 1;
        for (slot, part) in parts.iter_mut().zip(text.split('.')) {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, rest) = part.split_at(digits);
            *slot = number.parse().unwrap_or(0);
            if digits == 0 || !rest.is_empty() {
                let before = rest.trim_start_matches(['-', '_']).to_ascii_lowercase();
                if is_before(rest, &before) {
                    released = 0;
                }
                break;
            }
        }
        Number { parts, released }
    }

    /// With a part raised by one and what follows cut off: the first version that `~` or `^` keeps out.
    pub fn raised(&self, part: usize) -> Self {
        let mut parts = [0; 4];
        for (i, slot) in parts.iter_mut().enumerate().take(part + 1) {
            let of = self.parts.get(i).copied().unwrap_or(0);
            *slot = if i == part { of.saturating_add(1) } else { of };
        }
        Number { parts, released: 1 }
    }

    /// The first part that is not 0.
    pub fn leading(&self) -> Option<usize> {
        self.parts.iter().position(|p| *p != 0)
    }
}

/// Whether what stands after a number makes it a pre-release.
fn is_before(rest: &str, word: &str) -> bool {
    let word_is = ["a", "b", "c", "rc", "alpha", "beta", "dev", "pre", "next", "canary"];
    (rest.starts_with('-') && !word.starts_with("post")) || word_is.iter().any(|w| word.starts_with(w))
}

/// How many parts a version is written with.
pub(super) fn written(text: &str) -> usize {
    let numbers = text.trim().trim_start_matches(['v', '=']).split('.');
    numbers.take_while(|part| part.starts_with(|c: char| c.is_ascii_digit())).count()
}
