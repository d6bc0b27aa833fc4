//! Functions that are called at the same places in the same ways, such as all implementations of a trait: if one of
//! them fails, their callers do what they do if another one fails.

use crate::ir::ExprId;
use crate::layers::view::View;
use crate::link::component::{Target, Via};
use crate::link::token::{CompId, Tok};
use rustc_hash::FxHashMap;

/// A call, as far as it tells callees apart: where, how, through which decorators.
type Called = (CompId, ExprId, Via, Vec<Tok>);

/// For every component the first one that is called wherever it is, and nowhere else.
pub fn alike(view: &View) -> Vec<CompId> {
    let count = view.solver.comps.len();
    let mut called: Vec<Vec<Called>> = vec![Vec::new(); count];
    for at in 0..count as u32 {
        for call in view.all_calls(CompId(at)) {
            if let Target::Comp(target) = call.target {
                let wrappers = view.wrappers(call.callee).into_iter().map(|(by, _)| by).collect();
                called[target.0 as usize].push((CompId(at), call.expr, call.via, wrappers));
            }
        }
    }
    let mut first: FxHashMap<Vec<Called>, CompId> = FxHashMap::default();
    let mut alike = Vec::with_capacity(count);
    for (at, mut calls) in called.into_iter().enumerate() {
        calls.sort_unstable();
        calls.dedup();
        let own = CompId(at as u32);
        alike.push(if calls.is_empty() { own } else { *first.entry(calls).or_insert(own) });
    }
    alike
}
