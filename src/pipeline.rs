//! The pipeline, stage by stage.

use crate::catalogue::Catalogue;
use crate::ir::File;
use crate::link::roots::Roots;
use crate::report::{Report, Unread};
use crate::source::{FileId, Place};
use crate::{chains, checks, config, discover, ignores, link, lower, output, report, versions};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// The solver follows expressions as deep as front ends let them nest.
const STACK: usize = 256 << 20;

/// Everything about a project: its chains and what is wrong with them.
pub fn analyse(project: &discover::Project, config: &config::Config, catalogue: &Catalogue) -> Report {
    on_big_stack(|| run(project, config, catalogue)).unwrap_or_default()
}

fn run(project: &discover::Project, config: &config::Config, catalogue: &Catalogue) -> Report {
    let mut timings = Vec::new();
    let mut clock = Instant::now();
    let mut lap = |name: &'static str| {
        timings.push((name, clock.elapsed()));
        clock = Instant::now();
    };
    let files = lower_all(project);
    lap("lower");
    let settings = chains::Settings {
        window: config.window,
        include_infrastructure: config.include_infrastructure,
        versions: versions::Versions::read(&project.manifests),
    };
    let mut skipped = project.skipped.clone();
    skipped.extend(settings.versions.problems.iter().cloned());
    skipped.sort();
    skipped.dedup();
    let texts: Vec<Arc<str>> = project.sources.files.iter().map(|f| f.text.clone()).collect();
    let mut unresolved = std::collections::BTreeMap::new();
    let tests: Vec<bool> = project.sources.files.iter().map(|file| file.is_test).collect();
    let roots = if config.include_tests { Roots::Everything } else { Roots::NotTests(&tests) };
    let analysis = link::link(&files, catalogue, &project.manifests, roots, |solver| {
        for call in link::unresolved::unresolved(solver) {
            *unresolved.entry(call.reason.text()).or_default() += 1;
        }
        lap("link");
        chains::analyse(solver, &texts, &settings)
    });
    lap("chains");
    let selection =
        checks::Selection::resolve(&config.selection.select, &config.selection.ignore, config.selection.pedantic)
            .unwrap_or_default();
    let input =
        checks::Input { sources: &project.sources, analysis: &analysis, budget: config.budget, window: config.window };
    let found = checks::run(&input, &selection);
    let found =
        found.into_iter().filter(|f| config.include_tests || !project.sources.file(f.place.file).is_test).collect();
    let names: Vec<ignores::CheckName> = checks::registry()
        .iter()
        .map(|c| ignores::CheckName { name: c.name, code: c.code, pedantic: c.pedantic })
        .collect();
    let comments = files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f.ignores.as_slice()));
    let applied = ignores::apply(&project.sources, comments, found, &config.selection, &names);
    let (findings, hidden) =
        report::settle(applied.findings, &analysis, config.min_confidence, |file| project.in_focus(file));
    lap("checks");
    Report {
        sources: project.sources.clone(),
        unread: unread(&files),
        analysis,
        findings,
        hidden,
        ignored: applied.ignored,
        skipped,
        window: config.window,
        unresolved,
        timings,
    }
}

/// The call graph of a project.
pub fn call_graph(
    project: &discover::Project,
    _config: &config::Config,
    catalogue: &Catalogue,
) -> output::graph::CallGraph {
    let graph = on_big_stack(|| {
        let files = lower_all(project);
        link::link_for_graph(&files, catalogue, &project.manifests)
    })
    .unwrap_or_default();
    let position = |file: u32, offset: u32| project.sources.file(FileId(file)).position(offset);
    let path = |file: u32| project.sources.file(FileId(file)).path.clone();
    let functions = graph
        .functions
        .iter()
        .map(|node| {
            let at = position(node.file, node.offset);
            output::graph::CallNode {
                id: node.id.clone(),
                file: path(node.file),
                line: at.line,
                col: at.column,
                name: node.name.clone(),
            }
        })
        .collect();
    let calls = graph
        .calls
        .iter()
        .map(|&(from, to, file, offset)| output::graph::CallEdge {
            from: graph.functions[from].id.clone(),
            to: graph.functions[to].id.clone(),
            file: path(file),
            line: position(file, offset).line,
        })
        .collect();
    let unresolved = graph
        .unresolved
        .iter()
        .map(|call| {
            let at = position(call.file, call.offset);
            let reason = call.reason.text();
            output::graph::UnresolvedCall { file: path(call.file), line: at.line, col: at.column, reason }
        })
        .collect();
    output::graph::CallGraph { functions, calls, unresolved }
}

fn lower_all(project: &discover::Project) -> Vec<File> {
    project
        .sources
        .files
        .par_iter()
        .map(|source| {
            let language = lower::language_of(&source.path).unwrap_or(crate::ir::Language::Python);
            lower::lower(&source.path, language, &source.text)
        })
        .collect()
}

fn unread(files: &[File]) -> Vec<Unread> {
    let problems = |(i, file): (usize, &File)| {
        file.problems
            .iter()
            .map(|p| Unread { place: Place { file: FileId(i as u32), span: p.span }, message: p.message.clone() })
            .collect::<Vec<_>>()
    };
    files.iter().enumerate().flat_map(problems).collect()
}

/// Runs work on a thread with a big stack; none if it could not be started or died.
fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?;
        match thread.join() {
            Ok(result) => Some(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
