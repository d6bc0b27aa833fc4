//! SQ303: decides by words that anybody may change.

use super::{Check, Finding, Input, Severity};

pub(super) const CHECK: Check = Check {
    name: "retry-by-message",
    code: "SQ303",
    severity: Severity::Note,
    pedantic: false,
    summary: "A layer decides by the error's text instead of its type or status",
    page: include_str!("retry_by_message.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for test in &input.analysis.facts.messages {
        out.push(
            input
                .draft(&CHECK, test.place, &test.function)
                .message(
                    "Whether to try again is decided by the error's text, which changes with versions and languages",
                )
                .help("Decide by the error's type or its status code; keep the text for the log.")
                .related(test.layer, "it decides for this layer")
                .done(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::{Facts, MessageTest};

    #[test]
    fn a_test_of_the_text_is_found() {
        let test = MessageTest { place: line(9), function: "f".to_string(), layer: line(6) };
        let found = check_facts(&CHECK, vec![], Facts { messages: vec![test], ..Facts::default() });
        assert_eq!((lines(&found), related(&found[0])), (vec![9], vec![6]));
    }

    #[test]
    fn no_test_no_finding() {
        assert_eq!(check(&CHECK, vec![chain(vec![looped(6, 3)])]), vec![]);
    }
}
