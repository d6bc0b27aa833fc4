//! SQ401: a job that begins at the beginning.

use super::sites::repeats;
use super::words::{counted, figure, sentence, who};
use super::{Check, Finding, Input, Severity};
use crate::chains::{Confidence, Count, Job, JobStep};

pub(super) const CHECK: Check = Check {
    name: "non-resumable-job",
    code: "SQ401",
    severity: Severity::Error,
    pedantic: false,
    summary: "A retried job does finished steps over, because no result is stored",
    page: include_str!("non_resumable_job.md"),
    run,
};

fn run(input: &Input, out: &mut Vec<Finding>) {
    for job in &input.analysis.jobs {
        out.extend(over(job).map(|over| finding(input, job, &over)));
    }
}

/// The steps that each run does: all without a stored result before the one that fails, and that one.
struct Over<'a> {
    before: Vec<&'a JobStep>,
    failing: &'a JobStep,
}

fn over(job: &Job) -> Option<Over<'_>> {
    if !repeats(&job.layer) {
        return None;
    }
    // The last step that sends a request; if nothing unguarded comes before it, the last step of all.
    let sends = job.steps.iter().rposition(|step| step.worst != Count::Exact(0));
    let last = job.steps.len().checked_sub(1);
    [sends, last].into_iter().flatten().find_map(|at| {
        let before: Vec<&JobStep> = job.steps[..at].iter().filter(|step| !step.guarded).collect();
        (!before.is_empty()).then_some(Over { before, failing: &job.steps[at] })
    })
}

/// Requests of all runs if the last step fails and the others succeed at once, and if everything fails as late as it
/// can: A x ((k - 1) + pk) and A x (p1 + ... + pk).
fn figures(attempts: u64, over: &Over) -> Option<(u64, u64)> {
    let last = over.failing.worst.number()?;
    let sum = |limit: u64| {
        over.before.iter().try_fold(last, |sum, step| Some(sum.saturating_add(step.worst.number()?.min(limit))))
    };
    let (failing, worst) = (sum(1)?, sum(u64::MAX)?);
    Some((attempts.saturating_mul(failing), attempts.saturating_mul(worst)))
}

fn finding(input: &Input, job: &Job, over: &Over) -> Finding {
    let runs = figure(job.layer.attempts);
    let steps = counted(over.before.len(), "finished step", "finished steps");
    let mut draft = input
        .draft(&CHECK, job.place, &job.function)
        .help(
            "Store each step's result under the job's id, and skip the step when the result is there; or give each step a \
             job of its own.",
        )
        .related(job.layer.place, format!("{}: {runs} runs", who(&job.layer)));
    let numbers = job.layer.attempts.number().and_then(|attempts| figures(attempts, over));
    let tail = match numbers {
        Some((failing, worst)) => {
            draft = draft.figure("failing_job_requests", failing).figure("worst_job_requests", worst);
            let (k, last) = (over.before.len(), figure(over.failing.worst));
            format!(
                ": if `{}` fails, up to {failing} requests are sent ({runs} x ({k} + {last})), and at most {worst}",
                over.failing.what
            )
        }
        None => String::new(),
    };
    let message = format!(
        "{} begins `{}` at its beginning and does {steps} over in each of its {runs} runs{tail}",
        sentence(&who(&job.layer)),
        job.function
    );
    for step in &over.before {
        draft = draft.related(step.place, format!("done over: {}", step.what));
    }
    draft = draft.related(over.failing.place, format!("the step that fails: {}", over.failing.what));
    let sure = if job.layer.guessed {
        Confidence::Low
    } else if numbers.is_some() {
        Confidence::High
    } else {
        Confidence::Medium
    };
    draft.message(message).confidence(sure).done()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::chains::Analysis;

    fn step(at: u32, worst: u64, guarded: bool) -> JobStep {
        JobStep { place: line(at), what: format!("step {at}"), worst: Count::Exact(worst), guarded, effect: None }
    }

    fn found(attempts: u64, steps: Vec<JobStep>) -> Vec<Finding> {
        let job = Job { function: "build".to_string(), place: line(20), layer: job(10, attempts), steps };
        check_analysis(&CHECK, &Analysis { jobs: vec![job], ..Analysis::default() })
    }

    #[test]
    fn three_steps_of_which_the_last_fails() {
        let found = found(3, vec![step(21, 36, false), step(22, 36, false), step(23, 36, false)]);
        assert_eq!(found[0].figures, [("failing_job_requests", 3 * 38), ("worst_job_requests", 3 * 108)]);
        assert_eq!((lines(&found), related(&found[0])), (vec![20], vec![10, 21, 22, 23]));
    }

    #[test]
    fn the_worst_job_of_the_report_worker_sends_forty_two() {
        let found = found(3, vec![step(21, 12, false), step(22, 12, false), step(23, 12, false)]);
        assert_eq!(found[0].figures, [("failing_job_requests", 42), ("worst_job_requests", 108)]);
        assert!(
            found[0].message.contains("up to 42 requests are sent (3 x (2 + 12)), and at most 108"),
            "{}",
            found[0].message
        );
    }

    #[test]
    fn stored_results_leave_the_sum() {
        let found = found(3, vec![step(21, 12, true), step(22, 12, false), step(23, 12, false)]);
        assert_eq!(found[0].figures, [("failing_job_requests", 39), ("worst_job_requests", 72)]);
    }

    #[test]
    fn one_step_stored_steps_or_one_run_are_fine() {
        assert_eq!(found(3, vec![step(21, 12, false)]), vec![]);
        assert_eq!(found(3, vec![step(21, 12, true), step(22, 12, true)]), vec![]);
        assert_eq!(found(1, vec![step(21, 12, false), step(22, 12, false)]), vec![]);
        assert_eq!(found(3, vec![]), vec![]);
    }

    #[test]
    fn a_side_effect_before_the_request_is_done_over() {
        let mut mail = step(21, 0, false);
        mail.effect = Some("mail".to_string());
        let found = found(3, vec![mail, step(22, 4, false)]);
        assert_eq!(found[0].figures, [("failing_job_requests", 12), ("worst_job_requests", 12)]);
    }

    #[test]
    fn without_a_number_the_figures_stay_away() {
        let mut unknown = step(22, 1, false);
        unknown.worst = Count::Unknown(2);
        let found = found(3, vec![step(21, 1, false), unknown]);
        assert_eq!((found[0].figures.len(), found[0].confidence), (0, Confidence::Medium));
    }
}
