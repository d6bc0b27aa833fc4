//! What a layer's own code says beside repeating: whether it logs, where it decides, whether it spares a spent
//! quota, and where a streamed answer is read again.

use super::ground::{Deeds, Ground};
use super::map::{Role, block_span, leaves};
use super::regions::{Region, distinct, written};
use super::slice::Slice;
use super::words;
use crate::catalogue::Formula;
use crate::chains::{Chain, Confidence, LayerKind};
use crate::ir::*;
use crate::link::token::{CompId, Token};
use crate::source::Place;
use rustc_hash::FxHashMap;

/// What is known of one layer.
#[derive(Clone, Copy, Default)]
struct Known {
    logs: bool,
    decides: Option<Place>,
    spares: bool,
    another: bool,
    asks_anew: bool,
    steps_on: bool,
}

/// Fills in what the chains' layers say of themselves.
pub fn fill(ground: &Ground, regions: &[Region], chains: &mut [Chain]) {
    let mut layers: FxHashMap<(Place, LayerKind), Known> = FxHashMap::default();
    let mut streams: FxHashMap<(Place, Place), Place> = FxHashMap::default();
    for region in distinct(regions) {
        let known = layers.entry((written(&region.layer), region.layer.kind)).or_default();
        known.logs |= logs(ground, region);
        known.decides = known.decides.or_else(|| decides(ground, region));
        known.spares |= spares(ground, region);
        known.another |= asks_for_another(ground, region);
        known.asks_anew |= super::anew::asks_anew(ground, region);
        known.steps_on |= super::anew::steps_on(ground, region);
    }
    for region in regions.iter().filter(|r| r.call.stream) {
        if let Some(place) = super::streams::rereads(ground, region) {
            streams.entry((written(&region.layer), region.call.place)).or_insert(place);
        }
    }
    // A home-made layer may have been moved to where it is applied, and is another kind there.
    let by_place: FxHashMap<Place, Known> = layers.iter().map(|((place, _), known)| (*place, *known)).collect();
    for chain in chains {
        let mut steps_on = false;
        for layer in &mut chain.layers {
            let place = written(layer);
            if let Some(place) = streams.get(&(place, chain.call.place)) {
                layer.rereads = Some(*place);
            }
            let known = layers.get(&(place, layer.kind)).or_else(|| by_place.get(&place));
            if let Some(known) = known.filter(|_| !layer.kind.is_built_in()) {
                layer.logs |= known.logs;
                layer.decides = layer.decides.or(known.decides);
                layer.spares_spent_quota |= known.spares;
                layer.another |= known.another;
                layer.in_a_row |= known.asks_anew;
                steps_on |= known.steps_on;
            }
        }
        // Such a loop hardly repeats anything.
        if steps_on {
            chain.confidence = Confidence::Low;
        }
    }
}

/// Whether the region logs or counts where an attempt failed, or as each begins.
fn logs(ground: &Ground, region: &Region) -> bool {
    let file = ground.file(region.comp);
    let map = ground.map(region.comp);
    let call_at = region.path.first().map_or(0, |(c, e)| ground.span(*c, *e).start);
    let own_body = region.turns.map(|s| match file.stmt(s) {
        Stmt::ForEach { body, .. } | Stmt::Loop { body, .. } => *body,
        _ => BlockId(0),
    });
    ground.calls_in(region.comp).iter().any(|&e| {
        if !region.holds(ground, e) {
            return false;
        }
        let deeds = ground.deeds_at(region.comp, e);
        if !deeds.any(Deeds::LOGS) || deeds.any(Deeds::SENDS) {
            return false;
        }
        let Some(stmt) = map.stmt_of(e) else { return false };
        let Some(at) = map.at(stmt) else { return false };
        let in_handler = at.role == Role::Otherwise
            || matches!(at.role, Role::Handler(_))
            || map.around(stmt).any(|(_, role)| matches!(role, Role::Handler(_)));
        match own_body {
            Some(body) => at.block == body || !leaves_for_good(file, at.block),
            None => in_handler || file.expr(e).span.start < call_at,
        }
    }) || given_logs(ground, region)
}

/// A library's policy calls back functions; one that logs tells of each attempt.
fn given_logs(ground: &Ground, region: &Region) -> bool {
    region.given(ground).iter().any(|&func| ground.comps_of(func).iter().any(|&c| ground.of_comp(c).any(Deeds::LOGS)))
}

/// Whether a block ends the loop it stands in.
fn leaves_for_good(file: &File, block: BlockId) -> bool {
    let goes_on = file.block(block).last().is_some_and(|s| matches!(file.stmt(*s), Stmt::Continue(_)));
    !goes_on && leaves(file, block)
}

/// Where it is decided what is tried again.
fn decides(ground: &Ground, region: &Region) -> Option<Place> {
    match region.turns {
        Some(stmt) => handler(ground, region, stmt),
        None => predicate(ground, region),
    }
}

/// The handler, arm or test in a loop by which it goes round again.
fn handler(ground: &Ground, region: &Region, turns: StmtId) -> Option<Place> {
    let (comp, call) = *region.path.first()?;
    if comp != region.comp {
        return None;
    }
    let file = ground.file(comp);
    let map = ground.map(comp);
    let mut stmt = map.stmt_of(call)?;
    // Handlers around the call, the innermost first.
    loop {
        let inside = map.around(stmt).next();
        if let Stmt::Match { subject, arms, .. } = file.stmt(stmt)
            && super::regions::within(ground.span(comp, call), file.expr(*subject).span)
        {
            let again =
                arms.iter().filter(|arm| !leaves_for_good(file, arm.body)).max_by_key(|arm| arm.guard.is_some());
            if let Some(arm) = again {
                return Some(ground.view.place(comp, arm.span));
            }
        }
        let Some((parent, role)) = inside else { break };
        if let (Stmt::Try { handlers, .. }, Role::Try) = (file.stmt(parent), role) {
            let again = handlers.iter().rev().find(|h| !leaves_for_good(file, h.body));
            if let Some(handler) = again {
                return Some(ground.view.place(comp, handler.span));
            }
        }
        if parent == turns {
            break;
        }
        stmt = parent;
    }
    None
}

/// Whether the handler around a retried call changes what the call is given (`code = next(code)`).
fn asks_for_another(ground: &Ground, region: &Region) -> bool {
    let (Some(&(comp, call)), Some(turns)) = (region.path.first(), region.turns) else { return false };
    let file = ground.file(comp);
    let (ExprKind::Call { args, .. }, true) = (&file.expr(call).kind, comp == region.comp) else { return false };
    let given = |var: VarId| args.iter().any(|arg| crate::layers::relevant::mentions(file, arg.value(), |v| v == var));
    let map = ground.map(comp);
    let Some(mut stmt) = map.stmt_of(call) else { return false };
    while let Some((parent, role)) = map.around(stmt).next().filter(|_| stmt != turns) {
        if let (Stmt::Try { handlers, .. }, Role::Try) = (file.stmt(parent), role) {
            let changes = file.stmts.iter().zip(&file.stmt_spans).any(|(inner, span)| {
                let Stmt::Assign { targets, .. } = inner else { return false };
                let mut bound = Vec::new();
                targets.iter().for_each(|t| crate::layers::relevant::bound_vars(file, *t, &mut bound));
                handlers.iter().filter_map(|h| block_span(file, h.body)).any(|h| super::regions::within(*span, h))
                    && bound.into_iter().any(given)
            });
            if changes {
                return true;
            }
        }
        stmt = parent;
    }
    false
}

/// The setting by which a library's policy was told what to try again.
fn predicate(ground: &Ground, region: &Region) -> Option<Place> {
    let Token::Made { callee, site } = *ground.view.token(region.made?) else { return None };
    let known = ground.view.known(callee)?;
    let formula = known.callable.layer.as_ref().and_then(|l| l.on_error.as_ref())?;
    let mut names: Vec<&str> = Vec::new();
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        match formula {
            Formula::Name(name) => names.push(name),
            Formula::Field(a, name) => {
                names.push(name);
                pending.push(a);
            }
            Formula::Not(a) | Formula::Neg(a) => pending.push(a),
            Formula::Index(a, b) | Formula::Binary(_, a, b) => pending.extend([&**a, &**b]),
            Formula::Call(_, list) | Formula::List(list) => pending.extend(list),
            _ => {}
        }
    }
    let file = ground.file(site.comp);
    let Some(ExprKind::Call { args, .. }) = file.exprs.get(site.expr.index()).map(|e| &e.kind) else { return None };
    for arg in args {
        if let Arg::Keyword(name, e) = arg
            && names.contains(&file.name(*name))
        {
            return Some(ground.place(site.comp, *e));
        }
        if let ExprKind::Dict(entries) = &file.expr(arg.value()).kind {
            for entry in entries {
                if let Entry::Pair(key, value) = entry
                    && super::map::constant(file, *key).is_some_and(|k| names.contains(&file.name(k)))
                {
                    return Some(ground.place(site.comp, *value));
                }
            }
        }
    }
    None
}

/// Whether the deciding code looks for a spent quota: by its code, or by the missing header.
fn spares(ground: &Ground, region: &Region) -> bool {
    region.deciding(ground).iter().any(|&(comp, span)| {
        let file = ground.file(comp);
        let function = ground.view.func(comp).id;
        ground.map(comp).exprs_of(function).iter().any(|&e| match file.expr(e).kind {
            ExprKind::Literal(Literal::Str(name)) => {
                super::regions::within(file.expr(e).span, span) && is_quota(file.name(name)) && in_test(ground, comp, e)
            }
            _ => false,
        }) || needs_header(ground, comp, span)
    })
}

fn is_quota(text: &str) -> bool {
    let list = words::words(text);
    list.len() <= 5
        && list.iter().any(|w| {
            matches!(
                w.as_str(),
                "quota" | "billing" | "credit" | "credits" | "spend" | "budget" | "balance" | "insufficient"
            )
        })
}

/// Whether an expression is part of a test.
fn in_test(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let mut at = e;
    for _ in 0..24 {
        let Some(parent) = map.parent(at) else { break };
        match &file.expr(parent).kind {
            ExprKind::Compare(..) | ExprKind::Matches { .. } => return true,
            ExprKind::Conditional { test, .. } if *test == at => return true,
            _ => at = parent,
        }
    }
    map.stmt_of(at).is_some_and(|s| match file.stmt(s) {
        Stmt::If { test, .. } => *test == at,
        Stmt::Match { .. } => true,
        Stmt::Return(_) => {
            matches!(file.expr(at).kind, ExprKind::Unary(UnaryOp::Not, _) | ExprKind::And(..) | ExprKind::Or(..))
        }
        _ => false,
    })
}

/// An `if` that looks for Retry-After and ends the attempts without it.
fn needs_header(ground: &Ground, comp: CompId, span: Span) -> bool {
    let file = ground.file(comp);
    ground.map(comp).stmts_of(ground.view.func(comp).id).iter().any(|id| {
        let Stmt::If { test, then, .. } = file.stmt(*id) else { return false };
        if !super::regions::within(file.stmt_spans[id.index()], span) || !leaves_for_good(file, *then) {
            return false;
        }
        negated(file, *test)
            && Slice::of(ground, comp, *test).nodes.iter().any(|n| super::headers::is_read(ground, n.comp, n.expr))
    })
}

/// Whether a test asks for something missing.
pub(super) fn negated(file: &File, test: ExprId) -> bool {
    let mut pending = vec![test];
    while let Some(e) = pending.pop() {
        match &file.expr(e).kind {
            ExprKind::Unary(UnaryOp::Not, _) => return true,
            ExprKind::Compare(CompareOp::Is | CompareOp::Eq, _, b)
                if matches!(file.expr(*b).kind, ExprKind::Literal(Literal::Null)) =>
            {
                return true;
            }
            ExprKind::Compare(CompareOp::NotIn, ..) => return true,
            ExprKind::And(a, b) | ExprKind::Or(a, b) => pending.extend([*a, *b]),
            _ => {}
        }
    }
    false
}
