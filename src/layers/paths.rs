//! Paths that come together: those that go on alike are one, and where there are too many, those that hardly differ.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::link::token::Tok;
use std::rc::Rc;

/// At most so many paths are followed at once.
pub(super) const PATHS: usize = 24;
/// With more, it is time to tell fewer of them apart.
const MANY: usize = 12;
/// With more, those are one that differ in nothing but the time.
const SEVERAL: usize = 4;

/// A field of an object.
pub(super) type Field = (Tok, Rc<str>);

impl Machine<'_, '_, '_> {
    /// Drops paths that will go on like another one: the one that called more often stays. Each comes with what it
    /// leads to (a value, an error), which must be the same.
    pub(super) fn settle_paths<T: PartialEq>(&mut self, paths: Vec<(State, T)>, most: usize) -> Vec<(State, T)> {
        if paths.len() < 2 {
            return paths;
        }
        let mut kept: Vec<(State, T)> = Vec::with_capacity(paths.len());
        for (state, end) in paths {
            match kept.iter_mut().find(|(k, e)| *e == end && k.same_future(&state) && self.may_join(k, &state)) {
                Some((old, _)) => self.keep_worse(old, state),
                None => kept.push((state, end)),
            }
        }
        if kept.len() > SEVERAL {
            kept = self.join_alike(kept, is_time);
        }
        if kept.len() > MANY {
            kept = self.join_alike(kept, |field| !decides(field));
        }
        if kept.len() > most {
            self.cut = true;
            if self.fewest {
                kept.sort_by_key(|(state, _)| state.calls());
            } else {
                kept.sort_by_key(|(state, _)| std::cmp::Reverse(state.calls()));
            }
            kept.truncate(most);
        }
        kept
    }

    /// Whether one of two paths can stand for both. Where the fewest calls are asked for, one that did not come to the
    /// call where the other one did says nothing of that.
    pub(super) fn may_join(&self, a: &State, b: &State) -> bool {
        !self.fewest || a.trace.first() == b.trace.first()
    }

    /// Of two paths that go on alike, the one that called more often (or, where that is asked for, less often).
    fn keep_worse(&self, old: &mut State, state: State) {
        let (new, kept) = if self.fewest { (old.calls(), state.calls()) } else { (state.calls(), old.calls()) };
        let timed = old.timed || state.timed;
        if new > kept || (new == kept && old.open.is_some()) {
            *old = state;
        }
        old.timed = timed;
    }

    /// Where there are many paths, those become one that differ in nothing but fields that hold texts, objects or
    /// times: what such a field holds is not known then. Numbers, flags and what is not there decide too often.
    /// Of those that differ in the time as well, the one stays that has called as often in less time.
    fn join_alike<T: PartialEq>(
        &self,
        paths: Vec<(State, T)>,
        is_free: impl Fn(Option<&Val>) -> bool + Copy,
    ) -> Vec<(State, T)> {
        let mut kept: Vec<(State, T)> = Vec::with_capacity(paths.len());
        for (mut state, end) in paths {
            let found = kept.iter_mut().filter(|(k, e)| *e == end && self.may_join(k, &state)).find_map(|(k, _)| {
                let new_wins = self.outdoes(&state, k)?;
                let fields = k.differs_in_fields(&state, is_free)?;
                Some((k, fields, new_wins))
            });
            let Some((old, fields, new_wins)) = found else {
                kept.push((state, end));
                continue;
            };
            let timed = old.timed || state.timed;
            if new_wins {
                std::mem::swap(old, &mut state);
            }
            old.timed = timed;
            for field in fields {
                if !(is_time(old.heap.get(&field)) && is_time(state.heap.get(&field))) {
                    old.heap.insert(field, Val::Unknown);
                }
            }
        }
        kept
    }

    /// Whether the new of two paths is to stay (it has called at least as often in no more time), or the old one; for
    /// the fewest calls it is the other way round. None of both, where each has called more often or has more time.
    fn outdoes(&self, new: &State, old: &State) -> Option<bool> {
        let stays = |a: &State, b: &State| {
            let (more, less) = if self.fewest { (b, a) } else { (a, b) };
            let in_time = more.clock <= less.clock || !(more.timed || less.timed);
            more.calls() >= less.calls() && in_time
        };
        if stays(old, new) { Some(false) } else { stays(new, old).then_some(true) }
    }
}

/// Whether a value is a point in time.
fn is_time(value: Option<&Val>) -> bool {
    matches!(value, Some(Val::Num(n)) if n.clock)
}

/// Whether what a field holds decides too often to be left open. (What is not there does not.)
fn decides(value: Option<&Val>) -> bool {
    match value {
        Some(Val::Num(n)) => !n.clock,
        Some(Val::Bool(_) | Val::Null | Val::Error(_) | Val::Answer(_) | Val::Fail(_) | Val::Good(_)) => true,
        _ => false,
    }
}

impl State {
    /// The fields in which two paths differ, if they go on alike but for those and the time, and they may differ so.
    fn differs_in_fields(&self, other: &State, is_free: impl Fn(Option<&Val>) -> bool) -> Option<Vec<Field>> {
        let rest = self.stands_like(other)
            && self.handling == other.handling
            && self.caught == other.caught
            && self.slots == other.slots;
        if !rest {
            return None;
        }
        let mut fields = Vec::new();
        let theirs = other.heap.keys().filter(|key| !self.heap.contains_key(key));
        for key in self.heap.keys().chain(theirs) {
            let (ours, theirs) = (self.heap.get(key), other.heap.get(key));
            if ours != theirs {
                if !is_free(ours) || !is_free(theirs) {
                    return None;
                }
                fields.push(key.clone());
            }
        }
        Some(fields)
    }

    /// The fields in which two paths differ, if they go on alike but for those, and these hold nothing that decides.
    pub(super) fn hardly_differs(&self, other: &State) -> Option<Vec<Field>> {
        let in_time = self.clock == other.clock || !(self.timed || other.timed);
        self.differs_in_fields(other, |field| !decides(field)).filter(|_| in_time)
    }

    /// Whether two paths are in the same functions with the same variables, but for points in time.
    fn stands_like(&self, other: &State) -> bool {
        self.stack.len() == other.stack.len()
            && self.stack.iter().zip(&other.stack).all(|(a, b)| {
                a.comp == b.comp
                    && a.about == b.about
                    && a.narrowed == b.narrowed
                    && a.env.len() == b.env.len()
                    && a.env.iter().all(|(var, value)| {
                        let theirs = b.env.get(var);
                        theirs == Some(value) || (is_time(Some(value)) && is_time(theirs))
                    })
            })
    }
}
