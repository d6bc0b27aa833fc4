//! Idempotency keys: where the one that a call sends is made, and whether a layer makes it anew.

use super::ground::Ground;
use super::map::{Addition, constant};
use super::regions::{Region, within};
use super::slice::Slice;
use super::words;
use crate::chains::compose::Composer;
use crate::chains::{Chain, KeyUse};
use crate::ir::*;
use crate::link::token::CompId;
use crate::source::Place;
use rustc_hash::FxHashMap;

/// A key on its way into a call.
struct Sent {
    name: String,
    /// Where its value is made anew: as seen from the call, and itself.
    makers: Vec<(CompId, ExprId, Place)>,
    value: Place,
    function: String,
}

/// The keys of all calls that layers repeat.
pub fn uses(ground: &Ground, composer: &Composer, regions: &[Region]) -> Vec<KeyUse> {
    let mut by_sink: FxHashMap<(CompId, ExprId), Vec<&Region>> = FxHashMap::default();
    let mut order = Vec::new();
    for region in regions {
        let Some(&sink) = region.path.last() else { continue };
        let list = by_sink.entry(sink).or_default();
        if list.is_empty() {
            order.push(sink);
        }
        list.push(region);
    }
    // Calls that only their own client repeats can send a key too.
    for part in composer.parts.iter().flatten() {
        if part.path.len() == 1 && part.call.writes && !by_sink.contains_key(&part.sink) {
            by_sink.insert(part.sink, Vec::new());
            order.push(part.sink);
        }
    }
    let calls: FxHashMap<(CompId, ExprId), (Place, Option<String>)> = composer
        .parts
        .iter()
        .flatten()
        .map(|p| (p.sink, (p.call.place, p.call.idempotency.as_ref().map(|(n, _)| n.clone()))))
        .collect();
    let mut list: Vec<KeyUse> = Vec::new();
    for sink in order {
        let Some((call, takes)) = calls.get(&sink) else { continue };
        let mut around = by_sink.remove(&sink).unwrap_or_default();
        // The innermost first.
        around.sort_by_key(|r| r.path.len());
        for sent in keys_of(ground, sink, takes.as_deref()) {
            let mut key =
                KeyUse { place: sent.value, function: sent.function, name: sent.name, call: *call, remade_by: None };
            for (comp, expr, place) in &sent.makers {
                key.place = *place;
                key.function = ground.view.name(*comp);
                let layer = around.iter().find(|r| is_inside(ground, r, *comp, *expr));
                if let Some(region) = layer {
                    key.remade_by = Some(region.layer.place);
                    break;
                }
            }
            // The same call in another context: one that makes it anew counts.
            match list.iter_mut().find(|k| k.call == key.call && k.name == key.name) {
                Some(old) if old.remade_by.is_none() && key.remade_by.is_some() => *old = key,
                Some(_) => {}
                None => list.push(key),
            }
        }
    }
    list.sort_by(|a, b| (a.place, a.call, &a.name).cmp(&(b.place, b.call, &b.name)));
    list
}

/// Says of the chains' calls that they send a key, and of plain requests whose repetition changes nothing more
/// (PUT, DELETE, a question that is asked with POST) that they need none.
pub fn settle(ground: &Ground, composer: &Composer, keys: &[KeyUse], chains: &mut [Chain]) {
    let sinks: FxHashMap<Place, (CompId, ExprId)> =
        composer.parts.iter().flatten().map(|p| (p.call.place, p.sink)).collect();
    let mut once: FxHashMap<Place, bool> = FxHashMap::default();
    let mut prepared: FxHashMap<Place, bool> = FxHashMap::default();
    for chain in chains {
        let call = &mut chain.call;
        let place = call.place;
        if let Some((_, given)) = &mut call.idempotency {
            *given |= keys.iter().any(|k| k.call == place);
        }
        if call.writes
            && let Some(&sink) = sinks.get(&place)
            && *prepared.entry(place).or_insert_with(|| super::interceptors::give_key(ground, sink))
        {
            let name = call.idempotency.take().map_or_else(|| "Idempotency-Key".to_string(), |(name, _)| name);
            call.idempotency = Some((name, true));
        }
        if call.plain_http
            && call.writes
            && let Some(&sink) = sinks.get(&call.place)
        {
            let only_asks = || is_idempotent(ground, sink) || super::reading::only_asks(ground, sink);
            call.writes = !*once.entry(call.place).or_insert_with(only_asks);
        }
        if chain.call.plain_http && chain.call.writes && super::questions::only_asks(ground, composer, chain) {
            chain.call.writes = false;
        }
    }
}

/// Whether a plain request is one that may be repeated by its method.
fn is_idempotent(ground: &Ground, (comp, call): (CompId, ExprId)) -> bool {
    let safe = |text: &str| matches!(text.to_ascii_uppercase().as_str(), "PUT" | "DELETE" | "GET" | "HEAD" | "OPTIONS");
    let file = ground.file(comp);
    let (name, _) = words::split(ground.callee_text(comp, call));
    if safe(name) {
        return true;
    }
    let Some(ExprKind::Call { args, .. }) = file.exprs.get(call.index()).map(|e| &e.kind) else { return false };
    let mut methods: Vec<ExprId> = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        match arg {
            Arg::Keyword(name, e) if file.name(*name) == "method" => methods.push(*e),
            Arg::Positional(e) if i == 0 && constant(file, *e).is_some() => methods.push(*e),
            Arg::Positional(e) => {
                if let ExprKind::Dict(entries) = &file.expr(*e).kind {
                    methods.extend(entries.iter().filter_map(|entry| match entry {
                        Entry::Pair(k, v) if constant(file, *k).is_some_and(|k| file.name(k) == "method") => Some(*v),
                        _ => None,
                    }));
                }
            }
            _ => {}
        }
    }
    methods.into_iter().any(|e| constant(file, e).is_some_and(|text| safe(file.name(text))))
}

/// Whether something evaluated on the way to a region's call is evaluated again with each attempt.
fn is_inside(ground: &Ground, region: &Region, comp: CompId, e: ExprId) -> bool {
    match region.path.iter().position(|(c, _)| *c == comp) {
        Some(0) => comp != region.comp || within(ground.span(comp, e), region.span),
        Some(_) => true,
        None => comp == region.comp && region.holds(ground, e),
    }
}

/// The keys that a call sends: by the parameter or header that the catalogue names, or one that is named for it.
fn keys_of(ground: &Ground, (comp, call): (CompId, ExprId), takes: Option<&str>) -> Vec<Sent> {
    let slice = Slice::of(ground, comp, call);
    let flat =
        |name: &str| name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let is_name = |name: &str| words::is_key(name) || takes.is_some_and(|t| flat(t) == flat(name));
    let mut found: Vec<(String, CompId, ExprId)> = Vec::new();
    for node in &slice.nodes {
        let file = ground.file(node.comp);
        let mut note = |name: Name, value: ExprId| {
            if is_name(file.name(name)) && !is_nothing(file, value) {
                found.push((file.name(name).to_string(), node.comp, value));
            }
        };
        match &file.expr(node.expr).kind {
            ExprKind::Dict(entries) | ExprKind::Struct { entries, .. } => {
                for entry in entries {
                    if let Entry::Pair(key, value) = entry
                        && let Some(name) = constant(file, *key)
                    {
                        note(name, *value);
                    }
                }
            }
            ExprKind::Call { callee, args, .. } => {
                for arg in args {
                    if let Arg::Keyword(name, value) = arg {
                        note(*name, *value);
                    }
                }
                // `.header("Idempotency-Key", key)`, `.idempotency_key(key)`
                if let [Arg::Positional(key), Arg::Positional(value), ..] = args.as_slice()
                    && let Some(name) = constant(file, *key)
                {
                    note(name, *value);
                }
                if let (ExprKind::Attr { name, .. }, [Arg::Positional(value)]) =
                    (&file.expr(*callee).kind, args.as_slice())
                {
                    note(*name, *value);
                }
            }
            ExprKind::Seq(SeqKind::Tuple | SeqKind::List, items) => {
                if let [Arg::Positional(key), Arg::Positional(value)] = items.as_slice()
                    && let Some(name) = constant(file, *key)
                {
                    note(name, *value);
                }
            }
            ExprKind::Var(var) => {
                for Addition { key, value } in ground.map(node.comp).additions.get(var).map_or(&[][..], Vec::as_slice) {
                    if let Some(key) = key {
                        note(*key, *value);
                    }
                }
            }
            _ => {}
        }
    }
    found.dedup();
    found
        .into_iter()
        .map(|(name, at, value)| {
            let is_value = |n: u32| {
                let m = &slice.nodes[n as usize];
                (m.comp, m.expr) == (at, value)
            };
            let mut makers = Vec::new();
            for n in 0..slice.nodes.len() as u32 {
                let node = &slice.nodes[n as usize];
                let is_call = matches!(ground.file(node.comp).expr(node.expr).kind, ExprKind::Call { .. });
                if is_call
                    && words::is_fresh(ground.callee_text(node.comp, node.expr))
                    && slice.above(n).into_iter().any(is_value)
                {
                    let (comp, expr) = slice.home(n);
                    makers.push((comp, expr, ground.place(comp, expr)));
                }
            }
            Sent { name, makers, value: ground.place(at, value), function: ground.view.name(at) }
        })
        .collect()
}

fn is_nothing(file: &File, e: ExprId) -> bool {
    matches!(file.expr(e).kind, ExprKind::Literal(Literal::Null))
}
