//! Components: one function in one context. The unit of analysis: a component is run again when an
//! address that it read grows.

use super::symbols::Symbol;
use super::token::{CompId, FuncRef, Tok, Value};
use crate::ir::ExprId;
use rustc_hash::FxHashMap;

/// Identifies a component.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CompKey {
    /// The function.
    pub func: FuncRef,
    /// The component that the closure was made in.
    pub parent: Option<CompId>,
    /// Parameters (by index; the receiver `this` is [`THIS`]) that are told apart, with their token.
    pub context: Box<[(u32, Tok)]>,
}

/// Index of `this` in a context.
pub const THIS: u32 = u32::MAX;

/// How a callee is reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Via {
    /// The call itself.
    Call,
    /// Handed to something external that calls it, now or later.
    Handed,
    /// Applied as a decorator.
    Decorate,
    /// An operator, iteration, context manager or property calls it.
    Implicit,
    /// Whoever waits for what the function returns calls it.
    Returned,
}

/// Where a call leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A function of the program.
    Comp(CompId),
    /// Something external; the token of its result.
    External(Tok),
    /// Nothing is known about the callee.
    Unresolved,
}

/// One resolved call of a component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallRecord {
    /// The expression.
    pub expr: ExprId,
    /// The callee's token, with bindings and wrappers.
    pub callee: Tok,
    /// Where it leads.
    pub target: Target,
    /// How.
    pub via: Via,
}

/// A component.
#[derive(Debug)]
pub struct Component {
    /// What it is.
    pub key: CompKey,
    /// How deep contexts and closures nest.
    pub depth: u8,
    /// Its calls, as of its last run.
    pub calls: Vec<CallRecord>,
    /// How often it was run.
    pub runs: u32,
    /// What its last run asked for and did not get.
    pub missed: u8,
    /// Waiting to be run.
    pub queued: bool,
    /// Somebody calls it (or it is a root).
    pub called: bool,
    /// What it has written to elements of containers that it made, and (module code) to attributes.
    pub own: FxHashMap<(Tok, Symbol), Value>,
}
