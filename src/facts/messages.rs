//! Layers that decide by an error's text.

use super::ground::Ground;
use super::map::{Role, Source, block_span};
use super::regions::{Region, distinct, within};
use super::slice::reaching;
use super::words;
use crate::chains::MessageTest;
use crate::ir::*;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::token::{CompId, FuncRef};
use crate::source::Place;
use std::collections::BTreeMap;

/// Every test of an error's text that decides whether a layer tries again.
pub fn tests(ground: &Ground, regions: &[Region]) -> Vec<MessageTest> {
    let mut found: BTreeMap<Place, MessageTest> = BTreeMap::new();
    for region in distinct(regions).filter(|region| !region.layer.guessed) {
        let policies = region.given(ground);
        for &(comp, span) in region.deciding(ground) {
            let file = ground.file(comp);
            let func = ground.view.func(comp);
            let predicate = policies.contains(&func);
            for &e in ground.map(comp).exprs_of(func.id) {
                if !within(file.expr(e).span, span)
                    || !is_test(ground, comp, e, predicate)
                    || !decides(ground, comp, e)
                    || only_ends(ground, region, comp, e)
                {
                    continue;
                }
                let place = ground.place(comp, e);
                found.entry(place).or_insert_with(|| MessageTest {
                    place,
                    function: ground.view.name(comp),
                    layer: region.layer.place,
                });
            }
        }
    }
    // One decision with several words is one test.
    let mut list: Vec<MessageTest> = Vec::new();
    for test in found.into_values() {
        let same_line = |a: Place, b: Place| {
            let file = &ground.view.solver.files[a.file.index()];
            a.file == b.file && file.line(a.span.start) == file.line(b.span.start)
        };
        if !list.last().is_some_and(|last| same_line(last.place, test.place)) {
            list.push(test);
        }
    }
    list
}

/// Whether an expression looks for words in an error's text.
fn is_test(ground: &Ground, comp: CompId, e: ExprId, predicate: bool) -> bool {
    let file = ground.file(comp);
    match &file.expr(e).kind {
        ExprKind::Compare(CompareOp::In | CompareOp::NotIn, needle, text) => {
            !matches!(file.expr(*needle).kind, ExprKind::Literal(Literal::Int(_)))
                && is_text(ground, comp, *text, predicate, 0)
        }
        ExprKind::Compare(CompareOp::Eq | CompareOp::NotEq, a, b) => {
            let literal = |e: ExprId| matches!(file.expr(e).kind, ExprKind::Literal(Literal::Str(_)));
            (literal(*b) && is_text(ground, comp, *a, predicate, 0))
                || (literal(*a) && is_text(ground, comp, *b, predicate, 0))
        }
        ExprKind::Call { callee, args, .. } => {
            let ExprKind::Attr { object, name, .. } = &file.expr(*callee).kind else { return false };
            let name = file.name(*name);
            let of_text = matches!(
                name,
                "includes"
                    | "contains"
                    | "startswith"
                    | "startsWith"
                    | "starts_with"
                    | "endswith"
                    | "endsWith"
                    | "ends_with"
                    | "match"
                    | "search"
                    | "indexOf"
                    | "find"
                    | "index"
                    | "count"
            );
            if of_text && is_text(ground, comp, *object, predicate, 0) {
                return true;
            }
            // `re.search("…", str(e))`, `/…/.test(e.message)`, `pattern.is_match(&e.to_string())`
            let of_pattern =
                matches!(name, "search" | "match" | "fullmatch" | "findall" | "test" | "exec" | "is_match");
            of_pattern && args.iter().any(|a| is_text(ground, comp, a.value(), predicate, 0))
        }
        _ => false,
    }
}

/// Whether an expression is the text of an error.
fn is_text(ground: &Ground, comp: CompId, e: ExprId, predicate: bool, depth: usize) -> bool {
    if depth > 16 {
        return false;
    }
    let file = ground.file(comp);
    let error = |e: ExprId| is_error(ground, comp, e, predicate, 0);
    match &file.expr(e).kind {
        ExprKind::Call { callee, args, .. } => match &file.expr(*callee).kind {
            ExprKind::Attr { object, name, .. } => {
                let name = file.name(*name);
                if matches!(name, "to_string" | "toString" | "__str__") && error(*object) {
                    return true;
                }
                // `str(e).lower()`
                matches!(
                    name,
                    "lower"
                        | "upper"
                        | "strip"
                        | "casefold"
                        | "toLowerCase"
                        | "toUpperCase"
                        | "trim"
                        | "to_lowercase"
                        | "to_uppercase"
                        | "as_str"
                        | "as_ref"
                        | "clone"
                        | "toString"
                ) && is_text(ground, comp, *object, predicate, depth + 1)
            }
            ExprKind::Free(name) => {
                let name = file.name(*name);
                matches!(name, "str" | "repr" | "String" | "format")
                    && args.iter().any(|a| error(a.value()) || is_text(ground, comp, a.value(), predicate, depth + 1))
            }
            _ => false,
        },
        ExprKind::Template(parts) => parts.iter().any(|p| error(*p) || is_text(ground, comp, *p, predicate, depth + 1)),
        ExprKind::Attr { object, name, .. } => {
            matches!(file.name(*name), "message" | "msg" | "args" | "reason" | "strerror" | "detail") && error(*object)
        }
        ExprKind::Index { object, .. } => is_text(ground, comp, *object, predicate, depth + 1),
        ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) => {
            is_text(ground, comp, *a, predicate, depth + 1) || is_text(ground, comp, *b, predicate, depth + 1)
        }
        ExprKind::Conditional { then, otherwise, .. } => {
            is_text(ground, comp, *then, predicate, depth + 1)
                || is_text(ground, comp, *otherwise, predicate, depth + 1)
        }
        // `typeof error.message` says nothing of what it says.
        ExprKind::Unary(UnaryOp::TypeOf, _) => false,
        ExprKind::Typed(inner, _) | ExprKind::Unary(_, inner) => is_text(ground, comp, *inner, predicate, depth + 1),
        ExprKind::Var(var) => {
            let local = file.var(*var).owner == ground.view.func(comp).id;
            let defs = if local { reaching(ground, comp, *var, e) } else { ground.map(comp).defs(*var).to_vec() };
            defs.iter().any(|d| match d.source {
                Source::Whole(value) => is_text(ground, comp, value, predicate, depth + 1),
                // `{ message } = error`
                Source::Part(value, Some(name)) => file.name(name) == "message" && error(value),
                // A helper that is handed the text.
                Source::Param(i) => holder(ground, comp, *var)
                    .is_some_and(|at| handed(ground, at, i, |c, a| is_text(ground, c, a, predicate, depth + 4))),
                _ => false,
            })
        }
        _ => false,
    }
}

/// Whether an expression is an error: caught, handed to a predicate or helper, or a failed outcome's part.
fn is_error(ground: &Ground, comp: CompId, e: ExprId, predicate: bool, depth: usize) -> bool {
    if depth > 12 {
        return false;
    }
    let file = ground.file(comp);
    match &file.expr(e).kind {
        ExprKind::Var(var) => {
            let owner = file.var(*var).owner;
            let func = ground.view.func(comp);
            let local = owner == func.id;
            ground.map(comp).defs(*var).iter().any(|d| match d.source {
                Source::Caught(handled) => may_fail_as_retried(ground, comp, handled),
                Source::Param(i) if local => {
                    predicate
                        || is_handler(ground, func)
                        || handed(ground, comp, i, |c, a| is_error(ground, c, a, predicate, depth + 3))
                }
                // A closure asks about what the function around it was handed.
                Source::Param(i) => holder(ground, comp, *var)
                    .is_some_and(|at| handed(ground, at, i, |c, a| is_error(ground, c, a, predicate, depth + 3))),
                // `Err(e) =>`
                Source::Part(..) => is_error_arm(ground, comp, d, *var),
                Source::Whole(value) => is_error(ground, comp, value, predicate, depth + 1),
                _ => false,
            })
        }
        ExprKind::Typed(inner, _) => is_error(ground, comp, *inner, predicate, depth + 1),
        // `error instanceof Error ? error : new Error(String(error))`
        ExprKind::Conditional { then, otherwise, .. } => {
            is_error(ground, comp, *then, predicate, depth + 1)
                || is_error(ground, comp, *otherwise, predicate, depth + 1)
        }
        ExprKind::Attr { object, name, .. } => {
            matches!(file.name(*name), "cause" | "__cause__" | "error" | "err" | "source")
                && is_error(ground, comp, *object, predicate, depth + 1)
        }
        ExprKind::Call { callee, .. } => {
            // `retry_state.outcome.exception()`
            let (name, _) = words::split(ground.text(comp, file.expr(*callee).span));
            matches!(name, "exception" | "unwrap_err" | "exc_info")
        }
        _ => false,
    }
}

/// Whether what a `try` catches may be the failure of the retried call, not only that of something else: it makes such
/// calls, or passes on what it was given.
fn may_fail_as_retried(ground: &Ground, comp: CompId, handled: StmtId) -> bool {
    let file = ground.file(comp);
    let Stmt::Try { body, .. } = file.stmt(handled) else { return true };
    let Some(span) = block_span(file, *body) else { return true };
    let map = ground.map(comp);
    let function = ground.view.func(comp).id;
    let raises = map.stmts_of(function).iter().any(|&s| {
        matches!(file.stmt(s), Stmt::Raise { .. }) && file.stmt_spans.get(s.index()).is_some_and(|s| within(*s, span))
    });
    // `await promise`: what was started elsewhere.
    let waits = map.exprs_of(function).iter().any(|&e| {
        let ExprKind::Await(inner) = file.expr(e).kind else { return false };
        within(file.expr(e).span, span) && !matches!(file.expr(inner).kind, ExprKind::Call { .. })
    });
    if raises || waits {
        return true;
    }
    let mut calls = ground.calls_in(comp).iter().filter(|&&e| within(file.expr(e).span, span)).peekable();
    if !ground.reaching[comp.0 as usize] && calls.peek().is_some() {
        // It leads to no such call.
        return false;
    }
    let foreign = |e: ExprId| {
        let records = ground.view.calls(comp, e);
        !records.is_empty()
            && records.iter().all(|r| match r.target {
                Target::External(_) => ground.view.known(r.callee).is_some_and(|k| k.callable.outbound.is_none()),
                Target::Comp(target) => !ground.reaching[target.0 as usize] && r.via == Via::Call,
                Target::Unresolved => false,
            })
    };
    calls.peek().is_none() || !calls.all(|&e| foreign(e))
}

/// Whether a variable is bound by the pattern of a failure.
fn is_error_arm(ground: &Ground, comp: CompId, def: &super::map::Def, var: VarId) -> bool {
    let file = ground.file(comp);
    let named = |pattern: PatId| {
        let mut pending = vec![(pattern, false)];
        while let Some((p, failed)) = pending.pop() {
            match file.pattern(p) {
                Pattern::Bind(v) | Pattern::As(_, v) if *v == var => return failed,
                Pattern::Variant { path, args, fields } => {
                    let text = ground.text(comp, file.expr(*path).span);
                    let failed = failed || text == "Err" || text.ends_with("::Err");
                    pending.extend(args.iter().map(|a| (*a, failed)));
                    pending.extend(fields.iter().map(|f| (f.1, failed)));
                }
                Pattern::Or(list) | Pattern::Sequence(list) => pending.extend(list.iter().map(|p| (*p, failed))),
                Pattern::As(inner, _) => pending.push((*inner, failed)),
                _ => {}
            }
        }
        false
    };
    let Some(stmt) = def.stmt else { return false };
    match file.stmt(stmt) {
        Stmt::Match { arms, .. } => arms.iter().any(|arm| named(arm.pattern)),
        Stmt::If { test, .. } => {
            let mut pending = vec![*test];
            while let Some(e) = pending.pop() {
                if let ExprKind::Matches { pattern, .. } = &file.expr(e).kind
                    && named(*pattern)
                {
                    return true;
                }
                crate::layers::relevant::children(file, e, &mut pending);
            }
            false
        }
        _ => false,
    }
}

/// Whether a function is handed to a rejected promise's `catch`.
fn is_handler(ground: &Ground, func: FuncRef) -> bool {
    ground.comps_of(func).iter().any(|&comp| {
        ground.callers(comp).iter().any(|(caller, record)| {
            let (name, _) = words::split(ground.callee_text(*caller, record.expr));
            // (What fails in a function that sends nothing is no failure of a call.)
            matches!(name, "catch" | "map_err" | "or_else" | "unwrap_or_else")
                && record.via == Via::Handed
                && ground.reaching[caller.0 as usize]
        })
    })
}

/// The component that has a variable: the function itself, or one around it.
fn holder(ground: &Ground, comp: CompId, var: VarId) -> Option<CompId> {
    ground.view.solver.owner(comp, ground.view.func(comp).file, ground.file(comp).var(var).owner)
}

/// Whether a call of a component hands something over to a parameter.
fn handed(ground: &Ground, comp: CompId, param: u32, is: impl Fn(CompId, ExprId) -> bool) -> bool {
    ground.callers(comp).iter().take(8).any(|(caller, record)| {
        super::slice::arguments(ground, comp, *caller, record.expr, param).into_iter().any(|a| is(*caller, a))
    })
}

/// Whether a test decides what happens, and is no mere label for a log.
fn decides(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let mut at = e;
    while let Some(parent) = map.parent(at) {
        match &file.expr(parent).kind {
            ExprKind::Conditional { test, .. } if *test == at => return !is_only_logged(ground, comp, parent),
            ExprKind::Call { .. } => {
                let (name, _) = words::split(ground.callee_text(comp, parent));
                // `any("429" in str(e) for …)`, `WORDS.some((w) => …)`
                if !matches!(name, "any" | "all" | "some" | "every" | "bool" | "Boolean" | "test") {
                    return false;
                }
            }
            _ => {}
        }
        at = parent;
    }
    map.stmt_of(at).is_some_and(|s| match file.stmt(s) {
        Stmt::If { test, then, otherwise } => {
            *test == at && !(only_logs(ground, comp, *then) && otherwise.is_none_or(|o| only_logs(ground, comp, o)))
        }
        Stmt::Loop { .. } | Stmt::Match { .. } | Stmt::Return(_) => true,
        Stmt::Assign { .. } => true,
        _ => false,
    })
}

/// Whether a test only says how a loop is left, not whether: both ways leave it.
fn only_ends(ground: &Ground, region: &Region, comp: CompId, e: ExprId) -> bool {
    let Some(turns) = region.turns else { return false };
    if comp == region.comp {
        return leaves_both_ways(ground, comp, e, turns);
    }
    // A helper is asked.
    let asked = |r: &&CallRecord| r.target == Target::Comp(comp) && region.holds(ground, r.expr);
    let mut asked = ground.view.all_calls(region.comp).iter().filter(asked).peekable();
    asked.peek().is_some() && asked.all(|r| leaves_both_ways(ground, region.comp, r.expr, turns))
}

fn leaves_both_ways(ground: &Ground, comp: CompId, e: ExprId, turns: StmtId) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let Some(stmt) = map.stmt_of(e) else { return false };
    let (Stmt::If { test, then, otherwise }, Some(at)) = (file.stmt(stmt), map.at(stmt)) else { return false };
    let ends = |block: BlockId| {
        let last = file.block(block).last().map(|s| file.stmt(*s));
        matches!(last, Some(Stmt::Raise { .. } | Stmt::Return(_)))
    };
    // Further down it may still go round.
    let after = file.stmt_spans.get(stmt.index()).map_or(0, |s| s.end);
    let goes_on = map.stmts_of(ground.view.func(comp).id).iter().any(|&s| {
        let inside = block_span(file, at.block).is_some_and(|block| within(file.stmt_spans[s.index()], block));
        inside && file.stmt_spans[s.index()].start >= after && matches!(file.stmt(s), Stmt::Continue(_))
    });
    let caught = map.around(stmt).take_while(|(parent, _)| *parent != turns).any(|(_, role)| role == Role::Try);
    within(file.expr(e).span, file.expr(*test).span)
        && ends(*then)
        && (ends(at.block) || otherwise.is_some_and(ends))
        && !goes_on
        && !caught
}

/// Whether a block does nothing but write to a log.
fn only_logs(ground: &Ground, comp: CompId, block: BlockId) -> bool {
    let file = ground.file(comp);
    file.block(block).iter().all(|&s| match file.stmt(s) {
        Stmt::Expr(e) => {
            matches!(file.expr(*e).kind, ExprKind::Call { .. }) && words::is_log(ground.callee_text(comp, *e))
        }
        _ => false,
    })
}

/// Whether a value goes to logs and nowhere else, by itself or through a variable.
fn is_only_logged(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    if goes_to_log(ground, comp, e) {
        return true;
    }
    let Some(stmt) = map.stmt_of(e) else { return false };
    let Stmt::Assign { targets, value: Some(value), .. } = file.stmt(stmt) else { return false };
    let [target] = targets[..] else { return false };
    let Pattern::Bind(var) = *file.pattern(target) else { return false };
    if *value != e || file.var(var).captured {
        return false;
    }
    let is_use = |e: &&ExprId| matches!(file.expr(**e).kind, ExprKind::Var(v) if v == var);
    let mut uses = map.exprs_of(ground.view.func(comp).id).iter().filter(is_use).peekable();
    uses.peek().is_some() && uses.all(|&e| goes_to_log(ground, comp, e))
}

/// Whether an expression is part of what a log is handed.
fn goes_to_log(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let mut at = e;
    while let Some(parent) = map.parent(at) {
        if matches!(file.expr(parent).kind, ExprKind::Call { .. }) {
            return words::is_log(ground.callee_text(comp, parent));
        }
        at = parent;
    }
    false
}
