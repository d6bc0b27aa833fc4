//! What `squall explain` says of a library.

use super::libraries::{attempts, language, waits};
use crate::catalogue::Described;
use crate::catalogue::figures::{Attempts, Figures, figures};
use crate::escape;
use crate::ir::Language;
use crate::output::layout::{WIDTH, wrap};

/// Columns of the facts' names.
const NAME: usize = 14;

/// The page of a library.
pub(super) fn page(described: &Described) -> String {
    let library = &described.file.library;
    let mut lines =
        vec![format!("{} ({}, {})", library.name, language(described.language), library.area), String::new()];
    fact(&mut lines, "package", &library.package);
    fact(&mut lines, "imports", &library.imports.join(", "));
    fact(&mut lines, "figures of", &library.version);
    fact(&mut lines, "seen in", &library.source);
    fact(&mut lines, "described in", described.source);
    lines.push(String::new());
    if library.infrastructure {
        lines.push("Calls to it are the program's own infrastructure: chains only with include-infrastructure.".into());
    }
    if library.sends_retry_after {
        lines.push("The service answers 429, 503 and 529 with Retry-After.".into());
    }
    if library.spend_limit_429 {
        lines.push("A spent quota is a 429 without Retry-After: it fails until the quota is renewed.".into());
    }
    if !library.notes.is_empty() {
        lines.extend(wrap(&library.notes, WIDTH));
    }
    let all = figures(described.file);
    let retrying: Vec<&Figures> = all.iter().filter(|f| f.attempts != Attempts::Exact(1)).collect();
    if lines.last().is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
    if all.is_empty() {
        lines.push("No call of its own is counted here.".into());
    } else if retrying.is_empty() {
        lines.push("When nothing is set: one attempt, nothing is retried.".into());
    } else {
        lines.push("When nothing is set:".into());
    }
    for figures in &retrying {
        lines.push(String::new());
        describe(&mut lines, figures);
    }
    lines.extend(owning(described, &retrying));
    let text: Vec<String> = lines.join("\n").lines().map(|l| escape::line(l).into_owned()).collect();
    text.join("\n").trim_end().to_string() + "\n"
}

fn fact(lines: &mut Vec<String>, what: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    let indent = format!("\n{}", " ".repeat(NAME));
    lines.push(format!("{what:<NAME$}{}", wrap(text, WIDTH - NAME).join(&indent)));
}

fn describe(lines: &mut Vec<String>, figures: &Figures) {
    let kind = match figures.kind.as_str() {
        "sdk" => "built-in retries of its calls",
        "transport" => "retries of the HTTP client",
        "job-queue" => "retries of jobs",
        other => other,
    };
    lines.push(format!("- {kind}"));
    let mut fact = |what: &str, text: &str| fact(lines, &format!("  {what}"), text);
    let mut counts: Vec<(Attempts, Vec<&str>)> = Vec::new();
    for (failure, count) in &figures.apart {
        match counts.iter_mut().find(|(known, _)| known == count) {
            Some((_, list)) => list.push(failure),
            None => counts.push((*count, vec![failure])),
        }
    }
    let apart = counts.iter().map(|(count, list)| format!("; {} on {}", attempts(*count), list.join(", ")));
    fact("attempts", &(attempts(figures.attempts) + &apart.collect::<String>()));
    fact("retries", &figures.retries.join(", "));
    let drawn = if figures.jitter { " at most, drawn at random" } else { "" };
    fact("waits", &format!("{}{drawn}", waits(figures)));
    fact("formula", figures.wait.as_deref().unwrap_or_default());
    fact("Retry-After", figures.retry_after.as_deref().unwrap_or_default());
    fact("set by", figures.setting.as_deref().unwrap_or_default());
    fact("off", figures.off.as_deref().unwrap_or_default());
    fact("beware", figures.misleading.as_deref().unwrap_or_default());
}

/// How to have the retries in one place only.
fn owning(described: &Described, retrying: &[&Figures]) -> Vec<String> {
    let Some(main) = retrying.first() else { return Vec::new() };
    let Some(off) = main.off.as_deref().filter(|_| matches!(main.kind.as_str(), "sdk" | "transport")) else {
        return Vec::new();
    };
    let mut lines = vec![String::new(), "Own the retries in one place:".into(), String::new()];
    let count = attempts(main.attempts);
    let advice = format!(
        "A retry of your own around these calls multiplies with the {count} built in: 4 x {count} for one failing call. \
         Either leave it to the library and set its own count, or switch that off and retry outside, once, with a limit \
         in number and in time, with jitter, and honouring Retry-After:"
    );
    lines.extend(wrap(&advice, WIDTH));
    lines.push(String::new());
    let comment = if described.language == Language::Python { "#" } else { "//" };
    lines.push(format!("    {comment} one layer: yours"));
    lines.push(format!("    {off}"));
    if let Some(setting) = main.setting.as_deref() {
        lines.push(format!("    {comment} one layer: the library's"));
        lines.push(format!("    {setting}: set where the client is made, no decorator or loop around the call"));
    }
    lines
}
