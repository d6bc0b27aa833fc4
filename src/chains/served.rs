//! Functions that a framework calls (Rust): handlers handed to a route, functions with a route's attribute. Whoever hands
//! them over does not call them.

use super::model::EntryKind;
use crate::ir::Language;
use crate::layers::view::View;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::token::*;
use rustc_hash::FxHashMap;

/// What an entry of the catalogue makes of a function.
pub(super) fn kind_of(view: &View, by: Tok) -> Option<EntryKind> {
    let callee = match *view.token(by) {
        Token::Made { callee, .. } => callee,
        _ => by,
    };
    Some(match view.known(callee)?.callable.entry.as_deref()? {
        "request-handler" => EntryKind::RequestHandler,
        "websocket" => EntryKind::WebSocket,
        "job" => EntryKind::Job,
        "schedule" => EntryKind::Schedule,
        "command" => EntryKind::Command,
        _ => return None,
    })
}

/// What a function is that a call hands to a framework; none if it is handed to nothing that serves it.
pub(super) fn served(view: &View, caller: CompId, call: &CallRecord) -> Option<EntryKind> {
    let Target::Comp(target) = call.target else { return None };
    if call.via != Via::Handed || view.file(target).language != Language::Rust {
        return None;
    }
    let handed_to = |record: &&CallRecord| matches!(record.target, Target::External(_));
    let by_route = view.calls(caller, call.expr).iter().filter(handed_to).find_map(|record| {
        let known = view.known(record.callee)?;
        known.callable.calls.iter().any(|c| c.how == "handler").then(|| kind_of(view, record.callee))?
    });
    by_route.or_else(|| by_attribute(view, target))
}

/// What a function is by its attribute.
fn by_attribute(view: &View, comp: CompId) -> Option<EntryKind> {
    let solver = view.solver;
    let env = solver.comps[comp.0 as usize].key.parent?;
    let func = solver.tokens.find(&Token::Function { func: view.func(comp), env })?;
    let decorated = solver.decorated.get(&func)?;
    decorated.iter().flat_map(|tok| view.wrappers(tok)).find_map(|(by, _)| kind_of(view, by))
}

/// What calls hand to a framework.
pub(super) fn all(view: &View) -> FxHashMap<CompId, EntryKind> {
    let mut found = FxHashMap::default();
    for c in 0..view.solver.comps.len() {
        let caller = CompId(c as u32);
        for call in view.all_calls(caller) {
            if let Target::Comp(target) = call.target
                && let Some(kind) = served(view, caller, call)
            {
                found.entry(target).or_insert(kind);
            }
        }
    }
    found
}
