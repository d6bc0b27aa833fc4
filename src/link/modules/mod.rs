//! Module resolution: which file an import means. One file a language; the only part of link that
//! knows languages apart from outcome rules.

pub mod javascript;
pub mod members;
pub mod python;
pub mod rust;

use crate::discover::Manifest;
use crate::ir::{File, Language, ModulePath};
use rustc_hash::FxHashMap;

/// What a module path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// A file of the program.
    File(u32),
    /// A folder without code of its own.
    Folder(String),
    /// Something outside, by its full path in the catalogue's notation.
    External(String),
}

/// All files by path.
pub struct Modules {
    by_path: FxHashMap<String, u32>,
    python: python::Roots,
    javascript: javascript::Packages,
    /// The packages of the tree.
    pub members: members::Members,
    /// Rust's crates and modules.
    pub rust: rust::Crates,
    /// Rust's impl blocks.
    pub impls: super::impls::Impls,
}

impl Modules {
    /// Reads the paths of all files, and the manifests beside them. `packages`: top-level names that packages of the
    /// catalogue have (Python).
    pub fn new(files: &[File], manifests: &[Manifest], packages: &[&str]) -> Self {
        let by_path: FxHashMap<String, u32> =
            files.iter().enumerate().map(|(i, f)| (f.path.clone(), i as u32)).collect();
        let python = python::Roots::new(files, packages);
        let javascript = javascript::Packages::new(manifests);
        Self {
            by_path,
            python,
            members: members::Members::new(files, manifests, javascript.folders()),
            javascript,
            rust: Default::default(),
            impls: Default::default(),
        }
    }

    /// The file with that path.
    pub fn file(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    /// What an import in `file` names.
    pub fn resolve(&self, file: &File, module: &ModulePath) -> Resolved {
        let path = file.name(module.path);
        match file.language {
            Language::Python => self.python.resolve(self, &file.path, module.level, path),
            Language::JavaScript => self.javascript.resolve(self, &file.path, path),
            Language::Rust => Resolved::External(path.to_string()),
        }
    }

    /// What a dotted module name means in `file`, at run time.
    pub fn resolve_text(&self, file: &File, path: &str) -> Resolved {
        match file.language {
            Language::Python => self.python.resolve(self, &file.path, 0, path),
            Language::JavaScript => self.javascript.resolve(self, &file.path, path),
            Language::Rust => Resolved::External(path.to_string()),
        }
    }

    /// The only file of a language that a path without a root can mean: the one whose path ends like this (`work`,
    /// `src/work`, `../lambda/work.ts`). Several mean none.
    pub fn by_ending(&self, language: Language, path: &str) -> Option<u32> {
        let path = path.trim_start_matches("./").trim_start_matches("../");
        let bare = |file: &str| file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_string();
        let known = |name: &str| crate::lower::language_of(name) == Some(language);
        let wanted = if known(path) { bare(path) } else { path.to_string() };
        if wanted.is_empty() {
            return None;
        }
        let ends = |file: &str| {
            let stem = bare(file);
            stem.strip_suffix(&wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let mut found = self.by_path.iter().filter(|(file, _)| known(file) && ends(file)).map(|(_, &id)| id);
        found.next().filter(|_| found.next().is_none())
    }

    /// Whether an external path leads to a package that somebody else made, and not to a module of the program that
    /// is not among its files (generated, left out, or behind an alias that nobody resolves).
    pub fn is_package(&self, language: Language, path: &str) -> bool {
        match language {
            Language::Python => self.python.is_package(self, path),
            Language::JavaScript => self.javascript.is_package(path),
            Language::Rust => false,
        }
    }

    /// A submodule of a module or folder, if there is one.
    pub fn submodule(&self, language: Language, of: &str, name: &str) -> Option<Resolved> {
        match language {
            Language::Python => self.python.submodule(self, of, name),
            _ => None,
        }
    }
}

/// The language in whose notation an external path is written.
pub fn language_of_path(path: &str) -> Language {
    if path.contains("::") {
        Language::Rust
    } else if path.contains(':') {
        Language::JavaScript
    } else {
        Language::Python
    }
}
