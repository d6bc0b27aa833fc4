//! squall: a retry-storm auditor.
#![warn(missing_docs)]

pub mod catalogue;
pub mod ir;
pub mod lower;
