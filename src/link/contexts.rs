//! Which calls of a function are told apart: the contexts that its components stand for, and how many there may be.

use super::component::{CompKey, Component, THIS, Via};
use super::solver::Solver;
use super::store::Addr;
use super::token::*;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which functions are told apart by their arguments.
#[derive(Default)]
pub struct Contexts {
    /// Functions all of whose parameters are told apart.
    pub full: FxHashSet<FuncRef>,
    /// Parameters of these (the receiver is [`THIS`]) that take so many values that they are not.
    pub merged: FxHashSet<(FuncRef, u32)>,
}

impl Contexts {
    /// So many values of one parameter can be told apart.
    pub const MOST: usize = 32;

    fn tell_apart(&self, func: FuncRef, param: u32) -> bool {
        self.full.contains(&func) && !self.merged.contains(&(func, param))
    }
}

/// Contexts nest at most this deep.
const DEPTH: u8 = 12;
/// A function has at most this many contexts; further calls share the one without context.
const CONTEXTS: u32 = 24;
/// As many if they do not nest: a code base has one helper for all its calls, and what they get from it must not mix.
const PLAIN_CONTEXTS: u32 = 64;
/// And as many if each is handed other code: what is handed at one call never runs in another one.
const CODE_CONTEXTS: u32 = 160;

impl Solver<'_> {
    /// The component for a key; made and queued if it is new. Contexts that nest too deep, or are too
    /// many for one function, are dropped.
    pub fn component(&mut self, mut key: CompKey, depth: u8) -> CompId {
        if let Some(&comp) = self.by_key.get(&key) {
            return comp;
        }
        let mut signature = self.signature(&key);
        if !key.context.is_empty() {
            let count = self.per_function.entry(key.func).or_insert(0);
            // Numbers may be counted up or down for ever.
            let counts = key.context.iter().any(|&(_, token)| matches!(self.tokens.get(token), Token::Int(_)));
            let first = if depth <= 1 && !counts { PLAIN_CONTEXTS } else { CONTEXTS };
            let most = if signature.is_some() && !counts { CODE_CONTEXTS } else { first };
            let is_late = depth > DEPTH || *count >= first;
            if is_late
                && let Some(traits) = &signature
                && let Some(&comp) = self.alike.get(&(key.func, key.parent, traits.clone()))
            {
                self.by_key.insert(key, comp);
                return comp;
            }
            if depth > DEPTH || *count >= most {
                signature = None;
                key.context = Box::default();
                if let Some(&comp) = self.by_key.get(&key) {
                    return comp;
                }
            } else {
                *count += 1;
            }
        }
        let comp = CompId(self.comps.len() as u32);
        self.store.add_component(key.func, self.function(key.func).params.len());
        self.comps.push(Component {
            key: key.clone(),
            depth,
            calls: Vec::new(),
            runs: 0,
            missed: 0,
            queued: false,
            called: false,
            own: FxHashMap::default(),
        });
        if let Some(traits) = signature {
            self.alike.entry((key.func, key.parent, traits)).or_insert(comp);
        }
        self.by_key.insert(key, comp);
        self.enqueue(comp);
        comp
    }

    /// Whether a component stands for all calls of its function that are not told apart, where others are.
    pub fn stands_for_many(&self, comp: CompId) -> bool {
        let key = &self.comps[comp.0 as usize].key;
        let others = self.per_function.get(&key.func).is_some_and(|known| *known > 0);
        key.context.is_empty() && (others || self.contexts.merged.contains(&(key.func, THIS)))
    }

    /// Where one component stands for the calls of many objects, each with a queue of its own, nobody can say who sends
    /// to which of them: such a call leads to no worker.
    pub fn forget_mixed_queues(&mut self) {
        for at in 0..self.comps.len() {
            let comp = CompId(at as u32);
            if !self.stands_for_many(comp) {
                continue;
            }
            let mut names: FxHashMap<ExprId, FxHashSet<&Value>> = FxHashMap::default();
            for call in &self.comps[at].calls {
                let sends = self.known(call.callee).is_some_and(|known| known.callable.sends_to.is_some());
                if let Some(queue) = self.receiver(call.callee).filter(|_| sends)
                    && let Token::Made { site, .. } = *self.tokens.get(queue)
                {
                    names.entry(call.expr).or_default().extend(self.store.get(Addr::Arg(site, 0)));
                }
            }
            let mixed: FxHashSet<ExprId> = names.into_iter().filter(|(_, n)| n.len() > 1).map(|(e, _)| e).collect();
            self.comps[at].calls.retain(|call| call.via != Via::Handed || !mixed.contains(&call.expr));
        }
    }

    /// Whether calls of this function are told apart by this parameter.
    pub fn is_told_apart(&self, func: FuncRef, param: u32) -> bool {
        if self.contexts.tell_apart(func, param) {
            return true;
        }
        self.index[func.file as usize].told_apart.get(&func.id).is_some_and(|list| list.contains(&param))
    }

    /// Whether constant texts in this parameter tell calls of this function apart.
    pub fn is_chosen_by(&self, func: FuncRef, param: u32) -> bool {
        let chosen_by = &self.index[func.file as usize].chosen_by;
        self.contexts.tell_apart(func, param) && chosen_by.get(&func.id).is_some_and(|list| list.contains(&param))
    }

    /// Whether calls of this function are told apart by their receiver.
    pub fn is_receiver_told_apart(&self, func: FuncRef) -> bool {
        self.contexts.tell_apart(func, THIS) || self.is_constructor(func)
    }

    /// Whether it is a constructor of JavaScript: what it puts into one instance is not in the others.
    fn is_constructor(&self, func: FuncRef) -> bool {
        let function = self.function(func);
        let ir = &self.files[func.file as usize];
        ir.language == Language::JavaScript
            && function.binding == Binding::Instance
            && function.name.is_some_and(|name| ir.name(name) == "constructor")
    }
}
