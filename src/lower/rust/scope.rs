//! Which variable a name stands for: frames of blocks, functions and modules, three name spaces, and marks
//! that keep a macro's own variables apart from those of its arguments.

use crate::ir::{FunctionId, Name, VarId};
use rustc_hash::FxHashMap;

/// Types, traits and modules.
pub(super) const TYPES: u8 = 1;
/// Functions, constants and locals.
pub(super) const VALUES: u8 = 2;
/// Macros.
pub(super) const MACROS: u8 = 4;
/// What a `use` may bring in.
pub(super) const ANY: u8 = 7;

/// What a frame belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameKind {
    /// A block or closure: all names around it are visible.
    Block,
    /// A function item: locals around it are not visible.
    Function,
    /// A module: nothing around it is visible.
    Module,
}

/// What a name was declared as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// A parameter or `let`.
    Local,
    /// An item.
    Item,
    /// A constant, static or unit struct: in a pattern it is compared with.
    Constant,
    /// A `use`.
    Import,
}

/// A declared name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// What it was declared as.
    pub what: What,
    /// Its variable.
    pub var: VarId,
    name: Name,
    mark: u32,
    spaces: u8,
}

/// Names from which on a frame has an index.
const LARGE: usize = 16;

struct Frame {
    kind: FrameKind,
    owner: FunctionId,
    entries: Vec<Entry>,
    /// Positions by name, in frames with many names.
    index: FxHashMap<Name, Vec<u32>>,
}

/// The frames around the place that is being lowered, innermost last.
#[derive(Default)]
pub(super) struct Scopes {
    frames: Vec<Frame>,
}

impl Scopes {
    /// Enters a frame whose variables belong to `owner`.
    pub fn push(&mut self, kind: FrameKind, owner: FunctionId) {
        self.frames.push(Frame { kind, owner, entries: Vec::new(), index: FxHashMap::default() });
    }

    /// Leaves the innermost frame.
    pub fn pop(&mut self) {
        self.frames.pop();
    }

    /// The function that owns what is declared now.
    pub fn owner(&self) -> FunctionId {
        self.frames.last().map_or(crate::ir::MODULE, |f| f.owner)
    }

    /// Whether declarations now go into a module.
    pub fn in_module(&self) -> bool {
        self.frames.last().is_some_and(|f| f.kind == FrameKind::Module)
    }

    /// Declares a name in the innermost frame.
    pub fn declare(&mut self, name: Name, mark: u32, spaces: u8, what: What, var: VarId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.entries.push(Entry { what, var, name, mark, spaces });
            // Small frames are searched from the end; that is faster than any map.
            let len = frame.entries.len();
            let new = match len {
                0..LARGE => len..len,
                LARGE => 0..len,
                _ => len - 1..len,
            };
            for place in new {
                frame.index.entry(frame.entries[place].name).or_default().push(place as u32);
            }
        }
    }

    /// An item of that name and space that the innermost frame already has (`#[cfg]` alternatives).
    pub fn declared_item(&self, name: Name, spaces: u8) -> Option<VarId> {
        let frame = self.frames.last()?;
        frame.find(name, |e| e.what != What::Local && e.spaces == spaces).map(|e| e.var)
    }

    /// The declaration that a name in a name space stands for.
    pub fn resolve(&self, name: Name, mark: u32, space: u8) -> Option<Entry> {
        if mark != 0
            && let Some(entry) = self.walk(name, mark, space)
        {
            return Some(entry);
        }
        self.walk(name, 0, space)
    }

    fn walk(&self, name: Name, mark: u32, space: u8) -> Option<Entry> {
        let mut items_only = false;
        for frame in self.frames.iter().rev() {
            let fits = |e: &Entry| e.mark == mark && e.spaces & space != 0 && (!items_only || e.what != What::Local);
            // A `use` may mean any space; a declaration that surely is of this space goes first.
            let found = frame.find(name, |e| fits(e) && e.what != What::Import).or_else(|| frame.find(name, fits));
            if found.is_some() {
                return found;
            }
            match frame.kind {
                FrameKind::Block => {}
                FrameKind::Function => items_only = true,
                FrameKind::Module => return None,
            }
        }
        None
    }
}

impl Frame {
    fn find(&self, name: Name, fits: impl Fn(&Entry) -> bool) -> Option<Entry> {
        if self.entries.len() >= LARGE {
            let places = self.index.get(&name)?;
            return places.iter().rev().map(|&i| self.entries[i as usize]).find(|e| fits(e));
        }
        self.entries.iter().rev().find(|e| e.name == name && fits(e)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_seen_through_functions_and_locals_are_not() {
        let mut scopes = Scopes::default();
        let (outer, item) = (Name(1), Name(2));
        scopes.push(FrameKind::Function, FunctionId(1));
        scopes.declare(outer, 0, VALUES, What::Local, VarId(1));
        scopes.declare(item, 0, VALUES, What::Item, VarId(2));
        scopes.push(FrameKind::Function, FunctionId(2));
        assert!(scopes.resolve(outer, 0, VALUES).is_none());
        assert_eq!(scopes.resolve(item, 0, VALUES).map(|e| e.var), Some(VarId(2)));
        scopes.push(FrameKind::Module, FunctionId(3));
        assert!(scopes.resolve(item, 0, VALUES).is_none());
    }

    #[test]
    fn marks_keep_a_macros_variables_apart() {
        let mut scopes = Scopes::default();
        scopes.push(FrameKind::Function, FunctionId(1));
        scopes.declare(Name(1), 0, VALUES, What::Local, VarId(1));
        scopes.declare(Name(1), 7, VALUES, What::Local, VarId(2));
        assert_eq!(scopes.resolve(Name(1), 0, VALUES).map(|e| e.var), Some(VarId(1)));
        assert_eq!(scopes.resolve(Name(1), 7, VALUES).map(|e| e.var), Some(VarId(2)));
        assert_eq!(scopes.resolve(Name(1), 9, VALUES).map(|e| e.var), Some(VarId(1)));
    }

    #[test]
    fn a_module_and_an_import_may_share_a_name() {
        let mut scopes = Scopes::default();
        scopes.push(FrameKind::Module, FunctionId(0));
        scopes.declare(Name(1), 0, TYPES, What::Item, VarId(1));
        scopes.declare(Name(1), 0, ANY, What::Import, VarId(2));
        assert_eq!(scopes.resolve(Name(1), 0, TYPES).map(|e| e.var), Some(VarId(1)));
        assert_eq!(scopes.resolve(Name(1), 0, VALUES).map(|e| e.var), Some(VarId(2)));
    }
}
