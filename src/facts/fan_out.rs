//! Many calls started at once: joined in one place, or spawned turn by turn.

use super::ground::{Deeds, Ground};
use super::jobs::{parts_at, passing_below};
use super::length::at_most;
use super::map::Role;
use super::portions::is_chunk;
use super::regions::Region;
use super::slice::Slice;
use super::words;
use super::workers;
use crate::chains::compose::Composer;
use crate::chains::part::Part;
use crate::chains::{Confidence, Count, FanOut, Loss};
use crate::ir::*;
use crate::layers::machine::Outcome;
use crate::layers::val::Val;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::token::CompId;
use crate::source::Place;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Every place that starts outbound calls for many elements at once.
pub fn fan_outs(ground: &Ground, composer: &mut Composer, regions: &[Region]) -> Vec<FanOut> {
    let layers: FxHashSet<(u32, StmtId)> =
        regions.iter().filter_map(|r| Some((super::regions::written(&r.layer).file.0, r.turns?))).collect();
    let mut found: BTreeMap<Place, FanOut> = BTreeMap::new();
    for c in 0..ground.reaching.len() {
        if !ground.reaching[c] {
            continue;
        }
        let comp = CompId(c as u32);
        let mut joined: Vec<ExprId> = Vec::new();
        for &e in ground.calls_in(comp) {
            if direct(ground, comp, e).any(Deeds::GATHER) {
                let fan = joined_at(ground, composer, comp, e, &mut joined);
                keep(&mut found, fan);
            }
        }
        for &e in ground.calls_in(comp) {
            if !joined.contains(&e) {
                let fan = spawned_at(ground, composer, comp, e, &layers);
                keep(&mut found, fan);
            }
        }
    }
    found.into_values().collect()
}

fn keep(found: &mut BTreeMap<Place, FanOut>, fan: Option<FanOut>) {
    let Some(fan) = fan else { return };
    match found.get_mut(&fan.place) {
        // The same place in another context: the worse one counts.
        Some(old) => {
            old.fails_together = match (old.fails_together, fan.fails_together) {
                (Some(a), Some(b)) if a.each.larger(b.each) != a.each => Some(b),
                (a, b) => a.or(b),
            };
            let worse = match (old.limited, fan.limited) {
                (true, false) => true,
                (false, true) => false,
                _ => old.each.larger(fan.each) != old.each,
            };
            if worse {
                (old.each, old.call, old.confidence) = (fan.each, fan.call, fan.confidence);
            }
            old.limited &= fan.limited;
            old.elements = old.elements.filter(|n| Some(*n) == fan.elements);
        }
        None => {
            found.insert(fan.place, fan);
        }
    }
}

fn direct(ground: &Ground, comp: CompId, e: ExprId) -> Deeds {
    ground
        .view
        .calls(comp, e)
        .iter()
        .filter(|r| matches!(r.target, Target::External(_)))
        .fold(Deeds::default(), |all, r| all.and(ground.direct(comp, r)))
}

/// One call that is made for each element.
struct Element {
    comp: CompId,
    call: ExprId,
    record: CallRecord,
    /// Its position in the slice.
    node: u32,
}

fn joined_at(
    ground: &Ground,
    composer: &mut Composer,
    comp: CompId,
    e: ExprId,
    joined: &mut Vec<ExprId>,
) -> Option<FanOut> {
    let file = ground.file(comp);
    let ExprKind::Call { args, .. } = &file.expr(e).kind else { return None };
    let roots: Vec<(CompId, ExprId)> = args.iter().map(|a| (comp, a.value())).collect();
    let slice = Slice::of_all(ground, roots.iter().copied());
    let mut elements = elements(ground, composer, &slice, comp);
    // Callables handed to the joining call itself.
    for record in ground.view.calls(comp, e) {
        if record.via == Via::Handed && leads(ground, composer, record) {
            elements.push(Element { comp, call: e, record: *record, node: 0 });
        }
    }
    // What is started in the body of its `with`, or through the object that it makes.
    for (call, record) in started_on(ground, composer, comp, e, joined) {
        elements.push(Element { comp, call, record, node: 0 });
    }
    joined.extend(slice.nodes.iter().filter(|n| n.comp == comp).map(|n| n.expr));
    joined.extend(elements.iter().filter(|x| x.comp == comp).map(|x| x.call));
    // One call is one element, whatever it may turn out to call.
    let mut seen: FxHashSet<(CompId, ExprId)> = FxHashSet::default();
    elements.retain(|x| !serves(ground, composer, x));
    if elements.is_empty() {
        return None;
    }
    let loss = loss(ground, composer, &elements);
    let is_bound = |x: &Element| {
        let around = slice.above(x.node);
        around.iter().any(|&n| limits(ground, slice.nodes[n as usize].comp, slice.nodes[n as usize].expr))
    };
    let limited = (!roots.is_empty() && is_chunk(ground, &slice)) || own_limit(ground, comp, e);
    let open = if limited { None } else { heaviest(ground, composer, elements.iter().filter(|x| !is_bound(x)), true) };
    let limited = open.is_none();
    let Heaviest { each, call, confidence } = open.or_else(|| heaviest(ground, composer, &elements, false))?;
    let counts: Vec<Option<u64>> =
        elements.iter().filter(|x| seen.insert((x.comp, x.call))).map(|x| multiplicity(ground, &slice, x, e)).collect();
    let elements_in_all = counts.iter().copied().try_fold(0u64, |sum, n| Some(sum.saturating_add(n?)));
    Some(FanOut {
        collection: counts.iter().any(|n| *n != Some(1)),
        place: ground.view.call_place(comp, e),
        function: ground.view.name(comp),
        what: format!("`{}`", ground.callee_text(comp, e).split_whitespace().collect::<String>()),
        each,
        call: Some(call),
        elements: elements_in_all,
        limited,
        fails_together: loss.filter(|_| !keeps_errors(ground, composer, comp, e)),
        confidence,
    })
}

/// The heaviest way by which an element fails.
fn loss(ground: &Ground, composer: &Composer, elements: &[Element]) -> Option<Loss> {
    let mut worst: Option<Loss> = None;
    for x in elements {
        if workers::behind_handle(ground, x.comp, x.call) || workers::is_caught(ground, x.comp, x.call) {
            continue;
        }
        for part in parts_at(ground, composer, x.comp, x.call, &x.record) {
            // How the element itself ends, not the function that joins them.
            let loses = match x.record.target {
                Target::Comp(target) => {
                    let fails = |o: &Outcome| matches!(o, Outcome::Raise(_) | Outcome::Value(Val::Fail(_)));
                    // What was not followed to its end may well be caught. What the others came by is kept where they
                    // keep it themselves.
                    let followed = !was_cut(ground, composer, target) && !is_cut(ground, composer, part);
                    let own = composer.parts[target.0 as usize].iter().filter(|p| p.sink == part.sink);
                    followed
                        && !is_kept(ground, part)
                        && is_waited_for(ground, part)
                        && own.flat_map(|p| p.outcomes.iter().flatten()).any(fails)
                }
                _ => true,
            };
            let each = passing_below(part);
            if loses && worst.is_none_or(|old| old.each.larger(each) != old.each) {
                worst = Some(Loss { each, call: part.call.place });
            }
        }
    }
    worst
}

/// Calls in a slice that lead to outbound calls.
fn elements(ground: &Ground, composer: &Composer, slice: &Slice, home: CompId) -> Vec<Element> {
    let mut list: Vec<Element> = Vec::new();
    for (i, node) in slice.nodes.iter().enumerate() {
        // An async block is started like a call.
        let kind = &ground.file(node.comp).expr(node.expr).kind;
        if !matches!(kind, ExprKind::Call { .. } | ExprKind::Closure(_)) {
            continue;
        }
        // Only what is started here: in the function itself, or in one that hands the started calls back.
        let (comp, _) = slice.home(i as u32);
        if comp != home || node.comp != home || workers::is_over(ground, node.comp, node.expr) {
            continue;
        }
        for record in ground.view.calls(node.comp, node.expr) {
            if leads(ground, composer, record) && record.via != Via::Decorate {
                list.push(Element { comp: node.comp, call: node.expr, record: *record, node: i as u32 });
            }
        }
    }
    list
}

fn leads(ground: &Ground, composer: &Composer, record: &CallRecord) -> bool {
    match record.target {
        Target::Comp(target) => ground.reaching[target.0 as usize],
        Target::External(_) => composer.outbound(record.callee).is_some(),
        Target::Unresolved => false,
    }
}

/// What is started through a group object that a call makes: `group.create_task(f(x))`, `set.spawn(f(x))`.
fn started_on(
    ground: &Ground,
    composer: &Composer,
    comp: CompId,
    made: ExprId,
    joined: &mut Vec<ExprId>,
) -> Vec<(ExprId, CallRecord)> {
    let file = ground.file(comp);
    let mut list = Vec::new();
    for &e in ground.calls_in(comp) {
        let ExprKind::Call { callee, args, .. } = &file.expr(e).kind else { continue };
        let ExprKind::Attr { object, .. } = &file.expr(*callee).kind else { continue };
        if args.is_empty() || e == made {
            continue;
        }
        let on_group = Slice::short(ground, comp, *object).nodes.iter().any(|n| n.comp == comp && n.expr == made);
        if !on_group {
            continue;
        }
        joined.push(e);
        list.extend(ground.view.calls(comp, e).iter().filter(|r| leads(ground, composer, r)).map(|r| (e, *r)));
        for arg in args {
            let inner = Slice::of(ground, comp, arg.value());
            list.extend(elements(ground, composer, &inner, comp).into_iter().map(|x| (x.call, x.record)));
        }
    }
    list
}

/// Whether an element is one of a number of workers, not one for each of a collection.
fn serves(ground: &Ground, composer: &Composer, x: &Element) -> bool {
    workers::is_pool(ground, x.comp, x.call)
        || parts_at(ground, composer, x.comp, x.call, &x.record)
            .into_iter()
            .any(|part| workers::is_worker(ground, part, x.call))
}

/// Whether what an element starts is done by itself: not by the workers of a queue that it puts a job into, which are
/// as many as they are, and not behind its back.
fn is_waited_for(ground: &Ground, part: &Part) -> bool {
    let sends = |&(comp, call): &(CompId, ExprId)| {
        ground.view.calls(comp, call).iter().any(|r| {
            matches!(r.target, Target::External(_))
                && ground.view.known(r.callee).is_some_and(|k| k.callable.sends_to.is_some())
        })
    };
    !part.unseen && !part.path.iter().any(sends)
}

/// The largest product of layers below elements.
struct Heaviest {
    each: Count,
    /// Its outbound call.
    call: Place,
    confidence: Confidence,
}

/// The largest product of layers below the elements; of those that nothing limits only where that is asked for, and
/// then only one that repeats anything.
fn heaviest<'e>(
    ground: &Ground,
    composer: &Composer,
    elements: impl IntoIterator<Item = &'e Element>,
    open: bool,
) -> Option<Heaviest> {
    let mut best: Option<Heaviest> = None;
    for x in elements {
        if open && is_limited(ground, x) {
            continue;
        }
        for part in parts_at(ground, composer, x.comp, x.call, &x.record) {
            if !is_waited_for(ground, part) {
                continue;
            }
            let each = passing_below(part);
            let worse = best.as_ref().is_none_or(|old| old.each.larger(each) != old.each);
            if worse && !(open && (!each.repeats() || passes_limit(ground, part))) {
                let confidence = if is_cut(ground, composer, part) { Confidence::Low } else { Confidence::High };
                best = Some(Heaviest { each, call: part.call.place, confidence });
            }
        }
    }
    best
}

/// Whether a component was too much to be followed to its end.
fn was_cut(ground: &Ground, composer: &Composer, comp: CompId) -> bool {
    composer.heavy.get(&ground.view.func(comp)).is_some_and(|(_, was_cut)| *was_cut)
}

/// Whether what an element leads to goes through such a component.
fn is_cut(ground: &Ground, composer: &Composer, part: &Part) -> bool {
    part.path.iter().skip(1).any(|&(comp, _)| was_cut(ground, composer, comp))
}

/// Whether what an element comes by is kept where it is asked for again: `cell.get_or_try_init(|| load(id))`.
fn is_kept(ground: &Ground, part: &Part) -> bool {
    part.path.iter().any(|&(comp, call)| {
        let file = ground.file(comp);
        let ExprKind::Call { args, .. } = &file.expr(call).kind else { return false };
        let is_callable = |arg: &Arg| matches!(file.expr(arg.value()).kind, ExprKind::Closure(_));
        let handed = ground.view.calls(comp, call).iter().any(|r| r.via == Via::Handed);
        direct(ground, comp, call).any(Deeds::MEMO)
            || ((handed || args.iter().any(is_callable)) && words::is_memo(ground.callee_text(comp, call)))
    })
}

/// Whether failures of the elements come back as values.
fn keeps_errors(ground: &Ground, composer: &mut Composer, comp: CompId, e: ExprId) -> bool {
    for record in ground.view.calls(comp, e) {
        let Target::External(made) = record.target else { continue };
        let Some(known) = ground.view.known(record.callee) else { continue };
        if let Some(formula) = &known.callable.keeps_errors {
            let scope = composer.machine.scope_of(record.callee, Some(made));
            return composer.machine.formula_truth(formula, &scope) == Some(true);
        }
    }
    false
}

/// How many times an element's call is made, if that is constant.
fn multiplicity(ground: &Ground, slice: &Slice, x: &Element, joining: ExprId) -> Option<u64> {
    let file = ground.file(x.comp);
    let map = ground.map(x.comp);
    let mut total = 1u64;
    // Comprehensions and `items.map(…)` between the call and the join.
    let mut at = x.call;
    while let Some(parent) = map.parent(at) {
        if let ExprKind::Comprehension { clauses, .. } = &file.expr(parent).kind {
            for clause in clauses {
                total = total.saturating_mul(at_most(ground, x.comp, clause.iter)?);
            }
        }
        if parent == joining {
            break;
        }
        at = parent;
    }
    if x.record.via == Via::Handed
        && let ExprKind::Call { callee, .. } = &file.expr(x.call).kind
        && x.call != joining
    {
        let ExprKind::Attr { object, .. } = &file.expr(*callee).kind else { return None };
        if !is_started(ground, x.comp, x.call) {
            total = total.saturating_mul(at_most(ground, x.comp, *object)?);
        }
    }
    if x.call == joining && x.record.via == Via::Handed {
        return None;
    }
    let stmt = map.stmt_of(x.call)?;
    let join_loops: Vec<StmtId> =
        map.stmt_of(joining).map(|s| map.around(s).map(|(s, _)| s).collect()).unwrap_or_default();
    for (parent, role) in map.around(stmt) {
        if role != Role::Turn || join_loops.contains(&parent) {
            continue;
        }
        match file.stmt(parent) {
            Stmt::ForEach { iter, .. } => total = total.saturating_mul(at_most(ground, x.comp, *iter)?),
            _ => return None,
        }
    }
    let _ = slice;
    Some(total)
}

/// A call that starts something and does not wait for it, once a turn of a loop over a collection.
fn spawned_at(
    ground: &Ground,
    composer: &mut Composer,
    comp: CompId,
    e: ExprId,
    layers: &FxHashSet<(u32, StmtId)>,
) -> Option<FanOut> {
    if !is_started(ground, comp, e) {
        return None;
    }
    let file = ground.file(comp);
    let map = ground.map(comp);
    let stmt = map.stmt_of(e)?;
    let mut at = e;
    let mut over: Option<ExprId> = None;
    while let Some(parent) = map.parent(at) {
        match &file.expr(parent).kind {
            ExprKind::Comprehension { clauses, .. } => over = clauses.first().map(|c| c.iter),
            // Waited for at once.
            ExprKind::Await(_) if over.is_none() => return None,
            _ => {}
        }
        at = parent;
    }
    for (parent, role) in map.around(stmt) {
        if let (Stmt::ForEach { iter, .. }, Role::Turn) = (file.stmt(parent), role)
            && over.is_none()
            && !layers.contains(&(ground.view.func(comp).file, parent))
        {
            over = Some(*iter);
        }
    }
    let over = over?;
    let turn = workers::turn_around(ground, comp, e);
    if turn.is_some_and(|turn| workers::waits_for_it(ground, comp, e, turn)) {
        return None;
    }
    let ExprKind::Call { args, .. } = &file.expr(e).kind else { return None };
    let mut elements: Vec<Element> = Vec::new();
    for record in ground.view.calls(comp, e) {
        if record.via == Via::Handed && leads(ground, composer, record) {
            elements.push(Element { comp, call: e, record: *record, node: 0 });
        }
    }
    for arg in args {
        let slice = Slice::of(ground, comp, arg.value());
        elements.extend(self::elements(ground, composer, &slice, comp));
    }
    // What was called before the loop is not called for each element.
    elements.retain(|x| turn.is_none_or(|turn| super::regions::within(file.expr(x.call).span, turn)));
    elements.retain(|x| !serves(ground, composer, x));
    let slice = Slice::of(ground, comp, over);
    let limited = own_limit(ground, comp, e) || is_chunk(ground, &slice) || acquires_before(ground, comp, e);
    let open = if limited { None } else { heaviest(ground, composer, &elements, true) };
    let limited = open.is_none();
    let Heaviest { each, call, confidence } = open.or_else(|| heaviest(ground, composer, &elements, false))?;
    Some(FanOut {
        collection: true,
        place: ground.view.call_place(comp, e),
        function: ground.view.name(comp),
        what: format!("`{}` in a loop", ground.callee_text(comp, e).split_whitespace().collect::<String>()),
        each,
        call: Some(call),
        elements: at_most(ground, comp, over),
        limited,
        fails_together: None,
        confidence,
    })
}

/// Whether a call starts its callable and goes on without it.
fn is_started(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    ground.handed_to(comp, e).is_some_and(|k| k.callable.calls.iter().any(|c| c.how == "later"))
}

/// Whether a permit is taken in the loop before something is started: `sem.acquire().await`.
fn acquires_before(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let Some(stmt) = map.stmt_of(e) else { return false };
    let Some((turns, _)) = map.around(stmt).find(|(_, role)| *role == Role::Turn) else { return false };
    let span = file.stmt_spans[turns.index()];
    ground.calls_in(comp).iter().any(|&c| {
        c != e
            && super::regions::within(file.expr(c).span, span)
            && file.expr(c).span.end <= file.expr(e).span.start
            && limits(ground, comp, c)
    })
}

/// Whether something around an element's call, or in the function that it calls, limits how many run at once.
fn is_limited(ground: &Ground, x: &Element) -> bool {
    let file = ground.file(x.comp);
    let map = ground.map(x.comp);
    // `limit(() => fetch(u))`, `pool.submit(f, u)`
    let mut at = Some(x.call);
    while let Some(e) = at {
        if matches!(file.expr(e).kind, ExprKind::Call { .. }) && limits(ground, x.comp, e) {
            return true;
        }
        at = map.parent(e);
    }
    matches!(x.record.target, Target::Comp(target) if holds_permit(ground, target))
}

/// Whether a function waits for a permit that it was handed: `let permit = permit_receiver.await;`.
fn holds_permit(ground: &Ground, comp: CompId) -> bool {
    let file = ground.file(comp);
    let func = ground.view.func(comp).id;
    file.language == Language::Rust
        && file.stmts.iter().any(|stmt| {
            let Stmt::Assign { targets, value: Some(value), .. } = stmt else { return false };
            let [target] = targets[..] else { return false };
            let Pattern::Bind(var) = *file.pattern(target) else { return false };
            let mut at = *value;
            while let ExprKind::Propagate(inner) | ExprKind::Typed(inner, _) = file.expr(at).kind {
                at = inner;
            }
            let declared = file.var(var);
            let mut around = Some(declared.owner);
            while around.is_some_and(|owner| owner != func && file.function(owner).kind == FunctionKind::AsyncBlock) {
                around = around.and_then(|owner| file.function(owner).parent);
            }
            around == Some(func)
                && file.name(declared.name).to_lowercase().contains("permit")
                && matches!(file.expr(at).kind, ExprKind::Await(_))
        })
}

fn passes_limit(ground: &Ground, part: &Part) -> bool {
    part.path.iter().skip(1).any(|&(comp, call)| {
        let file = ground.file(comp);
        let map = ground.map(comp);
        let taken = map.stmt_of(call).is_some_and(|stmt| {
            map.around(stmt).any(|(parent, role)| match (file.stmt(parent), role) {
                (Stmt::With { items, .. }, Role::With) => items.iter().any(|(e, _)| limits(ground, comp, *e)),
                _ => false,
            })
        });
        let asked = ground
            .calls_in(comp)
            .iter()
            .any(|&e| e != call && file.expr(e).span.start < ground.span(comp, call).end && limits(ground, comp, e));
        // `limit(() => …)` leads on itself.
        taken || asked || limits(ground, comp, call) || holds_permit(ground, comp)
    })
}

/// Whether an expression takes a permit: by what it is made of, or by its name.
fn limits(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let here = |c: CompId, e: ExprId| {
        ground
            .view
            .calls(c, e)
            .iter()
            .any(|r| matches!(r.target, Target::External(_)) && ground.direct(c, r).any(Deeds::LIMITS))
    };
    if here(comp, e) {
        return true;
    }
    let on = match &file.expr(e).kind {
        ExprKind::Call { callee, .. } => match &file.expr(*callee).kind {
            ExprKind::Attr { object, .. } => *object,
            _ => *callee,
        },
        _ => e,
    };
    let text = ground.text(comp, file.expr(on).span);
    let named = text.len() < 60
        && words::words(text).iter().any(|w| {
            matches!(
                w.as_str(),
                "sem" | "semaphore" | "limiter" | "throttle" | "permits" | "slots" | "gate" | "limit" | "bulkhead"
            )
        });
    if !matches!(file.expr(on).kind, ExprKind::Var(_) | ExprKind::Attr { .. }) {
        return false;
    }
    named || Slice::short(ground, comp, on).nodes.iter().any(|n| here(n.comp, n.expr))
}

/// A limit given to the joining call itself.
fn own_limit(ground: &Ground, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let ExprKind::Call { args, .. } = &file.expr(e).kind else { return false };
    let is_limit = |name: Name| {
        let list = words::words(file.name(name));
        list.iter()
            .any(|w| matches!(w.as_str(), "concurrency" | "limit" | "workers" | "parallel" | "parallelism" | "batch"))
    };
    args.iter().any(|arg| match arg {
        Arg::Keyword(name, value) => is_limit(*name) && !is_unlimited(file, *value),
        Arg::Positional(value) => match &file.expr(*value).kind {
            ExprKind::Dict(entries) => entries.iter().any(|entry| match entry {
                Entry::Pair(k, v) => super::map::constant(file, *k).is_some_and(is_limit) && !is_unlimited(file, *v),
                _ => false,
            }),
            _ => false,
        },
        _ => false,
    })
}

fn is_unlimited(file: &File, e: ExprId) -> bool {
    match &file.expr(e).kind {
        ExprKind::Literal(Literal::Null) => true,
        ExprKind::Literal(Literal::Str(text)) => file.name(*text) == "unbounded",
        ExprKind::Free(name) => file.name(*name) == "Infinity",
        _ => false,
    }
}
