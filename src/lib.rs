//! squall: a retry-storm auditor. It finds every retry layer of a code base, links the layers through the
//! call graph and multiplies: how many requests do we send if the thing at the bottom fails?
//!
//! Data flows one way: discover -> lower -> link -> layers and chains -> checks -> output. Each stage is one
//! module that takes the previous one's result; no stage reaches back.
#![warn(missing_docs)]

pub mod catalogue;
pub mod chains;
pub mod checks;
pub mod cli;
pub mod config;
pub mod discover;
pub mod escape;
mod facts;
pub mod ignores;
pub mod ir;
mod jsonc;
pub mod layers;
pub mod link;
pub mod lower;
pub mod nearest;
pub mod output;
mod pipeline;
pub mod report;
pub mod source;
pub mod timing;
pub mod versions;

pub use pipeline::{analyse, call_graph};
pub use report::Report;
