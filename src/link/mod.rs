//! Link: names to things. A points-to analysis of the whole program: components (functions in
//! contexts) are run until the store of what addresses can hold no longer grows.
//!
//! Knows no library (the catalogue does) and no syntax; languages differ only in module resolution
//! and in a few rules of calls.

pub mod component;
pub mod eval;
pub mod graph;
mod index;
pub mod known;
pub mod modules;
pub mod solver;
pub mod store;
pub mod symbols;
pub mod token;

use crate::catalogue::Catalogue;
use crate::discover::Manifest;
use crate::ir::File;

/// The call graph of some files, without contexts beyond those that wrappers need.
pub fn link_for_graph(files: &[File], manifests: &[Manifest], catalogue: &Catalogue) -> graph::CallGraph {
    let symbols = symbols::Symbols::new(files);
    let index = index::index(files, &symbols);
    let modules = modules::Modules::new(files, manifests);
    let contexts = solver::Contexts { full: Default::default() };
    let mut solver = solver::Solver::new(files, &index, catalogue, &modules, symbols, contexts);
    solver.solve();
    graph::call_graph(&solver)
}
