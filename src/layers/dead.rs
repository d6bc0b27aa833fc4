//! Objects that nothing on a path holds any more: what was written on them makes no difference, so paths that differ
//! in nothing else are one path.

use super::machine::Machine;
use super::state::State;
use super::val::{Error, Val, Whole};
use crate::ir::Language;
use crate::link::token::{Tok, Token};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// With fewer paths it is not worth the search.
const PATHS: usize = 4;

impl Machine<'_, '_, '_> {
    /// Forgets what was written on objects that the run made and that no path holds any more (Rust, where a value is
    /// gone with what holds it).
    pub(super) fn forget_dead(&self, states: &mut [State]) {
        if states.len() <= PATHS || states.first().is_none_or(|s| self.ir(s).language != Language::Rust) {
            return;
        }
        for state in states {
            let candidates: FxHashSet<Tok> =
                state.heap.keys().map(|(tok, _)| *tok).filter(|tok| self.is_of_this_run(*tok)).collect();
            if candidates.is_empty() {
                continue;
            }
            let Some(held) = held(state) else { continue };
            if candidates.iter().any(|tok| !held.contains(tok)) {
                state.heap.retain(|(tok, _), _| held.contains(tok) || !candidates.contains(tok));
            }
        }
    }

    fn is_of_this_run(&self, tok: Tok) -> bool {
        let index = tok.0 as usize;
        index < self.view.solver.tokens.len()
            && matches!(self.view.token(tok), Token::Object { .. })
            && self.put_together.borrow().contains(&tok)
    }
}

/// The things that a path holds; none if it holds something that may hold any.
fn held(state: &State) -> Option<FxHashSet<Tok>> {
    let mut fields: FxHashMap<Tok, Vec<&Val>> = FxHashMap::default();
    let mut walk = Walk { held: FxHashSet::default(), pending: Vec::new(), values: Vec::new() };
    for ((tok, _), value) in state.heap.iter() {
        fields.entry(*tok).or_default().push(value);
    }
    for activation in &state.stack {
        walk.values.extend(activation.env.values());
    }
    for error in state.handling.iter().chain(&state.caught) {
        walk.error(error);
    }
    // What no run made is held by what is around it: a receiver, a variable of a function that is not running.
    let roots: Vec<Tok> = fields.keys().copied().collect();
    let mut roots = roots.into_iter();
    loop {
        while let Some(value) = walk.values.pop() {
            walk.value(value)?;
        }
        let Some(tok) = walk.pending.pop() else {
            // Variables that closures captured are kept beside the objects.
            match roots.find(|tok| tok.0 >= u32::MAX / 2) {
                Some(tok) => walk.token(tok),
                None => break,
            }
            continue;
        };
        walk.values.extend(fields.get(&tok).into_iter().flatten());
    }
    Some(walk.held)
}

struct Walk<'v> {
    held: FxHashSet<Tok>,
    pending: Vec<Tok>,
    values: Vec<&'v Val>,
}

impl<'v> Walk<'v> {
    fn token(&mut self, tok: Tok) {
        if self.held.insert(tok) {
            self.pending.push(tok);
        }
    }

    fn error(&mut self, error: &'v Rc<Error>) {
        if let Some(tok) = error.token {
            self.token(tok);
        }
        self.values.extend(error.fields.iter().map(|(_, value)| value));
    }

    fn value(&mut self, value: &'v Val) -> Option<()> {
        match value {
            Val::Unknown | Val::Null | Val::Bool(_) | Val::Num(_) | Val::Text(_) | Val::Range(..) => {}
            Val::Answer(_) | Val::Headers | Val::Settles(..) | Val::Attempt => {}
            Val::Tok(tok) => self.token(*tok),
            Val::Many(tokens) => tokens.iter().for_each(|tok| self.token(tok)),
            Val::List(items) => self.values.extend(items.iter()),
            Val::Error(error) | Val::Fail(error) => self.error(error),
            Val::Part(whole, _) => {
                if let Whole::Error(error) = &**whole {
                    self.error(error);
                }
            }
            Val::Good(inner) | Val::Settled(inner) => self.values.push(inner),
            Val::With(tok, entries) => {
                self.token(*tok);
                self.values.extend(entries.iter().map(|(_, value)| value));
            }
            Val::Dict(entries) => self.values.extend(entries.iter().map(|(_, value)| value)),
            Val::Generator(_) | Val::Iter(_) | Val::Described(_) => return None,
        }
        Some(())
    }
}
