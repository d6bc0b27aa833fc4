//! Predicates: whether what a policy was given says to try again.

use super::formula::{Maybe, Scope};
use super::machine::Machine;
use super::val::Val;
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

impl<'p> Machine<'p, '_, '_> {
    /// Whether a predicate says to try again. A predicate is an object of the catalogue, a function, an
    /// exception type, or several of them.
    pub fn holds(&mut self, predicate: &Val, subject: Maybe, all: bool, scope: &Scope<'p>) -> Option<bool> {
        match predicate {
            Val::List(list) => {
                let mut result = Some(all);
                for item in list.iter() {
                    let one = self.holds(item, subject.clone(), all, scope);
                    match one {
                        Some(b) if b != all => return Some(b),
                        None => result = None,
                        _ => {}
                    }
                }
                result
            }
            Val::Tok(tok) => self.holds_token(*tok, subject, scope),
            Val::Null => Some(false),
            Val::Bool(b) => Some(*b),
            _ => None,
        }
    }

    fn holds_token(&mut self, tok: Tok, subject: Maybe, scope: &Scope<'p>) -> Option<bool> {
        let (error, result) = match &subject {
            Some(Val::Error(e)) => (Some(e.clone()), None),
            other => (None, other.clone()),
        };
        match *self.view.token(tok) {
            Token::Combined { site } => {
                let store = &self.view.solver.store;
                let left = store.get(Addr::Arg(site, 0)).map(|v| self.view.val(v))?;
                let right = store.get(Addr::Arg(site, 1)).map(|v| self.view.val(v))?;
                let rule = self.operator_rule(site, &left, "predicate")?;
                let list = Val::List(Rc::new(vec![left, right]));
                self.holds(&list, subject, rule == "all", scope)
            }
            Token::Made { callee, .. } => {
                let known = self.view.known(callee)?;
                let f = known.callable.predicate.as_ref()?;
                let mut own = self.scope_of(callee, Some(tok));
                (own.error, own.result, own.depth) = (error, result, scope.depth + 1);
                self.formula_truth(f, &own)
            }
            Token::External(symbol) => {
                let path = self.view.text(symbol);
                if let Some((_, constant)) = self.view.solver.catalogue.value(path)
                    && let Some(f) = &constant.predicate
                {
                    let own = Scope { error, result, depth: scope.depth + 1, ..Scope::default() };
                    return self.formula_truth(f, &own);
                }
                // A function of the library that is handed over as it is.
                if let Some(known) = self.view.known(tok)
                    && let Some(f) = known.callable.predicate.as_ref()
                {
                    let own = Scope { entry: Some(known), error, result, depth: scope.depth + 1, ..Scope::default() };
                    return self.formula_truth(f, &own);
                }
                match error {
                    Some(e) => self.matches(&e, &Val::Tok(tok)),
                    None => Some(false),
                }
            }
            Token::Class { .. } => match error {
                Some(e) => self.matches(&e, &Val::Tok(tok)),
                None => Some(false),
            },
            Token::Container { .. } | Token::Rest { .. } => {
                let items = self.elements(&Val::Tok(tok))?;
                self.holds(&Val::List(Rc::new(items)), subject, false, scope)
            }
            _ if self.view.solver.is_callable(tok) || self.view.field(tok, "__call__").is_some() => {
                let value = self.call_value(&Val::Tok(tok), vec![subject.unwrap_or(Val::Null)]);
                self.truth(&value)
            }
            _ => None,
        }
    }
}
