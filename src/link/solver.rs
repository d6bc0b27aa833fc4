//! The worklist: runs components until nothing grows, stage by stage.
//!
//! Stages keep guesses out of what is known. First module code and what it reaches; then functions
//! nobody called, with parameters that nothing is known about yet, so that they pass on to each other
//! what they do know; last, parameters and fields for which nothing was found get their declared types.

use super::component::{CompKey, Component, Target, Via};
use super::contexts::Contexts;
use super::eval::order::Hierarchy;
use super::eval::protocol::Protocols;
use super::index::FileIndex;
use super::modules::Modules;
use super::roots::Roots;
use super::signature::Trait;
use super::store::{Addr, Store};
use super::symbols::{Symbol, Symbols};
use super::token::*;
use crate::catalogue::Catalogue;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How far the analysis has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Module code and what it reaches. What has no value yet is waited for.
    Modules,
    /// The same; what nothing gave a value counts as unknown.
    Stuck,
    /// Functions that nobody called, without guesses.
    Uncalled,
    /// Declared types where nothing was found.
    Declared,
}

/// The state of the analysis.
pub struct Solver<'p> {
    /// The lowered files.
    pub files: &'p [File],
    /// What each file says by itself.
    pub index: &'p [FileIndex],
    /// The catalogue.
    pub catalogue: &'p Catalogue,
    /// Module resolution.
    pub modules: &'p Modules,
    /// Interned strings.
    pub symbols: Symbols,
    /// Interned tokens.
    pub tokens: Tokens,
    /// What addresses hold.
    pub store: Store<'p>,
    /// All components.
    pub comps: Vec<Component>,
    pub(super) by_key: FxHashMap<CompKey, CompId>,
    pub(super) per_function: FxHashMap<FuncRef, u32>,
    /// The first component with a signature, for those that come when there are too many.
    pub(super) alike: FxHashMap<(FuncRef, Option<CompId>, Vec<Trait>), CompId>,
    /// What is to be run: first what was run least (the rest of its input may still be coming), then what has
    /// waited longest.
    queue: BinaryHeap<Reverse<(u32, u64, CompId)>>,
    turn: u64,
    /// How far it has come.
    pub stage: Stage,
    pub(super) contexts: Contexts,
    roots: Roots<'p>,
    /// Bases, and orders as long as nothing new comes in.
    pub(super) hierarchy: Hierarchy,
    /// Protocols and the classes that fit them.
    pub(super) protocols: Protocols,
    /// Names of Rust that were looked up before.
    pub(super) found: super::eval::rust::Found,
    /// Names of properties with accessors outside of classes (JavaScript).
    pub(super) accessors: FxHashSet<Symbol>,
    /// Proxies (JavaScript).
    pub(super) proxies: FxHashSet<Tok>,
    /// Property descriptors in the hands of decorators (JavaScript).
    pub(super) descriptors: FxHashSet<Tok>,
    /// Class orders, once all is done.
    pub orders: FxHashMap<Tok, Vec<Tok>>,
    /// Modules whose exports files export again, as far as it was asked for.
    pub star_modules: FxHashMap<u32, std::sync::Arc<[Tok]>>,
    /// How many runs it took.
    pub runs: usize,
    /// Functions whose decorators made something else of them.
    pub decorated: FxHashMap<Tok, Value>,
    /// Objects that were made of each class, of the tokens looked at so far.
    made_of_class: (FxHashMap<Tok, Vec<Tok>>, usize),
    /// Components that stand for a decorated function: the function and where it was defined.
    pub stands_for: FxHashMap<CompId, (FuncRef, CompId)>,
    /// Python's builtin names that were used.
    pub(super) builtins: FxHashMap<Symbol, Tok>,
    /// The components that run class bodies.
    pub(super) bodies: FxHashMap<Tok, CompId>,
    /// What the run at hand asked for and did not get yet.
    missed: Cell<u8>,
    /// What the catalogue says about paths that were looked up.
    pub(super) known_paths: RefCell<FxHashMap<Symbol, Option<super::known::Known<'p>>>>,
    /// What the catalogue says about tokens that were asked about.
    pub(super) said: super::known::Said<'p>,
    /// Nothing more comes in.
    pub(super) is_done: bool,
    /// How deep the expression at hand nests, and how deep it may.
    pub(super) level: u32,
    pub(super) deepest: u32,
    /// How many components are being run, one called by the other.
    nested: u32,
    /// Something was nested too deep to be looked at.
    pub too_deep: bool,
    /// Functions whose definition was run, and the first component that did.
    defined: FxHashMap<FuncRef, CompId>,
    /// Objects by the expression that makes them.
    pub made_by_site: FxHashMap<Site, Tok>,
    /// Parameters whose default was used, since nobody had called their function with a value.
    pub(super) defaulted: FxHashSet<(CompId, u32)>,
    /// Functions that something other than themselves calls.
    pub(super) called: FxHashSet<FuncRef>,
    /// Roots that are methods of classes of which nobody had made an instance.
    without_receiver: Vec<CompId>,
}

/// A run asked for values that had not come yet.
const MISSED_VALUES: u8 = 1;
/// A run would have used declared types.
const MISSED_TYPES: u8 = 2;

/// Stack for one level of nesting, generously.
const LEVEL: usize = if cfg!(debug_assertions) { 24 << 10 } else { 6 << 10 };
/// So many levels fit on any stack.
const SHALLOW: u32 = ((1 << 20) / LEVEL) as u32;
/// Deeper expressions are unknown.
const DEEPEST: u32 = 20_000;

/// So many components run inside each other: a stack has an end.
const NESTED: u32 = 8;

impl<'p> Solver<'p> {
    /// Prepares the analysis.
    pub fn new(
        files: &'p [File],
        index: &'p [FileIndex],
        catalogue: &'p Catalogue,
        modules: &'p Modules,
        symbols: Symbols,
        contexts: Contexts,
        roots: Roots<'p>,
    ) -> Self {
        Self {
            files,
            index,
            catalogue,
            modules,
            symbols,
            tokens: Tokens::default(),
            store: Store::new(index),
            comps: Vec::new(),
            by_key: FxHashMap::default(),
            per_function: FxHashMap::default(),
            alike: FxHashMap::default(),
            queue: BinaryHeap::new(),
            turn: 0,
            stage: Stage::Modules,
            contexts,
            roots,
            hierarchy: Hierarchy::default(),
            protocols: Protocols::default(),
            found: Default::default(),
            proxies: FxHashSet::default(),
            descriptors: FxHashSet::default(),
            accessors: index.iter().flat_map(|i| i.script.accessors.iter().copied()).collect(),
            orders: FxHashMap::default(),
            star_modules: FxHashMap::default(),
            runs: 0,
            decorated: FxHashMap::default(),
            made_of_class: Default::default(),
            builtins: FxHashMap::default(),
            bodies: FxHashMap::default(),
            missed: Cell::new(0),
            known_paths: RefCell::default(),
            said: Default::default(),
            is_done: false,
            level: 0,
            deepest: SHALLOW,
            nested: 0,
            too_deep: false,
            defined: FxHashMap::default(),
            made_by_site: FxHashMap::default(),
            defaulted: FxHashSet::default(),
            stands_for: FxHashMap::default(),
            called: FxHashSet::default(),
            without_receiver: Vec::new(),
        }
    }

    /// Runs to the end: on a stack that is large enough for the deepest expression.
    pub fn solve(&mut self) {
        let depth = self.index.iter().map(|file| file.depth).max().unwrap_or(0).min(DEEPEST);
        if depth <= SHALLOW {
            return self.solve_here();
        }
        let solved = std::thread::scope(|scope| {
            let stack = (depth as usize + SHALLOW as usize) * LEVEL;
            let solver = &mut *self;
            let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, move || {
                solver.deepest = depth + SHALLOW;
                solver.solve_here();
            });
            thread.is_ok_and(|thread| thread.join().is_ok())
        });
        if !solved {
            self.deepest = SHALLOW;
            self.solve_here();
        }
    }

    fn solve_here(&mut self) {
        for file in 0..self.files.len() as u32 {
            if !self.roots.file_rests(&self.modules.rust, file) {
                self.root(FuncRef { file, id: MODULE }, None);
            }
        }
        self.drain();
        self.next_stage(Stage::Stuck, MISSED_VALUES);
        self.drain();
        self.stage = Stage::Uncalled;
        // Functions nobody called: closures of components that exist first, then what they make.
        loop {
            let uncalled = self.uncalled();
            if uncalled.is_empty() {
                break;
            }
            // What decorators of the program made of some comes first: the closures that they made run as those.
            let plain: Vec<_> =
                uncalled.iter().copied().filter(|&(func, parent)| !self.root_decorated(func, parent)).collect();
            if plain.len() == uncalled.len() {
                for (func, parent) in plain {
                    self.root(func, parent);
                }
            }
            self.drain();
        }
        self.next_stage(Stage::Declared, MISSED_TYPES);
        // Methods of classes of which nobody makes an instance run on one that is only declared.
        let called: FxHashSet<FuncRef> = self.comps.iter().filter(|c| c.called).map(|c| c.key.func).collect();
        for comp in std::mem::take(&mut self.without_receiver) {
            if called.contains(&self.comps[comp.0 as usize].key.func) {
                continue;
            }
            self.bind_receiver_of_root(comp);
            if let Some(&(raw, _)) = self.stands_for.get(&comp) {
                self.bind_decorated_receiver(raw, comp);
            }
        }
        self.drain();
        loop {
            let uncalled = self.uncalled();
            if uncalled.is_empty() {
                break;
            }
            for (func, parent) in uncalled {
                self.root(func, parent);
            }
            self.drain();
        }
        self.orders = self.hierarchy.orders();
        self.is_done = true;
    }

    /// Functions that were defined and have no component: nobody calls them. What is never defined cannot run;
    /// Rust's items are there without a statement that defines them.
    fn uncalled(&self) -> Vec<(FuncRef, Option<CompId>)> {
        let run: FxHashSet<FuncRef> = self.comps.iter().map(|comp| comp.key.func).collect();
        // (What a module for tests defines runs if something calls it, also where an import looked into that module.)
        let waits = |func: &FuncRef| {
            let function = self.function(*func);
            !(run.contains(func) || function.is_abstract || function.is_test && self.rests(*func))
        };
        let waiting = self.defined.iter().filter(|(func, _)| waits(func));
        let mut list: Vec<_> = waiting.map(|(&func, &parent)| (func, Some(parent))).collect();
        self.uncalled_items(&run, &mut list);
        list.sort_unstable();
        list
    }

    /// Functions of Rust without a component whose surroundings have one.
    fn uncalled_items(&self, run: &FxHashSet<FuncRef>, list: &mut Vec<(FuncRef, Option<CompId>)>) {
        if self.files.iter().all(|file| file.language != Language::Rust) {
            return;
        }
        let mut first: FxHashMap<FuncRef, CompId> = FxHashMap::default();
        for (i, comp) in self.comps.iter().enumerate() {
            first.entry(comp.key.func).or_insert(CompId(i as u32));
        }
        for (file, lowered) in self.files.iter().enumerate().filter(|(_, file)| file.language == Language::Rust) {
            for (id, function) in lowered.functions.iter().enumerate().skip(1) {
                let func = FuncRef { file: file as u32, id: FunctionId(id as u32) };
                if function.is_abstract || run.contains(&func) || self.defined.contains_key(&func) || self.rests(func) {
                    continue;
                }
                let Some(parent) = function.parent else { continue };
                if let Some(&parent) = first.get(&FuncRef { file: file as u32, id: parent }) {
                    list.push((func, Some(parent)));
                }
            }
        }
    }

    /// Whether a function, or the module that it is the body of, runs only if something asks for it.
    pub(super) fn rests(&self, func: FuncRef) -> bool {
        self.roots.function_rests(self.files, &self.modules.rust, func)
    }

    /// Notes that a component has defined a function.
    pub(super) fn note_defined(&mut self, func: FuncRef, by: CompId) {
        self.defined.entry(func).or_insert(by);
    }

    /// A function whose decorator of the program made something else of it starts as that. Says whether
    /// it did, the first time.
    fn root_decorated(&mut self, func: FuncRef, parent: Option<CompId>) -> bool {
        let Some(env) = parent else { return false };
        let Some(token) = self.tokens.find(&Token::Function { func, env }) else { return false };
        let Some(value) = self.decorated.get(&token).cloned() else { return false };
        let mut started = false;
        for decorated in value.iter() {
            let mut at = decorated;
            while let Token::Wrapped { inner, .. } = *self.tokens.get(at) {
                at = inner;
            }
            let Token::Function { func: other, env: other_env } = *self.tokens.get(at) else { continue };
            if other == func {
                continue;
            }
            let key = CompKey { func: other, parent: Some(other_env), context: Box::default() };
            if self.by_key.contains_key(&key) {
                continue;
            }
            self.root(other, Some(other_env));
            if let Some(&comp) = self.by_key.get(&key) {
                self.stands_for.insert(comp, (func, env));
                // The receiver of a decorated method is its first argument.
                self.bind_decorated_receiver(func, comp);
            }
            started = true;
        }
        started
    }

    fn bind_decorated_receiver(&mut self, raw: FuncRef, comp: CompId) {
        let function = self.function(raw);
        let (Some(class), Binding::Instance) = (function.class, function.binding) else { return };
        let Some(env) = self.stands_for.get(&comp).map(|s| s.1) else { return };
        let Some(class) = self.class_token(ClassRef { file: raw.file, id: class }, env) else { return };
        let receiver = self.instances(class, comp);
        if receiver.is_empty() && !self.types_count() {
            self.without_receiver.push(comp);
        }
        let inner = self.function(self.comps[comp.0 as usize].key.func);
        let own = self.comps[comp.0 as usize].key.func;
        if self.files[own.file as usize].language == Language::JavaScript {
            return self.write(Addr::This(comp), &receiver);
        }
        match inner.params.first().map(|p| p.kind) {
            Some(ParamKind::VarArgs) => {
                let rest = self.tokens.intern(Token::Rest { comp, param: 0, kind: ContainerKind::Tuple });
                let zero = self.symbols.intern("0");
                self.write(Addr::Field(rest, zero), &receiver);
                let key = self.tokens.intern(Token::Str(zero));
                self.write(Addr::Keys(rest), &Value::of(key));
            }
            Some(_) => self.write(Addr::Param(comp, 0), &receiver),
            None => {}
        }
        self.write(Addr::This(comp), &receiver);
    }

    fn root(&mut self, func: FuncRef, parent: Option<CompId>) {
        let comp = self.component(CompKey { func, parent, context: Box::default() }, 0);
        if self.stage != Stage::Modules {
            self.bind_receiver_of_root(comp);
        }
        self.enqueue(comp);
    }

    /// A method nobody called runs on the instances of its class, or on a declared one.
    fn bind_receiver_of_root(&mut self, comp: CompId) {
        let func = self.comps[comp.0 as usize].key.func;
        let function = self.function(func);
        let Some(class) = function.class else { return };
        if self.files[func.file as usize].language == Language::Rust {
            // The block around it is no type; the method looks for its own receiver.
            return;
        }
        let Some(class) = self.class_token(ClassRef { file: func.file, id: class }, comp) else { return };
        let receiver = match function.binding {
            Binding::Class => Value::of(class),
            Binding::None if function.kind == FunctionKind::FieldInit => self.instances(class, comp),
            Binding::Static | Binding::None => return,
            _ => self.instances(class, comp),
        };
        if receiver.is_empty() && !self.types_count() {
            self.without_receiver.push(comp);
        }
        if function.params.first().is_some_and(|p| p.kind == ParamKind::Receiver) {
            self.write(Addr::Param(comp, 0), &receiver);
        }
        self.write(Addr::This(comp), &receiver);
    }

    fn drain(&mut self) {
        while let Some(Reverse((_, _, comp))) = self.queue.pop() {
            // It was run in the meantime.
            if !self.comps[comp.0 as usize].queued {
                continue;
            }
            self.run_queued(comp);
        }
    }

    fn run_queued(&mut self, comp: CompId) {
        let component = &mut self.comps[comp.0 as usize];
        component.queued = false;
        component.runs += 1;
        self.runs += 1;
        let outer = self.missed.replace(0);
        self.run(comp);
        self.comps[comp.0 as usize].missed = self.missed.replace(outer);
    }

    /// Runs a component that has never been run right where it is called: the caller then need not be run again
    /// for what it returns.
    pub(super) fn run_first(&mut self, comp: CompId) {
        let component = &self.comps[comp.0 as usize];
        let file = component.key.func.file as usize;
        if component.runs > 0 || !component.queued || self.nested >= NESTED {
            return;
        }
        if self.level + self.index[file].depth > self.deepest / 2 {
            return;
        }
        self.nested += 1;
        self.run_queued(comp);
        self.nested -= 1;
    }

    /// Whether values may still come in from code that has not been run yet. Who asks is run again when they cannot.
    pub fn waits(&self) -> bool {
        let waits = self.stage == Stage::Modules;
        if waits {
            self.missed.set(self.missed.get() | MISSED_VALUES);
        }
        waits
    }

    /// Objects that were made of a class so far.
    pub(super) fn made_of(&mut self, class: Tok) -> Vec<Tok> {
        let (made, seen) = &mut self.made_of_class;
        for tok in self.tokens.all().skip(*seen) {
            if let Token::Object { class, .. } = *self.tokens.get(tok) {
                made.entry(class).or_default().push(tok);
            }
        }
        *seen = self.tokens.len();
        made.get(&class).cloned().unwrap_or_default()
    }

    /// Whether declared types count. Who asks is run again when they do.
    pub(super) fn types_count(&self) -> bool {
        let count = self.stage == Stage::Declared;
        if !count {
            self.missed.set(self.missed.get() | MISSED_TYPES);
        }
        count
    }

    /// Whether all calls from module code have been seen.
    pub(super) fn is_past_calls(&self) -> bool {
        if self.stage < Stage::Uncalled {
            self.missed.set(self.missed.get() | MISSED_TYPES);
        }
        self.stage >= Stage::Uncalled
    }

    /// A new stage: components that missed something in the ones before are run again.
    fn next_stage(&mut self, stage: Stage, missed: u8) {
        self.stage = stage;
        for comp in 0..self.comps.len() {
            if self.comps[comp].missed & missed != 0 {
                self.enqueue(CompId(comp as u32));
            }
        }
    }

    /// Puts a component into the queue.
    pub fn enqueue(&mut self, comp: CompId) {
        let component = &mut self.comps[comp.0 as usize];
        if !component.queued {
            component.queued = true;
            self.turn += 1;
            self.queue.push(Reverse((component.runs, self.turn, comp)));
        }
    }

    /// Writes to the store and wakes the readers.
    pub fn write(&mut self, addr: Addr, value: &Value) {
        let tokens = &mut self.tokens;
        if let Some(readers) = self.store.write(addr, value, |all| collapse(tokens, all)) {
            for &reader in readers {
                let component = &mut self.comps[reader.0 as usize];
                if !component.queued {
                    component.queued = true;
                    self.turn += 1;
                    self.queue.push(Reverse((component.runs, self.turn, reader)));
                }
            }
        }
    }

    /// Wakes the readers of an address.
    pub fn wake(&mut self, addr: Addr) {
        for reader in self.store.readers(addr).to_vec() {
            self.enqueue(reader);
        }
    }

    /// The function behind a reference.
    pub fn function(&self, func: FuncRef) -> &'p Function {
        self.files[func.file as usize].function(func.id)
    }

    /// The class behind a reference.
    pub fn class(&self, class: ClassRef) -> &'p Class {
        self.files[class.file as usize].class(class.id)
    }

    /// The symbol of a name in a file.
    pub fn symbol(&self, file: u32, name: Name) -> Symbol {
        self.symbols.of(file as usize, name)
    }

    /// How deep a token's contexts nest.
    pub fn token_depth(&self, token: Tok) -> u8 {
        match *self.tokens.get(token) {
            Token::Function { env, .. } | Token::Class { env, .. } => self.comps[env.0 as usize].depth,
            Token::Object { site, .. }
            | Token::Container { site, .. }
            | Token::Made { site, .. }
            | Token::Partial { site, .. }
            | Token::Wrapped { site, .. } => self.comps[site.comp.0 as usize].depth,
            Token::Rest { comp, .. } | Token::Generator(comp) => self.comps[comp.0 as usize].depth,
            Token::Bound { func, this } => self.token_depth(func).max(self.token_depth(this)),
            _ => 0,
        }
    }

    /// Notes where a call leads.
    pub fn record(&mut self, comp: CompId, expr: ExprId, callee: Tok, target: Target, via: Via) {
        let record = super::component::CallRecord { expr, callee, target, via };
        // Sorted, and freed of doubles, when the run ends.
        self.comps[comp.0 as usize].calls.push(record);
        if let Target::Comp(target) = target {
            self.comps[target.0 as usize].called = true;
            if target != comp {
                self.called.insert(self.comps[target.0 as usize].key.func);
            }
        }
    }
}

impl Solver<'_> {
    /// The component for a key, if there is one.
    pub fn find_component(&self, key: &CompKey) -> Option<CompId> {
        self.by_key.get(key).copied()
    }
}

/// Objects become instances of their classes, wherever they were made; constants become unknown.
fn collapse(tokens: &mut Tokens, value: &Value) -> Value {
    let short = |token: Tok| match *tokens.get(token) {
        Token::Object { class, .. } => tokens.intern(Token::Instance { class }),
        Token::Int(_) | Token::Float(_) | Token::Str(_) => Tok::UNKNOWN,
        _ => token,
    };
    value.iter().map(short).collect()
}
