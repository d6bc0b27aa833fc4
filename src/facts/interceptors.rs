//! What a client's own code adds to each of its requests before it is sent.

use super::ground::Ground;
use super::map::constant;
use super::regions::within;
use super::words;
use crate::ir::*;
use crate::link::component::Target;
use crate::link::store::Addr;
use crate::link::token::{CompId, Tok, Token};

/// The name under which the catalogue records calls that are handed what prepares each request.
const PREPARES: &str = "request_interceptors";

/// Whether what prepares the requests of a call's client gives them an idempotency key.
pub(super) fn give_key(ground: &Ground, (comp, call): (CompId, ExprId)) -> bool {
    let solver = ground.view.solver;
    let Some(symbol) = solver.symbols.find(PREPARES) else { return false };
    ground.view.calls(comp, call).iter().filter_map(|record| solver.receiver(record.callee)).any(|client| {
        let recorded = solver.store.get(Addr::Records(client, symbol));
        recorded.is_some_and(|calls| calls.iter().any(|made| prepares_with_key(ground, made)))
    })
}

fn prepares_with_key(ground: &Ground, made: Tok) -> bool {
    let Token::Made { site, .. } = *ground.view.token(made) else { return false };
    ground.view.calls(site.comp, site.expr).iter().any(|record| match record.target {
        Target::Comp(handed) => writes_key(ground, handed),
        _ => false,
    })
}

/// Whether a function writes something that is named for an idempotency key.
fn writes_key(ground: &Ground, comp: CompId) -> bool {
    let file = ground.file(comp);
    let span = ground.view.function(comp).span;
    let names_key = |name: Name| words::is_key(file.name(name));
    // `headers[IDEMPOTENCY_KEY]` is told by the constant's name.
    let is_key = |e: ExprId| match file.expr(e).kind {
        ExprKind::Var(var) => names_key(file.var(var).name),
        _ => constant(file, e).is_some_and(names_key),
    };
    let assigned = file.stmts.iter().zip(&file.stmt_spans).any(|(stmt, at)| match stmt {
        Stmt::Assign { targets, .. } if within(*at, span) => targets.iter().any(|&target| match file.pattern(target) {
            Pattern::Attr { name, .. } => names_key(*name),
            Pattern::Index { index, .. } => is_key(*index),
            _ => false,
        }),
        _ => false,
    });
    assigned
        || file.exprs.iter().filter(|expr| within(expr.span, span)).any(|expr| match &expr.kind {
            ExprKind::Assign { target, .. } => match file.pattern(*target) {
                Pattern::Attr { name, .. } => names_key(*name),
                Pattern::Index { index, .. } => is_key(*index),
                _ => false,
            },
            ExprKind::Dict(entries) => entries.iter().any(|entry| matches!(entry, Entry::Pair(key, _) if is_key(*key))),
            // `headers.set('Idempotency-Key', key)`
            ExprKind::Call { args, .. } => {
                matches!(args.as_slice(), [Arg::Positional(key), Arg::Positional(_)] if is_key(*key))
            }
            _ => false,
        })
}
