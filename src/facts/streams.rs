//! Streamed answers: where one is read inside a region, and whether its pieces leave the region before it is whole.

use super::ground::{Deeds, Ground};
use super::map::Def;
use super::regions::{Region, within};
use super::slice::Slice;
use crate::ir::*;
use crate::layers::relevant::{bound_vars, children};
use crate::link::token::CompId;
use crate::source::Place;

/// Where a streamed answer is consumed inside the region.
pub fn rereads(ground: &Ground, region: &Region) -> Option<Place> {
    let (sink_comp, sink) = *region.path.last()?;
    for (i, &(comp, call)) in region.path.iter().enumerate() {
        let file = ground.file(comp);
        let map = ground.map(comp);
        let function = ground.view.func(comp).id;
        let inside = |span: Span| i > 0 || region.comp != comp || within(span, region.span);
        let from_sink = |e: ExprId| {
            Slice::of(ground, comp, e)
                .nodes
                .iter()
                .any(|n| (n.comp, n.expr) == (sink_comp, sink) || (n.comp, n.expr) == (comp, call))
        };
        for &id in map.stmts_of(function) {
            if !inside(file.stmt_spans[id.index()]) || Some(id) == region.turns {
                continue;
            }
            let read = match file.stmt(id) {
                Stmt::ForEach { iter, .. } => Some(*iter).filter(|e| from_sink(*e)),
                Stmt::Loop { before: Some(test), .. } => match &file.expr(*test).kind {
                    ExprKind::Matches { subject, .. } => Some(*subject).filter(|e| from_sink(*e)),
                    _ => None,
                },
                _ => None,
            };
            if let Some(e) = read
                && !collects(ground, region, comp, id)
            {
                return Some(ground.place(comp, e));
            }
        }
        let yields = map.returns.get(&function).map_or(&[][..], Vec::as_slice);
        let passed_on = yields.iter().copied().find(|&e| {
            let is_yield = map.parent(e).is_some_and(|p| matches!(file.expr(p).kind, ExprKind::YieldFrom(_)));
            is_yield && inside(file.expr(e).span) && from_sink(e)
        });
        if let Some(e) = passed_on {
            return Some(ground.place(comp, e));
        }
    }
    None
}

/// Whether a loop over the pieces only collects them in what the attempt itself has made: a break throws that away, and
/// nothing was delivered.
fn collects(ground: &Ground, region: &Region, comp: CompId, turns: StmtId) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let function = ground.view.func(comp).id;
    let mut pieces = Vec::new();
    let body = match file.stmt(turns) {
        Stmt::ForEach { target, body, .. } => {
            bound_vars(file, *target, &mut pieces);
            *body
        }
        Stmt::Loop { before, body, .. } => {
            if let Some(ExprKind::Matches { pattern, .. }) = before.map(|e| &file.expr(e).kind) {
                bound_vars(file, *pattern, &mut pieces);
            }
            *body
        }
        _ => return false,
    };
    let mentions = |e: ExprId| {
        let mut pending = vec![e];
        while let Some(at) = pending.pop() {
            if matches!(file.expr(at).kind, ExprKind::Var(v) if pieces.contains(&v)) {
                return true;
            }
            children(file, at, &mut pending);
        }
        false
    };
    let Some(span) = super::map::block_span(file, body) else { return false };
    // Made by the attempt: somewhere in the region, or in a function that it runs anew.
    let own = |var: VarId| {
        let made = |d: &Def| d.stmt.and_then(|s| file.stmt_spans.get(s.index()).copied());
        let anew = comp != region.comp || ground.view.func(region.comp).id != function;
        file.var(var).owner == function
            && map
                .defs(var)
                .iter()
                .any(|d| !d.adds && made(d).is_some_and(|s| !within(s, span) && (anew || within(s, region.span))))
    };
    let collected = map.exprs_of(function).iter().filter(|&&e| within(file.expr(e).span, span)).all(|&e| {
        match &file.expr(e).kind {
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) | ExprKind::Await(_) => false,
            ExprKind::Call { callee, args, .. } => {
                let raised = map.stmt_of(e).is_some_and(|s| matches!(file.stmt(s), Stmt::Raise { .. }));
                let receiver = match &file.expr(*callee).kind {
                    ExprKind::Attr { object, .. } => match file.expr(*object).kind {
                        ExprKind::Var(var) => own(var),
                        _ => false,
                    },
                    // `len(piece)`, `isinstance(piece, …)`
                    ExprKind::Var(var) => {
                        matches!(file.name(file.var(*var).name), "len" | "isinstance" | "bool" | "int" | "type")
                    }
                    _ => false,
                };
                args.is_empty() || raised || receiver || (ground.deeds_at(comp, e).any(Deeds::LOGS) && !mentions(e))
            }
            ExprKind::Assign { target, .. } => kept(file, *target, &own),
            _ => true,
        }
    });
    let stmts = map.stmts_of(function).iter().filter(|s| within(file.stmt_spans[s.index()], span));
    collected
        && stmts.into_iter().all(|&s| match file.stmt(s) {
            Stmt::Assign { targets, op, .. } => {
                let fresh = |p: &PatId| op.is_none() && matches!(file.pattern(*p), Pattern::Bind(_));
                targets.iter().all(|p| fresh(p) || kept(file, *p, &own))
            }
            _ => true,
        })
}

/// Whether a piece is put into a variable of the attempt.
fn kept(file: &File, target: PatId, own: &impl Fn(VarId) -> bool) -> bool {
    match file.pattern(target) {
        Pattern::Bind(var) => own(*var),
        Pattern::Index { object, .. } => matches!(file.expr(*object).kind, ExprKind::Var(var) if own(var)),
        _ => false,
    }
}
