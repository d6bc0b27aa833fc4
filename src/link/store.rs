//! The store: what each address of the whole program can hold, and who read it.

use super::symbols::Symbol;
use super::token::{CompId, Site, Tok, Value};
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
    /// Instances of a class that were made somewhere, its subclasses' included.
    Instances(Tok),
    /// The order of a class: holds nothing, its readers run again when it changes.
    Order(Tok),
    /// Calls remembered on an object (`session.mount(…)`).
    Records(Tok, Symbol),
}

/// The store.
#[derive(Default)]
pub struct Store {
    index: FxHashMap<Addr, u32>,
    values: Vec<Value>,
    readers: Vec<SmallVec<[CompId; 2]>>,
    registered: FxHashSet<(u32, CompId)>,
}

impl Store {
    fn slot(&mut self, addr: Addr) -> usize {
        let next = self.values.len() as u32;
        let slot = *self.index.entry(addr).or_insert(next);
        if slot == next {
            self.values.push(Value::empty());
            self.readers.push(SmallVec::new());
        }
        slot as usize
    }

    /// The component is run again when the address changes.
    pub fn register(&mut self, addr: Addr, reader: CompId) -> usize {
        let slot = self.slot(addr);
        if self.registered.insert((slot as u32, reader)) {
            self.readers[slot].push(reader);
        }
        slot
    }

    /// Who reads an address.
    pub fn readers(&self, addr: Addr) -> &[CompId] {
        self.index.get(&addr).map_or(&[], |&slot| &self.readers[slot as usize])
    }

    /// What the address holds; the component is run again when that grows.
    pub fn read(&mut self, addr: Addr, reader: CompId) -> Value {
        let slot = self.register(addr, reader);
        self.values[slot].clone()
    }

    /// What the address holds.
    pub fn get(&self, addr: Addr) -> Option<&Value> {
        self.index.get(&addr).map(|&slot| &self.values[slot as usize]).filter(|v| !v.is_empty())
    }

    /// Adds values; the readers to run again, if it grew.
    pub fn write(&mut self, addr: Addr, value: &Value) -> Option<&[CompId]> {
        if value.is_empty() {
            return None;
        }
        let slot = self.slot(addr);
        if self.values[slot].join(value) { Some(&self.readers[slot]) } else { None }
    }

    /// How many addresses there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }
}
