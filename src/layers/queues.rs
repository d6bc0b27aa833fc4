//! Queues that code keeps itself: a list that work is taken from, and put back into if it failed.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// What waits in a list from which something is taken (`queue.shift()`) that may be put back below: of the
    /// things that others put into it, the one that fails. None where nothing is put back.
    pub(super) fn waiting(&self, list: Tok, place: ExprId, state: &mut State) -> Option<Vec<Val>> {
        let ir = self.ir(state);
        if ir.language != Language::JavaScript
            || !matches!(self.view.token(list), Token::Container { kind: ContainerKind::List, .. })
        {
            return None;
        }
        let elements = self.view.solver.store.get(Addr::Element(list)).filter(|_| is_worked_off(ir, place))?;
        // Of several objects that wait there, each has its own numbers.
        let is_object = |t: &Tok| matches!(self.view.token(*t), Token::Container { kind: ContainerKind::Dict, .. });
        let object = elements.iter().find(is_object);
        if let Some(made) = object {
            self.as_it_was_made(made, state);
        }
        Some(vec![object.map_or_else(|| self.view.val(elements), Val::Tok)])
    }

    /// Numbers that an object was made with (`{ tries: 0 }`), where its path has written no others yet.
    fn as_it_was_made(&self, made: Tok, state: &mut State) {
        let Token::Container { site, kind: ContainerKind::Dict } = *self.view.token(made) else { return };
        let ir = self.view.file(site.comp);
        let Some(ExprKind::Dict(entries)) = ir.exprs.get(site.expr.index()).map(|e| &e.kind) else { return };
        for entry in entries {
            if let Entry::Pair(key, value) = *entry
                && let ExprKind::Literal(Literal::Str(name)) = ir.expr(key).kind
                && let ExprKind::Literal(Literal::Int(n)) = ir.expr(value).kind
            {
                state.heap.entry((made, Rc::from(ir.name(name)))).or_insert(Val::num(n as f64));
            }
        }
    }
}

/// The list that an expression takes something out of.
fn taken_from(ir: &File, e: ExprId) -> Option<ExprId> {
    let mut at = e;
    while let ExprKind::Typed(inner, _) | ExprKind::Await(inner) = ir.expr(at).kind {
        at = inner;
    }
    let ExprKind::Call { callee, .. } = ir.expr(at).kind else { return None };
    match ir.expr(callee).kind {
        ExprKind::Attr { object, name, .. } if matches!(ir.name(name), "pop" | "shift") => Some(object),
        _ => None,
    }
}

/// Whether what is taken out of a list somewhere may be put back into it.
pub fn is_worked_off(ir: &File, list: ExprId) -> bool {
    ir.stmts.iter().any(|stmt| {
        let Stmt::Assign { targets, value: Some(value), .. } = stmt else { return false };
        let [target] = targets.as_slice() else { return false };
        let Pattern::Bind(var) = *ir.pattern(*target) else { return false };
        taken_from(ir, *value).is_some_and(|from| is_same_place(ir, from, list)) && is_put_back(ir, *value, var)
    })
}

/// Whether what an expression takes out of a list into a variable is put back into that list.
pub fn is_put_back(ir: &File, taken: ExprId, var: VarId) -> bool {
    let Some(list) = taken_from(ir, taken).filter(|_| ir.language == Language::JavaScript) else { return false };
    ir.exprs.iter().any(|e| {
        let ExprKind::Call { callee, args, .. } = &e.kind else { return false };
        let ExprKind::Attr { object, name, .. } = ir.expr(*callee).kind else { return false };
        matches!(ir.name(name), "push" | "unshift")
            && is_same_place(ir, object, list)
            && args.iter().any(|arg| matches!(ir.expr(arg.value()).kind, ExprKind::Var(v) if v == var))
    })
}

/// Whether two expressions name the same variable, or the same field of `this`.
pub fn is_same_place(ir: &File, a: ExprId, b: ExprId) -> bool {
    match (&ir.expr(a).kind, &ir.expr(b).kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Attr { object: a, name: x, .. }, ExprKind::Attr { object: b, name: y, .. }) => {
            x == y && matches!((&ir.expr(*a).kind, &ir.expr(*b).kind), (ExprKind::This, ExprKind::This))
        }
        _ => false,
    }
}
