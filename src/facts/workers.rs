//! What stands in a loop and starts something, but not once for each element of a collection: a pool of workers that
//! each take one job at a time, and what is waited for in the turn that started it.

use super::ground::Ground;
use super::map::Role;
use super::regions::within;
use crate::chains::part::Part;
use crate::ir::*;
use crate::layers::relevant::{bound_vars, mentions, takes};
use crate::link::token::CompId;

/// The loop in whose turns a call stands.
pub(super) fn turn_around(ground: &Ground, comp: CompId, e: ExprId) -> Option<Span> {
    let map = ground.map(comp);
    let (turns, _) = map.around(map.stmt_of(e)?).find(|(_, role)| *role == Role::Turn)?;
    Some(ground.file(comp).stmt_spans[turns.index()])
}

/// Whether what is started in a turn of a loop is waited for in the same turn: `task = start(f()); await task`.
pub(super) fn waits_for_it(ground: &Ground, comp: CompId, e: ExprId, turn: Span) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let Some(Stmt::Assign { targets, value: Some(value), .. }) = map.stmt_of(e).map(|stmt| file.stmt(stmt)) else {
        return false;
    };
    let [target] = targets.as_slice() else { return false };
    let (Pattern::Bind(task), true) = (file.pattern(*target), *value == e) else { return false };
    file.exprs.iter().any(|expr| match expr.kind {
        ExprKind::Await(inner) if within(expr.span, turn) && expr.span.start >= file.expr(e).span.end => {
            mentions(file, inner, |var| var == *task)
        }
        _ => false,
    })
}

/// Whether a call is waited for where it stands: it is over before anything else starts.
pub(super) fn is_over(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let mut at = e;
    while let Some(parent) = ground.map(comp).parent(at) {
        match file.expr(parent).kind {
            ExprKind::Await(_) => return file.language != Language::Rust,
            ExprKind::Typed(..) => at = parent,
            // What becomes of it is waited for: `await send().then(use)`.
            _ => match goes_on(ground, comp, at) {
                Some((_, _, after)) => at = after,
                None => return false,
            },
        }
    }
    false
}

/// What is called on a promise where that is made (JavaScript): `send().then(use)`, with the method's name.
fn goes_on<'g>(ground: &Ground<'g, '_, '_>, comp: CompId, e: ExprId) -> Option<(&'g str, &'g [Arg], ExprId)> {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let attribute = map.parent(e).filter(|_| file.language == Language::JavaScript)?;
    let ExprKind::Attr { object, name, .. } = file.expr(attribute).kind else { return None };
    let call = map.parent(attribute)?;
    let ExprKind::Call { callee, args, .. } = &file.expr(call).kind else { return None };
    let name = file.name(name);
    let is_promise = object == e && *callee == attribute && matches!(name, "then" | "catch" | "finally");
    is_promise.then_some((name, args.as_slice(), call))
}

/// Whether what a call rejects with is caught where the call stands: `send().catch(ignore)`, `send().then(use, ignore)`.
pub(super) fn is_caught(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let mut at = e;
    while let Some((name, args, after)) = goes_on(ground, comp, at) {
        let handler = match name {
            "catch" => args.first(),
            "then" => args.get(1),
            _ => None,
        };
        // One that throws again catches nothing.
        let throws = |function: FunctionId| {
            let span = file.function(function).span;
            let inside = |at: Span| span.start <= at.start && at.end <= span.end;
            let again = |stmt: &Stmt| matches!(stmt, Stmt::Raise { .. });
            file.stmts.iter().zip(&file.stmt_spans).any(|(stmt, at)| again(stmt) && inside(*at))
                || file.exprs.iter().any(|e| inside(e.span) && is_rejection(file, &e.kind))
        };
        if let Some(Arg::Positional(handler)) = handler
            && let ExprKind::Closure(function) = file.expr(*handler).kind
            && !throws(function)
        {
            return true;
        }
        at = after;
    }
    false
}

/// `Promise.reject(…)`
fn is_rejection(file: &File, call: &ExprKind) -> bool {
    let ExprKind::Call { callee, .. } = call else { return false };
    let ExprKind::Attr { object, name, .. } = file.expr(*callee).kind else { return false };
    file.name(name) == "reject" && matches!(file.expr(object).kind, ExprKind::Free(on) if file.name(on) == "Promise")
}

/// `Array.from({ length: workers }, () => work())`: the function is told neither an element nor its number.
fn is_counted_row(file: &File, e: ExprId) -> bool {
    let ExprKind::Call { callee, args, .. } = &file.expr(e).kind else { return false };
    let ExprKind::Attr { object, name, .. } = file.expr(*callee).kind else { return false };
    let is_array = matches!(file.expr(object).kind, ExprKind::Free(on) if file.name(on) == "Array");
    let [Arg::Positional(of), Arg::Positional(made)] = args.as_slice() else { return false };
    let is_length = matches!(&file.expr(*of).kind, ExprKind::Dict(entries) if entries.len() == 1);
    let tells_nothing = matches!(file.expr(*made).kind, ExprKind::Closure(f) if file.function(f).params.is_empty());
    is_array && file.name(name) == "from" && is_length && tells_nothing
}

/// Whether something is started so many times as a number says, for nothing in particular: `for _ in range(workers)`.
pub(super) fn is_pool(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let is_number = |iter: ExprId, target: PatId| {
        let is_range = match &file.expr(iter).kind {
            ExprKind::Range { .. } => true,
            ExprKind::Call { callee, .. } => {
                matches!(file.expr(*callee).kind, ExprKind::Free(name) if file.name(name) == "range")
            }
            _ => false,
        };
        let mut vars = Vec::new();
        bound_vars(file, target, &mut vars);
        is_range && !mentions(file, e, |var| vars.contains(&var))
    };
    if is_counted_row(file, e) {
        return true;
    }
    let mut at = e;
    while let Some(parent) = map.parent(at) {
        if let ExprKind::Comprehension { clauses, .. } = &file.expr(parent).kind {
            return clauses.iter().all(|clause| is_number(clause.iter, clause.target));
        }
        at = parent;
    }
    let Some(stmt) = map.stmt_of(e) else { return false };
    let turns = map.around(stmt).find(|(_, role)| *role == Role::Turn);
    matches!(turns.map(|(stmt, _)| file.stmt(stmt)), Some(Stmt::ForEach { iter, target, .. }) if is_number(*iter, *target))
}

/// Whether what a call starts takes one job after the other out of a queue.
pub(super) fn is_worker(ground: &Ground, part: &Part, started: ExprId) -> bool {
    part.path.iter().enumerate().any(|(step, &(comp, call))| {
        let file = ground.file(comp);
        let map = ground.map(comp);
        let Some(stmt) = map.stmt_of(call) else { return false };
        map.around(stmt).any(|(parent, role)| {
            let span = file.stmt_spans[parent.index()];
            matches!((file.stmt(parent), role), (Stmt::Loop { .. }, Role::Turn))
                && (step > 0 || within(span, file.expr(started).span))
                && file.exprs.iter().enumerate().any(|(at, expr)| {
                    matches!(expr.kind, ExprKind::Call { .. })
                        && within(expr.span, span)
                        && takes(file, ExprId(at as u32))
                })
        })
    })
}

/// Whether a call stands in what is handed to a call that starts it: the handle's own failure is another one.
pub(super) fn behind_handle(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let map = ground.map(comp);
    let mut at = Some(e);
    while let Some(e) = at {
        if ground.handed_to(comp, e).is_some_and(|k| k.callable.calls.iter().any(|c| c.how == "later")) {
            return ground.file(comp).language == Language::Rust;
        }
        at = map.parent(e);
    }
    false
}
