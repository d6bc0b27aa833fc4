//! The call graph, clones merged, with the ids that output.md names.

use super::component::Target;
use super::solver::Solver;
use super::token::FuncRef;
use crate::ir::*;
use std::collections::BTreeSet;

/// A function of the call graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// `pkg/mod.py::Class.method`
    pub id: String,
    /// Index of the file.
    pub file: u32,
    /// Where the function's name stands (byte offset).
    pub offset: u32,
    /// Its own name.
    pub name: String,
}

/// The call graph.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    /// Functions, ordered by file and place.
    pub functions: Vec<Node>,
    /// Calls: indices into `functions`, file, byte offset of the call.
    pub calls: BTreeSet<(usize, usize, u32, u32)>,
}

/// Reads the call graph off a finished analysis.
pub fn call_graph(solver: &Solver) -> CallGraph {
    let mut graph = CallGraph::default();
    let mut starts = Vec::new();
    for (file, ir) in solver.files.iter().enumerate() {
        starts.push(graph.functions.len());
        for id in 0..ir.functions.len() {
            let func = FuncRef { file: file as u32, id: FunctionId(id as u32) };
            graph.functions.push(node(solver, func));
        }
    }
    let index = |func: FuncRef| starts[func.file as usize] + visible(solver, func).id.index();
    for comp in &solver.comps {
        for call in &comp.calls {
            let Target::Comp(target) = call.target else { continue };
            let from = comp.key.func;
            let to = solver.comps[target.0 as usize].key.func;
            let ir = &solver.files[from.file as usize];
            let offset = ir.exprs.get(call.expr.index()).map_or(0, |e| e.span.start);
            if matches!(solver.function(to).kind, FunctionKind::ClassBody | FunctionKind::FieldInit) {
                continue;
            }
            graph.calls.insert((index(from), index(to), from.file, offset));
        }
    }
    graph
}

/// Class bodies and field initialisers count as the code around them.
fn visible(solver: &Solver, func: FuncRef) -> FuncRef {
    let mut at = func;
    loop {
        let function = solver.function(at);
        match (function.kind, function.parent) {
            (FunctionKind::ClassBody | FunctionKind::FieldInit, Some(parent)) => at.id = parent,
            _ => return at,
        }
    }
}

fn node(solver: &Solver, func: FuncRef) -> Node {
    let ir = &solver.files[func.file as usize];
    let function = ir.function(func.id);
    let name = own_name(ir, func.id);
    let path = qualified(ir, func.id);
    Node {
        id: format!("{}::{}", ir.path, if path.is_empty() { "<module>".to_string() } else { path }),
        file: func.file,
        offset: match function.span.start <= function.name_span.start {
            true => function.name_span.start,
            // Named after the variable or property that holds it.
            false => function.span.start,
        },
        name,
    }
}

/// `Class.method`, `outer.inner`; empty for the module itself.
pub fn qualified(ir: &File, id: FunctionId) -> String {
    let mut parts = Vec::new();
    let mut at = Some(id);
    while let Some(id) = at {
        let function = ir.function(id);
        match function.kind {
            FunctionKind::Module if function.parent.is_none() => {}
            FunctionKind::ClassBody => {
                if let Some(class) = ir.classes.iter().find(|c| c.body == id) {
                    parts.push(class.name.map_or("<class>".to_string(), |n| ir.name(n).to_string()));
                }
            }
            FunctionKind::FieldInit => {}
            _ => parts.push(own_name(ir, id)),
        }
        at = function.parent;
    }
    parts.reverse();
    parts.join(".")
}

fn own_name(ir: &File, id: FunctionId) -> String {
    let function = ir.function(id);
    match (function.name, function.kind) {
        (Some(name), _) => ir.name(name).to_string(),
        (None, FunctionKind::Module) => "<module>".to_string(),
        (None, _) if ir.language == Language::Python => {
            // Lambdas are numbered within the function around them.
            let number = ir
                .functions
                .iter()
                .take(id.index() + 1)
                .filter(|f| f.name.is_none() && f.kind == FunctionKind::Anonymous && f.parent == function.parent)
                .count();
            format!("<lambda{number}>")
        }
        (None, kind) => {
            let line = ir.line(function.span.start);
            let start = ir.line_starts.get(line as usize - 1).copied().unwrap_or(0);
            let column = function.span.start - start + 1;
            let what = match (ir.language, kind) {
                (Language::Rust, _) => "closure",
                (_, FunctionKind::Arrow) => "arrow",
                _ => "anon",
            };
            format!("<{what}@{line}:{column}>")
        }
    }
}
