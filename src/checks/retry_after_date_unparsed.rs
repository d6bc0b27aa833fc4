//! SQ207: Retry-After can be a date, and only a number is read.

use super::{Check, Finding, Input, Severity};

pub(super) const CHECK: Check = Check {
    name: "retry-after-date-unparsed",
    code: "SQ207",
    severity: Severity::Note,
    pedantic: false,
    summary: "Retry-After is turned into a number, with no way for an HTTP date",
    page: include_str!("retry_after_date_unparsed.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for header in &input.analysis.facts.headers {
        let Some(place) = header.number else { continue };
        let mut draft = input
            .draft(&CHECK, place, &header.function)
            .message("Retry-After is read as a number only; sent as an HTTP date, it fails here or is not heard")
            .help(
                "Try the number first and parse an HTTP date otherwise; the wait is that moment less now, at least 0.",
            )
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

    #[test]
    fn a_number_only_is_found_where_it_is_converted() {
        let mut header = HeaderUse {
            place: line(8),
            function: "f".to_string(),
            layers: vec![line(6)],
            number: Some(line(9)),
            shortened: None,
        };
        let facts = Facts { headers: vec![header.clone()], ..Facts::default() };
        assert_eq!(lines(&check_facts(&CHECK, vec![], facts)), [9]);
        header.number = None;
        assert_eq!(check_facts(&CHECK, vec![], Facts { headers: vec![header], ..Facts::default() }), vec![]);
    }
}
