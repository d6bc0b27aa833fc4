//! `squall init`: writes `squall.toml` and prints the snippets for a commit hook and for CI.

use super::OK;
use super::errors::Failure;
use super::streams::Streams;
use std::io::Write;
use std::path::Path;

/// What is written: every key with its default, commented out, so that the file says what can be said.
const CONFIG: &str = r#"# squall: how many requests does one failing call send?
# Every key with its default. `squall rules` lists the checks, `squall explain NAME` explains one.

# budget = 10                     # attempts allowed in one window
# window = 60                     # seconds
# select = ["all"]                # only these checks: names, codes or groups such as "SQ2"
# ignore = []                     # not these
# pedantic = false
# fail-on = "warning"             # "error", "warning", "note" or "never"
# min-confidence = "medium"       # "low", "medium" or "high"
# include-tests = false           # chains through tests count
# include-infrastructure = false  # calls to broker, cache and database count
# exclude = []                    # .gitignore patterns, relative to this file
# rules = []                      # files or folders with descriptions of your own libraries

# A layer that the code does not show: a gateway, a mesh, a platform that delivers again.
# [[layer]]
# at = "app/jobs.py:finish_session"
# attempts = 3
"#;

const SNIPPETS: &str = r#"
A hook for pre-commit (.pre-commit-config.yaml):

  - repo: local
    hooks:
      - id: squall
        name: squall
        entry: squall check
        language: system
        types_or: [python, javascript, ts, tsx, rust]

A step for CI:

  squall check .
"#;

pub(super) fn run(folder: &Path, streams: &Streams) -> Result<u8, Failure> {
    let file = folder.join("squall.toml");
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::Usage(format!("{} is there already", file.display())),
        _ => Failure::Usage(format!("{}: {error}", file.display())),
    };
    let mut new = std::fs::File::create_new(&file).map_err(failed)?;
    new.write_all(CONFIG.as_bytes()).map_err(failed)?;
    streams.print(&format!("Wrote {}.\n{SNIPPETS}", file.display()))?;
    Ok(OK)
}
