//! The store: what each address of the whole program can hold, and who read it.

use super::index::FileIndex;
use super::symbols::Symbol;
use super::token::{CompId, FuncRef, MOST, Site, Tok, Value};
use crate::ir::VarId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Under this name, an object into which something unknown was spread says so.
pub const SPREAD: &str = "#spread";

/// Something that holds a value beyond one execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Addr {
    /// A captured variable of a component.
    Var(CompId, VarId),
    /// A parameter of a component.
    Param(CompId, u32),
    /// The receiver (`this`) of a component.
    This(CompId),
    /// A default of a parameter, evaluated where the function is defined: the defining component, the
    /// function's index in its file, the parameter.
    Default(CompId, u32, u32),
    /// What a component returns.
    Return(CompId),
    /// What is sent into a generator.
    Sent(CompId),
    /// What a generator yields.
    Yield(CompId),
    /// A field of an object, class, container (constant key) or external.
    Field(Tok, Symbol),
    /// A field of an object as it is given values, what counting up and down makes of them left out. Read by
    /// execution, which counts itself.
    Given(Tok, Symbol),
    /// The elements of a container whose position or key is not known.
    Element(Tok),
    /// The keys of a dictionary, beyond constant ones.
    Keys(Tok),
    /// A positional argument of a call to something external, or of a partial application.
    Arg(Site, u32),
    /// A keyword argument of such a call.
    Keyword(Site, Symbol),
    /// Spread arguments (`*xs`).
    Spread(Site),
    /// Spread keyword arguments (`**options`).
    KeywordSpread(Site),
    /// An attribute that was written on an instance of which no more than the class was known.
    Shared(Tok, Symbol),
    /// Instances of a class that were made somewhere, its subclasses' included.
    Instances(Tok),
    /// The order of a class: holds nothing, its readers run again when it changes.
    Order(Tok),
    /// Calls remembered on an object (`session.mount(…)`).
    Records(Tok, Symbol),
    /// What a member of the workspace sets for a whole library.
    Set(Tok, Symbol, u32),
    /// The calls with which a member of the workspace could have set it.
    SetBy(Tok, Symbol, u32),
}

/// An address in two words: quick to hash and to compare.
type Key = (u64, u64);

impl Addr {
    fn key(self) -> Key {
        let pack = |tag: u64, a: u32, b: u32, c: u32| (tag << 32 | u64::from(a), u64::from(b) << 32 | u64::from(c));
        let at = |tag: u64, site: Site, c: u32| pack(tag, site.comp.0, site.expr.0, c);
        match self {
            Addr::Var(comp, var) => pack(0, comp.0, var.0, 0),
            Addr::Param(comp, param) => pack(1, comp.0, param, 0),
            Addr::This(comp) => pack(2, comp.0, 0, 0),
            Addr::Default(comp, function, param) => pack(3, comp.0, function, param),
            Addr::Return(comp) => pack(4, comp.0, 0, 0),
            Addr::Sent(comp) => pack(5, comp.0, 0, 0),
            Addr::Yield(comp) => pack(6, comp.0, 0, 0),
            Addr::Field(token, name) => pack(7, token.0, name.0, 0),
            Addr::Element(token) => pack(8, token.0, 0, 0),
            Addr::Keys(token) => pack(9, token.0, 0, 0),
            Addr::Arg(site, index) => at(10, site, index),
            Addr::Keyword(site, name) => at(11, site, name.0),
            Addr::Spread(site) => at(12, site, 0),
            Addr::KeywordSpread(site) => at(13, site, 0),
            Addr::Shared(token, name) => pack(14, token.0, name.0, 0),
            Addr::Instances(token) => pack(15, token.0, 0, 0),
            Addr::Order(token) => pack(16, token.0, 0, 0),
            Addr::Records(token, name) => pack(17, token.0, name.0, 0),
            Addr::Given(token, name) => pack(18, token.0, name.0, 0),
            Addr::Set(token, name, member) => pack(19, token.0, name.0, member),
            Addr::SetBy(token, name, member) => pack(20, token.0, name.0, member),
        }
    }
}

/// The store.
pub struct Store<'p> {
    /// Captured variables: their numbers among those of their owners, and how many each function has; by file.
    captured: &'p [FileIndex],
    /// Where the parameters, results and captured variables of each component start.
    blocks: Vec<Block>,
    index: FxHashMap<Key, u32>,
    values: Vec<Value>,
    readers: Vec<SmallVec<[CompId; 4]>>,
    /// The addresses that each component reads, and where they are: a component asks for the same ones again and
    /// again, and its own table is small enough to stay near.
    reads: Vec<FxHashMap<Key, u32>>,
    /// Addresses whose objects are no longer told apart by where they were made.
    collapsed: FxHashSet<u32>,
}

#[derive(Clone, Copy)]
struct Block {
    start: u32,
    file: u32,
    params: u32,
    captured: u32,
}

/// Addresses that every component has: its result, what it yields, what it is sent, its receiver.
const COMMON: u32 = 4;

impl<'p> Store<'p> {
    /// An empty store.
    pub fn new(captured: &'p [FileIndex]) -> Self {
        Self {
            captured,
            blocks: Vec::new(),
            index: FxHashMap::default(),
            values: Vec::new(),
            readers: Vec::new(),
            reads: Vec::new(),
            collapsed: FxHashSet::default(),
        }
    }

    /// Makes room for the next component.
    pub fn add_component(&mut self, func: FuncRef, params: usize) {
        let params = params as u32;
        let captured = self.captured[func.file as usize].captured.1[func.id.index()];
        self.reads.push(FxHashMap::default());
        self.blocks.push(Block { start: self.values.len() as u32, file: func.file, params, captured });
        let end = self.values.len() + (COMMON + params + captured) as usize;
        self.values.resize_with(end, Value::empty);
        self.readers.resize_with(end, SmallVec::new);
    }

    /// Where an address of a component is.
    fn place(&self, addr: Addr) -> Option<usize> {
        let (comp, at) = match addr {
            Addr::Return(comp) => (comp, 0),
            Addr::Yield(comp) => (comp, 1),
            Addr::Sent(comp) => (comp, 2),
            Addr::This(comp) => (comp, 3),
            Addr::Param(comp, param) if param < self.blocks[comp.0 as usize].params => (comp, COMMON + param),
            Addr::Var(comp, var) => {
                let block = self.blocks[comp.0 as usize];
                let number = *self.captured[block.file as usize].captured.0.get(var.index())?;
                if number >= block.captured {
                    return None;
                }
                (comp, COMMON + block.params + number)
            }
            _ => return None,
        };
        Some((self.blocks[comp.0 as usize].start + at) as usize)
    }

    fn find(&self, addr: Addr) -> Option<usize> {
        self.place(addr).or_else(|| self.index.get(&addr.key()).map(|&slot| slot as usize))
    }

    fn slot(&mut self, addr: Addr) -> usize {
        if let Some(slot) = self.place(addr) {
            return slot;
        }
        let next = self.values.len() as u32;
        let slot = *self.index.entry(addr.key()).or_insert(next);
        if slot == next {
            self.values.push(Value::empty());
            self.readers.push(SmallVec::new());
        }
        slot as usize
    }

    /// The component is run again when the address changes.
    pub fn register(&mut self, addr: Addr, reader: CompId) -> usize {
        let key = addr.key();
        if let Some(&slot) = self.reads[reader.0 as usize].get(&key) {
            return slot as usize;
        }
        let slot = self.slot(addr);
        self.reads[reader.0 as usize].insert(key, slot as u32);
        self.readers[slot].push(reader);
        slot
    }

    /// Who reads an address.
    pub fn readers(&self, addr: Addr) -> &[CompId] {
        self.find(addr).map_or(&[], |slot| &self.readers[slot])
    }

    /// What the address holds; the component is run again when that grows.
    pub fn read(&mut self, addr: Addr, reader: CompId) -> Value {
        let slot = self.register(addr, reader);
        self.values[slot].clone()
    }

    /// What the address holds.
    pub fn get(&self, addr: Addr) -> Option<&Value> {
        self.find(addr).map(|slot| &self.values[slot]).filter(|v| !v.is_empty())
    }

    /// Adds values; the readers to run again, if it grew. Where an address would hold too much, `collapse` says what
    /// the values are in short.
    pub fn write(&mut self, addr: Addr, value: &Value, collapse: impl FnOnce(&Value) -> Value) -> Option<&[CompId]> {
        if value.is_empty() {
            return None;
        }
        let slot = self.slot(addr);
        let most = if let Addr::Keys(_) = addr { 4 * MOST } else { MOST };
        let is_collapsed = self.collapsed.contains(&(slot as u32));
        if !is_collapsed && self.values[slot].len() + value.len() <= most {
            return self.values[slot].join(value).then_some(&self.readers[slot]);
        }
        let mut all = self.values[slot].clone();
        if !all.join(value) {
            return None;
        }
        if is_collapsed || all.len() > most {
            if most == MOST {
                all = collapse(&all);
                self.collapsed.insert(slot as u32);
            }
            if all.len() > most {
                all = Value::top();
            }
        }
        if self.values[slot] == all {
            return None;
        }
        self.values[slot] = all;
        Some(&self.readers[slot])
    }

    /// How many addresses there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }
}
