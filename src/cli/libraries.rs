//! `squall libraries`: the catalogue as a table or as JSON.

use super::OK;
use super::args::{Common, Libraries, ListFormat};
use super::check;
use super::errors::Failure;
use super::streams::Streams;
use crate::catalogue::figures::{Attempts, Figures, figures};
use crate::catalogue::{Catalogue, Described};
use crate::discover::Scope;
use crate::escape;
use crate::ir::Language;
use crate::output::layout::{pad, width};
use serde::Serialize;
use std::collections::BTreeMap;

/// Columns of the widest cell of versions and of what switches retries off: longer ones are cut, the page has all.
const CELL: usize = 28;

/// Our catalogue with the files that the configuration around the working directory names.
pub(super) fn catalogue(common: &Common) -> Result<Catalogue, Failure> {
    let config = check::load(&Scope::of(&[])?.root, common)?;
    Catalogue::with_user_rules(&config.rules).map_err(|error| Failure::Usage(escape::line(&error).into_owned()))
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    language: &'static str,
    package: &'a str,
    area: &'a str,
    imports: &'a [String],
    /// Version in which the figures were seen.
    version: &'a str,
    source: &'a str,
    notes: &'a str,
    /// The file of the catalogue.
    file: &'a str,
    /// What retries in it when nothing is set, the most telling first.
    retries: Vec<Retry>,
}

#[derive(Serialize)]
struct Retry {
    kind: String,
    /// A number, `"unbounded"`, or null: the program says.
    attempts: serde_json::Value,
    failures: Vec<String>,
    /// The classes that are tried more or less often than `attempts` says.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    by_failure: BTreeMap<String, serde_json::Value>,
    waits: Vec<f64>,
    wait: Option<String>,
    jitter: bool,
    retry_after: Option<String>,
    setting: Option<String>,
    off: Option<String>,
    misleading: Option<String>,
}

pub(super) fn list(args: &Libraries, common: &Common, streams: &Streams) -> Result<u8, Failure> {
    let catalogue = catalogue(common)?;
    let files: Vec<Described> = catalogue.files_of_all().into_iter().filter(|d| meant(d, &args.filter)).collect();
    if files.is_empty() && !args.filter.is_empty() {
        let words = escape::line(&args.filter.join(" ")).into_owned();
        return Err(Failure::Usage(format!("no library fits `{words}`\n  help: `squall libraries` lists all")));
    }
    let text = match args.format {
        ListFormat::Human => table(&files),
        ListFormat::Json => json(&files),
    };
    streams.print(&text)?;
    Ok(OK)
}

/// Whether every word is a part of the library's name, package, imports, area or language.
fn meant(described: &Described, words: &[String]) -> bool {
    let library = &described.file.library;
    words.iter().all(|word| {
        let word = word.to_lowercase();
        let own = [&library.name, &library.package, &library.area].into_iter().chain(&library.imports);
        own.into_iter().any(|text| text.to_lowercase().contains(&word)) || language(described.language) == word
    })
}

pub(super) fn language(language: Language) -> &'static str {
    match language {
        Language::Python => "python",
        Language::JavaScript => "javascript",
        Language::Rust => "rust",
    }
}

fn table(files: &[Described]) -> String {
    let head = ["library", "language", "figures of", "attempts", "wait", "jitter", "Retry-After", "off"];
    let mut rows = vec![head.map(String::from)];
    for described in files {
        let library = &described.file.library;
        let main = figures(described.file).into_iter().next();
        let main = main.as_ref();
        let retries = main.is_some_and(|m| m.attempts != Attempts::Exact(1));
        let shown = |text: Option<String>| text.filter(|_| retries).unwrap_or_else(|| "-".into());
        rows.push([
            cut(&library.name),
            language(described.language).into(),
            cut(&library.version),
            // Without a call of its own there is nothing to count.
            main.map_or_else(|| "-".into(), |m| attempts(m.attempts)),
            shown(main.map(waits)),
            shown(main.map(|m| if m.jitter { "yes".into() } else { "no".into() })),
            shown(main.and_then(|m| m.retry_after.clone())),
            shown(main.and_then(|m| m.off.clone())),
        ]);
    }
    let mut widths = [0; 8];
    for row in &rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    let line = |row: &[String; 8]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, columns)| pad(cell, columns)).collect();
        escape::line(cells.join("  ").trim_end()).into_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn cut(text: &str) -> String {
    if text.chars().count() <= CELL { text.into() } else { text.chars().take(CELL - 1).collect::<String>() + "…" }
}

pub(super) fn attempts(attempts: Attempts) -> String {
    match attempts {
        Attempts::Exact(n) => n.to_string(),
        Attempts::Unbounded => "unbounded".into(),
        Attempts::Open => "as told".into(),
    }
}

/// "0.5 s, 1 s, …": the first waits at most, or a word.
pub(super) fn waits(figures: &Figures) -> String {
    let Some(formula) = &figures.wait else { return "none".into() };
    if figures.waits.is_empty() {
        return if formula == "0" { "none".into() } else { "as told".into() };
    }
    if figures.waits.iter().all(|w| *w == 0.0) {
        return "none".into();
    }
    let short = |seconds: &f64| format!("{}", (seconds * 1000.0).round() / 1000.0);
    let mut text: Vec<String> = figures.waits.iter().map(short).collect();
    text.dedup();
    text.join(", ") + " s"
}

fn count(attempts: Attempts) -> serde_json::Value {
    match attempts {
        Attempts::Exact(n) => n.into(),
        Attempts::Unbounded => "unbounded".into(),
        Attempts::Open => serde_json::Value::Null,
    }
}

fn json(files: &[Described]) -> String {
    let rows: Vec<Row> = files
        .iter()
        .map(|described| {
            let library = &described.file.library;
            let retry = |f: Figures| Retry {
                kind: f.kind,
                attempts: count(f.attempts),
                by_failure: f.apart.into_iter().map(|(failure, n)| (failure, count(n))).collect(),
                failures: f.retries,
                waits: f.waits,
                wait: f.wait,
                jitter: f.jitter,
                retry_after: f.retry_after,
                setting: f.setting,
                off: f.off,
                misleading: f.misleading,
            };
            Row {
                name: &library.name,
                language: language(described.language),
                package: &library.package,
                area: &library.area,
                imports: &library.imports,
                version: &library.version,
                source: &library.source,
                notes: &library.notes,
                file: described.source,
                retries: figures(described.file).into_iter().map(retry).collect(),
            }
        })
        .collect();
    // Our own types with string keys always serialise.
    let text = serde_json::to_string_pretty(&rows).unwrap_or_default();
    escape::json(&text).into_owned() + "\n"
}
