//! What is wrong: one check a file, over layers, chains and functions. Checks see no syntax tree and no
//! file system.

mod finding;

pub use finding::{Finding, Related, Severity};
