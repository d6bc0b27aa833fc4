//! Interned strings shared by the whole program. Files carry their own tables; they are mapped in once.

use crate::ir::{File, Name};
use rustc_hash::FxHashMap;

/// An interned string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

/// The table of interned strings, and each file's names in it.
#[derive(Default)]
pub struct Symbols {
    texts: Vec<Box<str>>,
    index: FxHashMap<Box<str>, Symbol>,
    by_file: Vec<Vec<Symbol>>,
}

impl Symbols {
    /// Interns the names of all files, in order.
    pub fn new(files: &[File]) -> Self {
        let mut symbols = Self::default();
        for file in files {
            let table = file.names.iter().map(|name| symbols.intern(name)).collect();
            symbols.by_file.push(table);
        }
        symbols
    }

    /// The symbol for a text.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.index.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.into());
        self.index.insert(text.into(), symbol);
        symbol
    }

    /// The symbol for a text that may never have been seen.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.index.get(text).copied()
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }

    /// The symbol of a file's name.
    pub fn of(&self, file: usize, name: Name) -> Symbol {
        self.by_file[file][name.index()]
    }
}
