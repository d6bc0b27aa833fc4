//! SQ501: a whole collection at once, each with its retries.

use super::words::{figure, sentence};
use super::{Check, Finding, Input, Severity};
use crate::chains::FanOut;

pub(super) const CHECK: Check = Check {
    name: "unlimited-fan-out",
    code: "SQ501",
    severity: Severity::Warning,
    pedantic: false,
    summary: "Retried calls are started for a whole collection, with no limit on how many run at once",
    page: include_str!("unlimited_fan_out.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for fan in input.analysis.facts.fan_outs.iter().filter(|fan| is_unlimited(input, fan)) {
        let each = figure(fan.each);
        let size = match (fan.elements, fan.each.number()) {
            (Some(n), Some(each)) => format!("{n} at once, up to {n} x {each} = {} requests", n.saturating_mul(each)),
            (Some(n), None) => format!("{n} at once, {each} requests each"),
            (None, _) => format!("N elements are N chains of up to {each} requests at once"),
        };
        let mut draft = input
            .draft(&CHECK, fan.place, &fan.function)
            .message(format!("{} starts retried calls for a whole collection with no limit: {size}", sentence(&fan.what)))
            .help("Let a semaphore or a pool bound how many run at once, and hold the permit through the retries and waits.")
            .confidence(fan.confidence);
        if let Some(call) = fan.call {
            draft = draft.related(call, "the call that is retried");
        }
        out.push(draft.done());
    }
}

/// A few calls written out are no collection: there will not be more of them.
fn is_unlimited(input: &Input, fan: &FanOut) -> bool {
    let few = fan.elements.is_some_and(|n| n <= input.budget);
    !fan.limited && fan.each.repeats() && !few
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::{Confidence, Count, Facts, Loss};

    pub(in super::super) fn fan(each: u64, elements: Option<u64>, limited: bool, fails_together: bool) -> Facts {
        let fan = FanOut {
            collection: true,
            place: line(14),
            function: "all".to_string(),
            what: "`gather`".to_string(),
            each: Count::Exact(each),
            call: Some(line(50)),
            elements,
            limited,
            fails_together: fails_together.then(|| Loss { each: Count::Exact(each), call: line(50) }),
            confidence: Confidence::High,
        };
        Facts { fan_outs: vec![fan], ..Facts::default() }
    }

    #[test]
    fn a_collection_at_once_with_retries() {
        let found = check_facts(&CHECK, vec![], fan(15, None, false, false));
        assert_eq!((lines(&found), related(&found[0])), (vec![14], vec![50]));
        let found = check_facts(&CHECK, vec![], fan(3, Some(20), false, false));
        assert!(found[0].message.contains("20 at once, up to 20 x 3 = 60 requests"), "{}", found[0].message);
    }

    #[test]
    fn a_limit_no_retries_or_two_calls_are_fine() {
        assert_eq!(check_facts(&CHECK, vec![], fan(15, None, true, false)), vec![]);
        assert_eq!(check_facts(&CHECK, vec![], fan(1, None, false, false)), vec![]);
        assert_eq!(check_facts(&CHECK, vec![], fan(3, Some(2), false, false)), vec![]);
    }
}
