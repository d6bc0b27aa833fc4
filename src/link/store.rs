//! The store: what each address of the whole program can hold, and who read it.

use super::symbols::Symbol;
use super::token::{CompId, MOST, Site, Tok, Value};
use crate::ir::VarId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

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
}

/// An address in two words: quick to hash and to compare.
type Key = (u64, u64);

/// So many readers are looked through one by one.
const FEW: usize = 8;

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
        }
    }
}

/// The store.
#[derive(Default)]
pub struct Store {
    index: FxHashMap<Key, u32>,
    values: Vec<Value>,
    readers: Vec<SmallVec<[CompId; 4]>>,
    /// Readers of addresses that have more than a few.
    registered: FxHashSet<(u32, CompId)>,
    /// Addresses whose objects are no longer told apart by where they were made.
    collapsed: FxHashSet<u32>,
}

impl Store {
    fn slot(&mut self, addr: Addr) -> usize {
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
        let slot = self.slot(addr);
        let readers = &mut self.readers[slot];
        let known = if readers.len() <= FEW {
            readers.contains(&reader)
        } else {
            !self.registered.insert((slot as u32, reader))
        };
        if !known {
            readers.push(reader);
            if readers.len() == FEW + 1 {
                self.registered.extend(readers.iter().map(|&reader| (slot as u32, reader)));
            }
        }
        slot
    }

    /// Who reads an address.
    pub fn readers(&self, addr: Addr) -> &[CompId] {
        self.index.get(&addr.key()).map_or(&[], |&slot| &self.readers[slot as usize])
    }

    /// What the address holds; the component is run again when that grows.
    pub fn read(&mut self, addr: Addr, reader: CompId) -> Value {
        let slot = self.register(addr, reader);
        self.values[slot].clone()
    }

    /// What the address holds.
    pub fn get(&self, addr: Addr) -> Option<&Value> {
        self.index.get(&addr.key()).map(|&slot| &self.values[slot as usize]).filter(|v| !v.is_empty())
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
