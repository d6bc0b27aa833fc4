//! `squall graph --calls --format json`: the call graph as it was resolved.

use super::json::to_text;
use serde::Serialize;

/// A call graph: clones merged, ordered by id.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CallGraph {
    /// Its functions.
    pub functions: Vec<CallNode>,
    /// Its calls.
    pub calls: Vec<CallEdge>,
    /// Calls whose callee is not known.
    pub unresolved: Vec<UnresolvedCall>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CallNode {
    /// `pkg/mod.py::Class.method`; module-level code is `pkg/mod.py::<module>`.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Line from 1.
    pub line: u32,
    /// Column from 1.
    pub col: u32,
    /// Its name without the file.
    pub name: String,
}

/// A call from one function to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CallEdge {
    /// Id of the caller.
    pub from: String,
    /// Id of the callee.
    pub to: String,
    /// File of the call.
    pub file: String,
    /// Line of the call.
    pub line: u32,
}

/// A call whose callee is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UnresolvedCall {
    /// File of the call.
    pub file: String,
    /// Line of the call.
    pub line: u32,
    /// Column of the call.
    pub col: u32,
    /// Why.
    pub reason: &'static str,
}

impl CallGraph {
    /// The text of the graph as JSON.
    pub fn json(&self) -> String {
        to_text(self)
    }
}
