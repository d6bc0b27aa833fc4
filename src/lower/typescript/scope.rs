//! Scopes: which declaration a name means at this point of the walk.
//!
//! Names are small integers, so the current meaning of each is one array slot; entering a scope sets a
//! mark and leaving it undoes what was declared since. TypeScript keeps values and types apart
//! (`const User = …; type User = …`), so there are two tables.

use crate::ir::{Name, TypeId, VarId};

/// What a name means in a type.
#[derive(Clone, Copy, Debug)]
pub enum TypeBinding {
    /// A class, interface, alias, enum or import.
    Var(VarId),
    /// A type parameter of a class, looked up in [`crate::ir::Class::type_params`].
    ClassParam,
    /// A type parameter of a function, with its bound.
    Param(Option<TypeId>),
}

#[derive(Clone, Copy)]
struct Slot<T> {
    binding: T,
    /// Depth of the scope that declares it.
    level: u32,
}

enum Undo {
    Value(Name, Option<Slot<VarId>>),
    Type(Name, Option<Slot<TypeBinding>>),
}

/// The scopes around the current point.
#[derive(Default)]
pub struct Scopes {
    values: Vec<Option<Slot<VarId>>>,
    types: Vec<Option<Slot<TypeBinding>>>,
    undo: Vec<Undo>,
    marks: Vec<usize>,
}

fn slot<T: Copy>(table: &[Option<Slot<T>>], name: Name) -> Option<Slot<T>> {
    table.get(name.index()).copied().flatten()
}

fn set<T: Copy>(table: &mut Vec<Option<Slot<T>>>, name: Name, value: Option<Slot<T>>) {
    if table.len() <= name.index() {
        table.resize(name.index() + 64, None);
    }
    table[name.index()] = value;
}

impl Scopes {
    /// Opens a scope.
    pub fn enter(&mut self) {
        self.marks.push(self.undo.len());
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for undo in self.undo.drain(mark..).rev() {
            match undo {
                Undo::Value(name, old) => set(&mut self.values, name, old),
                Undo::Type(name, old) => set(&mut self.types, name, old),
            }
        }
    }

    /// How many scopes are open.
    pub fn level(&self) -> u32 {
        self.marks.len() as u32
    }

    /// The variable a name means as a value.
    pub fn value(&self, name: Name) -> Option<VarId> {
        slot(&self.values, name).map(|s| s.binding)
    }

    /// The same, if the innermost scope declares it.
    pub fn own_value(&self, name: Name) -> Option<VarId> {
        slot(&self.values, name).filter(|s| s.level == self.level()).map(|s| s.binding)
    }

    /// What a name means as a type.
    pub fn ty(&self, name: Name) -> Option<TypeBinding> {
        slot(&self.types, name).map(|s| s.binding)
    }

    /// The same, if the innermost scope declares it.
    pub fn own_type(&self, name: Name) -> Option<TypeBinding> {
        slot(&self.types, name).filter(|s| s.level == self.level()).map(|s| s.binding)
    }

    /// Declares a value in the innermost scope.
    pub fn declare_value(&mut self, name: Name, var: VarId) {
        self.undo.push(Undo::Value(name, slot(&self.values, name)));
        let level = self.level();
        set(&mut self.values, name, Some(Slot { binding: var, level }));
    }

    /// Declares a value outside of all scopes (an assignment to an undeclared name makes a global).
    pub fn declare_global(&mut self, name: Name, var: VarId) {
        set(&mut self.values, name, Some(Slot { binding: var, level: 0 }));
    }

    /// Declares a type in the innermost scope.
    pub fn declare_type(&mut self, name: Name, binding: TypeBinding) {
        self.undo.push(Undo::Type(name, slot(&self.types, name)));
        let level = self.level();
        set(&mut self.types, name, Some(Slot { binding, level }));
    }
}
