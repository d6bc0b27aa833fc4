//! Where the program starts: all of its code, or all but its tests.

use super::modules::rust::Crates;
use super::token::{ClassRef, FuncRef};
use crate::ir::File;

/// Which code runs although nothing calls it.
#[derive(Clone, Copy)]
pub enum Roots<'p> {
    /// All of it.
    Everything,
    /// All but tests: these run only where other code imports or calls them. By file: whether it is a test.
    NotTests(&'p [bool]),
}

impl Roots<'_> {
    /// Whether a file as a whole rests until something asks for it.
    pub fn file_rests(&self, crates: &Crates, file: u32) -> bool {
        match self {
            Self::Everything => false,
            Self::NotTests(tests) => tests.get(file as usize).is_some_and(|&test| test) || crates.is_test(file),
        }
    }

    /// Whether a function rests until something calls it.
    pub fn function_rests(&self, files: &[File], crates: &Crates, func: FuncRef) -> bool {
        match self {
            Self::Everything => false,
            Self::NotTests(_) => {
                files[func.file as usize].function(func.id).is_test || self.file_rests(crates, func.file)
            }
        }
    }

    /// Whether a block of Rust's `impl` is there for tests: no other code dispatches to it.
    pub fn block_rests(&self, files: &[File], crates: &Crates, class: ClassRef) -> bool {
        let ir = &files[class.file as usize];
        let around = FuncRef { file: class.file, id: ir.class(class.id).parent };
        let is_test = |&(_, id): &(_, _)| self.function_rests(files, crates, FuncRef { file: class.file, id });
        let methods = &ir.class(class.id).methods;
        self.function_rests(files, crates, around) || (!methods.is_empty() && methods.iter().all(is_test))
    }
}
