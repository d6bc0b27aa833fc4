//! SQ403: a new key for each attempt is no key.

use super::{Check, Finding, Input, Severity};

pub(super) const CHECK: Check = Check {
    name: "idempotency-key-per-attempt",
    code: "SQ403",
    severity: Severity::Error,
    pedantic: false,
    summary: "An idempotency key is made inside the retried region, new for each attempt",
    page: include_str!("idempotency_key_per_attempt.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for key in &input.analysis.facts.keys {
        let Some(layer) = key.remade_by else { continue };
        out.push(
            input
                .draft(&CHECK, key.place, &key.function)
                .message(format!(
                    "The key `{}` is made anew for each attempt: to the server a retry is another operation, and it is done twice",
                    key.name
                ))
                .help("Make the key once, outside the retried region, and send the same one with every attempt.")
                .related(layer, "this layer repeats the region")
                .related(key.call, "the call that sends the key")
                .done(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::{Facts, KeyUse};

    fn key(remade_by: Option<u32>) -> Facts {
        let key = KeyUse {
            place: line(9),
            function: "charge".to_string(),
            name: "Idempotency-Key".to_string(),
            call: line(10),
            remade_by: remade_by.map(line),
        };
        Facts { keys: vec![key], ..Facts::default() }
    }

    #[test]
    fn a_key_made_inside_is_found_where_it_is_made() {
        let found = check_facts(&CHECK, vec![], key(Some(7)));
        assert_eq!((lines(&found), related(&found[0])), (vec![9], vec![7, 10]));
    }

    #[test]
    fn a_key_made_outside_is_fine() {
        assert_eq!(check_facts(&CHECK, vec![], key(None)), vec![]);
    }
}
