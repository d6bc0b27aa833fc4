//! Link: names to things. A points-to analysis of the whole program: components (functions in
//! contexts) are run until the store of what addresses can hold no longer grows.
//!
//! Knows no library (the catalogue does) and no syntax; languages differ only in module resolution
//! and in a few rules of calls.

pub mod component;
pub mod contexts;
mod defaults;
pub mod eval;
pub mod graph;
pub mod impls;
mod index;
pub mod known;
pub mod modules;
mod owners;
pub mod roots;
mod scripts;
mod signature;
pub mod solver;
pub mod store;
pub mod symbols;
pub mod token;
pub mod unresolved;

pub use defaults::plain_default;

use crate::catalogue::Catalogue;
use crate::discover::Manifest;
use crate::ir::File;
use component::Target;
use contexts::Contexts;
use roots::Roots;
use rustc_hash::FxHashSet;
use solver::Solver;
use token::FuncRef;

/// The call graph of some files, without contexts beyond those that wrappers need.
pub fn link_for_graph(files: &[File], catalogue: &Catalogue, manifests: &[Manifest]) -> graph::CallGraph {
    link_with(files, catalogue, manifests, Contexts::default(), graph::call_graph)
}

/// Links some files, telling some functions apart, and looks at the result.
pub fn link_with<T>(
    files: &[File],
    catalogue: &Catalogue,
    manifests: &[Manifest],
    contexts: Contexts,
    look: impl FnOnce(&Solver) -> T,
) -> T {
    let roots = Roots::Everything;
    let (index, modules, symbols) = prepare(files, manifests, catalogue, roots);
    let mut solver = Solver::new(files, &index, catalogue, &modules, symbols, contexts, roots);
    solver.solve();
    look(&solver)
}

/// Links some files and hands the solved program on. Twice: the first run finds the functions that lead to
/// outbound calls; in the second these are told apart by their arguments and receivers.
pub fn link<T>(
    files: &[File],
    catalogue: &Catalogue,
    manifests: &[Manifest],
    roots: Roots,
    then: impl FnOnce(&Solver) -> T,
) -> T {
    let (index, modules, symbols) = prepare(files, manifests, catalogue, roots);
    let contexts = Contexts::default();
    let mut first = Solver::new(files, &index, catalogue, &modules, symbols, contexts, roots);
    first.solve();
    first.settle_returned();
    let full = leading_to_layers(&first);
    if full.is_empty() {
        return then(&first);
    }
    let contexts = Contexts { merged: too_many_values(&first, &full), full };
    let symbols = std::mem::take(&mut first.symbols);
    drop(first);
    let mut solver = Solver::new(files, &index, catalogue, &modules, symbols, contexts, roots);
    solver.solve();
    solver.settle_returned();
    solver.forget_mixed_queues();
    then(&solver)
}

fn prepare(
    files: &[File],
    manifests: &[Manifest],
    catalogue: &Catalogue,
    roots: Roots,
) -> (Vec<index::FileIndex>, modules::Modules, symbols::Symbols) {
    let symbols = symbols::Symbols::new(files);
    let index = index::index(files, &symbols);
    let mut modules = modules::Modules::new(files, manifests, &catalogue.roots(crate::ir::Language::Python));
    let known = |path: &str| catalogue.describes(path);
    modules.rust = modules::rust::Crates::new(files, &symbols, manifests, &known);
    modules.impls = impls::Impls::new(files, &symbols, &modules.rust, &known, roots);
    (index, modules, symbols)
}

/// Parameters of some functions that take too many values to be told apart by them.
fn too_many_values(solver: &Solver, functions: &FxHashSet<FuncRef>) -> FxHashSet<(FuncRef, u32)> {
    let mut merged = FxHashSet::default();
    for (at, comp) in solver.comps.iter().enumerate().filter(|(_, comp)| functions.contains(&comp.key.func)) {
        let (func, id) = (comp.key.func, token::CompId(at as u32));
        let params = (0..solver.function(func).params.len() as u32).map(|param| (param, store::Addr::Param(id, param)));
        for (param, addr) in params.chain([(component::THIS, store::Addr::This(id))]) {
            let is_told = |value: &&token::Value| value.is_top() || value.len() > Contexts::MOST;
            if solver.store.get(addr).filter(is_told).is_some() {
                merged.insert((func, param));
            }
        }
    }
    merged
}

/// Functions from which a call to something that sends or retries is reached, and what makes their objects.
fn leading_to_layers(solver: &Solver) -> FxHashSet<FuncRef> {
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); solver.comps.len()];
    let mut pending = Vec::new();
    for (c, comp) in solver.comps.iter().enumerate() {
        for call in &comp.calls {
            match call.target {
                Target::Comp(target) => callers[target.0 as usize].push(c as u32),
                Target::External(_) => {
                    let matters = solver.known(call.callee).is_some_and(|k| {
                        let standard = matches!(k.library.area.as_str(), "standard" | "framework" | "testing");
                        k.callable.outbound.is_some() || k.callable.layer.is_some() || (!standard && k.is_constructor)
                    });
                    if matters {
                        pending.push(c as u32);
                    }
                }
                Target::Unresolved => {}
            }
        }
    }
    let mut reaching = vec![false; solver.comps.len()];
    let mut functions = FxHashSet::default();
    while let Some(c) = pending.pop() {
        if !std::mem::replace(&mut reaching[c as usize], true) {
            functions.insert(solver.comps[c as usize].key.func);
            pending.extend(&callers[c as usize]);
            // What a closure does is settled where it is made: by the arguments of the function around it.
            pending.extend(solver.comps[c as usize].key.parent.map(|parent| parent.0));
        }
    }
    // What gives one of several clients by a name.
    for (c, comp) in solver.comps.iter().enumerate() {
        let func = comp.key.func;
        let chooses = solver.index[func.file as usize].chosen_by.contains_key(&func.id);
        if chooses && gives_clients(solver, token::CompId(c as u32)) {
            functions.insert(func);
        }
    }
    // The constructors of classes whose methods are among them.
    let classes: FxHashSet<(u32, crate::ir::ClassId)> =
        functions.iter().filter_map(|&f| solver.function(f).class.map(|c| (f.file, c))).collect();
    for (file, class) in classes {
        for &(_, function) in &solver.class(token::ClassRef { file, id: class }).methods {
            functions.insert(FuncRef { file, id: function });
        }
    }
    functions.retain(|f| solver.function(*f).kind != crate::ir::FunctionKind::Module);
    functions
}

/// Whether a function hands back several things that packages made.
fn gives_clients(solver: &Solver, comp: token::CompId) -> bool {
    let Some(value) = solver.store.get(store::Addr::Return(comp)) else { return false };
    let is_client = |t: &token::Tok| match *solver.tokens.get(*t) {
        token::Token::Made { callee, .. } => solver.known(callee).is_some_and(|k| k.is_constructor),
        _ => false,
    };
    value.iter().filter(is_client).count() > 1
}
