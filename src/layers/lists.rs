//! Callbacks over lists whose elements are known: `reduce`, `map`, `Array.from`.

use super::calls::Given;
use super::machine::Machine;
use super::state::{Exits, Slot, State};
use super::val::Val;
use crate::ir::{Arg, BlockId, ExprId, ExprKind};
use crate::link::token::{Site, Tok, Token};
use std::rc::Rc;

/// Lists are gone over so far.
const LONGEST: usize = 64;

impl Machine<'_, '_, '_> {
    /// A method of a list that calls what it is given for each element. False: none that can be followed.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn over_list(
        &mut self,
        e: ExprId,
        on: &Val,
        method: Option<&str>,
        given: &Given,
        state: &State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> bool {
        match method {
            Some(name @ ("reduce" | "reduceRight")) => self.reduced(e, on, name, given, state, out, exits),
            Some("map") => {
                let [Val::Tok(each), ..] = given.positional[..] else { return false };
                let Some(list) = self.elements(on).and_then(|items| self.mapped(items, each, state)) else {
                    return false;
                };
                out.push((state.clone(), Val::List(Rc::new(list))));
                true
            }
            Some("from") if matches!(on, Val::Tok(tok) if self.view.path(*tok).as_ref() == "globals:Array") => {
                let [from, Val::Tok(each), ..] = &given.positional[..] else { return false };
                let items = match self.attribute_on(state, from, "length").as_exact() {
                    Some(n) if (0.0..=LONGEST as f64).contains(&n) => Some(vec![Val::Null; n as usize]),
                    _ => self.elements(from),
                };
                let Some(list) = items.and_then(|items| self.mapped(items, *each, state)) else { return false };
                out.push((state.clone(), Val::List(Rc::new(list))));
                true
            }
            _ => false,
        }
    }

    /// A method of a map that the program makes empty: what the path has put into it is all there is. A key that is not
    /// known is told by how it is written.
    pub(super) fn map_method(
        &mut self,
        map: Tok,
        made: Site,
        name: &str,
        args: &[Arg],
        given: &Given,
        state: &mut State,
    ) -> Option<Val> {
        let file = self.view.file(made.comp);
        let empty = matches!(&file.exprs.get(made.of_source().expr.index())?.kind, ExprKind::Call { args, .. } if args.is_empty());
        if !empty {
            return None;
        }
        let key: Rc<str> = match given.positional.first()? {
            Val::Text(text) => Rc::from(format!("[{text}]")),
            _ => {
                let span = self.ir(state).expr(args.first()?.value()).span;
                let text = self.texts.get(self.view.func(self.comp(state)).file as usize)?;
                Rc::from(format!("[{}]", text.get(span.start as usize..span.end as usize)?))
            }
        };
        let slot = (map, key);
        match name {
            "set" => {
                let value = given.positional.get(1)?.clone();
                state.heap.insert(slot, value);
                Some(Val::Tok(map))
            }
            "get" => state.heap.get(&slot).cloned().or(Some(Val::Null)),
            "has" => Some(Val::Bool(state.heap.contains_key(&slot))),
            "delete" => Some(Val::Bool(state.heap.remove(&slot).is_some())),
            _ => None,
        }
    }

    /// What a callback makes of each element, if that does nothing else.
    fn mapped(&mut self, items: Vec<Val>, each: Tok, state: &State) -> Option<Vec<Val>> {
        if items.len() > LONGEST || !matches!(self.view.token(each), Token::Function { .. }) {
            return None;
        }
        let mut list = Vec::with_capacity(items.len());
        for (i, item) in items.into_iter().enumerate() {
            let mut inner = Exits::default();
            let mut made =
                self.call_closure(&Val::Tok(each), vec![item, Val::num(i as f64)], state.clone(), &mut inner);
            let (after, value) = made.pop().filter(|_| made.is_empty() && inner.raises.is_empty())?;
            let plain = matches!(value, Val::Null | Val::Bool(_) | Val::Num(_) | Val::Text(_) | Val::List(_));
            if !plain || after.calls() != state.calls() || after.heap != state.heap || after.clock != state.clock {
                return None;
            }
            list.push(value);
        }
        Some(list)
    }

    #[allow(clippy::too_many_arguments)]
    fn reduced(
        &mut self,
        e: ExprId,
        on: &Val,
        name: &str,
        given: &Given,
        state: &State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> bool {
        let Some(mut items) = self.elements(on).filter(|items| items.len() <= LONGEST) else { return false };
        let (Some(step @ Val::Tok(tok)), Some(start)) = (given.positional.first(), given.positional.get(1)) else {
            return false;
        };
        if !matches!(self.view.token(*tok), Token::Function { .. }) {
            return false;
        }
        if name == "reduceRight" {
            items.reverse();
        }
        let place = self.view.call_place(self.comp(state), e);
        let outer = state.slots.clone();
        let mut live = vec![(state.clone(), start.clone())];
        for (i, item) in items.into_iter().enumerate() {
            let mut next = Vec::new();
            for (mut state, so_far) in live {
                let mut slots = (*outer).clone();
                slots.push(Slot { place, turn: i as u32, recursion: false, body: BlockId(0), per_item: false });
                state.slots = Rc::new(slots);
                let args = vec![so_far, item.clone(), Val::num(i as f64)];
                for (mut state, value) in self.call_closure(step, args, state, exits) {
                    state.slots = outer.clone();
                    next.push((state, value));
                }
            }
            live = self.few(next);
        }
        out.extend(live);
        true
    }
}
