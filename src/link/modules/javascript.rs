//! JavaScript's modules: relative paths with their extensions left out or rewritten, folders, `paths` and
//! `baseUrl`, packages of the same tree by name, `exports` and `imports`, and what is outside.

mod config;
mod package;
mod path;

use super::{Modules, Resolved};
use crate::discover::Manifest;
use config::Configs;
use package::Package;
use rustc_hash::FxHashMap;

/// What the manifests of a tree say about imports.
#[derive(Default)]
pub struct Packages {
    packages: Vec<Package>,
    /// Folder to package.
    by_folder: FxHashMap<String, usize>,
    /// Name to package; of several the one nearest to the root.
    by_name: FxHashMap<String, usize>,
    configs: Configs,
}

/// Specifiers stand for each other at most so deep.
const DEPTH: usize = 8;

/// Source extensions, in the order in which a bare path tries them.
const TYPESCRIPT: &[&str] = &[".ts", ".tsx", ".mts", ".cts"];
const JAVASCRIPT: &[&str] = &[".js", ".jsx", ".mjs", ".cjs"];
const DECLARATIONS: &[&str] = &[".d.ts", ".d.mts", ".d.cts"];
/// What a written extension may stand for in the sources.
const REWRITTEN: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".js", ".jsx"]),
    (".jsx", &[".tsx", ".jsx"]),
    (".mjs", &[".mts", ".mjs", ".ts"]),
    (".cjs", &[".cts", ".cjs", ".ts"]),
    (".d.ts", &[".ts", ".tsx", ".js"]),
    (".d.mts", &[".mts", ".mjs", ".ts"]),
    (".d.cts", &[".cts", ".cjs", ".ts"]),
    (".ts", &[".ts", ".tsx"]),
    (".tsx", &[".tsx"]),
    (".mts", &[".mts"]),
    (".cts", &[".cts"]),
];

impl Packages {
    /// Reads the manifests.
    pub fn new(manifests: &[Manifest]) -> Self {
        let mut packages: Vec<Package> = manifests.iter().filter_map(Package::read).collect();
        packages.sort_by(|a, b| (a.folder.len(), &a.folder).cmp(&(b.folder.len(), &b.folder)));
        let mut by_folder = FxHashMap::default();
        let mut by_name: FxHashMap<String, usize> = FxHashMap::default();
        for (i, package) in packages.iter().enumerate() {
            by_folder.insert(package.folder.clone(), i);
            if let Some(name) = &package.name {
                by_name.entry(name.clone()).or_insert(i);
            }
        }
        let folders = by_name.iter().map(|(name, &i)| (name.clone(), packages[i].folder.clone())).collect();
        let configs = Configs::new(manifests, &folders);
        Self { packages, by_folder, by_name, configs }
    }

    /// The folders of its packages.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.packages.iter().filter(|package| package.is_whole()).map(|package| package.folder.as_str())
    }

    /// What a specifier means in the file at `from`.
    pub fn resolve(&self, modules: &Modules, from: &str, specifier: &str) -> Resolved {
        let plain = specifier.split_once('?').map_or(specifier, |(path, _)| path);
        let found = self.find(modules, from, plain, 0);
        found.map_or_else(|| Resolved::External(format!("{plain}:")), Resolved::File)
    }

    fn find(&self, modules: &Modules, from: &str, specifier: &str, depth: usize) -> Option<u32> {
        let look = Look { modules, from_typescript: is_typescript(from) };
        let folder = path::split(from).0;
        if specifier.starts_with("./") || specifier.starts_with("../") || matches!(specifier, "." | "..") {
            return self.file_at(look, &path::join(folder, specifier)?);
        }
        if let Some(rooted) = specifier.strip_prefix('/') {
            return self.file_at(look, rooted);
        }
        let mut configs = self.configs.around(folder);
        let nearest = configs.next();
        let by_config = nearest.and_then(|config| self.by_config(look, config, specifier));
        by_config
            .or_else(|| self.by_package(look, from, specifier, depth))
            .or_else(|| configs.find_map(|config| self.by_config(look, config, specifier)))
    }

    /// Whether an external path's specifier names a package: one that a manifest of the tree asks for, if it has any.
    pub fn is_package(&self, path: &str) -> bool {
        let specifier = path.rsplit_once(':').map_or(path, |p| p.0);
        let Some((name, _)) = package_name(specifier) else { return false };
        let plain = name.strip_prefix('@').unwrap_or(name);
        let is_name = plain.starts_with(|c: char| c.is_ascii_alphanumeric()) && !specifier.contains(':');
        is_name && (self.packages.is_empty() || self.packages.iter().any(|package| package.asks_for(name)))
    }

    fn by_config(&self, look: Look, config: &config::Config, specifier: &str) -> Option<u32> {
        for (pattern, targets) in &config.paths {
            let Some(star) = path::star(pattern, specifier) else { continue };
            for target in targets {
                let target = target.replacen('*', star, 1);
                if let Some(file) = self.file_at(look, &target).or_else(|| self.built_at(look, &target)) {
                    return Some(file);
                }
            }
        }
        let base = config.base.as_ref()?;
        self.file_at(look, &path::join(base, specifier)?)
    }

    fn by_package(&self, look: Look, from: &str, specifier: &str, depth: usize) -> Option<u32> {
        if specifier.starts_with('#') {
            let own = path::ancestors(path::split(from).0).find_map(|at| self.by_folder.get(at))?;
            let own = &self.packages[*own];
            return own.imports(specifier).iter().find_map(|target| match target.strip_prefix("./") {
                Some(path) => self.package_file(look, &own.folder, path),
                None if depth < DEPTH => self.find(look.modules, from, target, depth + 1),
                None => None,
            });
        }
        let (name, rest) = package_name(specifier)?;
        let package = &self.packages[*self.by_name.get(name)?];
        self.subpath(look, package, rest)
    }

    /// The file behind a subpath of a package.
    fn subpath(&self, look: Look, package: &Package, rest: &str) -> Option<u32> {
        let rest = rest.trim_end_matches('/');
        let subpath = if rest.is_empty() { ".".to_string() } else { format!("./{rest}") };
        let named = package.entries(&subpath);
        let found = named.iter().find_map(|target| self.package_file(look, &package.folder, target));
        if found.is_some() {
            return found;
        }
        // What the manifest names is built: by the usual conventions.
        let candidates: Vec<String> = match rest {
            "" => ["src", "", "lib", "source", "src/main", "src/lib"].map(str::to_string).into(),
            _ => vec![rest.to_string(), format!("src/{rest}"), format!("lib/{rest}")],
        };
        candidates.iter().find_map(|c| {
            let whole = path::join(&package.folder, c)?;
            self.path_or_index(look, &whole)
        })
    }

    /// A file that a manifest names: its source if it is built, else itself.
    fn package_file(&self, look: Look, folder: &str, target: &str) -> Option<u32> {
        let whole = path::join(folder, target)?;
        let hand_written = !target.trim_start_matches("./").starts_with("dist");
        let exact = || look.exact(&whole);
        if hand_written && let Some(file) = exact() {
            return Some(file);
        }
        let source = package::sources(target).into_iter().find_map(|source| {
            let whole = path::join(folder, &source)?;
            self.built(look, &whole)
        });
        source.or_else(exact).or_else(|| self.path_or_index(look, &whole))
    }

    /// The source of a built file by its path from the root.
    fn built_at(&self, look: Look, whole: &str) -> Option<u32> {
        let owner = path::ancestors(path::split(whole).0).find_map(|at| self.by_folder.get(at))?;
        let folder = &self.packages[*owner].folder;
        let inside = whole.strip_prefix(folder.as_str())?;
        package::sources(inside).into_iter().find_map(|source| self.built(look, &path::join(folder, &source)?))
    }

    /// A source file by the path that it would have if it were built.
    fn built(&self, look: Look, whole: &str) -> Option<u32> {
        look.exact(whole).or_else(|| look.rewritten(whole)).or_else(|| look.extended(whole)).or_else(|| {
            let stem = REWRITTEN.iter().find_map(|(written, _)| whole.strip_suffix(written))?;
            look.extended(stem).or_else(|| look.extended(&index_of(stem)))
        })
    }

    /// The file a path means: with its extension, without, as a folder, and declarations last.
    fn file_at(&self, look: Look, whole: &str) -> Option<u32> {
        self.path_or_folder(look, whole).or_else(|| look.declared(whole))
    }

    fn path_or_folder(&self, look: Look, whole: &str) -> Option<u32> {
        if let Some(file) = look.path(whole) {
            return Some(file);
        }
        if let Some(&package) = self.by_folder.get(whole)
            && !whole.is_empty()
        {
            let package = &self.packages[package];
            let entries = package.entries(".");
            if let Some(file) = entries.iter().find_map(|target| self.package_file(look, whole, target)) {
                return Some(file);
            }
        }
        look.extended(&index_of(whole))
    }

    fn path_or_index(&self, look: Look, whole: &str) -> Option<u32> {
        let path = if whole.is_empty() { None } else { look.path(whole) };
        path.or_else(|| look.extended(&index_of(whole))).or_else(|| look.declared(whole))
    }
}

/// A look for files on behalf of one file.
#[derive(Clone, Copy)]
struct Look<'m> {
    modules: &'m Modules,
    /// Whether the importing file is TypeScript, which prefers its own kind.
    from_typescript: bool,
}

impl Look<'_> {
    fn exact(self, whole: &str) -> Option<u32> {
        self.modules.file(whole)
    }

    fn path(self, whole: &str) -> Option<u32> {
        if self.from_typescript {
            self.rewritten(whole).or_else(|| self.exact(whole)).or_else(|| self.extended(whole))
        } else {
            self.exact(whole).or_else(|| self.rewritten(whole)).or_else(|| self.extended(whole))
        }
    }

    fn rewritten(self, whole: &str) -> Option<u32> {
        let (written, sources) = REWRITTEN.iter().filter(|(w, _)| whole.ends_with(w)).max_by_key(|(w, _)| w.len())?;
        let stem = whole.strip_suffix(written)?;
        sources.iter().find_map(|extension| self.exact(&format!("{stem}{extension}")))
    }

    fn extended(self, stem: &str) -> Option<u32> {
        let order = if self.from_typescript { [TYPESCRIPT, JAVASCRIPT] } else { [JAVASCRIPT, TYPESCRIPT] };
        order.iter().copied().flatten().find_map(|extension| self.exact(&format!("{stem}{extension}")))
    }

    fn declared(self, whole: &str) -> Option<u32> {
        let written = [".js", ".mjs", ".cjs"].iter().find_map(|e| whole.strip_suffix(e)).unwrap_or(whole);
        let index = index_of(whole);
        [written, &index]
            .into_iter()
            .find_map(|stem| DECLARATIONS.iter().find_map(|extension| self.exact(&format!("{stem}{extension}"))))
    }
}

fn index_of(folder: &str) -> String {
    if folder.is_empty() { "index".to_string() } else { format!("{folder}/index") }
}

fn is_typescript(path: &str) -> bool {
    TYPESCRIPT.iter().any(|extension| path.ends_with(extension))
}

/// Package and the rest of a bare specifier: `@scope/pkg/sub` is `@scope/pkg` and `sub`.
pub fn package_name(specifier: &str) -> Option<(&str, &str)> {
    let skip = if specifier.starts_with('@') { specifier.find('/')? + 1 } else { 0 };
    let end = specifier[skip..].find('/').map(|at| at + skip);
    Some(match end {
        Some(end) => (&specifier[..end], &specifier[end + 1..]),
        None => (specifier, ""),
    })
}

#[cfg(test)]
mod tests;
