//! Which versions of packages the analysed tree uses, from its own lock and requirement files.

use crate::discover::Manifest;
use rustc_hash::FxHashMap;

/// Versions by package name, as far as pinned.
pub fn read(manifests: &[Manifest]) -> FxHashMap<String, String> {
    let mut versions = FxHashMap::default();
    for manifest in manifests {
        let name = manifest.path.rsplit('/').next().unwrap_or(&manifest.path);
        if name.starts_with("requirements") && name.ends_with(".txt") {
            requirements(&manifest.text, &mut versions);
        }
    }
    versions
}

fn requirements(text: &str, versions: &mut FxHashMap<String, String>) {
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or("").trim();
        if let Some((package, version)) = line.split_once("==") {
            let package = package.split('[').next().unwrap_or(package).trim().to_lowercase();
            let version = version.split([';', ' ', ',']).next().unwrap_or("").trim();
            if !package.is_empty() && !version.is_empty() {
                versions.entry(package).or_insert_with(|| version.to_string());
            }
        }
    }
}
