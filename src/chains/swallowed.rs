//! Failures that a function keeps to itself: it gives the same as if all had gone well, and nobody around it can tell.

use super::compose::Composer;
use super::part::Part;
use crate::ir::Language;
use crate::layers::machine::{Callee, CalleeKey, End, Outcome};
use crate::layers::val::Val;
use crate::link::token::CompId;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Of a success that may give more values than these, nothing is said.
const VALUES: usize = 6;

impl Composer<'_, '_, '_> {
    /// Whether a callee that fails gives just what it gives where all goes well: a loop around it goes on for something else.
    pub(super) fn is_as_well(&mut self, key: &CalleeKey, inner: &Part, failed: &Outcome) -> bool {
        let Outcome::Value(value) = failed else { return false };
        is_plain(value)
            && !inner.success.is_empty()
            && inner.success.iter().all(|well| well == value)
            && !matches!(key.target, Callee::Comp(target) if self.leave_something(target, &FxHashSet::default()))
    }

    /// What a unit gives where its callee goes well. Only asked where it makes a plain value of a failure.
    pub(super) fn goes_well(
        &mut self,
        comp: CompId,
        unit: &Rc<FxHashSet<CompId>>,
        key: &CalleeKey,
        inner: &[Val],
        failed: &[Vec<Outcome>],
    ) -> Vec<Val> {
        if !failed.iter().flatten().any(|end| matches!(end, Outcome::Value(value) if is_plain(value))) {
            return Vec::new();
        }
        let unknown = match self.view.file(comp).language {
            Language::Rust => Val::Good(Box::new(Val::Unknown)),
            _ => Val::Unknown,
        };
        let values = if inner.is_empty() { vec![unknown] } else { inner.to_vec() };
        let mut given = Vec::new();
        for value in values {
            let run = self.machine.success(comp, key, unit, value);
            if run.exhausted {
                return Vec::new();
            }
            for (_, end) in run.ends.iter().filter(|(state, _)| state.calls() > 0) {
                let End::Return(value) = end else { continue };
                if !given.contains(value) {
                    given.push(value.clone());
                }
            }
        }
        if given.len() > VALUES { Vec::new() } else { given }
    }
}

/// Whether a value says all there is to know of it.
fn is_plain(value: &Val) -> bool {
    match value {
        Val::Null | Val::Bool(_) | Val::Text(_) => true,
        Val::Num(n) => n.value().is_some(),
        Val::Good(inner) => is_plain(inner),
        _ => false,
    }
}
