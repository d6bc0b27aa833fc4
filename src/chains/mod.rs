//! How the layers stack: from entry points down to outbound calls.

mod alike;
mod assemble;
mod assumed;
mod built_in;
pub mod compose;
mod counting;
mod deadline;
mod facts;
mod handlers;
mod in_place;
mod marks;
mod model;
mod nested;
mod own;
mod paged;
pub mod part;
mod places;
mod rescue;
mod scc;
mod served;
mod sink;
mod told_apart;
mod units;
mod unseen;
pub mod variant;
mod wrapping;
mod written;

pub use facts::*;
pub use model::*;

use crate::layers::machine::Machine;
use crate::layers::view::View;
use crate::link::solver::Solver;
use crate::versions::Versions;
use std::sync::Arc;

/// What chains need beside the linked program.
pub struct Settings {
    /// Seconds of the window in which attempts are counted.
    pub window: f64,
    /// Whether calls to the program's own infrastructure make chains.
    pub include_infrastructure: bool,
    /// Versions of packages that the tree names.
    pub versions: Versions,
}

/// The chains of a linked program.
pub fn analyse(solver: &Solver, texts: &[Arc<str>], settings: &Settings) -> Analysis {
    let view = View::new(solver);
    let machine = Machine::new(&view, &settings.versions, texts);
    let mut composer = compose::Composer::new(&view, machine, settings.include_infrastructure);
    composer.compose();
    let mut chains = composer.finish(settings.window);
    name_versions(&mut chains, solver, &settings.versions);
    let (jobs, facts) = crate::facts::collect(&mut composer, texts, &mut chains);
    let mut cut = std::mem::take(&mut composer.cut);
    cut.sort();
    cut.dedup();
    Analysis { chains, jobs, facts, files: solver.files.len(), cut }
}

/// Says for every layer of a library which version its figures are for.
fn name_versions(chains: &mut [Chain], solver: &Solver, versions: &Versions) {
    for layer in chains.iter_mut().flat_map(|chain| &mut chain.layers) {
        let Some(file) = solver.files.get(layer.place.file.index()) else { continue };
        let library = layer.library.as_deref().and_then(|name| solver.catalogue.library(file.language, name));
        layer.version = library.and_then(|library| versions.assumed_of(library, file));
    }
}
