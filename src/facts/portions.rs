//! Collections that are portions of something larger: a slice, a chunk, a page of so many rows.

use super::ground::Ground;
use super::regions::within;
use super::slice::Slice;
use super::words;
use crate::ir::*;
use crate::layers::relevant::mentions;
use crate::link::token::CompId;

/// More rows at once than anybody means to be few.
const FEW_ROWS: i64 = 100;

/// Whether a call asks for so many rows and no more: `findMany({ take: 20 })`, `list(limit=PAGE_SIZE)`.
fn asks_for_few(ground: &Ground, comp: CompId, args: &[Arg]) -> bool {
    let file = ground.file(comp);
    let is_limit = |name: Name| {
        let words = words::words(file.name(name));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        matches!(words[..], ["take"] | ["limit"] | ["first"] | ["page", "size"] | ["per", "page"] | ["max", "results"])
    };
    let is_few = |e: ExprId| {
        let mut at = e;
        for _ in 0..4 {
            match file.expr(at).kind {
                ExprKind::Literal(Literal::Int(n)) => return n <= FEW_ROWS,
                ExprKind::Typed(inner, _) => at = inner,
                ExprKind::Var(var) => match ground.map(comp).defs(var) {
                    [def] => match def.source {
                        super::map::Source::Whole(value) => at = value,
                        _ => return false,
                    },
                    // A constant of another file says by its name that it is one.
                    [] => return is_constant(file.name(file.var(var).name)),
                    _ => return false,
                },
                _ => return false,
            }
        }
        false
    };
    args.iter().any(|arg| match (arg, &file.expr(arg.value()).kind) {
        (Arg::Keyword(name, value), _) => is_limit(*name) && is_few(*value),
        (_, ExprKind::Dict(entries)) => entries.iter().any(|entry| match *entry {
            Entry::Pair(key, value) => super::map::constant(file, key).is_some_and(is_limit) && is_few(value),
            _ => false,
        }),
        _ => false,
    })
}

/// Whether a name is written as constants are.
fn is_constant(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}

/// Whether a list is emptied as soon as it has so many elements: `if len(batch) >= SIZE: send(batch); batch = []`.
fn is_flushed(file: &File, var: VarId) -> bool {
    let is_it = |v: VarId| v == var;
    let is_full = |test: ExprId| {
        let mut pending = vec![test];
        while let Some(e) = pending.pop() {
            match file.expr(e).kind {
                ExprKind::Compare(CompareOp::Gt | CompareOp::GtEq | CompareOp::Eq, size, most)
                    if !matches!(file.expr(size).kind, ExprKind::Var(_))
                        && !is_nothing(file, most)
                        && mentions(file, size, is_it) =>
                {
                    return true;
                }
                ExprKind::Or(a, b) | ExprKind::And(a, b) => pending.extend([a, b]),
                ExprKind::Typed(inner, _) => pending.push(inner),
                _ => {}
            }
        }
        false
    };
    file.stmts.iter().any(|stmt| match stmt {
        Stmt::If { test, then, .. } if is_full(*test) => {
            super::map::block_span(file, *then).is_some_and(|span| is_emptied(file, var, span))
        }
        _ => false,
    })
}

/// `0`, `1`: more than that is no portion, but not empty.
fn is_nothing(file: &File, e: ExprId) -> bool {
    matches!(file.expr(e).kind, ExprKind::Literal(Literal::Int(n)) if n <= 1)
}

/// Whether a list is made anew or cleared in some code.
fn is_emptied(file: &File, var: VarId, code: Span) -> bool {
    let is_var = |target: PatId| matches!(*file.pattern(target), Pattern::Bind(v) if v == var);
    let is_empty = |e: ExprId| match &file.expr(e).kind {
        ExprKind::Seq(_, items) => items.is_empty(),
        ExprKind::Call { callee, args, .. } => {
            let makes = |name: Name| matches!(file.name(name), "list" | "set" | "deque" | "new");
            args.is_empty()
                && match file.expr(*callee).kind {
                    ExprKind::Free(name) | ExprKind::Attr { name, .. } => makes(name),
                    _ => false,
                }
        }
        _ => false,
    };
    let by_stmt = file.stmts.iter().zip(&file.stmt_spans).any(|(stmt, span)| match stmt {
        Stmt::Assign { targets, value: Some(value), .. } => {
            within(*span, code) && targets.iter().any(|t| is_var(*t)) && is_empty(*value)
        }
        _ => false,
    });
    by_stmt
        || file.exprs.iter().any(|expr| {
            within(expr.span, code)
                && match &expr.kind {
                    ExprKind::Assign { target, value, .. } => is_var(*target) && is_empty(*value),
                    ExprKind::Call { callee, .. } => match file.expr(*callee).kind {
                        ExprKind::Attr { object, name, .. } => {
                            matches!(file.expr(object).kind, ExprKind::Var(v) if v == var)
                                && matches!(file.name(name), "clear" | "drain" | "splice")
                        }
                        _ => false,
                    },
                    _ => false,
                }
        })
}

/// Whether what is gone over is a piece of a collection: a slice, a chunk, a batch.
pub fn is_chunk(ground: &Ground, slice: &Slice) -> bool {
    slice.nodes.iter().any(|n| match &ground.file(n.comp).expr(n.expr).kind {
        ExprKind::Var(var) => {
            let at = (ground.view.func(n.comp).file, *var);
            let known = ground.flushed.borrow().get(&at).copied();
            known.unwrap_or_else(|| {
                let flushed = is_flushed(ground.file(n.comp), *var);
                ground.flushed.borrow_mut().insert(at, flushed);
                flushed
            })
        }
        ExprKind::Slice { bounds, .. } => bounds.len() > 1 || !bounds.is_empty(),
        ExprKind::Call { args, .. } => {
            let (name, _) = words::split(ground.callee_text(n.comp, n.expr));
            asks_for_few(ground, n.comp, args)
                || words::words(name).iter().any(|w| {
                    matches!(
                        w.as_str(),
                        "chunk"
                            | "chunks"
                            | "chunked"
                            | "batch"
                            | "batches"
                            | "batched"
                            | "islice"
                            | "grouper"
                            | "slice"
                            | "splice"
                            | "take"
                            | "partition"
                    )
                })
        }
        _ => false,
    })
}
