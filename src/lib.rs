//! squall: a retry-storm auditor.
#![warn(missing_docs)]

pub mod catalogue;
pub mod chains;
pub mod checks;
pub mod cli;
pub mod config;
pub mod discover;
pub mod escape;
pub mod ignores;
pub mod ir;
pub mod layers;
pub mod link;
pub mod lower;
pub mod nearest;
pub mod output;
pub mod report;
pub mod source;
pub mod timing;

pub use report::Report;

/// Everything about a project: its chains and what is wrong with them.
pub fn analyse(project: &discover::Project, config: &config::Config) -> Report {
    Report {
        sources: project.sources.clone(),
        skipped: project.skipped.clone(),
        window: config.window,
        ..Report::default()
    }
}

/// The call graph of a project.
pub fn call_graph(_project: &discover::Project, _config: &config::Config) -> output::graph::CallGraph {
    output::graph::CallGraph::default()
}
