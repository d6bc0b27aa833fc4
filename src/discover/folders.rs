//! Folders that are left out: what package managers fetched and what builds made.

use std::path::Path;

/// Manifests beside which `target`, `build`, `dist` and `vendor` are made, not written.
const MANIFESTS: [&str; 8] =
    ["Cargo.toml", "package.json", "pyproject.toml", "setup.py", "setup.cfg", "go.mod", "composer.json", "Gemfile"];

/// Why a folder is left out, if it is.
pub(super) enum Out {
    /// Say so in the report.
    Listed(&'static str),
    /// Caches and tool folders that come and go with runs: saying so would make reports differ.
    Silent,
}

/// Judges a folder by its name and its neighbours.
pub(super) fn left_out(path: &Path) -> Option<Out> {
    let name = path.file_name()?.to_str()?;
    let vendored = Some(Out::Listed("installed packages"));
    match name {
        "node_modules" | "bower_components" | "jspm_packages" | "site-packages" | ".venv" => vendored,
        "_vendor" => Some(Out::Listed("vendored code")),
        "__pycache__" => Some(Out::Silent),
        "vendor" if beside_manifest(path) => Some(Out::Listed("vendored code")),
        // These can be real packages: `build/` of a build tool, `target/` of an ad server.
        "target" | "build" | "dist" if beside_manifest(path) => Some(Out::Listed("build output")),
        _ if path.join("pyvenv.cfg").is_file() => vendored,
        _ if name.starts_with('.') => Some(Out::Silent),
        _ => None,
    }
}

fn beside_manifest(path: &Path) -> bool {
    let Some(parent) = path.parent() else { return false };
    MANIFESTS.iter().any(|name| parent.join(name).is_file())
}
