//! How many elements a collection has, where the code says so.

use super::ground::Ground;
use super::map::Source;
use crate::ir::*;
use crate::link::component::Via;
use crate::link::token::CompId;

/// Variables and parameters are followed so far.
const DEPTH: usize = 6;
/// A function with more callers is a helper for whoever comes.
const CALLERS: usize = 12;

/// How many elements an expression has, if that is constant.
pub fn length(ground: &Ground, comp: CompId, iter: ExprId) -> Option<u64> {
    length_within(ground, comp, iter, false, 0)
}

/// How many elements an expression has at most, if that is constant.
pub fn at_most(ground: &Ground, comp: CompId, iter: ExprId) -> Option<u64> {
    length_within(ground, comp, iter, true, 0)
}

fn length_within(ground: &Ground, comp: CompId, iter: ExprId, most: bool, depth: usize) -> Option<u64> {
    if depth > DEPTH {
        return None;
    }
    let file = ground.file(comp);
    match &file.expr(iter).kind {
        ExprKind::Seq(_, items) if items.iter().all(|i| matches!(i, Arg::Positional(_))) => Some(items.len() as u64),
        // `[...wanted]`
        ExprKind::Seq(_, items) => match items.as_slice() {
            [Arg::Spread(inner)] => length_within(ground, comp, *inner, most, depth + 1),
            _ => None,
        },
        ExprKind::Typed(inner, _) => length_within(ground, comp, *inner, most, depth + 1),
        ExprKind::Var(var) => {
            let map = ground.map(comp);
            if map.additions.contains_key(var) {
                return None;
            }
            let defs = map.defs(*var);
            let owner = ground.view.solver.owner(comp, ground.view.func(comp).file, file.var(*var).owner)?;
            match defs {
                [def] if !def.adds => match def.source {
                    Source::Whole(e) if !matches!(file.expr(e).kind, ExprKind::Var(_)) => {
                        length_within(ground, owner, e, most, depth + 1)
                    }
                    Source::Param(i) => handed(ground, owner, i, Some(*var), None, most, depth),
                    _ => None,
                },
                _ => None,
            }
        }
        // `options.records`
        ExprKind::Attr { object, name, .. } => {
            let ExprKind::Var(var) = file.expr(*object).kind else { return None };
            let map = ground.map(comp);
            if map.additions.contains_key(&var) {
                return None;
            }
            let owner = ground.view.solver.owner(comp, ground.view.func(comp).file, file.var(var).owner)?;
            match map.defs(var) {
                [def] if !def.adds => match def.source {
                    Source::Param(i) => handed(ground, owner, i, None, Some(file.name(*name)), most, depth),
                    _ => None,
                },
                _ => None,
            }
        }
        // What has as many elements as what it is made of, or fewer.
        ExprKind::Call { callee, args, .. } if most && fewer(file, *callee, args).is_some() => {
            let (of, limit) = fewer(file, *callee, args)?;
            let all = length_within(ground, comp, of, most, depth + 1);
            all.into_iter().chain(limit).min()
        }
        ExprKind::Call { callee, args, .. } => {
            let range = matches!(&file.expr(*callee).kind, ExprKind::Free(name) if file.name(*name) == "range");
            match args.as_slice() {
                [Arg::Positional(n)] if range => match file.expr(*n).kind {
                    ExprKind::Literal(Literal::Int(n)) => u64::try_from(n).ok(),
                    _ => None,
                },
                [Arg::Positional(inner), ..] if matches!(&file.expr(*callee).kind, ExprKind::Free(name) if file.name(*name) == "enumerate") => {
                    match file.expr(*inner).kind {
                        ExprKind::Seq(..) => length_within(ground, comp, *inner, most, depth + 1),
                        _ => None,
                    }
                }
                _ => None,
            }
        }
        ExprKind::Range { start, end: Some(end), inclusive } => {
            let number = |e: ExprId| match file.expr(e).kind {
                ExprKind::Literal(Literal::Int(n)) => Some(n),
                _ => None,
            };
            let from = start.map_or(Some(0), number)?;
            u64::try_from(number(*end)? - from + i64::from(*inclusive)).ok()
        }
        _ => None,
    }
}

/// What a call picks its elements from, and how many it takes at most.
fn fewer(file: &File, callee: ExprId, args: &[Arg]) -> Option<(ExprId, Option<u64>)> {
    let number = |e: &Arg| match file.expr(e.value()).kind {
        ExprKind::Literal(Literal::Int(n)) => u64::try_from(n).ok(),
        _ => None,
    };
    match file.expr(callee).kind {
        ExprKind::Attr { object, name, .. } => match (file.name(name), args) {
            ("take", [n]) => Some((object, number(n))),
            ("slice", [from, to]) => Some((object, number(to).map(|to| to - number(from).unwrap_or(0).min(to)))),
            (
                "filter" | "map" | "sort" | "toSorted" | "reverse" | "slice" | "enumerate" | "rev" | "iter"
                | "into_iter" | "cloned" | "copied",
                _,
            ) => Some((object, None)),
            _ => None,
        },
        ExprKind::Free(name) => match (file.name(name), args) {
            ("sorted" | "list" | "reversed" | "set" | "tuple" | "enumerate", [of, ..]) => Some((of.value(), None)),
            ("filter" | "map", [_, of]) => Some((of.value(), None)),
            _ => None,
        },
        _ => None,
    }
}

/// How many elements all calls of a function hand over in a parameter, or under a key of it: the most. A variable that is
/// bound to a part of the parameter names the key.
fn handed(
    ground: &Ground,
    comp: CompId,
    param: u32,
    var: Option<VarId>,
    key: Option<&str>,
    bound: bool,
    depth: usize,
) -> Option<u64> {
    let file = ground.file(comp);
    let pattern = ground.view.function(comp).params.get(param as usize)?.pattern;
    let key = match (var, file.pattern(pattern)) {
        (None, Pattern::Bind(_)) => key,
        (Some(var), Pattern::Bind(own)) if *own == var => None,
        (Some(var), Pattern::Object { entries, .. }) => {
            let entry = entries.iter().find(|e| matches!(file.pattern(e.1), Pattern::Bind(own) if *own == var))?;
            Some(file.name(entry.0))
        }
        _ => return None,
    };
    // Whatever the context: a call that is told apart is still one of this function's.
    let comps = ground.comps_of(ground.view.func(comp));
    let callers: Vec<_> = comps.iter().flat_map(|&c| ground.callers(c)).collect();
    if callers.is_empty() || callers.len() > CALLERS {
        return None;
    }
    let mut most = 0;
    for (caller, record) in callers {
        if record.via != Via::Call {
            return None;
        }
        let given = super::slice::arguments(ground, comp, *caller, record.expr, param);
        let [given] = given[..] else { return None };
        let given = match key {
            Some(key) => property(ground.file(*caller), given, key)?,
            None => given,
        };
        most = length_within(ground, *caller, given, bound, depth + 1)?.max(most);
    }
    Some(most)
}

/// What an object literal holds under a key.
fn property(file: &File, e: ExprId, key: &str) -> Option<ExprId> {
    let ExprKind::Dict(entries) = &file.expr(e).kind else { return None };
    let mut found = None;
    for entry in entries {
        match entry {
            Entry::Pair(k, value) if super::map::constant(file, *k).is_some_and(|k| file.name(k) == key) => {
                found = Some(*value);
            }
            Entry::Pair(..) => {}
            // What is spread in later may hold it as well.
            _ => found = None,
        }
    }
    found
}
