//! Which checks run: names, codes and groups from the command line and the configuration.

use super::{Check, registry};
use std::collections::BTreeSet;

/// The checks that run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    names: BTreeSet<&'static str>,
}

/// A name that no check has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no check `{name}`{}", .nearest.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
pub struct UnknownCheck {
    /// What was written.
    pub name: String,
    /// The check whose name comes nearest.
    pub nearest: Option<&'static str>,
}

impl Default for Selection {
    /// All but the pedantic ones.
    fn default() -> Selection {
        Selection { names: registry().iter().filter(|check| !check.pedantic).map(|check| check.name).collect() }
    }
}

impl Selection {
    /// Every check.
    pub fn all() -> Selection {
        Selection { names: registry().iter().map(|check| check.name).collect() }
    }

    /// Only those named by `select` if it names any, else the default ones (with `pedantic`: all), without those named by
    /// `ignore`. A name can be a check's name, its code, the beginning of codes (`SQ2`), or `all`.
    pub fn resolve(select: &[String], ignore: &[String], pedantic: bool) -> Result<Selection, UnknownCheck> {
        let mut selection = match (select.is_empty(), pedantic) {
            (true, false) => Selection::default(),
            (true, true) => Selection::all(),
            (false, _) => Selection { names: BTreeSet::new() },
        };
        for name in select {
            // A group stands for what is on by default in it; a full name means what it says.
            let found = named(name)?;
            let group = found.len() > 1;
            selection.names.extend(found.iter().filter(|c| pedantic || !group || !c.pedantic).map(|c| c.name));
        }
        for name in ignore {
            for check in named(name)? {
                selection.names.remove(check.name);
            }
        }
        Ok(selection)
    }

    /// Whether the check runs.
    pub fn contains(&self, check: &Check) -> bool {
        self.names.contains(check.name)
    }
}

/// The checks that a name, code or group stands for.
fn named(name: &str) -> Result<Vec<&'static Check>, UnknownCheck> {
    let name = name.trim();
    let upper = name.to_ascii_uppercase();
    let is_code = upper.len() > 2 && upper.starts_with("SQ");
    let found: Vec<&Check> = registry()
        .iter()
        .filter(|check| {
            check.name == name || (is_code && check.code.starts_with(&upper)) || name.eq_ignore_ascii_case("all")
        })
        .collect();
    if found.is_empty() {
        return Err(UnknownCheck { name: name.to_string(), nearest: nearest(name) });
    }
    Ok(found)
}

/// The check whose name is fewest edits away, if that is few enough to be meant.
fn nearest(name: &str) -> Option<&'static str> {
    let best = registry().iter().map(|check| (distance(name, check.name), check.name)).min()?;
    (best.0 <= (best.1.len() / 2).max(2)).then_some(best.1)
}

/// Edits between two names.
fn distance(a: &str, b: &str) -> usize {
    // A name is short; whatever else was typed is compared by its beginning.
    let a: Vec<char> = a.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(*from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(select: &[&str], ignore: &[&str], pedantic: bool) -> Result<Selection, UnknownCheck> {
        let owned = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        Selection::resolve(&owned(select), &owned(ignore), pedantic)
    }

    fn has(selection: &Selection, name: &str) -> bool {
        selection.names.contains(name)
    }

    #[test]
    fn pedantic_checks_are_off_unless_asked_for() {
        assert!(!has(&Selection::default(), "no-deadline"));
        assert!(resolve(&[], &[], true).is_ok_and(|s| has(&s, "no-deadline")));
        assert!(resolve(&["no-deadline"], &[], false).is_ok_and(|s| has(&s, "no-deadline") && s.names.len() == 1));
        assert!(resolve(&["SQ1"], &[], false).is_ok_and(|s| !has(&s, "no-deadline") && has(&s, "stacked-retries")));
    }

    #[test]
    fn names_codes_and_groups_are_taken() {
        let selection = resolve(&["SQ2", "SQ101"], &["no-wait"], false).unwrap();
        assert!(has(&selection, "fixed-wait") && has(&selection, "stacked-retries"));
        assert!(!has(&selection, "no-wait") && !has(&selection, "hidden-sdk-retries"));
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_nearest() {
        let error = resolve(&["stacked-retrys"], &[], false).unwrap_err();
        assert_eq!(error.nearest, Some("stacked-retries"));
        assert_eq!(error.to_string(), "there is no check `stacked-retrys`; did you mean `stacked-retries`?");
        assert_eq!(resolve(&[], &["q"], false).unwrap_err().nearest, None);
    }
}
