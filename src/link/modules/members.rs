//! Members of a workspace: the packages of one tree. What one of them sets for a whole library (`set_defaults(…)`, a
//! client that hooks find by themselves) holds where its code runs: in itself, and in what is loaded with it.

use super::{Modules, Resolved};
use crate::discover::Manifest;
use crate::ir::{Export, ExprKind, File, Language, ModulePath, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;

/// The packages of a tree, and what they load of each other.
#[derive(Default)]
pub struct Members {
    /// Member of each file; 0 for those outside of all packages.
    of_file: Vec<u32>,
    count: u32,
    loads: OnceLock<Vec<FxHashSet<u32>>>,
}

impl Members {
    /// Finds the package of every file: the nearest folder above it with a manifest of its language.
    pub fn new<'m>(files: &[File], manifests: &'m [Manifest], javascript: impl Iterator<Item = &'m str>) -> Self {
        let mut folders: FxHashMap<(Language, &str), u32> = FxHashMap::default();
        let python = manifests.iter().filter_map(python_folder).map(|folder| (Language::Python, folder));
        let javascript = javascript.map(|folder| (Language::JavaScript, folder));
        for key in python.chain(javascript) {
            let next = folders.len() as u32 + 1;
            folders.entry(key).or_insert(next);
        }
        let member = |file: &File| {
            let mut folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            loop {
                if let Some(&member) = folders.get(&(file.language, folder)) {
                    return member;
                }
                if folder.is_empty() {
                    return 0;
                }
                folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            }
        };
        Self { of_file: files.iter().map(member).collect(), count: folders.len() as u32 + 1, loads: OnceLock::new() }
    }

    /// The member that a file belongs to.
    pub fn of(&self, file: u32) -> u32 {
        self.of_file.get(file as usize).copied().unwrap_or(0)
    }

    /// All members.
    pub fn all(&self) -> impl Iterator<Item = u32> {
        0..self.count
    }

    /// The members whose code a member loads, at whatever distance, itself left out.
    pub fn loaded_by(&self, modules: &Modules, files: &[File], member: u32) -> FxHashSet<u32> {
        let loads = self.loads.get_or_init(|| self.direct(modules, files));
        let mut seen = FxHashSet::default();
        let mut pending = vec![member];
        while let Some(next) = pending.pop() {
            let further = loads.get(next as usize).into_iter().flatten();
            pending.extend(further.copied().filter(|&m| m != member && seen.insert(m)));
        }
        seen
    }

    fn direct(&self, modules: &Modules, files: &[File]) -> Vec<FxHashSet<u32>> {
        let mut loads = vec![FxHashSet::default(); self.count as usize];
        for (at, file) in files.iter().enumerate() {
            let own = self.of(at as u32);
            let mut load = |path: &ModulePath| {
                if let Resolved::File(to) = modules.resolve(file, path)
                    && let Some(loads) = loads.get_mut(own as usize)
                {
                    loads.insert(self.of(to));
                }
            };
            for stmt in &file.stmts {
                match stmt {
                    Stmt::Import { module, .. } => load(module),
                    Stmt::Export(Export::From(_, module, _) | Export::Star(module)) => load(module),
                    _ => {}
                }
            }
            for expr in &file.exprs {
                if let ExprKind::Import(path) = &expr.kind {
                    load(path);
                }
            }
        }
        loads
    }
}

/// The folder of a package of Python.
fn python_folder(manifest: &Manifest) -> Option<&str> {
    let (folder, name) = manifest.path.rsplit_once('/').unwrap_or(("", &manifest.path));
    // Such files also only hold the settings of tools.
    let head = |heads: &[&str]| manifest.text.lines().any(|line| heads.contains(&line.trim()));
    let is_package = match name {
        "pyproject.toml" => head(&["[project]", "[tool.poetry]"]),
        "setup.cfg" => head(&["[metadata]"]),
        _ => false,
    };
    is_package.then_some(folder)
}
