//! Iterators that are stepped by hand (JavaScript): `const it = list[Symbol.iterator](); it.next()`.

use super::generator::{Pending, Work};
use super::iterators::{Iter, Next};
use super::machine::{End, Machine};
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::*;
use crate::link::token::Tok;
use std::rc::Rc;

/// So many elements of a generator are worked out; the last one stands for all after it.
const SHOWN: usize = 48;

/// Where the elements that a generator has given so far are kept.
fn given_so_far() -> (Tok, Rc<str>) {
    (Tok(u32::MAX), Rc::from("given"))
}

impl<'p> Machine<'p, '_, '_> {
    /// A call that makes an iterator or steps it. False: it does neither.
    pub(super) fn steps_by_hand(
        &mut self,
        callee: ExprId,
        on: &Val,
        method: Option<&str>,
        state: &State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> bool {
        let ir = self.ir(state);
        if let ExprKind::Index { object, index } = ir.expr(callee).kind
            && is_iterator_symbol(ir, index)
        {
            let elements = self.pure(object, state).and_then(|list| self.elements(&list));
            let Some(elements) = elements else { return false };
            out.push((state.clone(), Val::Iter(Rc::new(Iter::of_list(Rc::new(elements))))));
            return true;
        }
        let (Some("next"), ExprKind::Attr { object, .. }) = (method, &ir.expr(callee).kind) else { return false };
        let iter = match on {
            Val::Iter(iter) => (**iter).clone(),
            // What `list.values()` gives.
            Val::List(list) => Iter::of_list(list.clone()),
            Val::Generator(pending) => match self.drawn_from(pending, state) {
                Some(iter) => iter,
                None => return false,
            },
            _ => return false,
        };
        for (mut state, next, after) in self.next_of(&iter, state.clone(), exits) {
            self.write_back(*object, Val::Iter(Rc::new(after)), &mut state);
            let (value, done) = match next {
                Next::Item(value) => (value, Val::Bool(false)),
                Next::End => (Val::Null, Val::Bool(true)),
                Next::Unknown => (Val::Unknown, Val::Unknown),
            };
            out.push((state, Val::Dict(Rc::new(vec![(Rc::from("value"), value), (Rc::from("done"), done)]))));
        }
        true
    }

    /// The elements of a generator that goes one way only.
    fn drawn_from(&mut self, pending: &Pending, state: &State) -> Option<Iter> {
        let mut state = state.clone();
        let before = state.trace.len();
        state.heap.insert(given_so_far(), Val::List(Rc::default()));
        let (mut next, mut exits) = (Vec::new(), Exits::default());
        let (endless, cut) = (self.endless.len(), self.cut);
        let mut ends = self.consume(state, pending, Work::Collect, &mut next, &mut exits)?;
        self.endless.truncate(endless);
        self.cut = cut;
        ends.extend(exits.raises.into_iter().map(|(state, error)| (state, End::Raise(error))));
        let [(state, end)] = ends.as_slice() else { return None };
        let Some(Val::List(list)) = state.heap.get(&given_so_far()) else { return None };
        if state.trace.len() != before {
            return None;
        }
        match end {
            End::Return(_) => Some(Iter::of_list(list.clone())),
            End::Raise(_) if list.len() >= SHOWN => Some(Iter::endless(list.clone())),
            End::Raise(_) => None,
        }
    }

    /// A `yield` whose value is only written down; a generator that gives ever more is left.
    pub(super) fn collected(&mut self, mut state: State, value: Val, exits: &mut Exits) -> Vec<(State, Val)> {
        let key = given_so_far();
        let mut list = match state.heap.get(&key) {
            Some(Val::List(list)) => (**list).clone(),
            _ => Vec::new(),
        };
        list.push(value);
        let full = list.len() >= SHOWN;
        state.heap.insert(key, Val::List(Rc::new(list)));
        if full {
            exits.raises.push((state, self.never()));
            return Vec::new();
        }
        vec![(state, Val::Null)]
    }
}

/// `Symbol.iterator`
fn is_iterator_symbol(ir: &File, e: ExprId) -> bool {
    let ExprKind::Attr { object, name, .. } = ir.expr(e).kind else { return false };
    ir.name(name) == "iterator" && matches!(ir.expr(object).kind, ExprKind::Free(symbol) if ir.name(symbol) == "Symbol")
}
