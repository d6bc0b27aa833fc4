//! Which checks run: `select`, `ignore` and `pedantic`. A word names a check (`fixed-wait`), its code
//! (`SQ201`), a group of codes (`SQ2`) or `all`.

/// Which checks run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Only these; empty: all that are not pedantic.
    pub select: Vec<String>,
    /// Not these.
    pub ignore: Vec<String>,
    /// Pedantic ones too.
    pub pedantic: bool,
}

/// How exactly a word names a check.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    No,
    Group,
    Itself,
}

impl Selection {
    /// Whether a check runs. The more exact word wins: `--select SQ1 --ignore unbounded-retries` runs the
    /// group without that one, `--select fixed-wait --ignore SQ2` runs that one; a tie is ignored.
    /// A pedantic check runs if it is named itself, or with `pedantic`.
    pub fn runs(&self, name: &str, code: &str, pedantic: bool) -> bool {
        let best = |words: &[String]| words.iter().map(|w| matches(w, name, code)).max().unwrap_or(Match::No);
        let selected = best(&self.select);
        let ignored = best(&self.ignore);
        if ignored != Match::No && ignored >= selected {
            return false;
        }
        let wanted = self.select.is_empty() || selected != Match::No;
        wanted && (!pedantic || self.pedantic || selected == Match::Itself)
    }
}

fn matches(word: &str, name: &str, code: &str) -> Match {
    let same = |other: &str| word.eq_ignore_ascii_case(other);
    let group = || word.len() > 2 && code.get(..word.len()).is_some_and(same);
    if same(name) || same(code) {
        Match::Itself
    } else if same("all") || group() {
        Match::Group
    } else {
        Match::No
    }
}

/// Whether a word can name any of these checks (name and code).
pub fn names_any<'a>(word: &str, checks: impl IntoIterator<Item = (&'a str, &'a str)>) -> bool {
    checks.into_iter().any(|(name, code)| matches(word, name, code) != Match::No)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(select: &[&str], ignore: &[&str], pedantic: bool) -> Selection {
        let words = |w: &[&str]| w.iter().map(|s| s.to_string()).collect();
        Selection { select: words(select), ignore: words(ignore), pedantic }
    }

    #[test]
    fn the_more_exact_word_wins() {
        let runs = |s: &Selection| s.runs("fixed-wait", "SQ201", false);
        assert!(runs(&selection(&[], &[], false)));
        assert!(runs(&selection(&["SQ2"], &[], false)));
        assert!(runs(&selection(&["sq201"], &["SQ2"], false)));
        assert!(runs(&selection(&["all"], &["SQ1"], false)));
        assert!(!runs(&selection(&["SQ1"], &[], false)));
        assert!(!runs(&selection(&["SQ2"], &["fixed-wait"], false)));
        assert!(!runs(&selection(&[], &["SQ2"], false)));
        assert!(!runs(&selection(&["fixed-wait"], &["fixed-wait"], false)));
    }

    #[test]
    fn pedantic_ones_are_asked_for() {
        let runs = |s: &Selection| s.runs("no-deadline", "SQ104", true);
        assert!(!runs(&selection(&[], &[], false)));
        assert!(!runs(&selection(&["SQ1"], &[], false)));
        assert!(runs(&selection(&["no-deadline"], &[], false)));
        assert!(runs(&selection(&[], &[], true)));
        assert!(!runs(&selection(&[], &["no-deadline"], true)));
    }
}
