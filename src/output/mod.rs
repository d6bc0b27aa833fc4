//! Formats: one file each, thin, from a [`Report`] to text. Output decides nothing: what is a finding, how bad
//! and what to do is all in the report. Whatever came from the tree passes [`crate::escape`].

pub mod concise;
pub mod graph;
pub mod human;
pub mod json;
pub mod layout;
pub mod paint;
pub mod summary;
pub mod waits;

use crate::report::Report;
use paint::Paint;

/// How a report is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Format {
    Human,
    Concise,
    Json,
}

/// The text of a report.
pub fn render(report: &Report, format: Format, paint: Paint) -> String {
    match format {
        Format::Human => human::render(report, paint),
        Format::Concise => concise::render(report, paint),
        Format::Json => json::render(report),
    }
}
