//! `squall check`: discover, analyse, print.

use super::args::{Check, Common};
use super::errors::Failure;
use super::lists;
use super::streams::Streams;
use super::{FINDINGS, OK};
use crate::catalogue::Catalogue;
use crate::config::{self, Config, FailOn, confidence_by_name, names_any};
use crate::discover::{self, Project, Scope};
use crate::escape;
use crate::nearest::nearest;
use crate::output::{self, Format, summary};
use crate::report::Report;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Skipped files named one by one; all are in the JSON.
const NAMED: usize = 5;

pub(super) fn run(args: &Check, common: &Common, streams: &Streams) -> Result<u8, Failure> {
    not_built(args)?;
    let started = Instant::now();
    let scope = Scope::of(&args.paths)?;
    let config = configure(&scope, args, common)?;
    let project = discover::read(&scope, &config);
    if let Some(status) = empty(&scope, &project, args, streams)? {
        return Ok(status);
    }
    let discovered = started.elapsed();
    let catalogue =
        Catalogue::with_user_rules(&config.rules).map_err(|error| Failure::Usage(escape::line(&error).into_owned()))?;
    let opened = started.elapsed().saturating_sub(discovered);
    let report = crate::analyse(&project, &config, &catalogue);
    let text = output::render(&report, args.format, streams.paint(args.output.as_deref(), common));
    streams.deliver(&text, args.output.as_deref())?;
    if args.statistics {
        streams.note(&summary::statistics(&report));
    }
    if common.timings {
        streams.note(&timings(&report, discovered, opened, started.elapsed()));
    }
    streams.note(&skipped(&report));
    streams.note(&cut(&report));
    streams.note(&summary::closing(&report));
    let fails = report.findings.iter().any(|f| config.fail_on.fails(f.severity));
    Ok(if fails { FINDINGS } else { OK })
}

fn not_built(args: &Check) -> Result<(), Failure> {
    match () {
        () if args.since.is_some() => Err(Failure::NotBuilt("--since")),
        () if args.baseline.is_some() => Err(Failure::NotBuilt("--baseline")),
        () if args.write_baseline => Err(Failure::NotBuilt("--write-baseline")),
        () => Ok(()),
    }
}

/// The configuration of a scope, without a command's own options.
pub(super) fn load(root: &Path, common: &Common) -> Result<Config, Failure> {
    if common.no_config {
        return Ok(Config::default());
    }
    Ok(config::load(root, common.config.as_deref())?)
}

fn configure(scope: &Scope, args: &Check, common: &Common) -> Result<Config, Failure> {
    let mut config = load(&scope.root, common)?;
    known_checks(&config.selection.select, "`select` of the configuration")?;
    known_checks(&config.selection.ignore, "`ignore` of the configuration")?;
    known_checks(&args.select, "--select")?;
    known_checks(&args.ignore, "--ignore")?;
    if !args.select.is_empty() {
        // Whoever selects by hand wants to see those, whatever the project ignores.
        config.selection.select = args.select.clone();
        config.selection.ignore.clear();
    }
    config.selection.ignore.extend(args.ignore.iter().cloned());
    config.selection.pedantic |= args.pedantic;
    config.budget = args.budget.unwrap_or(config.budget);
    config.fail_on = args.fail_on.as_deref().and_then(FailOn::by_name).unwrap_or(config.fail_on);
    config.min_confidence =
        args.min_confidence.as_deref().and_then(confidence_by_name).unwrap_or(config.min_confidence);
    Ok(config)
}

/// Refuses words that name no check.
fn known_checks(words: &[String], from: &str) -> Result<(), Failure> {
    let checks = lists::checks();
    let unknown = words.iter().find(|word| !names_any(word, checks.iter().map(|c| (c.name, c.code))));
    let Some(word) = unknown else { return Ok(()) };
    let help = match nearest(word, checks.iter().map(|c| c.name)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "`squall rules` lists the checks".into(),
    };
    Err(Failure::Usage(format!("{from}: no check is called `{}`\n  help: {help}", escape::line(word))))
}

/// Nothing to look at: a failure, or a success if that is allowed.
fn empty(scope: &Scope, project: &Project, args: &Check, streams: &Streams) -> Result<Option<u8>, Failure> {
    if !project.sources.files.is_empty() && !scope.is_foreign() {
        return Ok(None);
    }
    let here = [PathBuf::from(".")];
    let given = if args.paths.is_empty() { &here[..] } else { &args.paths };
    let given: Vec<String> = given.iter().map(|p| escape::line(&p.to_string_lossy()).into_owned()).collect();
    let failure = Failure::Empty(given.join(", "));
    // Programs that read the output get a whole report all the same.
    let report = Report { skipped: project.skipped.clone(), ..Report::default() };
    if args.format != Format::Human {
        streams.deliver(&output::render(&report, args.format, output::paint::Paint::Plain), args.output.as_deref())?;
    }
    streams.note(&skipped(&report));
    if args.allow_empty { Ok(Some(OK)) } else { Err(failure) }
}

fn skipped(report: &Report) -> String {
    let named = report.skipped.iter().take(NAMED);
    let mut text: String =
        named.map(|s| format!("skipped {}: {}\n", escape::line(&s.file), escape::line(&s.reason))).collect();
    if report.skipped.len() > NAMED {
        text += &format!("skipped {} more (--format json lists all)\n", report.skipped.len() - NAMED);
    }
    let unread = report.unread.iter().take(NAMED).map(|u| {
        let at = report.sources.start(u.place);
        format!("{}:{}: {}\n", escape::line(report.sources.path(u.place)), at.line, escape::line(&u.message))
    });
    text += &unread.collect::<String>();
    if report.unread.len() > NAMED {
        text += &format!("{} more places could not be read as code\n", report.unread.len() - NAMED);
    }
    text
}

fn cut(report: &Report) -> String {
    let all = &report.analysis.cut;
    let mut text: String =
        all.iter().take(NAMED).map(|note| format!("not followed to the end: {}\n", escape::line(note))).collect();
    if all.len() > NAMED {
        text += &format!("and {} more (--format json lists all)\n", all.len() - NAMED);
    }
    text
}

fn timings(report: &Report, discovered: Duration, opened: Duration, all: Duration) -> String {
    let mut stages = vec![("discover", discovered), ("catalogue", opened)];
    stages.extend(report.timings.iter().copied());
    stages.push(("all", all));
    stages.into_iter().map(|(stage, time)| format!("{stage:<10} {:>9.1} ms\n", time.as_secs_f64() * 1000.0)).collect()
}
