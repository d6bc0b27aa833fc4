//! The format for people: a finding is a message, the code it is about, the ladder of layers with the
//! arithmetic, the other places, and what to change. Readable without colours and at 80 columns.

mod ladder;
mod snippet;

use super::json::chain_id;
use super::layout::{WIDTH, width, wrap};
use super::paint::Paint;
pub(super) use ladder::{product, write as ladder};

use crate::checks::Finding;
use crate::escape;
use crate::report::Report;
use crate::source::Place;
use rustc_hash::FxHashMap;

/// The findings of a report, each followed by an empty line.
pub fn render(report: &Report, paint: Paint) -> String {
    let owners = owners(report);
    let mut out = String::new();
    for (at, finding) in report.findings.iter().enumerate() {
        let owner = finding.chain.and_then(|chain| owners.get(&chain)).copied();
        Page { report, paint, finding }.write(at, owner, &mut out);
        out.push('\n');
    }
    out
}

/// Each chain's ladder is shown once: with the worst finding at the call itself, else with the first.
/// The others refer to it.
fn owners(report: &Report) -> FxHashMap<usize, usize> {
    let mut owners: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, finding) in report.findings.iter().enumerate() {
        let Some(chain) = finding.chain.filter(|&c| c < report.analysis.chains.len()) else { continue };
        let call = &report.analysis.chains[chain].call;
        let rank = |f: &Finding| (f.place == call.place || f.place == call.whole, f.severity);
        let best = owners.entry(chain).or_insert(at);
        if rank(finding) > rank(&report.findings[*best]) {
            *best = at;
        }
    }
    owners
}

/// `path:line:column` of a place, safe to print.
pub(super) fn spot(report: &Report, place: Place) -> String {
    let at = report.sources.start(place);
    format!("{}:{}:{}", escape::line(report.sources.path(place)), at.line, at.column)
}

/// One finding on its way to text.
struct Page<'a> {
    report: &'a Report,
    paint: Paint,
    finding: &'a Finding,
}

impl Page<'_> {
    fn write(&self, at: usize, owner: Option<usize>, out: &mut String) {
        self.head(out);
        let gutter = snippet::write(&self.report.sources, self.finding.place, self.finding.severity, self.paint, out);
        let mut shown = Vec::new();
        match (owner, self.finding.chain.and_then(|c| Some((c, self.report.analysis.chains.get(c)?)))) {
            (Some(owner), Some((_, chain))) if owner == at => {
                ladder::write(self.report, chain, self.paint, gutter, out);
                shown.extend(chain.layers.iter().flat_map(|l| [Some(l.place), l.defined, l.number]).flatten());
            }
            (Some(owner), Some((id, chain))) => {
                let first = &self.report.findings[owner];
                let product = ladder::product(chain);
                let text = format!("{product}: the ladder is at {} ({})", spot(self.report, first.place), first.rule);
                self.item(gutter, "chain", &format!("{}, {text}", chain_id(id)), out);
            }
            _ => {}
        }
        for related in self.finding.related.iter().filter(|r| !shown.contains(&r.place)) {
            self.item(gutter, &spot(self.report, related.place), &escape::line(&related.message), out);
        }
        if !self.finding.help.is_empty() {
            self.item(gutter, &self.paint.help("help"), &escape::line(&self.finding.help), out);
        }
    }

    /// `error[stacked-retries]: message`, wrapped under itself.
    fn head(&self, out: &mut String) {
        let finding = self.finding;
        let label = format!("{}[{}]", finding.severity.name(), finding.rule);
        let indent = "    ";
        let message = escape::line(&finding.message);
        // The first line holds the label too: wrap label and message as one text, then paint the label.
        let lines = wrap(&format!("{label}: {message}"), WIDTH - indent.len());
        for (at, line) in lines.iter().enumerate() {
            match line.strip_prefix(&label).filter(|_| at == 0) {
                Some(rest) => out.push_str(&(self.paint.severity(finding.severity, &label) + &self.paint.strong(rest))),
                None => out.push_str(&(indent.to_string() + &self.paint.strong(line))),
            }
            out.push('\n');
        }
    }

    /// `   = name: text`, wrapped under the text.
    fn item(&self, gutter: usize, name: &str, text: &str, out: &mut String) {
        item(self.paint, gutter, name, text, out);
    }
}

/// `   = name: text`, wrapped and indented under the name.
pub(super) fn item(paint: Paint, gutter: usize, name: &str, text: &str, out: &mut String) {
    let margin = " ".repeat(gutter + 1);
    let plain = wrap(&format!("{}: {text}", bare(name)), WIDTH - gutter - 5);
    for (at, line) in plain.iter().enumerate() {
        let bullet = if at == 0 { paint.frame("=") } else { " ".into() };
        // Painted names are put back where the plain one stands, after the width is settled.
        let line = match line.strip_prefix(&bare(name)).filter(|_| at == 0) {
            Some(rest) => name.to_string() + rest,
            None if at == 0 => line.clone(),
            None => format!("  {line}"),
        };
        out.push_str(&format!("{margin}{bullet} {line}\n"));
    }
}

/// A painted name without its codes: what stands between them.
fn bare(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some(at) = rest.find('\x1b') {
        out.push_str(&rest[..at]);
        rest = rest[at..].split_once('m').map_or("", |(_, after)| after);
    }
    out + rest
}

/// Columns that a line number takes.
fn digits(number: u32) -> usize {
    width(&number.to_string())
}
