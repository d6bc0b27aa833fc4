//! Queues that code keeps itself: a list that work is taken from, and put back into if it failed.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::store::Addr;
use crate::link::token::*;

impl Machine<'_, '_, '_> {
    /// What waits in a list from which something is taken (`queue.shift()`) that may be put back below: of the
    /// things that others put into it, the one that fails. None where nothing is put back.
    pub(super) fn waiting(&self, list: Tok, place: ExprId, state: &State) -> Option<Vec<Val>> {
        let ir = self.ir(state);
        if ir.language != Language::JavaScript
            || !matches!(self.view.token(list), Token::Container { kind: ContainerKind::List, .. })
        {
            return None;
        }
        let function = self.view.function(self.comp(state)).span;
        let taken = ir.expr(place).span.end;
        let put_back = ir.exprs.iter().any(|e| {
            let ExprKind::Call { callee, .. } = e.kind else { return false };
            let ExprKind::Attr { object, name, .. } = ir.expr(callee).kind else { return false };
            e.span.start > taken
                && e.span.end <= function.end
                && matches!(ir.name(name), "push" | "unshift")
                && is_same_place(ir, object, place)
        });
        let elements = self.view.solver.store.get(Addr::Element(list)).filter(|_| put_back)?;
        Some(vec![self.view.val(elements)])
    }
}

/// Whether two expressions name the same variable, or the same field of `this`.
fn is_same_place(ir: &File, a: ExprId, b: ExprId) -> bool {
    match (&ir.expr(a).kind, &ir.expr(b).kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Attr { object: a, name: x, .. }, ExprKind::Attr { object: b, name: y, .. }) => {
            x == y && matches!((&ir.expr(*a).kind, &ir.expr(*b).kind), (ExprKind::This, ExprKind::This))
        }
        _ => false,
    }
}
