//! The call graph, clones merged, with the ids that output.md names.

use super::component::Target;
use super::solver::Solver;
use super::store::Addr;
use super::token::{CompId, FuncRef};
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
    /// Calls that lead nowhere known.
    pub unresolved: Vec<super::unresolved::UnresolvedCall>,
}

/// Reads the call graph off a finished analysis.
pub fn call_graph(solver: &Solver) -> CallGraph {
    let mut graph = CallGraph { unresolved: super::unresolved::unresolved(solver), ..CallGraph::default() };
    let mut starts = Vec::new();
    for (file, ir) in solver.files.iter().enumerate() {
        starts.push(graph.functions.len());
        for id in 0..ir.functions.len() {
            let func = FuncRef { file: file as u32, id: FunctionId(id as u32) };
            graph.functions.push(node(solver, func));
        }
    }
    let index = |func: FuncRef| starts[func.file as usize] + visible(solver, func).id.index();
    for (at, comp) in solver.comps.iter().enumerate() {
        for call in &comp.calls {
            let Target::Comp(target) = call.target else { continue };
            let from = comp.key.func;
            let to = solver.comps[target.0 as usize].key.func;
            let ir = &solver.files[from.file as usize];
            let offset = ir.exprs.get(call.expr.index()).map_or(0, |e| e.span.start);
            let kind = solver.function(to).kind;
            if matches!(kind, FunctionKind::ClassBody | FunctionKind::FieldInit | FunctionKind::AsyncBlock) {
                continue;
            }
            match initialised(solver, from, offset) {
                // Rust runs no code of a module: a constant's value is worked out where it is used.
                Some(constant) => {
                    for user in users(solver, CompId(at as u32), constant) {
                        graph.calls.insert((index(user), index(to), from.file, offset));
                    }
                }
                None => {
                    graph.calls.insert((index(from), index(to), from.file, offset));
                }
            }
        }
    }
    graph
}

/// The constant of a Rust module or impl block whose value holds the code at an offset.
fn initialised(solver: &Solver, func: FuncRef, offset: u32) -> Option<VarId> {
    let ir = &solver.files[func.file as usize];
    if ir.language != Language::Rust
        || !matches!(solver.function(func).kind, FunctionKind::Module | FunctionKind::ClassBody)
    {
        return None;
    }
    let inside = |e: ExprId| {
        let span = ir.expr(e).span;
        span.start <= offset && offset < span.end
    };
    let constants = solver.modules.rust.constants(func.file);
    constants.filter(|&(var, e)| ir.var(var).owner == func.id && inside(e)).map(|(var, _)| var).min()
}

/// The functions that read a constant, directly or through other constants.
fn users(solver: &Solver, owner: CompId, constant: VarId) -> BTreeSet<FuncRef> {
    let mut users = BTreeSet::new();
    for &reader in solver.store.readers(Addr::Var(owner, constant)) {
        let func = solver.comps[reader.0 as usize].key.func;
        if !matches!(solver.function(func).kind, FunctionKind::Module | FunctionKind::ClassBody) {
            users.insert(func);
        }
    }
    users
}

/// Class bodies, field initialisers and async blocks count as the code around them.
fn visible(solver: &Solver, func: FuncRef) -> FuncRef {
    let mut at = func;
    loop {
        let function = solver.function(at);
        match (function.kind, function.parent) {
            (FunctionKind::ClassBody | FunctionKind::FieldInit | FunctionKind::AsyncBlock, Some(parent)) => {
                at.id = parent
            }
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
    let mut method = None;
    while let Some(id) = at {
        let function = ir.function(id);
        match function.kind {
            FunctionKind::Module if function.parent.is_none() => {}
            FunctionKind::ClassBody => {
                let class = function.class.map(|c| ir.class(c)).filter(|c| c.body == id);
                if let Some(class) = class.or_else(|| ir.classes.iter().find(|c| c.body == id)) {
                    let name = class.name.map_or("<class>".to_string(), |n| ir.name(n).to_string());
                    parts.push(match method.and_then(|m| of_trait(ir, class, m)) {
                        Some(of) => format!("<{name} as {of}>"),
                        None => name,
                    });
                }
            }
            FunctionKind::FieldInit => {}
            FunctionKind::AsyncBlock if ir.language == Language::Rust => {}
            _ => parts.push(own_name(ir, id)),
        }
        method = function.name;
        at = function.parent;
    }
    parts.reverse();
    parts.join(".")
}

/// The trait of an impl block, where another block of the file gives the same type a method of that name.
fn of_trait(ir: &File, class: &Class, method: Name) -> Option<String> {
    if class.kind != ClassKind::Impl {
        return None;
    }
    let of = match ir.expr(*class.bases.first()?).kind {
        ExprKind::Attr { name, .. } | ExprKind::Free(name) => ir.name(name),
        ExprKind::Var(var) => ir.name(ir.var(var).name),
        _ => return None,
    };
    let same =
        |c: &&Class| c.kind == ClassKind::Impl && c.name == class.name && c.methods.iter().any(|m| m.0 == method);
    (ir.classes.iter().filter(same).count() > 1).then(|| of.to_string())
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
