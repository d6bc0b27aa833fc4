//! The elements of what is gone over.

use super::machine::Machine;
use super::val::Val;
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

/// The elements of something iterated.
pub enum Items {
    /// Known ones.
    List(Rc<Vec<Val>>),
    /// Numbers.
    Range(i64, Option<i64>, i64),
    /// Without end; the last one goes on.
    Endless(Rc<Vec<Val>>),
}

impl Items {
    /// Whether a turn is past the end.
    pub fn ends_at(&self, turn: u32) -> bool {
        self.len().is_some_and(|len| turn >= len)
    }

    /// How many there are; none: endless.
    pub fn len(&self) -> Option<u32> {
        match self {
            Items::List(list) => Some(list.len() as u32),
            Items::Endless(_) => None,
            Items::Range(from, to, step) => {
                let to = (*to)?;
                let span = if *step > 0 { to - from } else { from - to };
                let step = step.unsigned_abs().max(1) as i64;
                Some(if span <= 0 { 0 } else { u32::try_from((span + step - 1) / step).unwrap_or(u32::MAX) })
            }
        }
    }

    /// The element of a turn.
    pub fn at(&self, turn: u32) -> Val {
        match self {
            Items::List(list) => list.get(turn as usize).cloned().unwrap_or(Val::Unknown),
            Items::Range(from, _, step) => Val::num((from + i64::from(turn) * step) as f64),
            Items::Endless(list) => list.get(turn as usize).or(list.last()).cloned().unwrap_or(Val::Unknown),
        }
    }

    /// Whether all elements are plain numbers, truth values or nothing (no work of their own).
    pub fn is_numeric(&self) -> bool {
        match self {
            Items::List(list) | Items::Endless(list) => {
                list.iter().all(|v| matches!(v, Val::Num(_) | Val::Null | Val::Bool(_)))
            }
            Items::Range(..) => true,
        }
    }
}

impl Machine<'_, '_, '_> {
    /// The elements of a sequence, if they are known.
    pub fn elements(&self, value: &Val) -> Option<Vec<Val>> {
        match value {
            Val::List(list) => Some(list.to_vec()),
            Val::Dict(entries) => Some(entries.iter().map(|(key, _)| Val::Text(key.clone())).collect()),
            Val::Tok(tok) => match self.view.token(*tok) {
                Token::Container { kind, .. } | Token::Rest { kind, .. } => {
                    let store = &self.view.solver.store;
                    if store.get(Addr::Element(*tok)).is_some() {
                        return None;
                    }
                    let keys = store.get(Addr::Keys(*tok));
                    if *kind == ContainerKind::Dict {
                        return keys.map(|k| k.iter().map(|t| self.view.val(&Value::of(t))).collect());
                    }
                    let mut items = Vec::new();
                    loop {
                        let name = self.view.solver.symbols.find(&items.len().to_string());
                        match name.and_then(|n| store.get(Addr::Field(*tok, n))) {
                            Some(v) => items.push(self.view.val(v)),
                            None => return Some(items),
                        }
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What a loop goes over, if it is known.
    pub fn iterated(&self, value: &Val) -> Option<Items> {
        match value {
            Val::Range(from, to, step) => Some(Items::Range(*from, *to, *step)),
            Val::List(list) => Some(Items::List(list.clone())),
            Val::Text(t) => Some(Items::List(Rc::new(t.chars().take(200).map(|_| Val::Unknown).collect()))),
            _ => self.elements(value).map(|list| Items::List(Rc::new(list))),
        }
    }
}
