//! Attributes and elements of values.

use super::asked::Question;
use super::machine::{Machine, Outcome};
use super::state::State;
use super::truth::is_failure;
use super::val::{Error, ErrorClass, Num, Val, Whole};
use crate::link::store::{Addr, SPREAD};
use crate::link::token::*;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// An attribute of a value, with what was written on this path.
    pub fn attribute_on(&mut self, state: &State, value: &Val, name: &str) -> Val {
        if let Val::Tok(tok) = value
            && let Some(found) = state.heap.get(&(*tok, Rc::from(name)))
        {
            let of_failure = matches!(&self.plan.outcome, Outcome::Value(Val::With(t, _)) if t == tok);
            self.looked.set(self.looked.get() || of_failure);
            return found.clone();
        }
        if let Some(found) = self.setting_of_call(state, value, name) {
            return found;
        }
        let found = self.attribute(value, name);
        self.settle(found)
    }

    /// An attribute of a value.
    pub fn attribute(&mut self, value: &Val, name: &str) -> Val {
        let error = match value {
            Val::Error(error) => Some(error),
            Val::Part(whole, _) => match &**whole {
                Whole::Error(error) => Some(error),
                Whole::Answer(_) => None,
            },
            _ => None,
        };
        let Some(error) = error else {
            if is_failure(value) {
                self.note_look(value);
            }
            return self.held(value, name);
        };
        if !self.tells(error) {
            return self.held(value, name);
        }
        let by_status = std::mem::take(&mut self.by_status);
        let found = self.held(value, name);
        let answer = (found.clone(), self.by_status);
        self.keep_question(Question::Holds { value: value.clone(), name: Rc::from(name), answer });
        self.by_status |= by_status;
        found
    }

    /// What an attribute of a value holds.
    pub(super) fn held(&mut self, value: &Val, name: &str) -> Val {
        match value {
            Val::Error(error) => {
                if let Some((_, v)) = error.fields.iter().find(|(n, _)| &**n == name) {
                    return v.clone();
                }
                if let ErrorClass::Own(_) = error.class
                    && let Some(tok) = error.token
                    && let Some(v) = self.view.field(tok, name)
                {
                    return v;
                }
                if self.lacks(error, name) {
                    return Val::Null;
                }
                self.part(Whole::Error(error.clone()), name)
            }
            Val::Answer(answer) => self.part(Whole::Answer(answer.clone()), name),
            Val::Part(whole, path) => {
                let path = format!("{path}.{name}");
                self.part((**whole).clone(), &path)
            }
            Val::Tok(tok) => self.attribute_of_token(*tok, name),
            Val::With(tok, entries) => match entries.iter().find(|(n, _)| &**n == name) {
                Some((_, value)) => value.clone(),
                None => self.attribute_of_token(*tok, name),
            },
            Val::Described(object) => self.described_attribute(object, name),
            Val::Many(value) => self.attribute_of_many(value, name),
            Val::Good(inner) => {
                let inner = (**inner).clone();
                self.attribute(&inner, name)
            }
            Val::Settled(inner) => {
                let inner = (**inner).clone();
                self.attribute(&inner, name)
            }
            // A member of an enumeration of numbers.
            Val::Num(n) if name == "value" => Val::Num(*n),
            Val::Num(n) => self.status_test(*n, name),
            Val::List(list) if name == "length" => Val::num(list.len() as f64),
            Val::Dict(entries) => entries.iter().find(|(n, _)| &**n == name).map_or(Val::Unknown, |(_, v)| v.clone()),
            _ => Val::Unknown,
        }
    }

    fn described_attribute(&mut self, object: &super::val::Described, name: &str) -> Val {
        let catalogue = self.view.solver.catalogue;
        let Some((_, class)) = catalogue.class(&object.class) else { return Val::Unknown };
        if let Some(formula) = class.new.props.get(name) {
            let scope = object.scope();
            return self.formula(formula, &scope).unwrap_or(Val::Null);
        }
        match class.fields.get(name) {
            Some(field) => {
                Val::Described(Rc::new(super::val::Described { class: Rc::from(field.as_str()), ..object.clone() }))
            }
            None => Val::Unknown,
        }
    }

    /// Whether something unknown was spread into an object.
    pub(super) fn may_hold_more(&self, tok: Tok) -> bool {
        let solver = self.view.solver;
        let may = matches!(
            self.view.token(tok),
            Token::Container { kind: ContainerKind::Dict, .. } | Token::Object { .. } | Token::Instance { .. }
        );
        may && solver.symbols.find(SPREAD).is_some_and(|mark| solver.store.get(Addr::Field(tok, mark)).is_some())
    }

    /// An attribute of one of several things, kept: which they are, link has settled, and paths ask again and again.
    fn attribute_of_many(&mut self, value: &Value, name: &str) -> Val {
        let Some(symbol) = self.view.solver.symbols.find(name).filter(|_| self.settling == 0) else {
            return self.attribute_of_each(value, name);
        };
        let (key, at) = ((value.clone(), symbol), (self.attempt.to_bits(), self.now.to_bits()));
        if let Some((then, known)) = self.of_many.get(&key)
            && *then == at
        {
            return known.clone();
        }
        let found = self.attribute_of_each(value, name);
        self.of_many.insert(key, (at, found.clone()));
        found
    }

    fn attribute_of_each(&mut self, value: &Value, name: &str) -> Val {
        let found: Vec<Val> = value.iter().map(|t| self.attribute_of_token(t, name)).collect();
        let found: Vec<Val> = found.into_iter().map(|v| self.settle(v)).collect();
        if found.iter().all(|v| matches!(v, Val::Bool(_))) && found.iter().any(|v| *v != found[0]) {
            return Val::Unknown;
        }
        let numbers: Option<Vec<f64>> = found.iter().map(Val::as_exact).collect();
        if let Some(worst) = numbers.and_then(|n| n.into_iter().reduce(f64::max)) {
            return Val::num(worst);
        }
        match found.split_first() {
            Some((first, rest)) if rest.iter().all(|v| v == first) => first.clone(),
            _ => {
                let toks: Value =
                    found.iter().filter_map(|v| if let Val::Tok(t) = v { Some(*t) } else { None }).collect();
                if toks.len() == found.len() { Val::Many(toks) } else { Val::Unknown }
            }
        }
    }

    fn attribute_of_token(&mut self, tok: Tok, name: &str) -> Val {
        if let Token::Class { .. } = self.view.token(tok)
            && let Some(symbol) = self.view.solver.symbols.find(name)
            && let Some(variant) = self.view.solver.tokens.find(&Token::Variant { class: tok, name: symbol })
        {
            return Val::Tok(variant);
        }
        if let Some(value) = self.built_field(tok, name).or_else(|| self.view.field(tok, name)) {
            if self.may_hold_more(tok) {
                // What was spread over it may say otherwise.
                return super::switches::unless_a_switch(value);
            }
            return value;
        }
        match self.view.token(tok) {
            // A key that an object whose keys are all known does not have.
            Token::Container { kind: ContainerKind::Dict, .. } | Token::Rest { kind: ContainerKind::Dict, .. } => {
                let store = &self.view.solver.store;
                let more = store.get(Addr::Element(tok)).is_some() || self.may_hold_more(tok);
                if more { Val::Unknown } else { Val::Null }
            }
            Token::External(path) => {
                let path = self.view.text(*path);
                let joined = if path.contains("::") {
                    format!("{path}::{name}")
                } else if path.ends_with(':') {
                    format!("{path}{name}")
                } else {
                    format!("{path}.{name}")
                };
                let symbol = self.view.solver.symbols.find(&joined);
                let found = symbol.and_then(|s| self.view.solver.tokens.find(&Token::External(s)));
                found.map_or(Val::Unknown, |tok| self.view.external(tok))
            }
            Token::Object { .. }
            | Token::Instance { .. }
            | Token::Made { .. }
            | Token::Member { .. }
            | Token::Wrapped { .. } => {
                let member = self
                    .view
                    .solver
                    .symbols
                    .find(name)
                    .and_then(|symbol| self.view.solver.tokens.find(&Token::Member { base: tok, name: symbol }));
                member.map_or(Val::Unknown, Val::Tok)
            }
            _ => Val::Unknown,
        }
    }

    /// A part of an error or answer: its status, whether it is good, its headers, or a longer path.
    fn part(&mut self, whole: Whole, path: &str) -> Val {
        let (class, status) = match &whole {
            Whole::Error(e) => match &e.class {
                ErrorClass::Known(class) => (class.clone(), e.status),
                ErrorClass::Own(own) => {
                    let order = self.view.solver.orders.get(own).cloned().unwrap_or_default();
                    let base = order.iter().find(|t| matches!(self.view.token(**t), Token::External(_)));
                    match base {
                        Some(base) => (self.view.path(*base), e.status),
                        None => return Val::Unknown,
                    }
                }
                ErrorClass::Unknown => return Val::Part(Rc::new(whole), Rc::from(path)),
            },
            Whole::Answer(a) => (a.class.clone(), Some(a.status)),
        };
        let catalogue = self.view.solver.catalogue;
        let (mut is_status, mut is_ok, mut is_header, mut is_redirect) = (false, false, false, false);
        for (_, class) in catalogue.bases(&class) {
            is_status |= class.status_attributes.iter().any(|a| a == path);
            is_ok |= class.ok_attributes.iter().any(|a| a == path);
            is_redirect |= class.redirect_attributes.iter().any(|a| a == path);
            is_header |= class.header_attributes.iter().any(|a| a == path);
        }
        // Code that takes errors of several clients asks each for its status by every name that one of them has.
        let other_name = !is_status
            && matches!(&whole, Whole::Error(_))
            && matches!(path, "status" | "statusCode")
            && !class.contains("::")
            && catalogue.bases(&class).any(|(_, c)| c.status_attributes.iter().any(|a| !a.contains('.')));
        if is_status || other_name {
            self.by_status = true;
            return match status {
                Some(s) => Val::num(f64::from(s)),
                None => Val::Null,
            };
        }
        // An error of the language's own that no answer came with, and that nobody here made.
        let foreign = |e: &Error| e.token.is_none() && matches!(e.class, ErrorClass::Known(_));
        let bare = matches!(&whole, Whole::Error(e) if foreign(e));
        if status.is_none() && bare && super::missing::has_no_answer(&class, path) {
            self.by_status = true;
            return Val::Null;
        }
        if is_ok {
            self.by_status = true;
            return match status {
                Some(s) => Val::Bool(s < 400),
                None => Val::Unknown,
            };
        }
        if is_redirect {
            return if status.is_some() { Val::Bool(false) } else { Val::Unknown };
        }
        if is_header {
            return Val::Headers;
        }
        // A connection error carries no answer.
        if let (Whole::Error(_), None) = (&whole, status) {
            let prefix = format!("{path}.");
            let leads = catalogue
                .bases(&class)
                .any(|(_, c)| c.status_attributes.iter().chain(&c.header_attributes).any(|a| a.starts_with(&prefix)));
            if leads {
                return Val::Null;
            }
        }
        Val::Part(Rc::new(whole), Rc::from(path))
    }

    /// Whether a part of an error or answer is there: its status is reached through it.
    pub(super) fn is_there(&self, whole: &Whole, path: &str) -> bool {
        let answer = self.leads_to_status(whole, path);
        if let Whole::Error(error) = whole
            && self.tells(error)
        {
            self.keep_question(Question::Has { error: error.clone(), path: Rc::from(path), answer });
        }
        answer
    }

    fn leads_to_status(&self, whole: &Whole, path: &str) -> bool {
        let (class, status) = match whole {
            Whole::Error(e) => match &e.class {
                ErrorClass::Known(class) => (class.clone(), e.status),
                _ => return false,
            },
            Whole::Answer(a) => (a.class.clone(), Some(a.status)),
        };
        let prefix = format!("{path}.");
        status.is_some()
            && self
                .view
                .solver
                .catalogue
                .bases(&class)
                .any(|(_, c)| c.status_attributes.iter().chain(&c.header_attributes).any(|a| a.starts_with(&prefix)))
    }

    /// Tests that status codes have as methods (`is_server_error`).
    fn status_test(&self, n: Num, name: &str) -> Val {
        let Some(status) = n.value() else { return Val::Unknown };
        let between = |lo: f64, hi: f64| Val::Bool(status >= lo && status < hi);
        match name {
            "is_success" => between(200.0, 300.0),
            "is_redirection" => between(300.0, 400.0),
            "is_client_error" => between(400.0, 500.0),
            "is_server_error" => between(500.0, 600.0),
            "as_u16" | "value" | "code" => Val::Num(n),
            _ => Val::Unknown,
        }
    }

    /// `object[index]`
    pub fn index(&mut self, state: &State, object: &Val, index: &Val) -> Val {
        match (object, index) {
            (Val::List(list), _) => match index.as_exact() {
                Some(i) if i >= 0.0 => list.get(i as usize).cloned().unwrap_or(Val::Unknown),
                Some(i) => {
                    list.len().checked_sub(-i as usize).and_then(|at| list.get(at).cloned()).unwrap_or(Val::Unknown)
                }
                None => {
                    // Any of them: for numbers, what lies between the smallest and the largest.
                    let numbers: Option<Vec<Num>> = list.iter().map(Val::as_num).collect();
                    match numbers.as_deref() {
                        Some([first, rest @ ..]) => {
                            let mut joined = *first;
                            for n in rest {
                                joined.lo = joined.lo.min(n.lo);
                                joined.hi = joined.hi.max(n.hi);
                            }
                            Val::Num(joined)
                        }
                        _ => Val::Unknown,
                    }
                }
            },
            (Val::Headers, Val::Text(name)) => self.header(name, Val::Unknown),
            (Val::Dict(entries), Val::Text(key)) => {
                entries.iter().find(|(name, _)| name == key).map_or(Val::Unknown, |(_, value)| value.clone())
            }
            (_, Val::Text(name)) => self.attribute_on(state, object, name),
            (Val::Tok(_), _) => match (self.elements(object), index.as_exact()) {
                (Some(items), Some(_)) => self.index(state, &Val::List(Rc::new(items)), index),
                (Some(items), None) => self.index(state, &Val::List(Rc::new(items)), &Val::Unknown),
                _ => Val::Unknown,
            },
            _ => Val::Unknown,
        }
    }

    /// A header of an answer. Counted as not sent; that it was read is remembered.
    pub fn header(&mut self, name: &str, default: Val) -> Val {
        let name = name.to_lowercase();
        if name.starts_with("retry-after") || name.contains("ratelimit-reset") || name.contains("rate-limit-reset") {
            self.reads_header = true;
            return match default {
                Val::Unknown => Val::Null,
                other => other,
            };
        }
        Val::Unknown
    }
}
