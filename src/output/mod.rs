//! Formats: one file each, thin, from a [`Report`] to text. Output decides nothing: what is a finding, how bad
//! and what to do is all in the report. Whatever came from the tree passes [`crate::escape`].

pub mod concise;
pub mod github;
pub mod gitlab;
pub mod graph;
pub mod human;
pub mod json;
pub mod junit;
pub mod layout;
pub mod markdown;
pub mod paint;
pub mod sarif;
pub mod summary;
pub mod trace;
pub mod waits;

use crate::report::Report;
use paint::Paint;

/// How a report is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
#[allow(missing_docs)]
pub enum Format {
    Human,
    Concise,
    Json,
    Sarif,
    Github,
    Gitlab,
    Junit,
    Markdown,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 8] = [
        Format::Human,
        Format::Concise,
        Format::Json,
        Format::Sarif,
        Format::Github,
        Format::Gitlab,
        Format::Junit,
        Format::Markdown,
    ];
}

/// The text of a report.
pub fn render(report: &Report, format: Format, paint: Paint) -> String {
    match format {
        Format::Human => human::render(report, paint),
        Format::Concise => concise::render(report, paint),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report),
        Format::Gitlab => gitlab::render(report),
        Format::Junit => junit::render(report),
        Format::Markdown => markdown::render(report),
    }
}
