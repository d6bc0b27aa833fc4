//! Rust's impl blocks: which type and trait each is about, and what a type's members are because of them.

use super::modules::rust::{Crates, Item, Names};
use super::roots::Roots;
use super::symbols::{Symbol, Symbols};
use super::token::ClassRef;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A trait of the program or of another crate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraitRef {
    /// The trait, if the program defines it.
    pub own: Option<ClassRef>,
    /// Its name.
    pub name: Symbol,
}

/// What an impl block is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeTarget {
    /// A type of the program.
    Class(ClassRef),
    /// A type of another crate or of the language.
    External(Box<str>),
    /// Whatever has these traits.
    Every(Vec<TraitRef>),
    /// Whatever can be called.
    Callable,
    /// Slices and arrays.
    Slice,
    /// Something else.
    Other,
}

/// An impl block.
#[derive(Debug)]
pub struct Block {
    /// Its class.
    pub class: ClassRef,
    /// What it is about.
    pub target: TypeTarget,
    /// The trait that it implements.
    pub of: Option<TraitRef>,
}

/// A member of a type: a method, associated function, constant or type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// The impl block or trait that it stands in.
    pub holder: ClassRef,
    /// The function, if it is one.
    pub function: Option<FunctionId>,
    /// The variable that holds it in the body of `holder`.
    pub var: VarId,
    /// The trait it comes from.
    pub of: Option<TraitRef>,
}

/// All members of a name.
pub type Members = SmallVec<[Member; 1]>;

/// All impl blocks.
#[derive(Default)]
pub struct Impls {
    blocks: Vec<Block>,
    by_class: FxHashMap<ClassRef, u32>,
    members: FxHashMap<(ClassRef, Symbol), Members>,
    /// Blocks by the trait of the program that they implement.
    by_trait: FxHashMap<ClassRef, Vec<u32>>,
    /// Traits of each type of the program.
    traits: FxHashMap<ClassRef, Vec<TraitRef>>,
    /// Blocks about types that are not the program's, by method.
    foreign: FxHashMap<Symbol, Vec<u32>>,
    /// Blocks about whatever has some traits.
    blanket: Vec<u32>,
    supers: FxHashMap<ClassRef, Vec<TraitRef>>,
    /// What aliases stand for.
    aliases: FxHashMap<ClassRef, TypeTarget>,
    traits_named: FxHashSet<Symbol>,
}

/// Aliases of aliases are followed so far.
const ALIASES: usize = 16;

impl Impls {
    /// Reads all impl blocks.
    pub fn new(files: &[File], symbols: &Symbols, crates: &Crates, known: &dyn Fn(&str) -> bool, roots: Roots) -> Self {
        let mut impls = Self::default();
        let names = Names { crates, files, symbols, known, spent: Default::default() };
        for (at, file) in files.iter().enumerate().filter(|(_, f)| f.language == Language::Rust) {
            for (i, class) in file.classes.iter().enumerate() {
                let reference = ClassRef { file: at as u32, id: ClassId(i as u32) };
                match class.kind {
                    ClassKind::Alias => {
                        if let Some(target) = class.target {
                            let target = type_target(&names, reference.file, class.parent, target, 0);
                            impls.aliases.insert(reference, target);
                        }
                    }
                    ClassKind::Trait => {
                        let supers =
                            class.bases.iter().filter_map(|&b| trait_of(&names, reference.file, class.parent, b));
                        impls.supers.insert(reference, supers.collect());
                        impls.own_members(&names, reference, reference, None);
                    }
                    ClassKind::Impl if roots.block_rests(files, crates, reference) => {}
                    ClassKind::Impl => impls.block(&names, reference, class),
                    _ => {}
                }
            }
        }
        impls.inherit(&names);
        impls
    }

    fn block(&mut self, names: &Names, reference: ClassRef, class: &Class) {
        let file = reference.file;
        let target = class.target.map_or(TypeTarget::Other, |t| type_target(names, file, class.parent, t, 0));
        let ir = &names.files[file as usize];
        let target = match &target {
            // A type parameter without bounds.
            TypeTarget::External(path) if class.type_params.iter().any(|p| ir.name(p.0) == &**path) => {
                TypeTarget::Every(Vec::new())
            }
            _ => target,
        };
        let of = class.bases.first().and_then(|&b| trait_of(names, file, class.parent, b));
        let id = self.blocks.len() as u32;
        if let Some(own) = of.and_then(|t| t.own) {
            self.by_trait.entry(own).or_default().push(id);
        }
        match (&target, of) {
            (TypeTarget::Class(target), of) => {
                self.own_members(names, *target, reference, of);
                if let Some(of) = of {
                    self.traits_named.insert(of.name);
                    self.traits.entry(*target).or_default().push(of);
                }
            }
            (TypeTarget::Every(_), Some(_)) => self.blanket.push(id),
            _ => {}
        }
        self.by_class.insert(reference, id);
        self.blocks.push(Block { class: reference, target, of });
    }

    /// Adds what stands in the body of `holder` to a type. Inherent members hide those of traits.
    fn own_members(&mut self, names: &Names, target: ClassRef, holder: ClassRef, of: Option<TraitRef>) {
        let ir = &names.files[holder.file as usize];
        let class = ir.class(holder.id);
        for (name, var) in names.crates.declared_in(holder.file, class.body) {
            let function = names.crates.decls(holder.file, var).iter().find_map(|d| match *d {
                super::modules::rust::Decl::Function(f) => Some(f),
                _ => None,
            });
            self.add(target, name, Member { holder, function, var, of });
        }
    }

    fn add(&mut self, target: ClassRef, name: Symbol, member: Member) {
        let members = self.members.entry((target, name)).or_default();
        if !members.contains(&member) {
            members.push(member);
        }
    }

    /// Default methods of traits become members of what implements them; methods for foreign types are
    /// found by name.
    fn inherit(&mut self, names: &Names) {
        for id in 0..self.blocks.len() {
            let (class, of, target) = {
                let block = &self.blocks[id];
                (block.class, block.of, block.target.clone())
            };
            let body = names.files[class.file as usize].class(class.id).body;
            let written: Vec<Symbol> = names.crates.declared_in(class.file, body).map(|m| m.0).collect();
            let mut given: Vec<Symbol> = Vec::new();
            if let Some(own) = of.and_then(|t| t.own) {
                let ir = &names.files[own.file as usize];
                let declared = ir.class(own.id);
                for (name, var) in names.crates.declared_in(own.file, declared.body) {
                    let function = names.crates.decls(own.file, var).iter().find_map(|d| match *d {
                        super::modules::rust::Decl::Function(f) => Some(f),
                        _ => None,
                    });
                    let decls = names.crates.decls(own.file, var).iter();
                    let is_constant = decls.clone().any(|d| matches!(d, super::modules::rust::Decl::Constant(Some(_))));
                    let has_body = is_constant || function.is_some_and(|f| !ir.function(f).is_abstract);
                    if has_body && !written.contains(&name) {
                        given.push(name);
                        if let TypeTarget::Class(target) = target {
                            self.add(target, name, Member { holder: own, function, var, of });
                        }
                    }
                }
            }
            if !matches!(target, TypeTarget::Class(_)) {
                for name in written.into_iter().chain(given) {
                    self.foreign.entry(name).or_default().push(id as u32);
                }
            }
        }
        for list in self.members.values_mut() {
            list.sort_by_key(|m| (m.of.is_some(), m.holder, m.var));
        }
    }

    /// The members of a type of the program under a name: inherent ones, else those of traits; a trait's own
    /// and those of its supertraits.
    pub fn members(&self, class: ClassRef, name: Symbol) -> Members {
        let mut stack = vec![class];
        let mut seen = Vec::new();
        while let Some(at) = stack.pop() {
            if seen.contains(&at) || seen.len() > 64 {
                continue;
            }
            seen.push(at);
            if let Some(found) = self.members.get(&(at, name)) {
                let inherent = found.iter().any(|m| m.of.is_none());
                return found.iter().copied().filter(|m| !inherent || m.of.is_none()).collect();
            }
            stack.extend(self.supers_of(at));
        }
        Members::new()
    }

    /// The supertraits of a trait that the program defines.
    pub fn supers_of(&self, class: ClassRef) -> impl Iterator<Item = ClassRef> + '_ {
        self.supers.get(&class).into_iter().flatten().filter_map(|t| t.own)
    }

    /// Members that come from some trait.
    pub fn of_trait(&self, class: ClassRef, name: Symbol, fits: impl Fn(TraitRef) -> bool) -> Members {
        let all = self.members.get(&(class, name)).into_iter().flatten();
        all.copied().filter(|m| m.of.is_some_and(&fits)).collect()
    }

    /// Whether any type of the program has a trait of that name.
    pub fn has_impls_of(&self, symbols: &Symbols, of: &str) -> bool {
        symbols.find(of).is_some_and(|name| self.traits_named.contains(&name))
    }

    /// Whether a type has a trait of that name.
    pub fn has_trait(&self, symbols: &Symbols, class: ClassRef, of: &str) -> bool {
        self.traits.get(&class).is_some_and(|list| list.iter().any(|t| symbols.text(t.name) == of))
    }

    /// Whether a type of the program has a trait, as far as the program says so.
    pub fn implements(&self, class: ClassRef, of: TraitRef) -> bool {
        let Some(own) = of.own else { return true };
        class == own
            || self.traits.get(&class).is_some_and(|list| list.iter().any(|t| t.own == Some(own)))
            || self.supers_of(class).any(|s| s == own)
    }

    /// The traits of the program that a type has, blanket ones too.
    pub fn traits_of(&self, class: ClassRef) -> Vec<ClassRef> {
        let mut list: Vec<ClassRef> = self.traits.get(&class).into_iter().flatten().filter_map(|t| t.own).collect();
        for &id in &self.blanket {
            let block = &self.blocks[id as usize];
            if let (TypeTarget::Every(bounds), Some(own)) = (&block.target, block.of.and_then(|t| t.own))
                && bounds.iter().all(|b| self.implements(class, *b))
                && !list.contains(&own)
            {
                list.push(own);
            }
        }
        list
    }

    /// Blocks that implement a trait of the program.
    pub fn implementing(&self, of: ClassRef) -> impl Iterator<Item = &Block> + '_ {
        self.by_trait.get(&of).into_iter().flatten().map(|&id| &self.blocks[id as usize])
    }

    /// Blocks about types outside the program, or about all types, that have a method of that name.
    pub fn foreign(&self, name: Symbol) -> impl Iterator<Item = &Block> + '_ {
        self.foreign.get(&name).into_iter().flatten().map(|&id| &self.blocks[id as usize])
    }

    /// What an impl block is about.
    pub fn target(&self, class: ClassRef) -> Option<&TypeTarget> {
        self.by_class.get(&class).map(|&id| &self.blocks[id as usize].target)
    }

    /// What an alias stands for.
    pub fn alias(&self, class: ClassRef) -> Option<&TypeTarget> {
        let mut at = class;
        for _ in 0..ALIASES {
            match self.aliases.get(&at)? {
                TypeTarget::Class(next) if self.aliases.contains_key(next) => at = *next,
                found => return Some(found),
            }
        }
        None
    }
}

/// The trait that a path names.
fn trait_of(names: &Names, file: u32, scope: FunctionId, e: ExprId) -> Option<TraitRef> {
    let ir = &names.files[file as usize];
    let items = names.of_expr(file, scope, e);
    let own = items.iter().find_map(|item| match item {
        Item::Class(class) if names.files[class.file as usize].class(class.id).kind == ClassKind::Trait => Some(*class),
        _ => None,
    });
    let external = items.iter().find_map(|item| match item {
        Item::External(path) => names.symbols.find(path.rsplit("::").next().unwrap_or(path)),
        _ => None,
    });
    let written = match ir.expr(e).kind {
        ExprKind::Attr { name, .. } | ExprKind::Free(name) => Some(names.symbols.of(file as usize, name)),
        ExprKind::Var(var) => Some(names.symbols.of(file as usize, ir.var(var).name)),
        _ => None,
    };
    Some(TraitRef { own, name: external.or(written)? })
}

/// The type that a declared type is.
fn type_target(names: &Names, file: u32, scope: FunctionId, ty: TypeId, depth: usize) -> TypeTarget {
    let ir = &names.files[file as usize];
    if depth > ALIASES {
        return TypeTarget::Other;
    }
    match &ir.types[ty.index()] {
        Type::Ref(e) => {
            for item in names.of_expr(file, scope, *e) {
                match item {
                    Item::Class(class) => {
                        let other = &names.files[class.file as usize];
                        let declared = other.class(class.id);
                        return match declared.target {
                            Some(target) if declared.kind == ClassKind::Alias => {
                                type_target(names, class.file, declared.parent, target, depth + 1)
                            }
                            _ => TypeTarget::Class(class),
                        };
                    }
                    Item::External(path) => return TypeTarget::External(path),
                    _ => {}
                }
            }
            TypeTarget::Other
        }
        Type::Apply { base, .. } => type_target(names, file, scope, *base, depth + 1),
        Type::Bounds(parts) => {
            if parts.iter().any(|p| matches!(ir.types[p.index()], Type::Function(_))) {
                return TypeTarget::Callable;
            }
            let bounds = parts.iter().filter_map(|p| {
                let mut at = *p;
                while let Type::Apply { base, .. } = ir.types[at.index()] {
                    at = base;
                }
                let Type::Ref(e) = ir.types[at.index()] else { return None };
                trait_of(names, file, scope, e)
            });
            TypeTarget::Every(bounds.collect())
        }
        Type::Function(_) => TypeTarget::Callable,
        Type::Sequence(_) => TypeTarget::Slice,
        _ => TypeTarget::Other,
    }
}
