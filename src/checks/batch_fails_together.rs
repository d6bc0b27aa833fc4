//! SQ502: one failure throws the others' work away.

use super::words::{sentence, times};
use super::{Check, Finding, Input, Severity};

pub(super) const CHECK: Check = Check {
    name: "batch-fails-together",
    code: "SQ502",
    severity: Severity::Warning,
    pedantic: false,
    summary: "One failure of a batch throws the finished rest away, above a retry layer",
    page: include_str!("batch_fails_together.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    let all = input.analysis.facts.fan_outs.iter();
    let together = all.filter_map(|fan| Some((fan, fan.fails_together?))).filter(|(_, loss)| loss.each.repeats());
    // One by itself throws nothing away; and a few calls that are written out belong together, as parts of one thing.
    let together = together.filter(|(fan, _)| fan.elements != Some(1) && fan.collection);
    for (fan, loss) in together {
        let draft = input
            .draft(&CHECK, fan.place, &fan.function)
            .message(format!(
                "{} gives up on the first failure: one element that fails {} throws away what the others finished and paid",
                sentence(&fan.what),
                times(loss.each)
            ))
            .help("Collect each element's result or error, keep what is finished, and do only the failed ones again.")
            .confidence(fan.confidence)
            .related(loss.call, "the call that is retried");
        out.push(draft.done());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::unlimited_fan_out::tests::fan;
    use super::*;

    #[test]
    fn the_first_failure_ends_all() {
        let found = check_facts(&CHECK, vec![], fan(3, None, true, true));
        assert_eq!((lines(&found), related(&found[0])), (vec![14], vec![50]));
    }

    #[test]
    fn results_one_by_one_and_calls_that_are_not_retried_are_fine() {
        assert_eq!(check_facts(&CHECK, vec![], fan(3, None, false, false)), vec![]);
        assert_eq!(check_facts(&CHECK, vec![], fan(1, None, false, true)), vec![]);
    }
}
