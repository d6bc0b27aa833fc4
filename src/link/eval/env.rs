//! What one execution knows by itself: its variables, and elements of containers that it made. A journal
//! makes branches cost what they change, not what there is.

use crate::ir::VarId;
use crate::link::symbols::Symbol;
use crate::link::token::{Tok, Value};
use rustc_hash::FxHashMap;

/// Something with a value at one point of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// A variable.
    Var(VarId),
    /// A constant key of a container, or an attribute. Empty: written on some ways here, the store knows.
    Field(Tok, Symbol),
}

/// Values at one point of an execution.
#[derive(Default)]
pub struct Env {
    map: FxHashMap<Slot, Value>,
    /// What slots held before they were written; kept while marks are open.
    journal: Vec<(Slot, Option<Value>)>,
    open: u32,
}

/// A point of an execution to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

/// What changed on one way since a mark.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Path {
    slots: FxHashMap<Slot, Value>,
    /// Only goes on if a manager swallowed what was raised.
    pub doubtful: bool,
}

impl Env {
    /// What a slot holds.
    pub fn get(&self, slot: Slot) -> Option<&Value> {
        self.map.get(&slot)
    }

    /// What a variable holds.
    pub fn var(&self, var: VarId) -> Option<&Value> {
        self.map.get(&Slot::Var(var))
    }

    /// Replaces what a slot holds.
    pub fn set(&mut self, slot: Slot, value: Value) {
        let old = self.map.insert(slot, value);
        if self.open > 0 {
            self.journal.push((slot, old));
        }
    }

    /// Starts a branch.
    pub fn mark(&mut self) -> Mark {
        self.open += 1;
        Mark(self.journal.len())
    }

    /// Ends a branch; what changed stays.
    pub fn close(&mut self) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 {
            self.journal.clear();
        }
    }

    /// What changed since the mark.
    pub fn changes(&self, mark: Mark) -> Path {
        let mut path = FxHashMap::default();
        for (slot, _) in self.journal.iter().skip(mark.0) {
            if let Some(value) = self.map.get(slot) {
                path.entry(*slot).or_insert_with(|| value.clone());
            }
        }
        Path { slots: path, doubtful: false }
    }

    /// Everything that changed slots have held since the mark, before it included: what a handler may see.
    pub fn history(&self, mark: Mark) -> Path {
        let mut path = self.changes(mark);
        for (slot, old) in self.journal.iter().skip(mark.0) {
            let Some(value) = path.slots.get_mut(slot) else { continue };
            match (slot, old) {
                (Slot::Var(_), Some(old)) => {
                    value.join(old);
                }
                (Slot::Var(_), None) => {}
                (Slot::Field(..), _) => *value = Value::empty(),
            }
        }
        path
    }

    /// Goes back to the mark; what had changed.
    pub fn back(&mut self, mark: Mark) -> Path {
        let path = self.changes(mark);
        while self.journal.len() > mark.0 {
            if let Some((slot, old)) = self.journal.pop() {
                match old {
                    Some(old) => self.map.insert(slot, old),
                    None => self.map.remove(&slot),
                };
            }
        }
        path
    }

    /// Follows one way.
    pub fn apply(&mut self, path: Path) {
        for (slot, value) in path.slots {
            self.set(slot, value);
        }
    }

    /// Several ways from here become one.
    pub fn join(&self, paths: &[Path]) -> Path {
        if let [path] = paths {
            return path.clone();
        }
        let mut joined: FxHashMap<Slot, Value> = FxHashMap::default();
        for path in paths {
            for slot in path.slots.keys() {
                if !joined.contains_key(slot) {
                    joined.insert(*slot, self.over(*slot, paths));
                }
            }
        }
        Path { slots: joined, doubtful: false }
    }

    fn over(&self, slot: Slot, paths: &[Path]) -> Value {
        let mut value = Value::empty();
        for path in paths {
            match (path.slots.get(&slot).or_else(|| self.map.get(&slot)), slot) {
                (Some(other), Slot::Field(..)) if other.is_empty() => return Value::empty(),
                (None, Slot::Field(..)) => return Value::empty(),
                (Some(other), _) => {
                    value.join(other);
                }
                (None, Slot::Var(_)) => {}
            }
        }
        value
    }

    /// Joins ways from here and follows them; false if there is none.
    pub fn merge(&mut self, paths: &[Path]) -> bool {
        if paths.is_empty() {
            return false;
        }
        let joined = self.join(paths);
        self.apply(joined);
        true
    }
}

impl Path {
    /// Slots whose values are not those of another path, with both values.
    pub fn differing<'a>(&'a mut self, other: &'a Path) -> impl Iterator<Item = (&'a mut Value, Option<&'a Value>)> {
        self.slots.iter_mut().filter_map(|(slot, value)| {
            let old = other.slots.get(slot);
            (old != Some(&*value)).then_some((value, old))
        })
    }
}
