//! squall: a retry-storm auditor.
#![warn(missing_docs)]

pub mod catalogue;
pub mod chains;
pub mod checks;
pub mod ir;
pub mod link;
pub mod lower;
pub mod source;
