//! Calls that were not resolved, and why: what stands where the callee should be known.

use super::component::{Target, Via};
use super::solver::Solver;
use super::token::Tok;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Why nothing is known about the callee of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// It is a parameter that nobody hands anything known.
    Parameter,
    /// It is a name that was given no known value.
    Name,
    /// It is a member of something that nothing is known about, or of which no such member is known.
    Member,
    /// It is what another call returns.
    Result,
    /// It is an element of a container.
    Element,
    /// It can be too many things.
    TooMany,
    /// It is something else that is worked out when the program runs.
    Computed,
}

impl Reason {
    /// In words, for the report.
    pub fn text(self) -> &'static str {
        match self {
            Reason::Parameter => "the callee is a parameter that is given nothing known",
            Reason::Name => "the callee is a name without a known value",
            Reason::Member => "the callee is a member of something unknown",
            Reason::Result => "the callee is the result of an unknown call",
            Reason::Element => "the callee is an element of an unknown container",
            Reason::TooMany => "the callee can be too many things",
            Reason::Computed => "the callee is worked out when the program runs",
        }
    }
}

/// A call whose callee is not known, in any context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UnresolvedCall {
    /// Index of its file.
    pub file: u32,
    /// Byte offset of the call.
    pub offset: u32,
    /// Why.
    pub reason: Reason,
}

/// The calls of the program that lead nowhere known, ordered by file and place.
pub fn unresolved(solver: &Solver) -> Vec<UnresolvedCall> {
    let mut lost: FxHashMap<(u32, ExprId), Tok> = FxHashMap::default();
    let mut known: FxHashSet<(u32, ExprId)> = FxHashSet::default();
    for comp in &solver.comps {
        for call in comp.calls.iter().filter(|call| call.via == Via::Call) {
            let at = (comp.key.func.file, call.expr);
            match call.target {
                Target::Unresolved => {
                    lost.insert(at, call.callee);
                }
                _ => {
                    known.insert(at);
                }
            }
        }
    }
    let reasons = lost.into_iter().filter(|(at, _)| !known.contains(at)).filter_map(|((file, call), callee)| {
        let ir = &solver.files[file as usize];
        let expr = ir.exprs.get(call.index())?;
        let reason = if callee == Tok::TOP { Reason::TooMany } else { reason(ir, call) };
        Some(UnresolvedCall { file, offset: expr.span.start, reason })
    });
    let mut list: Vec<UnresolvedCall> = reasons.collect();
    list.sort_unstable();
    list
}

fn reason(file: &File, call: ExprId) -> Reason {
    let ExprKind::Call { callee, .. } = &file.expr(call).kind else { return Reason::Computed };
    let mut at = *callee;
    while let ExprKind::Typed(inner, _) | ExprKind::Await(inner) = file.expr(at).kind {
        at = inner;
    }
    match file.expr(at).kind {
        ExprKind::Var(var) => {
            let function = file.function(file.var(var).owner);
            let is_parameter =
                function.params.iter().any(|p| matches!(file.pattern(p.pattern), Pattern::Bind(v) if *v == var));
            if is_parameter { Reason::Parameter } else { Reason::Name }
        }
        ExprKind::Attr { .. } => Reason::Member,
        ExprKind::Call { .. } => Reason::Result,
        ExprKind::Index { .. } => Reason::Element,
        ExprKind::Free(_) => Reason::Name,
        _ => Reason::Computed,
    }
}
