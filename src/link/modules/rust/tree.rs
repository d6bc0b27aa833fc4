//! The tree of modules: roots of crates, and which file `mod name;` means.

use super::manifest::{Package, ancestors, folder_of, join, packages};
use super::{Crate, Crates, Dependency, Node, NodeId, Submodule};
use crate::discover::Manifest;
use crate::ir::{File, FunctionId, FunctionKind, Language, MODULE};
use crate::link::symbols::Symbols;
use rustc_hash::FxHashMap;

/// Where files of child modules are found.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder of the file itself, for `#[path]`.
    own: String,
    /// The folder of its children.
    children: String,
}

struct Builder<'b> {
    crates: &'b mut Crates,
    files: &'b [File],
    symbols: &'b Symbols,
    by_path: FxHashMap<&'b str, u32>,
    packages: Vec<Package>,
    /// The package that each crate belongs to.
    package_of: Vec<Option<usize>>,
    libraries: FxHashMap<usize, u32>,
}

/// Finds crates and modules.
pub(super) fn build(crates: &mut Crates, files: &[File], symbols: &Symbols, manifests: &[Manifest]) {
    let by_path = files.iter().enumerate().map(|(i, f)| (f.path.as_str(), i as u32)).collect();
    let packages = packages(manifests);
    let mut builder =
        Builder { crates, files, symbols, by_path, packages, package_of: Vec::new(), libraries: FxHashMap::default() };
    builder.roots();
    builder.dependencies();
}

impl Builder<'_> {
    /// Libraries first, then binaries and the like, then files that nothing mentions.
    fn roots(&mut self) {
        for p in 0..self.packages.len() {
            let Some((_, root)) = self.packages[p].library.clone() else { continue };
            if let Some(&file) = self.by_path.get(root.as_str()) {
                let krate = self.start(file, Some(p));
                self.libraries.insert(p, krate);
            }
        }
        for p in 0..self.packages.len() {
            for root in self.packages[p].others.clone() {
                if let Some(&file) = self.by_path.get(root.as_str()) {
                    self.start(file, Some(p));
                }
            }
        }
        let mut rest: Vec<u32> = Vec::new();
        for (i, file) in self.files.iter().enumerate() {
            if file.language == Language::Rust {
                rest.push(i as u32);
            }
        }
        let rank = |path: &str| match path.rsplit('/').next() {
            Some("main.rs" | "lib.rs") => 0,
            _ if is_target(path) => 1,
            _ => 2,
        };
        rest.sort_by_key(|&i| {
            let path = &self.files[i as usize].path;
            (rank(path), path.matches('/').count(), path.clone())
        });
        for file in rest {
            if self.crates.by_body.contains_key(&(file, MODULE)) {
                continue;
            }
            let path = self.files[file as usize].path.clone();
            let package = self.package_at(&path);
            if rank(&path) == 2
                && let Some(parent) = self.parent_by_path(&path)
            {
                self.adopt(file, parent);
                continue;
            }
            self.start(file, package);
        }
    }

    /// The innermost package around a file.
    fn package_at(&self, path: &str) -> Option<usize> {
        ancestors(folder_of(path)).find_map(|folder| self.packages.iter().position(|p| p.folder == folder))
    }

    /// The module that a file's place says it belongs to.
    fn parent_by_path(&self, path: &str) -> Option<NodeId> {
        let (mut folder, mut name) = path.rsplit_once('/').unwrap_or(("", path));
        if name == "mod.rs" {
            (folder, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        }
        let _ = name;
        let beside = |name: &str| if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") };
        let candidates = [beside("mod.rs"), format!("{folder}.rs"), beside("lib.rs"), beside("main.rs")];
        let file = candidates.iter().find_map(|c| self.by_path.get(c.as_str()))?;
        self.crates.by_body.get(&(*file, MODULE)).copied()
    }

    /// A file without a `mod` item becomes a child of the module around it.
    fn adopt(&mut self, file: u32, parent: NodeId) {
        let path = &self.files[file as usize].path;
        let krate = self.crates.node(parent).krate;
        let place = Place::of(path, false);
        let node = self.module(file, MODULE, Some(parent), krate, &place);
        let stem = path.trim_end_matches("/mod.rs").trim_end_matches(".rs");
        let stem = stem.rsplit('/').next().unwrap_or(stem);
        if let Some(name) = self.symbols.find(stem) {
            self.crates.children.entry((parent, name)).or_insert(node);
        }
    }

    /// A crate with this root.
    fn start(&mut self, file: u32, package: Option<usize>) -> u32 {
        if let Some(&node) = self.crates.by_body.get(&(file, MODULE)) {
            return self.crates.node(node).krate;
        }
        let krate = self.crates.crates.len() as u32;
        self.crates.crates.push(Crate { root: NodeId(self.crates.nodes.len() as u32), names: FxHashMap::default() });
        self.package_of.push(package);
        let place = Place::of(&self.files[file as usize].path, true);
        self.module(file, MODULE, None, krate, &place);
        krate
    }

    /// A module with all below it. A stack of its own: modules nest as deep as files say.
    fn module(&mut self, file: u32, body: FunctionId, parent: Option<NodeId>, krate: u32, place: &Place) -> NodeId {
        let first = NodeId(self.crates.nodes.len() as u32);
        let mut stack = vec![(file, body, parent, None, place.clone())];
        while let Some((file, body, parent, name, place)) = stack.pop() {
            let id = match self.crates.by_body.get(&(file, body)) {
                Some(&known) => known,
                None => {
                    let id = NodeId(self.crates.nodes.len() as u32);
                    self.crates.nodes.push(Node { file, func: body, parent, krate });
                    self.crates.by_body.insert((file, body), id);
                    self.below(id, &place, &mut stack);
                    id
                }
            };
            if let (Some(parent), Some(name)) = (parent, name) {
                self.crates.children.entry((parent, name)).or_insert(id);
            }
        }
        first
    }

    fn below(
        &mut self,
        node: NodeId,
        place: &Place,
        stack: &mut Vec<(u32, FunctionId, Option<NodeId>, Option<crate::link::symbols::Symbol>, Place)>,
    ) {
        let Node { file, func, .. } = *self.crates.node(node);
        let ir = &self.files[file as usize];
        let in_tests = self.crates.tests.contains(&file) || ir.function(func).is_test;
        let mut tests = Vec::new();
        for &Submodule { scope, name, path, inline, is_test } in &self.crates.files[file as usize].modules {
            if module_around(ir, scope) != func {
                continue;
            }
            let symbol = Some(self.symbols.of(file as usize, name));
            let text = ir.name(name);
            if let Some(body) = inline {
                let children = match path {
                    Some(path) => join(&place.own, ir.name(path)),
                    None => join(&place.children, text),
                };
                let inner = Place { own: children.clone(), children };
                stack.push((file, body, Some(node), symbol, inner));
                continue;
            }
            let candidates = match path {
                Some(path) => {
                    let folder = if func == MODULE { &place.own } else { &place.children };
                    vec![join(folder, ir.name(path))]
                }
                None => {
                    let base = join(&place.children, text);
                    vec![format!("{base}.rs"), format!("{base}/mod.rs")]
                }
            };
            let found = candidates.iter().find_map(|c| self.by_path.get(c.as_str()).copied());
            if let Some(child) = found
                && child != file
            {
                let child_path = &self.files[child as usize].path;
                let inner = Place::of(child_path, path.is_some());
                stack.push((child, MODULE, Some(node), symbol, inner));
                if in_tests || is_test {
                    tests.push(child);
                }
            }
        }
        self.crates.tests.extend(tests);
    }

    /// What names of crates mean in each crate.
    fn dependencies(&mut self) {
        let by_name: FxHashMap<String, u32> = self
            .packages
            .iter()
            .enumerate()
            .filter_map(|(p, package)| Some((package.name.clone(), *self.libraries.get(&p)?)))
            .collect();
        let by_folder: FxHashMap<String, u32> = self
            .packages
            .iter()
            .enumerate()
            .filter_map(|(p, package)| Some((package.folder.clone(), *self.libraries.get(&p)?)))
            .collect();
        for krate in 0..self.crates.crates.len() {
            let Some(p) = self.package_of[krate] else { continue };
            let package = &self.packages[p];
            let mut names = FxHashMap::default();
            for (name, real, folder) in &package.dependencies {
                let own = folder.as_ref().and_then(|f| by_folder.get(f)).or_else(|| by_name.get(real));
                let (name, target) = match own {
                    Some(&own) => {
                        // A library may be called otherwise than its package.
                        let lib = self.library_name(own).filter(|_| name == real);
                        (lib.unwrap_or_else(|| name.clone()), Dependency::Own(own))
                    }
                    None => (name.clone(), Dependency::External(real.clone())),
                };
                names.insert(name, target);
            }
            if let (Some(&own), Some((name, _))) = (self.libraries.get(&p), &package.library)
                && own != krate as u32
            {
                names.insert(name.clone(), Dependency::Own(own));
            }
            self.crates.crates[krate].names = names;
        }
    }

    fn library_name(&self, krate: u32) -> Option<String> {
        let p = self.package_of[krate as usize]?;
        self.packages[p].library.as_ref().map(|l| l.0.clone())
    }
}

/// The module that a scope belongs to.
fn module_around(ir: &File, scope: FunctionId) -> FunctionId {
    let mut at = scope;
    while ir.function(at).kind != FunctionKind::Module {
        at = ir.function(at).parent.unwrap_or(MODULE);
    }
    at
}

impl Place {
    /// The place of a file; `root`: its children stand beside it whatever it is called.
    fn of(path: &str, root: bool) -> Self {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let beside = root || name == "mod.rs";
        let children = if beside { folder.to_string() } else { join(folder, name.trim_end_matches(".rs")) };
        Self { own: folder.to_string(), children }
    }
}

/// Whether Cargo makes a crate of its own from a file at that place.
fn is_target(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = folder.rsplit('/').next().unwrap_or(folder);
    name == "build.rs" || matches!(parent, "bin" | "examples" | "tests" | "benches")
}
