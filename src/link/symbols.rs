//! Interned strings shared by the whole program. Files carry their own tables; they are mapped in once.

use crate::ir::{File, Name};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An interned string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

/// The table of interned strings, and each file's names in it.
#[derive(Default)]
pub struct Symbols {
    texts: Vec<Arc<str>>,
    index: FxHashMap<Arc<str>, Symbol>,
    /// The symbols of small numbers: positions in sequences.
    numbers: Vec<Symbol>,
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
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.index.insert(text, symbol);
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

    /// The same, to keep while the table changes.
    pub fn shared(&self, symbol: Symbol) -> Arc<str> {
        self.texts[symbol.0 as usize].clone()
    }

    /// The symbol of a position in a sequence.
    pub fn number(&mut self, n: usize) -> Symbol {
        while self.numbers.len() <= n.min(127) {
            let text = self.numbers.len().to_string();
            let symbol = self.intern(&text);
            self.numbers.push(symbol);
        }
        match self.numbers.get(n) {
            Some(&symbol) => symbol,
            None => self.intern(&n.to_string()),
        }
    }

    /// The symbol of a file's name.
    pub fn of(&self, file: usize, name: Name) -> Symbol {
        self.by_file[file][name.index()]
    }
}
