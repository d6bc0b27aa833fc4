//! Colours, or none. Texts are escaped before they are painted, so that only our own codes reach a terminal.

use crate::checks::Severity;
use anstyle::{AnsiColor, Color, Style};

/// Whether to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    /// Colour codes.
    Colour,
    /// Plain text.
    Plain,
}

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour))).bold()
}

impl Paint {
    fn with(self, style: Style, text: &str) -> String {
        match self {
            Paint::Plain => text.to_string(),
            Paint::Colour => format!("{style}{text}{style:#}"),
        }
    }

    /// In the colour of a severity.
    pub fn severity(self, severity: Severity, text: &str) -> String {
        let style = match severity {
            Severity::Error => colour(AnsiColor::Red),
            Severity::Warning => colour(AnsiColor::Yellow),
            Severity::Note => colour(AnsiColor::Cyan),
        };
        self.with(style, text)
    }

    /// Frame around snippets.
    pub fn frame(self, text: &str) -> String {
        self.with(colour(AnsiColor::Blue), text)
    }

    /// What matters most.
    pub fn strong(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    /// What to do.
    pub fn help(self, text: &str) -> String {
        self.with(colour(AnsiColor::Green), text)
    }

    /// What can be skipped when reading.
    pub fn faint(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }
}
