//! SQ505: one service's outage shuts the others out.

use super::{Check, Finding, Input, Severity};
use std::collections::BTreeSet;

pub(super) const CHECK: Check = Check {
    name: "shared-circuit-breaker",
    code: "SQ505",
    severity: Severity::Warning,
    pedantic: false,
    summary: "One circuit breaker stands before calls to different services",
    page: include_str!("shared_circuit_breaker.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for breaker in &input.analysis.facts.breakers {
        let services: BTreeSet<&str> = breaker.guards.iter().map(|guarded| guarded.service.as_str()).collect();
        if services.len() < 2 {
            continue;
        }
        let names = services.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let mut draft = input
            .draft(&CHECK, breaker.place, &breaker.function)
            .message(format!(
                "The circuit breaker `{}` stands before {names}: when one of them is down, the others are cut off too",
                breaker.name
            ))
            .help("Give each service a breaker of its own: one object, or one key, for each.")
            .confidence(breaker.confidence);
        if let Some(made) = breaker.made {
            draft = draft.related(made, "the breaker is made here");
        }
        for guarded in &breaker.guards {
            draft = draft.related(guarded.call, format!("guards `{}`", guarded.service));
        }
        out.push(draft.done());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::{Breaker, Confidence, Facts, Guarded};

    fn breaker(services: &[&str]) -> Facts {
        let guards =
            services.iter().enumerate().map(|(n, s)| Guarded { call: line(50 + n as u32), service: s.to_string() });
        let breaker = Breaker {
            place: line(16),
            function: "call".to_string(),
            name: "llm".to_string(),
            made: Some(line(3)),
            guards: guards.collect(),
            confidence: Confidence::High,
        };
        Facts { breakers: vec![breaker], ..Facts::default() }
    }

    #[test]
    fn two_services_behind_one_breaker() {
        let found = check_facts(&CHECK, vec![], breaker(&["one", "other"]));
        assert_eq!((lines(&found), related(&found[0])), (vec![16], vec![3, 50, 51]));
    }

    #[test]
    fn several_calls_to_one_service_are_fine() {
        assert_eq!(check_facts(&CHECK, vec![], breaker(&["one", "one"])), vec![]);
    }
}
