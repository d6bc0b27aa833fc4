//! What names and paths mean: scopes, `use` with renames and globs, crates, `crate`, `self`, `super`.

use super::{Crates, Decl, Dependency, NodeId};
use crate::ir::*;
use crate::link::symbols::{Symbol, Symbols};
use crate::link::token::{ClassRef, FuncRef};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// Something that a path names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A module.
    Module(NodeId),
    /// A function outside types, with the variable that holds it.
    Function(FuncRef, VarId),
    /// A struct, enum, trait or alias.
    Class(ClassRef),
    /// A constant or static.
    Constant(u32, VarId),
    /// Something of a type: a variant, an associated function or type.
    Member(ClassRef, Symbol),
    /// Something outside, by its full path.
    External(Box<str>),
}

/// All that a name means: one thing a name space.
pub type Items = SmallVec<[Item; 1]>;

/// Chains of `use` are followed so far.
const HOPS: usize = 32;
/// One look-up looks into at most so many modules behind globs: where hundreds import all of each other, a name that
/// none of them has would be looked for without end.
const LOOKS: u32 = 6_000;

/// Looks names up.
pub struct Names<'a> {
    /// The tree.
    pub crates: &'a Crates,
    /// All files.
    pub files: &'a [File],
    /// All strings.
    pub symbols: &'a Symbols,
    /// Whether the catalogue describes an external path.
    pub known: &'a dyn Fn(&str) -> bool,
    /// What this look-up may still spend, and what it found out on its way.
    pub spent: Spent,
}

/// The work of one look-up.
#[derive(Default)]
pub struct Spent {
    looks: Cell<u32>,
    /// What globs of a scope bring in under a name, where no circle was cut off.
    behind: RefCell<FxHashMap<(u32, FunctionId, Symbol), Items>>,
    /// A circle was cut off, or the work.
    cut: Cell<bool>,
}

/// What is being looked up already: circles of globs and imports end there.
type Open = Vec<(u32, FunctionId, Symbol)>;

impl Names<'_> {
    /// Begins a look-up.
    fn begin(&self) {
        self.spent.looks.set(0);
        self.spent.cut.set(false);
    }

    /// Whether the look-up may go on.
    fn goes_on(&self) -> bool {
        let looks = self.spent.looks.get() + 1;
        self.spent.looks.set(looks);
        self.spent.cut.set(self.spent.cut.get() || looks > LOOKS);
        looks <= LOOKS
    }

    /// What an item's variable stands for.
    pub fn of_var(&self, file: u32, var: VarId) -> Items {
        self.begin();
        self.var(file, var, &mut Vec::new())
    }

    fn var(&self, file: u32, var: VarId, open: &mut Open) -> Items {
        let mut items = Items::new();
        for decl in self.crates.decls(file, var) {
            match *decl {
                Decl::Function(id) => items.push(Item::Function(FuncRef { file, id }, var)),
                Decl::Class(id) => items.push(Item::Class(ClassRef { file, id })),
                Decl::Constant(_) => items.push(Item::Constant(file, var)),
                Decl::Module(Some(body)) => items.extend(self.crates.module(file, body).map(Item::Module)),
                Decl::Module(None) => {
                    let declaration = self.files[file as usize].var(var);
                    let name = self.symbols.of(file as usize, declaration.name);
                    let parent = self.crates.node_of(self.files, file, declaration.owner);
                    let child = parent.and_then(|p| self.crates.children.get(&(p, name)));
                    items.extend(child.map(|&c| Item::Module(c)));
                }
                Decl::Import(path) => {
                    let ir = &self.files[file as usize];
                    let scope = ir.var(var).owner;
                    items.extend(self.path_from(file, scope, ir.name(path), Some(var), open));
                }
            }
        }
        items.dedup();
        items
    }

    /// What a path means in a scope.
    pub fn path(&self, file: u32, scope: FunctionId, path: &str) -> Items {
        self.begin();
        self.path_from(file, scope, path, None, &mut Vec::new())
    }

    fn path_from(&self, file: u32, scope: FunctionId, path: &str, but: Option<VarId>, open: &mut Open) -> Items {
        if open.len() > HOPS {
            self.spent.cut.set(true);
            return Items::new();
        }
        let mut segments = path.split("::");
        let Some(first) = segments.next() else { return Items::new() };
        let node = self.crates.node_of(self.files, file, scope);
        let mut items = match first {
            "" => match segments.next() {
                Some(name) => self.crate_named(node, name).unwrap_or_else(|| external(name)),
                None => Items::new(),
            },
            "crate" => node.map(|n| Item::Module(self.root(n))).into_iter().collect(),
            "self" => node.map(Item::Module).into_iter().collect(),
            "super" => node.and_then(|n| self.crates.node(n).parent).map(Item::Module).into_iter().collect(),
            name => {
                let whole = !path.contains("::");
                self.head(file, scope, name, whole, but, open)
            }
        };
        for segment in segments {
            items = self.below(&items, segment, open);
        }
        items
    }

    /// The first name of a path. `whole`: nothing follows.
    fn head(
        &self,
        file: u32,
        scope: FunctionId,
        name: &str,
        whole: bool,
        but: Option<VarId>,
        open: &mut Open,
    ) -> Items {
        let node = self.crates.node_of(self.files, file, scope);
        let mut found = Items::new();
        if let Some(symbol) = self.symbols.find(name) {
            let fits = |var: VarId| {
                // `use retry::retry;` is no module `retry`; nor is it what its own path begins with.
                Some(var) != but
                    && (!whole || self.crates.decls(file, var).iter().all(|d| !self.is_circular(file, *d, name)))
                    && self.crates.decls(file, var).iter().all(|d| !self.begins_with_itself(file, *d, name))
            };
            found = self.in_scopes(file, scope, symbol, &fits, open);
            if found.is_empty() {
                found = self.in_globs(file, scope, symbol, open);
            }
        }
        if found.is_empty() {
            found = self.crate_named(node, name).unwrap_or_else(|| external(name));
        }
        found
    }

    fn is_circular(&self, file: u32, decl: Decl, name: &str) -> bool {
        matches!(decl, Decl::Import(path) if self.files[file as usize].name(path) == name)
    }

    fn begins_with_itself(&self, file: u32, decl: Decl, name: &str) -> bool {
        let Decl::Import(path) = decl else { return false };
        let path = self.files[file as usize].name(path);
        let path = path.strip_prefix("::").unwrap_or(path);
        path.split("::").next() == Some(name)
    }

    /// What the first segment of a longer path means whose name a `use` declares.
    pub fn path_head(&self, file: u32, var: VarId) -> Option<Items> {
        let ir = &self.files[file as usize];
        let declaration = ir.var(var);
        let name = ir.name(declaration.name);
        let own = |d: &Decl| {
            self.begins_with_itself(file, *d, name)
                && matches!(*d, Decl::Import(path) if ir.name(path).contains("::") && ir.name(path) != format!("::{name}"))
        };
        if !self.crates.decls(file, var).iter().all(own) {
            return None;
        }
        let items = self.head(file, declaration.owner, name, false, Some(var), &mut Vec::new());
        Some(items)
    }

    /// Names declared in the scopes from a function out to its module.
    fn in_scopes(
        &self,
        file: u32,
        scope: FunctionId,
        name: Symbol,
        fits: &dyn Fn(VarId) -> bool,
        open: &mut Open,
    ) -> Items {
        let ir = &self.files[file as usize];
        let Some(declared) = self.crates.files.get(file as usize) else { return Items::new() };
        let mut at = Some(scope);
        while let Some(function) = at {
            if ir.function(function).kind != FunctionKind::ClassBody
                && let Some(vars) = declared.scopes.get(&function).and_then(|s| s.get(&name))
            {
                let mut items = Items::new();
                for &var in vars.iter().filter(|&&v| fits(v)) {
                    if open.contains(&(file, FunctionId(var.0), Symbol(u32::MAX))) {
                        self.spent.cut.set(true);
                    } else {
                        open.push((file, FunctionId(var.0), Symbol(u32::MAX)));
                        items.extend(self.var(file, var, open));
                        open.pop();
                    }
                }
                if !items.is_empty() {
                    return items;
                }
            }
            at = if ir.function(function).kind == FunctionKind::Module { None } else { ir.function(function).parent };
        }
        Items::new()
    }

    /// Names that globs of these scopes bring in.
    fn in_globs(&self, file: u32, scope: FunctionId, name: Symbol, open: &mut Open) -> Items {
        let key = (file, scope, name);
        if let Some(known) = self.spent.behind.borrow().get(&key) {
            return known.clone();
        }
        let before = self.spent.cut.replace(false);
        let items = self.look_in_globs(file, scope, name, open);
        if !self.spent.cut.get() {
            self.spent.behind.borrow_mut().insert(key, items.clone());
        }
        self.spent.cut.set(before || self.spent.cut.get());
        items
    }

    fn look_in_globs(&self, file: u32, scope: FunctionId, name: Symbol, open: &mut Open) -> Items {
        let ir = &self.files[file as usize];
        let mut at = Some(scope);
        let mut outside = Items::new();
        while let Some(function) = at {
            let items = self.behind_globs(file, function, name, open, &mut outside);
            if !items.is_empty() {
                return items;
            }
            at = if ir.function(function).kind == FunctionKind::Module { None } else { ir.function(function).parent };
        }
        outside.truncate(1);
        outside
    }

    /// What the globs of one scope bring in under a name. Each module is looked at once, however many ways
    /// lead to it: modules that import all of each other are common.
    fn behind_globs(&self, file: u32, scope: FunctionId, name: Symbol, open: &mut Open, outside: &mut Items) -> Items {
        let mut items = Items::new();
        let Some(first) = self.crates.globs.get(&(file, scope)) else { return items };
        let is_declared = self.crates.declared_names.contains(&name);
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut queue: Vec<&Item> = first.iter().collect();
        while let Some(target) = queue.pop() {
            match target {
                Item::Module(id) => {
                    if !seen.insert(*id) || !self.goes_on() {
                        continue;
                    }
                    let node = self.crates.node(*id);
                    let found = match is_declared {
                        true => self.in_scopes(node.file, node.func, name, &|_| true, open),
                        false => Items::new(),
                    };
                    if found.is_empty() {
                        queue.extend(self.crates.globs.get(&(node.file, node.func)).into_iter().flatten());
                    }
                    for item in found {
                        add(&mut items, item);
                    }
                }
                Item::Class(class) if is_declared => {
                    let declared = self.files[class.file as usize].class(class.id);
                    if self.is_variant(*class, declared, name) {
                        add(&mut items, Item::Member(*class, name));
                    }
                }
                Item::External(path) if outside.is_empty() => {
                    let full = format!("{path}::{}", self.symbols.text(name));
                    if (self.known)(&full) || is_standard(path, self.symbols.text(name)) {
                        outside.push(Item::External(full.into()));
                    }
                }
                _ => {}
            }
        }
        items
    }

    /// What each glob of a file means, as far as the globs found before tell.
    pub(super) fn globs_of(&self, file: u32) -> Vec<(FunctionId, Vec<Item>)> {
        let Some(declared) = self.crates.files.get(file as usize) else { return Vec::new() };
        let ir = &self.files[file as usize];
        let mut all: Vec<_> = declared
            .globs
            .iter()
            .map(|(&scope, paths)| {
                let mut targets = Vec::new();
                for &path in paths {
                    self.begin();
                    for item in self.path_from(file, scope, ir.name(path), None, &mut Vec::new()) {
                        let is_own = matches!(item, Item::Module(node) if self.is_body(node, file, scope));
                        if !is_own && !targets.contains(&item) {
                            targets.push(item);
                        }
                    }
                }
                (scope, targets)
            })
            .collect();
        all.sort_by_key(|(scope, _)| *scope);
        all
    }

    fn is_body(&self, node: NodeId, file: u32, scope: FunctionId) -> bool {
        let node = self.crates.node(node);
        node.file == file && node.func == scope
    }

    /// A name that no scope of the file declares.
    pub fn free(&self, file: u32, scope: FunctionId, name: Symbol) -> Items {
        self.begin();
        let found = self.in_globs(file, scope, name, &mut Vec::new());
        if !found.is_empty() {
            return found;
        }
        let node = self.crates.node_of(self.files, file, scope);
        if let Some(items) = self.crate_named(node, self.symbols.text(name)) {
            return items;
        }
        // A macro's body names what stands beside the macro.
        self.in_scopes(file, scope, name, &|_| true, &mut Vec::new())
    }

    /// What one more segment means.
    pub fn step(&self, item: &Item, name: Symbol) -> Items {
        self.begin();
        self.member(item, name, &mut Vec::new())
    }

    fn below(&self, items: &Items, segment: &str, open: &mut Open) -> Items {
        let mut found = Items::new();
        for item in items {
            match (item, segment) {
                (_, "self") => found.push(item.clone()),
                (Item::Module(node), "super") => {
                    found.extend(self.crates.node(*node).parent.map(Item::Module));
                }
                (Item::External(path), _) => found.push(Item::External(format!("{path}::{segment}").into())),
                _ => {
                    if let Some(name) = self.symbols.find(segment) {
                        found.extend(self.member(item, name, open));
                    }
                }
            }
        }
        found
    }

    fn member(&self, item: &Item, name: Symbol, open: &mut Open) -> Items {
        match item {
            Item::Module(node) => {
                let node = self.crates.node(*node);
                let found = self.in_scopes(node.file, node.func, name, &|_| true, open);
                if found.is_empty() { self.in_globs(node.file, node.func, name, open) } else { found }
            }
            Item::Class(class) => {
                let ir = &self.files[class.file as usize];
                let declared = ir.class(class.id);
                if !open.is_empty() && !self.is_variant(*class, declared, name) {
                    // Through a glob or import: variants only.
                    return Items::new();
                }
                [Item::Member(*class, name)].into_iter().collect()
            }
            Item::External(path) => external(&format!("{path}::{}", self.symbols.text(name))),
            Item::Function(..) | Item::Constant(..) | Item::Member(..) => Items::new(),
        }
    }

    fn is_variant(&self, class: ClassRef, declared: &Class, name: Symbol) -> bool {
        declared.kind == ClassKind::Enum && self.crates.declares(class.file, declared.body, name).is_some()
    }

    fn root(&self, node: NodeId) -> NodeId {
        let krate = self.crates.node(node).krate;
        self.crates.crates.get(krate as usize).map_or(node, |c| c.root)
    }

    /// A crate by the name it has here.
    fn crate_named(&self, node: Option<NodeId>, name: &str) -> Option<Items> {
        if matches!(name, "core" | "alloc") {
            return Some(external("std"));
        }
        let krate = &self.crates.crates[self.crates.node(node?).krate as usize];
        Some(match krate.names.get(name)? {
            Dependency::Own(own) => [Item::Module(self.crates.crates[*own as usize].root)].into_iter().collect(),
            Dependency::External(real) => external(real),
        })
    }

    /// What a path expression or a type's path means; nothing if it begins with a value.
    pub fn of_expr(&self, file: u32, scope: FunctionId, e: ExprId) -> Items {
        let ir = &self.files[file as usize];
        let mut names = Vec::new();
        let mut at = e;
        while let ExprKind::Attr { object, name, .. } = ir.expr(at).kind {
            names.push(self.symbols.of(file as usize, name));
            at = object;
        }
        let mut items = match &ir.expr(at).kind {
            ExprKind::Var(var) if !names.is_empty() => {
                self.path_head(file, *var).unwrap_or_else(|| self.of_var(file, *var))
            }
            ExprKind::Var(var) => self.of_var(file, *var),
            ExprKind::Free(name) => match ir.name(*name) {
                path @ ("crate" | "self" | "super") => self.path(file, scope, path),
                _ => {
                    let found = self.free(file, scope, self.symbols.of(file as usize, *name));
                    if found.is_empty() { external(ir.name(*name)) } else { found }
                }
            },
            ExprKind::Import(path) => self.path(file, scope, ir.name(path.path)),
            _ => Items::new(),
        };
        while let Some(name) = names.pop() {
            let mut next = Items::new();
            for item in &items {
                match (item, self.symbols.text(name)) {
                    (Item::Module(node), "super") => {
                        next.extend(self.crates.node(*node).parent.map(Item::Module));
                    }
                    _ => next.extend(self.step(item, name)),
                }
            }
            items = next;
        }
        items
    }
}

fn add(items: &mut Items, item: Item) {
    if !items.contains(&item) {
        items.push(item);
    }
}

fn external(path: &str) -> Items {
    [Item::External(path.into())].into_iter().collect()
}

/// Whether a module of the language's library has a type, as far as squall follows these.
fn is_standard(module: &str, name: &str) -> bool {
    match module {
        "std::sync::atomic" | "core::sync::atomic" => name.starts_with("Atomic") || name == "Ordering",
        "std::sync" => matches!(name, "Arc" | "Mutex" | "RwLock" | "OnceLock" | "LazyLock"),
        "std::time" | "core::time" => matches!(name, "Duration" | "Instant" | "SystemTime"),
        "std::cell" | "core::cell" => matches!(name, "Cell" | "RefCell" | "OnceCell" | "LazyCell"),
        "std::collections" => matches!(name, "HashMap" | "HashSet" | "BTreeMap" | "BTreeSet" | "VecDeque"),
        _ => false,
    }
}
