//! SQ001: an ignore comment that silences nothing.
//!
//! Whether one does is known only after all other checks ran and their findings were matched with the comments, so
//! that this check adds nothing by itself: whoever matches them calls [`unused_ignore`].

use super::{Check, Finding, Input, Severity};
use crate::source::{Place, Sources};

pub(super) const CHECK: Check = Check {
    name: "unused-ignore",
    code: "SQ001",
    severity: Severity::Warning,
    pedantic: false,
    summary: "An ignore comment that silences nothing",
    page: include_str!("unused_ignore.md"),
    run: |_, _| {},
};

/// The finding for an ignore comment at `place` that silenced none of `names` (none given: no check at all).
pub fn unused_ignore(sources: &Sources, place: Place, names: &[&str]) -> Finding {
    let analysis = crate::chains::Analysis::default();
    let input = Input { sources, analysis: &analysis, budget: super::DEFAULT_BUDGET, window: 60.0 };
    let (what, change) = match names {
        [] => ("This ignore comment silences nothing".to_string(), "Delete the comment.".to_string()),
        names => {
            let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            (format!("Nothing here is silenced by ignoring {list}"), format!("Delete {list} from the comment."))
        }
    };
    input.draft(&CHECK, place, "").message(what).help(change).done()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn names_what_is_not_silenced() {
        let finding = unused_ignore(&sources(), line(3), &["fixed-wait"]);
        assert_eq!((finding.code, finding.message.contains("`fixed-wait`")), ("SQ001", true));
        assert_eq!(check(&CHECK, vec![]), vec![]);
    }
}
