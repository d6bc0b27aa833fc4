//! Lists the catalogue's files, so that they become part of the binary.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    let mut list = String::from("&[\n");
    for language in ["javascript", "python", "rust"] {
        let folder = root.join("rules").join(language);
        println!("cargo::rerun-if-changed=rules/{language}");
        for name in toml_files(&folder)? {
            let path = folder.join(&name);
            let _ = writeln!(list, "    ({:?}, include_str!({:?})),", format!("rules/{language}/{name}"), path);
        }
    }
    list.push(']');
    fs::write(out.join("rules.rs"), list)
}

/// Names of the TOML files in a folder, sorted, so that the binary does not depend on the file system's order.
fn toml_files(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".toml") {
                names.push(name);
            }
        }
    }
    names.sort();
    Ok(names)
}
