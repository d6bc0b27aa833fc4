//! Rust's modules: crates from manifests and file names, the tree of `mod` items, and what paths name.
//!
//! All of it is known before any value is: names are looked up when asked for and remembered.

mod manifest;
mod names;
mod tree;

pub use names::{Item, Items, Names};
pub use tree::Place;

use crate::discover::Manifest;
use crate::ir::Pattern;
use crate::ir::{ClassId, ExprId, File, FunctionId, FunctionKind, Imported, Language, MODULE, Name, Stmt, VarId};
use crate::link::symbols::{Symbol, Symbols};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A module of some crate: a file or an inline module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId(pub u32);

/// A module.
#[derive(Debug)]
pub struct Node {
    /// Its file.
    pub file: u32,
    /// The function that is its body.
    pub func: FunctionId,
    /// The module around it.
    pub parent: Option<NodeId>,
    /// Its crate.
    krate: u32,
}

/// A crate of the program.
#[derive(Debug)]
struct Crate {
    /// Its root module.
    root: NodeId,
    /// How it and the crates it depends on are called in it.
    names: FxHashMap<String, Dependency>,
}

/// What a crate's name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Dependency {
    /// A crate of the program, by its index.
    Own(u32),
    /// Another one, by its real name.
    External(String),
}

/// What declares a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decl {
    /// `fn`
    Function(FunctionId),
    /// `struct`, `enum`, `trait`, `type`
    Class(ClassId),
    /// `use`, with its path.
    Import(Name),
    /// `mod`, with its body if it is inline.
    Module(Option<FunctionId>),
    /// `const`, `static`, with its value.
    Constant(Option<ExprId>),
}

/// What one file declares.
#[derive(Default)]
pub struct Declared {
    /// Item variables.
    decls: FxHashMap<VarId, SmallVec<[Decl; 1]>>,
    /// Item variables by scope and name.
    scopes: FxHashMap<FunctionId, FxHashMap<Symbol, SmallVec<[VarId; 1]>>>,
    /// Paths whose names are all imported, by scope.
    globs: FxHashMap<FunctionId, Vec<Name>>,
    /// `mod name;` and inline modules.
    modules: Vec<Submodule>,
}

/// A `mod` item.
struct Submodule {
    scope: FunctionId,
    name: Name,
    /// `#[path]`
    path: Option<Name>,
    /// The body of an inline module.
    inline: Option<FunctionId>,
    /// Compiled for tests only.
    is_test: bool,
}

/// All crates, their modules and what these declare.
#[derive(Default)]
pub struct Crates {
    nodes: Vec<Node>,
    by_body: FxHashMap<(u32, FunctionId), NodeId>,
    /// Files that `mod name;` means.
    children: FxHashMap<(NodeId, Symbol), NodeId>,
    crates: Vec<Crate>,
    files: Vec<Declared>,
    /// Files whose `mod` item, or one around it, is for tests only.
    tests: FxHashSet<u32>,
    /// What the globs of a scope mean.
    globs: FxHashMap<(u32, FunctionId), Vec<Item>>,
    /// All names that anything of the program is declared under.
    declared_names: FxHashSet<Symbol>,
}

/// A glob's path may begin with what another glob brings in; such chains are followed so far.
const ROUNDS: usize = 6;

impl Crates {
    /// Reads the trees of all Rust files.
    pub fn new(
        files: &[File],
        symbols: &Symbols,
        manifests: &[Manifest],
        known: &(dyn Fn(&str) -> bool + Sync),
    ) -> Self {
        if files.iter().all(|f| f.language != Language::Rust) {
            return Self::default();
        }
        let declared = files
            .par_iter()
            .enumerate()
            .map(
                |(at, file)| {
                    if file.language == Language::Rust { declared(at, file, symbols) } else { Declared::default() }
                },
            )
            .collect();
        let mut crates = Self { files: declared, ..Self::default() };
        tree::build(&mut crates, files, symbols, manifests);
        let names = crates.files.iter().flat_map(|file| file.scopes.values().flat_map(|scope| scope.keys().copied()));
        crates.declared_names = names.collect();
        crates.find_globs(files, symbols, known);
        crates
    }

    /// Whether a file is a module for tests only.
    pub fn is_test(&self, file: u32) -> bool {
        self.tests.contains(&file)
    }

    /// Finds out what globs mean, all with what is known of the others, until nothing changes.
    fn find_globs(&mut self, files: &[File], symbols: &Symbols, known: &(dyn Fn(&str) -> bool + Sync)) {
        for _ in 0..ROUNDS {
            let names = Names { crates: self, files, symbols, known, spent: Default::default() };
            let with_globs = (0..files.len() as u32).filter(|&file| !self.files[file as usize].globs.is_empty());
            let found: FxHashMap<(u32, FunctionId), Vec<Item>> = with_globs
                .flat_map(|file| names.globs_of(file).into_iter().map(move |(scope, items)| ((file, scope), items)))
                .collect();
            if found == self.globs {
                return;
            }
            self.globs = found;
        }
    }

    /// What declares a variable; nothing: it is no item.
    pub fn decls(&self, file: u32, var: VarId) -> &[Decl] {
        self.files.get(file as usize).and_then(|f| f.decls.get(&var)).map_or(&[], |d| d.as_slice())
    }

    /// The variables that a scope declares under a name.
    pub fn declares(&self, file: u32, scope: FunctionId, name: Symbol) -> Option<&[VarId]> {
        let vars = self.files.get(file as usize)?.scopes.get(&scope)?.get(&name)?;
        Some(vars.as_slice())
    }

    /// The names that a scope declares, with their variables.
    pub fn declared_in(&self, file: u32, scope: FunctionId) -> impl Iterator<Item = (Symbol, VarId)> + '_ {
        let scope = self.files.get(file as usize).and_then(|f| f.scopes.get(&scope));
        scope.into_iter().flatten().flat_map(|(&name, vars)| vars.iter().map(move |&var| (name, var)))
    }

    /// The constants of a file with their values.
    pub fn constants(&self, file: u32) -> impl Iterator<Item = (VarId, ExprId)> + '_ {
        let decls = self.files.get(file as usize).into_iter().flat_map(|f| &f.decls);
        decls.flat_map(|(&var, decls)| {
            decls.iter().filter_map(move |d| if let Decl::Constant(Some(e)) = *d { Some((var, e)) } else { None })
        })
    }

    /// The module that code of a function stands in.
    pub fn node_of(&self, files: &[File], file: u32, func: FunctionId) -> Option<NodeId> {
        let ir = files.get(file as usize)?;
        let mut at = func;
        loop {
            let function = ir.function(at);
            if function.kind == FunctionKind::Module {
                return self.by_body.get(&(file, at)).copied();
            }
            at = function.parent.unwrap_or(MODULE);
        }
    }

    /// A module's place.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The module with this body.
    pub fn module(&self, file: u32, body: FunctionId) -> Option<NodeId> {
        self.by_body.get(&(file, body)).copied()
    }
}

fn declared(at: usize, file: &File, symbols: &Symbols) -> Declared {
    let mut out = Declared::default();
    let owners = scopes_of_statements(file);
    for (i, stmt) in file.stmts.iter().enumerate() {
        let (var, decl) = match stmt {
            Stmt::Function { function, target: Some(var) } => (*var, Decl::Function(*function)),
            Stmt::Class { class, target: Some(var) } => (*var, Decl::Class(*class)),
            Stmt::Import { module, imported: Imported::Star, .. } => {
                out.globs.entry(owners[i]).or_default().push(module.path);
                continue;
            }
            Stmt::Import { module, target: Some(var), .. } => (*var, Decl::Import(module.path)),
            Stmt::Module { name, target, path, inline, is_test } => {
                let (scope, is_test) = (file.var(*target).owner, *is_test);
                out.modules.push(Submodule { scope, name: *name, path: *path, inline: *inline, is_test });
                (*target, Decl::Module(*inline))
            }
            // Constants are the only assignments in modules and impl blocks.
            Stmt::Assign { targets, value, .. } => {
                let [target] = targets.as_slice() else { continue };
                let Pattern::Bind(var) = *file.pattern(*target) else { continue };
                let is_item =
                    matches!(file.function(file.var(var).owner).kind, FunctionKind::Module | FunctionKind::ClassBody);
                if !is_item {
                    continue;
                }
                (var, Decl::Constant(*value))
            }
            _ => continue,
        };
        let decls = out.decls.entry(var).or_default();
        if decls.is_empty() {
            let declaration = file.var(var);
            let name = symbols.of(at, declaration.name);
            out.scopes.entry(declaration.owner).or_default().entry(name).or_default().push(var);
        }
        decls.push(decl);
    }
    out
}

/// The function whose scope each `use` stands in.
fn scopes_of_statements(file: &File) -> Vec<FunctionId> {
    let mut owners = vec![MODULE; file.stmts.len()];
    if !file.stmts.iter().any(|s| matches!(s, Stmt::Import { imported: Imported::Star, .. })) {
        return owners;
    }
    for (i, owner) in crate::link::owners::Owners::new(file).stmts.into_iter().enumerate() {
        owners[i] = owner.unwrap_or(MODULE);
    }
    owners
}
