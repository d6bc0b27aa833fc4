//! What a call is about: an element of what a loop goes over makes each turn other work, and no repetition.

use super::machine::Machine;
use super::state::{Happening, State};
use super::trace::Trace;
use crate::ir::{ExprId, ExprKind};
use crate::source::Place;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Elements of loops; one that is handed on through calls is listed once a level.
pub type About = Rc<Vec<Element>>;

/// An element that a loop hands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Element {
    /// The loop.
    of: Place,
    /// The turn in which it did so, or the place at which the element stands.
    turn: u32,
    /// A call was about it before: this one is no work of its own.
    before: bool,
}

impl Element {
    /// Whether it is an element of a loop that nothing was done for before.
    pub fn is_new_in(&self, of: Place) -> bool {
        self.of == of && !self.before
    }
}

impl Hash for Element {
    /// Work that is done for it again is the same work.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.of, self.turn).hash(hasher);
    }
}

impl Machine<'_, '_, '_> {
    /// The elements that an expression of the running function mentions.
    pub fn mentioned_items(&self, e: ExprId, state: &State) -> Vec<Element> {
        let comp = self.comp(state);
        let file = self.view.func(comp).file;
        if !state.slots.iter().any(|s| s.per_item && s.place.file.0 == file) {
            return Vec::new();
        }
        let ir = self.ir(state);
        let (mut mentioned, mut places) = (Vec::new(), Vec::new());
        let mut stack = vec![e];
        while let Some(at) = stack.pop() {
            match ir.expr(at).kind {
                ExprKind::Var(v) => mentioned.push(v),
                ExprKind::Index { index, .. } => {
                    if let ExprKind::Var(v) = ir.expr(index).kind {
                        places.push(v);
                    }
                }
                ExprKind::Closure(_) => {
                    // A block, or a function that is handed over, is about whatever it mentions.
                    let span = ir.expr(at).span;
                    let within = ir.exprs.iter().filter(|i| span.start <= i.span.start && i.span.end <= span.end);
                    mentioned.extend(within.filter_map(|i| if let ExprKind::Var(v) = i.kind { Some(v) } else { None }));
                }
                _ => {}
            }
            super::relevant::children(ir, at, &mut stack);
        }
        let target = self.plan.key.as_ref().map(|k| k.target);
        let slots = state.slots.iter().filter(|s| s.per_item && s.place.file.0 == file);
        let about = slots.filter_map(|slot| {
            let facts = self.facts.get(&(file, slot.body, target))?;
            if mentioned.iter().any(|v| facts.of_item.contains(v)) {
                return Some(Element { of: slot.place, turn: slot.turn, before: false });
            }
            let held = facts.held.iter().filter(|(var, _)| mentioned.contains(var)).map(|(_, at)| *at);
            let mut places = places.iter().copied().filter(|v| facts.stepped.contains(v)).chain(held);
            let at = places.next()?;
            let number = self.read_var(state, at).as_exact().map_or(slot.turn, |n| n as u32);
            let element = Element { of: slot.place, turn: number, before: false };
            // The same place of the list again is the same element.
            Some(Element { before: was_about(&state.trace, element), ..element })
        });
        about.collect()
    }

    /// What a call in the running function is about: what it mentions, and what the function was called for.
    pub fn about(&self, e: ExprId, state: &State) -> About {
        let around = state.stack.last().map(|a| a.about.clone()).unwrap_or_default();
        let own = self.mentioned_items(e, state);
        if own.is_empty() {
            return around;
        }
        let mut all = (*around).clone();
        all.extend(own);
        Rc::new(all)
    }
}

impl Machine<'_, '_, '_> {
    /// Whether a comparison asks if there is one more element: a counter by which elements are taken, held against the
    /// length of a list. How often a call for one of them is made again is no matter of that.
    pub(super) fn asks_for_more(&self, state: &State, a: ExprId, b: ExprId) -> bool {
        let ir = self.ir(state);
        let (file, target) = (self.view.func(self.comp(state)).file, self.plan.key.as_ref().map(|k| k.target));
        let steps = |e: ExprId| match ir.expr(e).kind {
            ExprKind::Var(var) => state.slots.iter().any(|slot| {
                self.facts.get(&(file, slot.body, target)).is_some_and(|facts| facts.stepped.contains(&var))
            }),
            _ => false,
        };
        let is_length = |e: ExprId| {
            let at = match ir.expr(e).kind {
                ExprKind::Call { callee, .. } => callee,
                _ => e,
            };
            matches!(ir.expr(at).kind, ExprKind::Attr { name, .. } if matches!(ir.name(name), "len" | "length"))
        };
        steps(a) && is_length(b) || steps(b) && is_length(a)
    }
}

/// Whether a call of a path was for this element before.
fn was_about(trace: &Trace, element: Element) -> bool {
    since(trace, 0).any(|about| about.contains(&element))
}

/// Whether the failing call was executed again since an earlier turn of a loop, and not for another element of it.
pub fn again(old: &State, now: &State, of: Place) -> bool {
    since(&now.trace, old.calls()).any(|about| !about.iter().any(|element| element.is_new_in(of)))
}

/// Whether every execution of the failing call was for an element of a loop.
pub fn only_for_items(state: &State, of: Place) -> bool {
    state.calls() > 0 && since(&state.trace, 0).all(|about| about.iter().any(|element| element.is_new_in(of)))
}

/// What the calls after the first `known` ones are about, the newest first.
fn since(trace: &Trace, known: usize) -> impl Iterator<Item = &About> {
    let calls = trace.newest_first().filter_map(|h| match h {
        Happening::Call { about, .. } => Some(about),
        Happening::Sleep { .. } => None,
    });
    calls.take(trace.calls().saturating_sub(known))
}
