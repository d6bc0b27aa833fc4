//! Configuration: what a run is asked to do. Read from the nearest `squall.toml`, `pyproject.toml`,
//! `package.json` or `Cargo.toml` that has a part for squall; the command line overrides it.
//! Reading files happens in [`find`] and [`load`] only.

mod error;
mod find;
mod keys;
mod layer;
mod node;
mod selection;

pub use error::ConfigError;
pub use find::{Found, find, is_configured};
pub use layer::DeclaredLayer;
pub use selection::{Selection, names_any};

use crate::chains::Confidence;
use crate::checks::Severity;
use std::path::{Path, PathBuf};

/// From which severity on findings fail the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailOn {
    /// This severity and above.
    Severity(Severity),
    /// Findings never fail the run.
    Never,
}

impl FailOn {
    /// The names users write.
    pub const NAMES: [&'static str; 4] = ["error", "warning", "note", "never"];

    /// The value of that name.
    pub fn by_name(name: &str) -> Option<FailOn> {
        match name {
            "error" => Some(FailOn::Severity(Severity::Error)),
            "warning" => Some(FailOn::Severity(Severity::Warning)),
            "note" => Some(FailOn::Severity(Severity::Note)),
            "never" => Some(FailOn::Never),
            _ => None,
        }
    }

    /// Whether a finding of this severity fails the run.
    pub fn fails(self, severity: Severity) -> bool {
        matches!(self, FailOn::Severity(least) if severity >= least)
    }
}

/// The confidence of that name.
pub fn confidence_by_name(name: &str) -> Option<Confidence> {
    [Confidence::Low, Confidence::Medium, Confidence::High].into_iter().find(|c| c.name() == name)
}

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct Config {
    /// Attempts allowed in one window.
    pub budget: u64,
    /// The window in seconds.
    pub window: f64,
    /// Which checks run.
    pub selection: Selection,
    /// Which findings fail the run.
    pub fail_on: FailOn,
    /// Findings below it are counted, not shown.
    pub min_confidence: Confidence,
    /// Whether chains through tests count.
    pub include_tests: bool,
    /// Whether calls to the program's own infrastructure make chains.
    pub include_infrastructure: bool,
    /// What to leave out, as `.gitignore` patterns relative to [`Config::folder`].
    pub exclude: Vec<String>,
    /// The user's own catalogue files and folders of such files.
    pub rules: Vec<PathBuf>,
    /// Layers that the code does not show.
    pub layers: Vec<DeclaredLayer>,
    /// The configuration file, if there is one.
    pub file: Option<PathBuf>,
    /// The folder that paths in it are relative to.
    pub folder: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            budget: 10,
            window: 60.0,
            selection: Selection::default(),
            fail_on: FailOn::Severity(Severity::Warning),
            min_confidence: Confidence::Medium,
            include_tests: false,
            include_infrastructure: false,
            exclude: Vec::new(),
            rules: Vec::new(),
            layers: Vec::new(),
            file: None,
            folder: None,
        }
    }
}

/// The configuration for a tree: the file `explicit` if given, else the nearest one upwards from
/// `root`. Paths in declared layers come out relative to `root`.
///
/// # Errors
/// A file that cannot be read, and whatever in it is wrong, with its place.
pub fn load(root: &Path, explicit: Option<&Path>) -> Result<Config, ConfigError> {
    let found = match explicit {
        Some(file) => Some(find::open(file)?),
        None => find(root)?,
    };
    let mut config = Config::default();
    let Some(found) = found else { return Ok(config) };
    let folder = found.file.parent().unwrap_or(root).to_path_buf();
    config.file = Some(found.file.clone());
    config.folder = Some(folder.clone());
    keys::apply(&found, &mut config)?;
    for layer in &mut config.layers {
        layer.relative_to(&folder, root);
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_effect() {
        let folder = std::env::temp_dir().join(format!("squall-config-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("sub/mine")).unwrap();
        let text = r#"
            budget = 5
            window = 30
            select = ["SQ1"]
            ignore = ["fixed-wait"]
            pedantic = true
            fail-on = "never"
            min-confidence = "low"
            include-tests = true
            include-infrastructure = true
            exclude = ["gen/"]
            rules = ["sub/mine"]
            [[layer]]
            at = "sub/../sub/app/jobs.py:Worker.run"
            attempts = "unbounded"
            wait = 1.5
            retries = ["server"]
            reason = "delivered again"
        "#;
        std::fs::write(folder.join("squall.toml"), text).unwrap();
        let config = load(&folder.join("sub"), None);
        std::fs::remove_dir_all(&folder).unwrap();
        let config = config.unwrap();
        assert_eq!((config.budget, config.window), (5, 30.0));
        assert!(config.selection.runs("no-deadline", "SQ104", true) && !config.selection.runs("x", "SQ201", false));
        assert_eq!((config.fail_on, config.min_confidence), (FailOn::Never, Confidence::Low));
        assert!(config.include_tests && config.include_infrastructure);
        assert_eq!(config.exclude, ["gen/"]);
        assert_eq!(config.rules, [folder.join("sub/mine")]);
        let layer = &config.layers[0];
        assert_eq!((layer.path.as_str(), layer.function.as_str()), ("app/jobs.py", "Worker.run"));
        assert_eq!((layer.attempts, layer.wait, layer.line), (None, Some(1.5), 13));
    }
}
