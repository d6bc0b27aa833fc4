//! `tsconfig.json` and `jsconfig.json`: `paths`, `baseUrl` and `extends`. The config nearest to a file
//! counts; of several in a folder the plain one comes first, the others only add what it leaves open.

use super::path;
use crate::discover::Manifest;
use rustc_hash::FxHashMap;
use serde_json::Value;

/// What a config says about imports.
#[derive(Clone, Default, Debug)]
pub struct Config {
    /// Folder that bare specifiers are looked up in.
    pub base: Option<String>,
    /// Pattern and what it stands for, as paths from the root.
    pub paths: Vec<(String, Vec<String>)>,
}

/// All configs, by folder.
#[derive(Default)]
pub struct Configs {
    by_folder: FxHashMap<String, Config>,
}

/// Configs inherit at most so deep.
const DEPTH: usize = 16;

impl Configs {
    /// Reads the manifests that are configs.
    pub fn new(manifests: &[Manifest], packages: &FxHashMap<String, String>) -> Self {
        let files: Vec<(&str, Value)> = manifests.iter().filter_map(|m| Some((&*m.path, config(m)?))).collect();
        let by_path: FxHashMap<&str, &Value> = files.iter().map(|(path, value)| (*path, value)).collect();
        let reader = Reader { by_path, packages };
        let mut order: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        order.sort_by_key(|p| (rank(path::split(p).1), *p));
        let mut by_folder: FxHashMap<String, Config> = FxHashMap::default();
        for file in order {
            let read = reader.read(file, 0);
            let config = by_folder.entry(path::split(file).0.to_string()).or_default();
            if config.paths.is_empty() && config.base.is_none() {
                *config = read;
            }
        }
        by_folder.retain(|_, c| c.base.is_some() || !c.paths.is_empty());
        Self { by_folder }
    }

    /// The configs for a folder, nearest first.
    pub fn around<'s>(&'s self, folder: &'s str) -> impl Iterator<Item = &'s Config> {
        path::ancestors(folder).filter_map(|at| self.by_folder.get(at))
    }
}

fn config(manifest: &Manifest) -> Option<Value> {
    let name = path::split(&manifest.path).1;
    let is_config = name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"));
    if is_config { crate::jsonc::parse(&manifest.text) } else { None }
}

fn rank(name: &str) -> u8 {
    match name {
        "tsconfig.json" => 0,
        "jsconfig.json" => 1,
        _ => 2,
    }
}

struct Reader<'a> {
    by_path: FxHashMap<&'a str, &'a Value>,
    /// Folders of the packages in the tree.
    packages: &'a FxHashMap<String, String>,
}

impl Reader<'_> {
    fn read(&self, file: &str, depth: usize) -> Config {
        let Some(value) = self.by_path.get(file) else { return Config::default() };
        let folder = path::split(file).0;
        let mut config = Config::default();
        let bases: Vec<&str> = match value.get("extends") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        for base in bases {
            if depth < DEPTH
                && let Some(base) = self.extended(folder, base)
            {
                let inherited = self.read(&base, depth + 1);
                config.base = inherited.base.or(config.base);
                if !inherited.paths.is_empty() {
                    config.paths = inherited.paths;
                }
            }
        }
        let Some(options) = value.get("compilerOptions") else { return config };
        if let Some(base) = options.get("baseUrl").and_then(Value::as_str) {
            config.base = path::join(folder, base);
        }
        if let Some(paths) = options.get("paths").and_then(Value::as_object) {
            let from = config.base.clone().unwrap_or_else(|| folder.to_string());
            config.paths = paths
                .iter()
                .map(|(pattern, targets)| {
                    let targets = targets.as_array().into_iter().flatten().filter_map(Value::as_str);
                    (pattern.clone(), targets.filter_map(|t| path::join(&from, t)).collect())
                })
                .collect();
            // The longest prefix decides, whatever the order.
            config.paths.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.find('*').unwrap_or(usize::MAX)));
        }
        config
    }

    /// The config file that `extends` names: a relative path or one in a package of the tree.
    fn extended(&self, folder: &str, base: &str) -> Option<String> {
        let whole = if base.starts_with('.') {
            path::join(folder, base)?
        } else {
            let (package, rest) = super::package_name(base)?;
            path::join(self.packages.get(package)?, rest)?
        };
        let candidates = [whole.clone(), format!("{whole}.json"), format!("{whole}/tsconfig.json")];
        candidates.into_iter().find(|c| self.by_path.contains_key(c.as_str()))
    }
}
