//! Types of errors and values: whether one is of another, and the error that a raised value is.

use super::machine::{Machine, Outcome};
use super::state::State;
use super::val::{Error, ErrorClass, Val};
use crate::link::token::*;
use std::rc::Rc;

/// At most so many questions are kept.
const QUESTIONS: usize = 24;
/// What a handler for all exceptions names (Python).
const EXCEPTION: &str = "builtins.Exception";

impl<'p> Machine<'p, '_, '_> {
    /// Whether an error is caught by some types; none: not known.
    pub fn matches(&mut self, error: &Rc<Error>, types: &Val) -> Option<bool> {
        let of_failure = matches!(&self.plan.outcome, Outcome::Raise(failure) if failure == error);
        if !of_failure {
            // What the program raises by itself does not depend on what failed.
            let apart = !error.injected && error.status.is_none() && error.fields.is_empty();
            self.looked.set(self.looked.get() || !apart);
            return self.is_one_of(error, types);
        }
        // What this says of another failure, that one can be asked.
        let looked = self.looked.get();
        let answer = self.is_one_of(error, types);
        self.looked.set(looked || self.asked.len() >= QUESTIONS);
        if !self.asked.iter().any(|(asked, _)| asked == types) {
            self.asked.push((types.clone(), answer));
        }
        answer
    }

    /// Whether the questions that were asked of one failure have the same answers for another one.
    pub fn answers_alike(&mut self, asked: &[(Val, Option<bool>)], error: &Rc<Error>) -> bool {
        let looked = self.looked.get();
        let alike = asked.iter().all(|(types, answer)| self.is_one_of(error, types) == *answer);
        self.looked.set(looked);
        alike
    }

    fn is_one_of(&mut self, error: &Rc<Error>, types: &Val) -> Option<bool> {
        if let Val::Tok(tok) = types
            && let Token::External(path) = self.view.token(*tok)
            && self.view.text(*path) == EXCEPTION
            && self.is_exception(error)
        {
            return Some(true);
        }
        match types {
            Val::List(list) => {
                let mut result = Some(false);
                for item in list.iter() {
                    match self.is_one_of(error, item) {
                        Some(true) => return Some(true),
                        None => result = None,
                        Some(false) => {}
                    }
                }
                result
            }
            Val::Text(path) => self.matches_path(error, path),
            Val::Tok(tok) => match self.view.token(*tok) {
                Token::Container { .. } | Token::Rest { .. } => {
                    let items = self.elements(types)?;
                    self.is_one_of(error, &Val::List(Rc::new(items)))
                }
                Token::External(symbol) => {
                    let path = self.view.text(*symbol);
                    self.matches_path(error, path)
                }
                Token::Class { .. } => self.matches_own(error, *tok),
                Token::Combined { .. } => None,
                Token::Variant { .. } => self.error_is_variant(error, *tok),
                _ => None,
            },
            Val::Many(value) => {
                let mut results = value.iter().map(|t| self.is_one_of(error, &Val::Tok(t))).collect::<Vec<_>>();
                results.dedup();
                if results.len() == 1 { results.pop().flatten() } else { None }
            }
            _ => None,
        }
    }

    /// Whether an error of a library is an exception as a handler for all of them catches it.
    pub fn is_exception(&self, error: &Error) -> bool {
        matches!(&error.class, ErrorClass::Known(class) if self.view.solver.catalogue.is_subclass(class, EXCEPTION))
    }

    fn matches_path(&self, error: &Rc<Error>, path: &str) -> Option<bool> {
        let catalogue = self.view.solver.catalogue;
        let everything = matches!(path, "builtins.BaseException" | "globals:Error");
        let is_signal = catalogue.bases(path).any(|(_, class)| class.signal);
        match &error.class {
            ErrorClass::Known(class) => {
                if catalogue.is_subclass(class, path) {
                    return Some(true);
                }
                let refined = self.refined(error, path);
                if refined.is_some() {
                    return refined;
                }
                let known = catalogue.class(class).is_some();
                let is_other = catalogue.class(path).is_some() || self.is_of_another_package(class, path);
                if known && is_other { Some(false) } else { None }
            }
            ErrorClass::Own(class) => {
                if everything {
                    return Some(true);
                }
                let order = self.view.solver.orders.get(class).cloned().unwrap_or_default();
                let mut unknown = false;
                for base in order {
                    if let Token::External(symbol) = self.view.token(base) {
                        let base = self.view.text(*symbol);
                        if catalogue.is_subclass(base, path) {
                            return Some(true);
                        }
                        unknown |= catalogue.class(base).is_none();
                    }
                }
                if unknown && !is_signal { None } else { Some(false) }
            }
            ErrorClass::Unknown if is_signal => Some(false),
            ErrorClass::Unknown => everything.then_some(true),
        }
    }

    /// Whether a class of errors belongs to a package that has nothing to do with a known error: that package's
    /// own calls raise it, not the call at hand. A package that hands on what others raise does so under their name.
    fn is_of_another_package(&self, known: &str, path: &str) -> bool {
        let package = |path: &str| path.split(['.', ':', '/']).next().unwrap_or_default().to_string();
        let name = |path: &str| path.rsplit(['.', ':']).next().unwrap_or_default().to_string();
        // Types of Rust are converted into each other on the way.
        if path.contains("::") {
            return false;
        }
        let (of, called) = (package(path), name(path));
        // What is known by the language's own class may be of any package's below it.
        if matches!(package(known).as_str(), "builtins" | "globals") {
            return false;
        }
        let mut line = self.view.solver.catalogue.bases(known);
        line.all(|(_, base)| base.path.iter().all(|base| package(base) != of && name(base) != called))
    }

    /// An error raised under a base class may be one of its subclasses for a status.
    fn refined(&self, error: &Error, path: &str) -> Option<bool> {
        let ErrorClass::Known(class) = &error.class else { return None };
        let catalogue = self.view.solver.catalogue;
        let (_, wanted) = catalogue.class(path)?;
        if !catalogue.is_subclass(path, class) {
            return None;
        }
        let status = error.status?;
        if wanted.statuses.is_empty() { None } else { Some(wanted.statuses.contains(&status)) }
    }

    fn matches_own(&self, error: &Error, class: Tok) -> Option<bool> {
        match &error.class {
            ErrorClass::Own(own) => {
                let order = self.view.solver.orders.get(own);
                Some(*own == class || order.is_some_and(|o| o.contains(&class)))
            }
            ErrorClass::Known(_) => Some(false),
            ErrorClass::Unknown => None,
        }
    }

    /// `isinstance(value, types)`
    pub fn instance_of(&mut self, value: &Val, types: &Val) -> Option<bool> {
        match value {
            Val::Error(e) => {
                let e = e.clone();
                self.matches(&e, types)
            }
            Val::Null => Some(false),
            Val::Part(..) | Val::Unknown => None,
            Val::Tok(tok) => {
                let class = match *self.view.token(*tok) {
                    Token::Object { class, .. } | Token::Instance { class } => class,
                    _ => return None,
                };
                let Val::Tok(wanted) = types else { return None };
                let order = self.view.solver.orders.get(&class)?;
                Some(order.contains(wanted))
            }
            Val::Answer(_) => match types {
                Val::Tok(tok) if matches!(self.view.token(*tok), Token::External(_)) => {
                    let path = self.view.path(*tok);
                    // An answer is no error.
                    self.view.solver.catalogue.is_subclass(&path, "builtins.BaseException").then_some(false)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The error that a raised value is.
    pub fn error_of(&mut self, value: &Val, state: &State) -> Rc<Error> {
        match value {
            Val::Error(e) | Val::Fail(e) => e.clone(),
            Val::Tok(tok) => {
                let handled = state.handling.last();
                self.looked.set(self.looked.get() || handled.is_some());
                let injected = handled.is_some_and(|e| e.injected) || !state.handling.is_empty();
                let class_of_failure = handled.and_then(|e| e.class_of_failure);
                let (class, token) = match *self.view.token(*tok) {
                    Token::Object { class, .. } | Token::Instance { class } => match self.view.token(class) {
                        Token::External(_) => (ErrorClass::Known(self.view.path(class)), Some(*tok)),
                        _ => (ErrorClass::Own(class), Some(*tok)),
                    },
                    Token::Class { .. } => (ErrorClass::Own(*tok), None),
                    Token::Made { callee, .. } => (ErrorClass::Known(self.view.path(callee)), Some(*tok)),
                    Token::External(_) => (ErrorClass::Known(self.view.path(*tok)), None),
                    _ => (ErrorClass::Unknown, None),
                };
                let fields = state
                    .heap
                    .iter()
                    .filter(|((t, _), _)| t == tok)
                    .map(|((_, name), v)| (name.clone(), v.clone()))
                    .collect::<Vec<_>>();
                let mut fields = fields;
                fields.sort_by(|a, b| a.0.cmp(&b.0));
                let status = match &class {
                    ErrorClass::Known(path) => {
                        let catalogue = self.view.solver.catalogue;
                        catalogue.class(path).and_then(|(_, c)| c.statuses.first().copied())
                    }
                    _ => None,
                };
                Rc::new(Error { class, status, fields, token, injected, class_of_failure })
            }
            _ => {
                let mut error = self.unknown_error();
                error.injected = state.handling.last().is_some_and(|e| e.injected);
                Rc::new(error)
            }
        }
    }
}
