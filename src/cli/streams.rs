//! Where output goes: findings to standard output or a file, everything else to standard error.
//! A reader that goes away (`| head`) ends the output, not the program.

use super::args::{Color, Common};
use crate::checks::Severity;
use crate::output::paint::Paint;
use std::io::{self, Write};
use std::path::Path;

/// The streams of one run.
pub(super) struct Streams {
    quiet: bool,
    out: Paint,
    notes: Paint,
}

impl Streams {
    /// Streams as the options want them.
    pub(super) fn new(common: &Common) -> Self {
        let choose = |wanted: anstream::ColorChoice| match (common.color, wanted) {
            (Color::Always, _) => Paint::Colour,
            (Color::Never, _) | (Color::Auto, anstream::ColorChoice::Never) => Paint::Plain,
            (Color::Auto, _) => Paint::Colour,
        };
        Self {
            quiet: common.quiet,
            out: choose(anstream::AutoStream::choice(&io::stdout())),
            notes: choose(anstream::AutoStream::choice(&io::stderr())),
        }
    }

    /// Streams before any option is known.
    pub(super) fn bare() -> Self {
        Self { quiet: false, out: Paint::Plain, notes: Paint::Plain }
    }

    /// How findings are painted: a file gets colours only on demand.
    pub(super) fn paint(&self, file: Option<&Path>, common: &Common) -> Paint {
        if file.is_some() && common.color != Color::Always { Paint::Plain } else { self.out }
    }

    /// Writes to standard output.
    pub(super) fn print(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        unless_gone(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Writes to a file if there is one, else to standard output.
    pub(super) fn deliver(&self, text: &str, file: Option<&Path>) -> io::Result<()> {
        let Some(file) = file else { return self.print(text) };
        let failed = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
        std::fs::write(file, text).map_err(failed)
    }

    /// Says something that is no finding, unless asked to be quiet.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            // Nobody is left to tell if standard error is gone.
            let _ = io::stderr().lock().write_all(text.as_bytes());
        }
    }

    /// Says why the run fails.
    pub(super) fn error(&self, text: &str) {
        let label = self.notes.severity(Severity::Error, "error");
        let _ = writeln!(io::stderr().lock(), "{label}: {text}");
    }
}

fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
