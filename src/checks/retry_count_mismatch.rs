//! SQ105: one more or one fewer than its name says.

use super::{Check, Finding, Input, Severity};
use crate::chains::{CountName, Counted};

pub(super) const CHECK: Check = Check {
    name: "retry-count-mismatch",
    code: "SQ105",
    severity: Severity::Note,
    pedantic: false,
    summary: "A name or comment says retries where the code makes attempts, or the reverse",
    page: include_str!("retry_count_mismatch.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for name in &input.analysis.facts.names {
        let Some((message, help)) = mismatch(name) else { continue };
        out.push(
            input
                .draft(&CHECK, name.place, &name.function)
                .message(message)
                .help(help)
                .related(name.layer, format!("{} attempts in all are made here", name.attempts))
                .done(),
        );
    }
}

/// Attempts are retries and the first call. Only the one step between the two words is a slip; other numbers mean
/// something else.
fn mismatch(name: &CountName) -> Option<(String, String)> {
    let CountName { text, number, attempts, .. } = name;
    let retries = attempts.saturating_sub(1);
    match name.says {
        Counted::Retries if attempts == number => Some((
            format!("`{text}` says {number} retries, but the code makes {number} attempts, {retries} of them retries"),
            format!("Call it attempts, or make {} attempts.", number.saturating_add(1)),
        )),
        Counted::Attempts if *attempts == number.saturating_add(1) => Some((
            format!("`{text}` says {number} attempts, but the code makes {attempts}: the first call is not counted"),
            format!("Call it retries, or make {number} attempts."),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::Facts;

    fn found(says: Counted, number: u64, attempts: u64) -> Vec<Finding> {
        let text = "MAX".to_string();
        let name = CountName { place: line(2), function: String::new(), text, says, number, layer: line(6), attempts };
        check_facts(&CHECK, vec![], Facts { names: vec![name], ..Facts::default() })
    }

    #[test]
    fn three_retries_that_are_three_attempts() {
        let found = found(Counted::Retries, 3, 3);
        assert_eq!((lines(&found), related(&found[0])), (vec![2], vec![6]));
        assert!(found[0].message.contains("says 3 retries, but the code makes 3 attempts, 2 of them retries"));
    }

    #[test]
    fn three_attempts_that_are_four() {
        assert!(found(Counted::Attempts, 3, 4)[0].message.contains("says 3 attempts, but the code makes 4"));
    }

    #[test]
    fn names_that_say_what_is_done_are_fine() {
        assert_eq!(found(Counted::Retries, 3, 4), vec![]);
        assert_eq!(found(Counted::Attempts, 3, 3), vec![]);
        assert_eq!(found(Counted::Retries, 3, 12), vec![]);
    }
}
