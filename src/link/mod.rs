//! Link: names to things. A points-to analysis of the whole program: components (functions in
//! contexts) are run until the store of what addresses can hold no longer grows.
//!
//! Knows no library (the catalogue does) and no syntax; languages differ only in module resolution
//! and in a few rules of calls.

pub mod component;
pub mod eval;
pub mod graph;
mod index;
mod known;
pub mod modules;
pub mod solver;
pub mod store;
pub mod symbols;
pub mod token;

pub use known::Known;
