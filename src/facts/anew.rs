//! Loops whose next attempt is another request: what it is about was asked for anew in between.

use super::ground::Ground;
use super::map::Source;
use super::regions::{Region, within};
use super::slice::Slice;
use crate::chains::Count;
use crate::ir::*;
use crate::link::component::Target;
use crate::link::token::CompId;

/// Whether a loop gives a variable from outside of it a new value that a function of the program came by, and sends
/// a request that is made of it.
pub(super) fn asks_anew(ground: &Ground, region: &Region) -> bool {
    is_about_renewed(ground, region, false)
}

/// Whether a loop without an end steps from one thing to the next that a function makes of it (`path = parent(path)`),
/// and asks for each: it ends where there is nothing more.
pub(super) fn steps_on(ground: &Ground, region: &Region) -> bool {
    region.layer.attempts == Count::Unbounded && is_about_renewed(ground, region, true)
}

/// Whether the request of a loop is made of a variable that the loop gives a new value; `stepping`: made at once of its
/// own.
fn is_about_renewed(ground: &Ground, region: &Region, stepping: bool) -> bool {
    let Some(&(comp, call)) = region.path.first().filter(|_| region.turns.is_some()) else { return false };
    let file = ground.file(comp);
    if comp != region.comp || file.language != Language::Rust {
        return false;
    }
    let ExprKind::Call { args, .. } = &file.expr(call).kind else { return false };
    let mut renewed = renewed(ground, comp, region);
    if stepping {
        renewed.retain(|(var, value)| steps(file, *var, *value));
    }
    if renewed.is_empty() {
        return false;
    }
    // What is built step by step holds it in what the method is called on.
    let mut roots: Vec<(CompId, ExprId)> = args.iter().map(|a| (comp, a.value())).collect();
    let mut at = call;
    while let ExprKind::Call { callee, args, .. } = &file.expr(at).kind {
        roots.extend(args.iter().map(|a| (comp, a.value())));
        let ExprKind::Attr { object, .. } = file.expr(*callee).kind else { break };
        at = object;
    }
    Slice::of_all(ground, roots).nodes.iter().any(|node| {
        node.comp == comp
            && matches!(file.expr(node.expr).kind, ExprKind::Var(var) if renewed.iter().any(|(v, _)| *v == var))
    })
}

/// The variables that a loop gives a new value of this kind; what sends the request gives none.
fn renewed(ground: &Ground, comp: CompId, region: &Region) -> Vec<(VarId, ExprId)> {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let sends = |e: ExprId| {
        region.path.iter().any(|(c, sent)| *c == comp && within(ground.span(comp, *sent), ground.span(comp, e)))
    };
    let mut found = Vec::new();
    for (stmt, span) in file.stmts.iter().zip(&file.stmt_spans) {
        let Stmt::Assign { targets, value: Some(value), op: None, .. } = stmt else { continue };
        let [target] = targets.as_slice() else { continue };
        let Pattern::Bind(var) = *file.pattern(*target) else { continue };
        if !within(*span, region.span) || sends(*value) || !is_asked(ground, comp, *value) {
            continue;
        }
        // It had a value before the loop: the first attempt was made with that.
        let before = |source: &Source| match source {
            Source::Whole(e) | Source::Part(e, _) | Source::Each(e) | Source::Entered(e) => {
                !within(file.expr(*e).span, region.span)
            }
            Source::Param(_) => true,
            _ => false,
        };
        if map.defs(var).iter().any(|def| before(&def.source)) {
            found.push((var, *value));
        }
    }
    found
}

/// Whether a variable's new value is made of its own, with no waiting.
fn steps(file: &File, var: VarId, value: ExprId) -> bool {
    let ExprKind::Call { args, .. } = &file.expr(value).kind else { return false };
    args.iter().any(|arg| matches!(file.expr(arg.value()).kind, ExprKind::Var(v) if v == var))
}

/// Whether a value is what a function of the program gave, perhaps waited for.
fn is_asked(ground: &Ground, comp: CompId, value: ExprId) -> bool {
    let file = ground.file(comp);
    let mut at = value;
    loop {
        match &file.expr(at).kind {
            ExprKind::Await(inner) | ExprKind::Propagate(inner) | ExprKind::Typed(inner, _) => at = *inner,
            ExprKind::Call { .. } => {
                return ground.view.calls(comp, at).iter().any(|r| matches!(r.target, Target::Comp(_)));
            }
            _ => return false,
        }
    }
}
