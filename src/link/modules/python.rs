//! Python's modules: packages, relative imports, namespace packages, `src` layouts, scripts beside
//! their modules.

use super::{Modules, Resolved};
use crate::ir::{File, Language};
use rustc_hash::{FxHashMap, FxHashSet};

/// Folders that hold Python code, and where top-level names are found.
pub struct Roots {
    folders: FxHashSet<String>,
    /// Top-level module or package name -> folders that hold it, shortest first.
    holders: FxHashMap<String, Vec<String>>,
    /// Top-level names that packages of the catalogue have.
    packages: FxHashSet<String>,
}

impl Roots {
    /// Reads the paths of all files.
    pub fn new(files: &[File], packages: &[&str]) -> Self {
        let mut folders = FxHashSet::default();
        let mut holders: FxHashMap<String, Vec<String>> = FxHashMap::default();
        for file in files.iter().filter(|f| f.language == Language::Python) {
            let (mut folder, name) = split(&file.path);
            let stem = name.trim_end_matches(".pyi").trim_end_matches(".py");
            if stem != "__init__" {
                holders.entry(stem.to_string()).or_default().push(folder.to_string());
            }
            while !folder.is_empty() && folders.insert(folder.to_string()) {
                let (parent, name) = split(folder);
                holders.entry(name.to_string()).or_default().push(parent.to_string());
                folder = parent;
            }
        }
        for list in holders.values_mut() {
            list.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
            list.dedup();
        }
        let packages = packages.iter().map(|name| name.to_string()).collect();
        Self { folders, holders, packages }
    }

    /// What `path` (with `level` leading dots) names in the file at `from`.
    pub fn resolve(&self, modules: &Modules, from: &str, level: u32, path: &str) -> Resolved {
        let (folder, _) = split(from);
        if level > 0 {
            let mut base = folder;
            for _ in 1..level {
                base = split(base).0;
            }
            // What is not there keeps its dot: it is no package of that name.
            let missing = || Resolved::External(format!(".{path}"));
            return self.below(modules, base, path).unwrap_or_else(missing);
        }
        let external = || Resolved::External(path.to_string());
        let first = path.split('.').next().unwrap_or(path);
        let Some(holders) = self.holders.get(first) else { return external() };
        let own = modules.file(from).map_or_else(external, Resolved::File);
        // The script's own folder and its ancestors come first (packages themselves are no roots),
        // then `src` folders beside them, then wherever the top-level name is found.
        let mut ancestor = folder;
        loop {
            let is_package = modules.file(&join(ancestor, "__init__.py")).is_some();
            if !is_package {
                for root in [ancestor.to_string(), join(ancestor, "src"), join(ancestor, "lib")] {
                    if holders.binary_search_by(|h| (h.len(), h).cmp(&(root.len(), &root))).is_ok()
                        && let Some(found) = self.below(modules, &root, path)
                        // `openai.py` that imports `openai` means the package.
                        && !(self.packages.contains(first) && found == own)
                    {
                        return found;
                    }
                }
            }
            if ancestor.is_empty() {
                break;
            }
            ancestor = split(ancestor).0;
        }
        // A file of that name somewhere else is no reason to take it for the package.
        if self.packages.contains(first) {
            return external();
        }
        holders
            .iter()
            .filter(|root| modules.file(&join(root, "__init__.py")).is_none())
            .chain(holders.iter().filter(|root| **root == folder))
            .find_map(|root| self.below(modules, root, path))
            .unwrap_or_else(external)
    }

    /// Whether an external path's first name is no module of the program.
    pub fn is_package(&self, modules: &Modules, path: &str) -> bool {
        let first = path.split('.').next().unwrap_or(path);
        let importable = |root: &String| modules.file(&join(root, "__init__.py")).is_none();
        !first.is_empty() && !self.holders.get(first).is_some_and(|holders| holders.iter().any(importable))
    }

    fn below(&self, modules: &Modules, folder: &str, path: &str) -> Option<Resolved> {
        let whole = if path.is_empty() { folder.to_string() } else { join(folder, &path.replace('.', "/")) };
        self.at(modules, &whole)
    }

    fn at(&self, modules: &Modules, whole: &str) -> Option<Resolved> {
        let candidates =
            [join(whole, "__init__.py"), format!("{whole}.py"), format!("{whole}.pyi"), join(whole, "__init__.pyi")];
        if let Some(file) = candidates.iter().find_map(|c| modules.file(c)) {
            return Some(Resolved::File(file));
        }
        (self.folders.contains(whole) || whole.is_empty()).then(|| Resolved::Folder(whole.to_string()))
    }

    /// The module `name` in the package whose file or folder is `of`.
    pub fn submodule(&self, modules: &Modules, of: &str, name: &str) -> Option<Resolved> {
        let folder = match of.strip_suffix(".py").or_else(|| of.strip_suffix(".pyi")) {
            Some("__init__") => "",
            Some(file) => file.strip_suffix("/__init__")?,
            None => of,
        };
        self.at(modules, &join(folder, name))
    }
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") }
}
