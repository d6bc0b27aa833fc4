//! SQ206: the server's wait is made shorter.

use super::{Check, Finding, Input, Severity};
use crate::chains::Shortening;

pub(super) const CHECK: Check = Check {
    name: "retry-after-clamped",
    code: "SQ206",
    severity: Severity::Warning,
    pedantic: false,
    summary: "The value of Retry-After can be shortened, by a cap or by jitter over it",
    page: include_str!("retry_after_clamped.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for header in &input.analysis.facts.headers {
        let Some((place, by)) = header.shortened else { continue };
        let (message, help) = match by {
            Shortening::Cap => (
                "Retry-After is cut by a cap: the next attempt comes before the server asked for it",
                "Let the cap hold for the backoff only, and wait at least as long as Retry-After says; if that is longer than \
                 the total budget, fail now.",
            ),
            Shortening::Jitter => (
                "Jitter is applied over Retry-After and can halve it: the next attempt comes before the server asked for it",
                "Jitter the backoff alone, then take the larger of it and Retry-After; or add the jitter on top.",
            ),
        };
        let mut draft = input
            .draft(&CHECK, place, &header.function)
            .message(message)
            .help(help)
            .related(header.place, "Retry-After is read here");
        for layer in &header.layers {
            draft = draft.related(*layer, "it decides the wait of this layer");
        }
        out.push(draft.done());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::{Facts, HeaderUse};

    fn header(shortened: Option<Shortening>) -> Facts {
        let shortened = shortened.map(|by| (line(10), by));
        let header =
            HeaderUse { place: line(8), function: "f".to_string(), layers: vec![line(6)], number: None, shortened };
        Facts { headers: vec![header], ..Facts::default() }
    }

    #[test]
    fn a_cap_and_half_jitter_are_said_apart() {
        let capped = check_facts(&CHECK, vec![], header(Some(Shortening::Cap)));
        assert_eq!((lines(&capped), related(&capped[0])), (vec![10], vec![8, 6]));
        let halved = check_facts(&CHECK, vec![], header(Some(Shortening::Jitter)));
        assert!(halved[0].message.contains("Jitter is applied over Retry-After"));
    }

    #[test]
    fn a_value_taken_as_it_is_is_fine() {
        assert_eq!(check_facts(&CHECK, vec![], header(None)), vec![]);
    }
}
