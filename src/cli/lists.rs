//! `squall rules` and `squall explain`: what squall looks for, for people.

use super::OK;
use super::args::Common;
use super::errors::Failure;
use super::libraries;
use super::library_page;
use super::streams::Streams;
use crate::catalogue::Described;
use crate::checks::Severity;
use crate::escape;
use crate::nearest::nearest;

/// What users see of a check.
pub(super) struct CheckInfo {
    pub(super) name: &'static str,
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) pedantic: bool,
    pub(super) summary: &'static str,
    pub(super) page: &'static str,
}

/// Every check, in order of code.
pub(super) fn checks() -> Vec<CheckInfo> {
    let info = |c: &crate::checks::Check| CheckInfo {
        name: c.name,
        code: c.code,
        severity: c.severity,
        pedantic: c.pedantic,
        summary: c.summary,
        page: c.page,
    };
    crate::checks::registry().iter().map(info).collect()
}

pub(super) fn rules(streams: &Streams) -> Result<u8, Failure> {
    let checks = checks();
    let name = checks.iter().map(|c| c.name.len()).max().unwrap_or(0);
    let row = |c: &CheckInfo| {
        let pedantic = if c.pedantic { " (pedantic)" } else { "" };
        format!("{}  {:<name$}  {:<7}  {}{pedantic}\n", c.code, c.name, c.severity.name(), c.summary)
    };
    streams.print(&checks.iter().map(row).collect::<String>())?;
    Ok(OK)
}

pub(super) fn explain(name: &str, common: &Common, streams: &Streams) -> Result<u8, Failure> {
    let checks = checks();
    let same = |c: &&CheckInfo| c.name.eq_ignore_ascii_case(name) || c.code.eq_ignore_ascii_case(name);
    if let Some(check) = checks.iter().find(same) {
        let pedantic = if check.pedantic { ", pedantic: runs only if selected" } else { "" };
        let head = format!("{} ({}, {}{pedantic})\n{}\n", check.name, check.code, check.severity.name(), check.summary);
        streams.print(&format!("{head}\n{}\n", check.page.trim()))?;
        return Ok(OK);
    }
    let catalogue = libraries::catalogue(common)?;
    let known = catalogue.files_of_all();
    let called = |d: &&Described| {
        let l = &d.file.library;
        l.name.eq_ignore_ascii_case(name) || l.package == name || l.imports.iter().any(|i| i == name)
    };
    let pages: Vec<String> = known.iter().filter(called).map(library_page::page).collect();
    if !pages.is_empty() {
        streams.print(&pages.join("\n"))?;
        return Ok(OK);
    }
    let names = checks.iter().map(|c| c.name).chain(known.iter().map(|d| d.file.library.name.as_str()));
    let help = match nearest(name, names) {
        Some(near) => format!("did you mean `{}`?", escape::line(near)),
        None => "`squall rules` lists the checks, `squall libraries` the libraries".into(),
    };
    Err(Failure::Usage(format!("neither a check nor a library: `{}`\n  help: {help}", escape::line(name))))
}
