//! Methods of values that are followed: lists, iterators, dictionaries, answers and errors.

use super::calls::Given;
use super::machine::Machine;
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::*;
use crate::link::token::*;
use std::rc::Rc;

/// Longer lists are not followed as they change.
pub(super) const LONGEST: usize = 64;

impl Machine<'_, '_, '_> {
    /// Writes back what a call changed in place: to a variable, or to a field.
    pub fn write_back(&mut self, e: ExprId, value: Val, state: &mut State) {
        let ir = self.ir(state);
        match &ir.expr(e).kind {
            ExprKind::Var(var) => self.write_var(state, *var, value),
            ExprKind::Attr { object, name, .. } => {
                if let Some(Val::Tok(tok)) = self.pure(*object, state) {
                    state.heap.insert((tok, Rc::from(ir.name(*name))), value);
                }
            }
            _ => {}
        }
    }

    /// A method that changes a list whose elements are known; none if it is none.
    pub(super) fn list_changed(
        &mut self,
        callee: ExprId,
        on: &Val,
        method: Option<&str>,
        given: &Given,
        state: &mut State,
    ) -> Option<Val> {
        let javascript = self.ir(state).language == Language::JavaScript;
        // The same methods by their other names.
        let name = match method? {
            "shift" if javascript => "popleft",
            "unshift" if javascript => "appendleft",
            "push" | "add" if javascript => "append",
            name => name,
        };
        if !matches!(
            name,
            "append" | "appendleft" | "extend" | "insert" | "pop" | "popleft" | "clear" | "remove" | "reverse"
        ) {
            return None;
        }
        let ExprKind::Attr { object, .. } = self.ir(state).expr(callee).kind else { return None };
        let mut items = match on {
            Val::List(items) => (**items).clone(),
            // A list of another function: as long as it is only taken from here.
            Val::Tok(list) if name.starts_with("pop") => {
                self.elements(on).or_else(|| self.waiting(*list, object, state))?
            }
            _ => return None,
        };
        let first = given.positional.first();
        let mut result = Val::Null;
        match (name, first) {
            ("append", Some(value)) => items.push(value.clone()),
            ("appendleft", Some(value)) => items.insert(0, value.clone()),
            ("insert", Some(at)) => {
                let at = at.as_exact().unwrap_or(0.0).max(0.0) as usize;
                items.insert(at.min(items.len()), given.positional.get(1).cloned().unwrap_or(Val::Unknown));
            }
            ("extend", Some(more)) => items.extend(self.elements(more)?),
            ("pop" | "popleft", _) => {
                if items.is_empty() && javascript {
                    return Some(Val::Null);
                }
                let at = if name == "popleft" { Some(0.0) } else { first.map_or(Some(-1.0), Val::as_exact) }?;
                let at = if at < 0.0 { items.len().checked_sub(-at as usize)? } else { at as usize };
                if at >= items.len() {
                    return None;
                }
                result = items.remove(at);
            }
            ("clear", _) => items.clear(),
            ("reverse", _) => items.reverse(),
            _ => return None,
        }
        // One that grows for ever is not followed.
        let value = if items.len() > LONGEST { Val::Unknown } else { Val::List(Rc::new(items)) };
        self.write_back(object, value, state);
        Some(result)
    }

    /// `next(iterator)`: the next element of one whose elements are known, none at its end.
    pub(super) fn next_element(
        &mut self,
        e: ExprId,
        callee: &Val,
        given: &Given,
        state: &mut State,
    ) -> Option<Option<Val>> {
        let Val::Tok(tok) = callee else { return None };
        let Token::External(symbol) = *self.view.token(*tok) else { return None };
        if self.view.text(symbol) != "builtins.next" {
            return None;
        }
        let items = match given.positional.first()? {
            Val::List(items) => super::items::Items::List(items.clone()),
            Val::Range(from, to, step) => super::items::Items::Range(*from, *to, *step),
            _ => return None,
        };
        if items.ends_at(0) {
            return Some(given.positional.get(1).cloned());
        }
        let ExprKind::Call { args, .. } = &self.ir(state).expr(e).kind else { return None };
        let iterator = args.first()?.value();
        let rest = match &items {
            super::items::Items::List(list) => Val::List(Rc::new(list.get(1..).unwrap_or_default().to_vec())),
            super::items::Items::Endless(_) => Val::Unknown,
            super::items::Items::Range(from, to, step) => Val::Range(from + step, *to, *step),
        };
        self.write_back(iterator, rest, state);
        Some(Some(items.at(0)))
    }

    /// A method of keyword arguments; what it changes is written to the variable it is called on.
    pub(super) fn dict_method(
        &mut self,
        entries: &Rc<Vec<(Rc<str>, Val)>>,
        name: &str,
        given: &Given,
        callee: ExprId,
        state: &mut State,
    ) -> Val {
        let ir = self.ir(state);
        let variable = match &ir.expr(callee).kind {
            ExprKind::Attr { object, .. } => match ir.expr(*object).kind {
                ExprKind::Var(var) => Some(var),
                _ => None,
            },
            _ => None,
        };
        let changed = |m: &Self, state: &mut State, value: Val| {
            if let Some(var) = variable {
                m.write_var(state, var, value);
            }
        };
        let default = given.positional.get(1).cloned().unwrap_or(Val::Null);
        match (name, given.positional.first()) {
            ("get" | "pop" | "setdefault", Some(Val::Text(key))) => {
                let found = entries.iter().find(|(n, _)| n == key).map(|(_, v)| v.clone());
                match name {
                    "pop" => {
                        let rest = entries.iter().filter(|(n, _)| n != key).cloned().collect();
                        changed(self, state, Val::Dict(Rc::new(rest)));
                    }
                    "setdefault" if found.is_none() => {
                        let more = super::patterns::with_entry(entries, key, &default);
                        changed(self, state, Val::Dict(Rc::new(more)));
                    }
                    _ => {}
                }
                found.unwrap_or(default)
            }
            ("update", first) => {
                let mut all = (**entries).clone();
                if let Some(Val::Dict(more)) = first {
                    for (key, value) in more.iter() {
                        all = super::patterns::with_entry(&all, key, value);
                    }
                }
                for (key, value) in &given.keywords {
                    all = super::patterns::with_entry(&all, key, value);
                }
                let known = matches!(first, None | Some(Val::Dict(_)));
                changed(self, state, if known { Val::Dict(Rc::new(all)) } else { Val::Unknown });
                Val::Null
            }
            ("copy", _) => Val::Dict(entries.clone()),
            ("values", _) => Val::List(Rc::new(entries.iter().map(|(_, v)| v.clone()).collect())),
            ("keys", _) => Val::List(Rc::new(entries.iter().map(|(n, _)| Val::Text(n.clone())).collect())),
            ("items", _) => Val::List(Rc::new(
                entries.iter().map(|(n, v)| Val::List(Rc::new(vec![Val::Text(n.clone()), v.clone()]))).collect(),
            )),
            ("clear" | "popitem", _) => {
                changed(self, state, Val::Unknown);
                Val::Unknown
            }
            _ => Val::Unknown,
        }
    }

    pub(super) fn described_method(&mut self, object: &super::val::Described, name: &str) -> Val {
        let found = self.view.solver.catalogue.method(&object.class, name);
        match found.and_then(|(_, _, m)| m.callable.value.as_ref()) {
            Some(value) => {
                let scope = object.scope();
                self.formula(value, &scope).unwrap_or(Val::Null)
            }
            None => Val::Unknown,
        }
    }

    /// A method of an answer or error: raising for its status, or a look at it.
    pub(super) fn answer_method(
        &mut self,
        on: &Val,
        name: &str,
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) {
        let known = |e: &super::val::Error| matches!(e.class, super::val::ErrorClass::Known(_));
        let is_known = matches!(on, Val::Answer(_)) || matches!(on, Val::Error(e) if known(e));
        if is_known {
            self.note_look(on);
        }
        let (class, status) = match on {
            Val::Answer(a) => (a.class.clone(), Some(a.status)),
            Val::Error(e) => match &e.class {
                super::val::ErrorClass::Known(c) => (c.clone(), e.status),
                _ => {
                    out.push((state, self.attribute(on, name)));
                    return;
                }
            },
            _ => {
                let value = self.attribute(on, name);
                out.push((state, value));
                return;
            }
        };
        let catalogue = self.view.solver.catalogue;
        if let Some((_, _, method)) = catalogue.method(&class, name) {
            if let Some(raises) = &method.callable.raises_for_status {
                let failing = status.is_some_and(|s| s >= 400);
                if failing {
                    let class_of_failure = match on {
                        Val::Answer(a) => a.class_of_failure,
                        _ => None,
                    };
                    let error = Rc::new(super::val::Error {
                        class: super::val::ErrorClass::Known(Rc::from(raises.as_str())),
                        status,
                        fields: Vec::new(),
                        token: None,
                        injected: true,
                        class_of_failure,
                        inherits: Default::default(),
                    });
                    if self.ir(&state).language == Language::Rust {
                        out.push((state, Val::Fail(error)));
                    } else {
                        exits.raises.push((state, error));
                    }
                } else if self.ir(&state).language == Language::Rust {
                    out.push((state, Val::Good(Box::new(on.clone()))));
                } else {
                    out.push((state, on.clone()));
                }
                return;
            }
            if let Some(value) = &method.callable.value {
                let looks = catalogue.bases(&class).any(|(_, c)| c.status_attributes.iter().any(|a| a == name));
                self.by_status |= looks;
                let error = if let Val::Error(e) = on { Some(e.clone()) } else { None };
                let failure = error
                    .as_ref()
                    .and_then(|e| e.class_of_failure)
                    .and_then(|i| crate::chains::Failure::ALL.get(i as usize).copied().map(|f| (f, status)));
                let scope = super::formula::Scope {
                    receiver: Some(on.clone()),
                    error,
                    failure,
                    ..super::formula::Scope::default()
                };
                let value = self.formula(value, &scope).unwrap_or(Val::Unknown);
                out.push((state, value));
                return;
            }
        }
        // What an answer holds can be read whatever its status is; that it may not be what was wanted is another matter.
        let is_read = self.ir(&state).language == Language::Rust
            && matches!(on, Val::Answer(_))
            && catalogue.method(&class, name).is_some_and(|(_, _, m)| !m.callable.may_raise.is_empty());
        let value = match self.attribute(on, name) {
            Val::Part(..) if is_read => Val::Good(Box::new(Val::Unknown)),
            Val::Part(..) => Val::Unknown,
            value => value,
        };
        out.push((state, value));
    }
}
