//! Side effects that stand in a region which a layer repeats: mail, payments, messages, jobs, rows.

use super::ground::{Deeds, Ground};
use super::guards::{Guard, guard_of, stores_between};
use super::map::{Role, Source, leaves};
use super::regions::{Region, within, written};

use crate::chains::compose::Composer;
use crate::chains::{Chain, Count, KeyUse, SideEffect};
use crate::ir::*;
use crate::layers::machine::Outcome;
use crate::layers::val::{Error, ErrorClass, Val};
use crate::link::component::{Target, Via};
use crate::link::token::{CompId, Site};
use crate::source::Place;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The side effects inside of repeated regions, each with the innermost layer that repeats it.
pub fn effects(
    ground: &Ground,
    composer: &mut Composer,
    regions: &[Region],
    chains: &[Chain],
    keys: &[KeyUse],
) -> Vec<SideEffect> {
    let times = times_by_layer(chains);
    let mut found: BTreeMap<Place, (usize, SideEffect)> = BTreeMap::new();
    // What a job's retry begins anew is told step by step.
    for region in regions.iter().filter(|r| !r.layer.kind.is_job()) {
        let heeds = heeds_others(ground, composer, region);
        for effect in in_region(ground, composer, region, heeds, keys) {
            // The same policy may stand around other functions with other numbers.
            let known = times.get(&written(&region.layer));
            let same = known.and_then(|list| list.iter().find(|(by, _)| *by == region.layer.by_failure));
            let reached = same.map(|(_, times)| *times);
            let effect = SideEffect { times: reached.unwrap_or(region.layer.attempts), ..effect };
            let depth = region.path.len();
            match found.get(&effect.place) {
                Some((old, _)) if *old <= depth => {}
                _ => {
                    found.insert(effect.place, (depth, effect));
                }
            }
        }
    }
    found.into_values().map(|(_, effect)| effect).collect()
}

/// Executions of what stands in a layer's region, by its own counts: its attempts and those of the layers around it.
fn times_by_layer(chains: &[Chain]) -> FxHashMap<Place, Vec<([Count; 9], Count)>> {
    let mut times: FxHashMap<Place, Vec<([Count; 9], Count)>> = FxHashMap::default();
    for chain in chains {
        for (i, layer) in chain.layers.iter().enumerate() {
            let product = (0..layer.by_failure.len())
                .map(|f| Count::product(chain.layers[..=i].iter().map(|l| l.by_failure[f])))
                .reduce(Count::larger)
                .unwrap_or(Count::ONE);
            let list = times.entry(written(layer)).or_default();
            match list.iter_mut().find(|(by, _)| *by == layer.by_failure) {
                Some((_, old)) => *old = old.larger(product),
                None => list.push((layer.by_failure, product)),
            }
        }
    }
    times
}

fn in_region(ground: &Ground, composer: &Composer, region: &Region, heeds: bool, keys: &[KeyUse]) -> Vec<SideEffect> {
    let mut list = Vec::new();
    let sink = region.path.last().copied();
    let mut done: Vec<CompId> = Vec::new();
    let first = region.path.first().map(|p| p.0);
    let own = (first != Some(region.comp)).then_some((region.comp, None));
    let ways = region.path.iter().map(|&(comp, call)| (comp, Some(call)));
    for (comp, call) in own.into_iter().chain(ways) {
        if done.contains(&comp) {
            continue;
        }
        done.push(comp);
        let file = ground.file(comp);
        for &e in ground.calls_in(comp) {
            if Some((comp, e)) == sink
                || Some(e) == call
                || is_what_is_sent(ground, sink, comp, e)
                || (comp == region.comp && !within(file.expr(e).span, region.span))
            {
                continue;
            }
            let Some(kind) = effect_at(ground, composer, region, comp, e) else { continue };
            if happens_once(ground, region, comp, e, call, heeds) {
                continue;
            }
            let place = ground.view.call_place(comp, e);
            let whole = ground.place(comp, e);
            let keyed = keys.iter().any(|k| (k.call == place || k.call == whole) && k.remade_by.is_none());
            list.push(SideEffect {
                place,
                function: ground.view.name(comp),
                kind: kind.to_string(),
                what: ground.callee_text(comp, e).split_whitespace().collect(),
                layer: region.layer.place,
                region: region.turns.is_none().then(|| ground.place_of_name(region.comp)),
                guessed: region.layer.guessed,
                times: region.layer.attempts,
                call: Some(region.call.place),
                guarded: keyed || is_guarded(ground, region, comp, e),
            });
        }
    }
    list
}

/// Whether an object is made only to be sent by the region's own outbound call (`client.send(new PublishCommand(…))`):
/// then its effect is that of the call that is retried.
pub(super) fn is_what_is_sent(ground: &Ground, sink: Option<(CompId, ExprId)>, comp: CompId, e: ExprId) -> bool {
    let Some((at, send)) = sink.filter(|(at, _)| *at == comp) else { return false };
    let file = ground.file(at);
    let is_new = matches!(file.expr(e).kind, ExprKind::Call { kind: CallKind::New, .. });
    let ExprKind::Call { args, .. } = &file.expr(send).kind else { return false };
    is_new
        && args.iter().any(|arg| match file.expr(arg.value()).kind {
            ExprKind::Var(var) => {
                ground.map(at).defs(var).iter().any(|def| matches!(def.source, Source::Whole(value) if value == e))
            }
            _ => arg.value() == e,
        })
}

/// The kind of side effect that a call has, if it does not lead to the region's own outbound call.
fn effect_at(ground: &Ground, composer: &Composer, region: &Region, comp: CompId, e: ExprId) -> Option<&'static str> {
    let mut deeds = Deeds::default();
    for record in ground.view.calls(comp, e) {
        match record.target {
            Target::Comp(target) => {
                // What leads on to the call is gone through itself.
                let leads = region.path.iter().any(|(c, _)| *c == target)
                    || composer.parts[target.0 as usize].iter().any(|p| Some(&p.sink) == region.path.last());
                if leads || record.via == Via::Decorate {
                    return None;
                }
                let done = ground.deeds(comp, record);
                let once = done.any(Deeds::WRITE) && super::guards::writes_once(ground, target);
                deeds = deeds.and(if once { done.but(Deeds::WRITE) } else { done });
            }
            _ => deeds = deeds.and(ground.direct(comp, record)),
        }
    }
    deeds.effect()
}

/// Whether an effect in the region happens once however often the region is repeated.
fn happens_once(ground: &Ground, region: &Region, comp: CompId, e: ExprId, call: Option<ExprId>, heeds: bool) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let Some(stmt) = map.stmt_of(e) else { return false };
    // What a handler does, it does where an attempt failed.
    let in_handler = map.around(stmt).any(|(_, role)| matches!(role, Role::Handler(_)));
    let after = !in_handler && call.is_some_and(|c| ground.span(comp, e).start > ground.span(comp, c).end);
    if after && !heeds {
        // Its own failure is not one that is tried again.
        return true;
    }
    if comp != region.comp || region.turns.is_none() {
        return false;
    }
    // In a loop's own code: what ends the loop is not repeated by it.
    let ends = |block: BlockId| {
        leaves(file, block) && !file.block(block).last().is_some_and(|s| matches!(file.stmt(*s), Stmt::Continue(_)))
    };
    let mut tried = false;
    let mut at = stmt;
    let mut ended = map.at(stmt).is_some_and(|here| ends(here.block));
    for (parent, role) in map.around(stmt) {
        if Some(parent) == region.turns {
            break;
        }
        if let (Stmt::Try { handlers, .. }, Role::Try) = (file.stmt(parent), role) {
            tried |= handlers.iter().any(|h| !ends(h.body));
        }
        if let Some(here) = map.at(parent) {
            ended |= ends(here.block)
                && matches!(role, Role::Then | Role::Otherwise | Role::Arm(_) | Role::Handler(_))
                && at == parent;
        }
        at = parent;
    }
    // Where a handler catches its failure and goes round again, it comes again.
    (ended || after) && !tried
}

fn is_guarded(ground: &Ground, region: &Region, comp: CompId, e: ExprId) -> bool {
    match guard_of(ground, comp, e) {
        Guard::Claim => return true,
        Guard::Lookup(_) => {
            let from = ground.file(comp).expr(e).span.start;
            if stores_between(ground, comp, from, u32::MAX) {
                return true;
            }
        }
        Guard::None => {}
    }
    has_flag(ground, region, comp, e)
}

/// `if not sent: send(); sent = True`, with the flag made outside of the region.
fn has_flag(ground: &Ground, region: &Region, comp: CompId, e: ExprId) -> bool {
    let file = ground.file(comp);
    let map = ground.map(comp);
    let Some(stmt) = map.stmt_of(e) else { return false };
    map.around(stmt).any(|(parent, role)| {
        let (Stmt::If { test, then, .. }, Role::Then) = (file.stmt(parent), role) else { return false };
        let mut pending = vec![*test];
        let mut vars = Vec::new();
        while let Some(e) = pending.pop() {
            if let ExprKind::Var(var) = file.expr(e).kind {
                vars.push(var);
            }
            crate::layers::relevant::children(file, e, &mut pending);
        }
        let Some(block) = super::map::block_span(file, *then) else { return false };
        vars.into_iter().any(|var| {
            let defs = map.defs(var);
            let span = |d: &super::map::Def| d.stmt.and_then(|s| file.stmt_spans.get(s.index()).copied());
            let set =
                defs.iter().any(|d| matches!(d.source, Source::Whole(_)) && span(d).is_some_and(|s| within(s, block)));
            let outside = defs
                .iter()
                .all(|d| span(d).is_none_or(|s| within(s, block) || comp != region.comp || !within(s, region.span)));
            let foreign = file.var(var).owner != ground.view.func(comp).id;
            set && (foreign || (outside && comp == region.comp))
        })
    })
}

/// Whether the layer tries failures again that have nothing to do with its outbound call.
fn heeds_others(ground: &Ground, composer: &mut Composer, region: &Region) -> bool {
    let foreign = Rc::new(Error {
        class: ErrorClass::Known(Rc::from("builtins.ValueError")),
        status: None,
        fields: Vec::new(),
        token: None,
        injected: false,
        class_of_failure: None,
        inherits: Default::default(),
    });
    let file = ground.file(region.comp);
    if file.language != Language::Python {
        // Errors have no types to catch by: a predicate that does not know one lets it through or not.
        return true;
    }
    let machine = &mut composer.machine;
    if let Some(made) = region.made {
        let site = Site { comp: region.comp, expr: ExprId(0) };
        if let Some(policy) = machine.policy_of_decorator(made, site) {
            let scope = machine.policy_scope(&policy);
            return machine.retried(&policy, &Outcome::Raise(foreign), &scope) != Some(false);
        }
        return true;
    }
    let Some(turns) = region.turns else { return true };
    let map = ground.map(region.comp);
    // The handlers that go round again.
    let mut types = Vec::new();
    let mut all = false;
    for &id in map.stmts_of(ground.view.func(region.comp).id) {
        let Stmt::Try { handlers, .. } = file.stmt(id) else { continue };
        if !map.around(id).any(|(s, _)| s == turns) {
            continue;
        }
        for handler in handlers {
            if leaves(file, handler.body)
                && !file.block(handler.body).last().is_some_and(|s| matches!(file.stmt(*s), Stmt::Continue(_)))
            {
                continue;
            }
            match handler.types {
                Some(t) => types.push(t),
                None => all = true,
            }
        }
    }
    if all || types.is_empty() {
        return all;
    }
    types.into_iter().any(|t| {
        let value = value_of(machine, region.comp, t);
        machine.matches(&foreign, &value) != Some(false)
    })
}

/// What an expression without calls is, as far as link knows.
pub fn value_of(machine: &mut crate::layers::machine::Machine, comp: CompId, e: ExprId) -> Val {
    let mut state = crate::layers::state::State::at(comp, 0.0);
    machine.bind_from_link(comp, &mut state);
    machine.pure(e, &state).unwrap_or(Val::Unknown)
}
