//! Evaluates the catalogue's formulas over what the code says: arguments of calls, settings of clients
//! with their overrides, recorded calls, the failure at hand.

use super::machine::Machine;
use super::val::{Error, Num, Val, Whole};
use crate::catalogue::schema::Callable;
use crate::catalogue::{Formula, Operator};
use crate::chains::Failure;
use crate::link::known::Known;
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

/// What the names in a formula mean.
#[derive(Clone, Default)]
pub struct Scope<'p> {
    /// The entry whose parameters they are.
    pub entry: Option<Known<'p>>,
    /// The call whose arguments they are.
    pub call: Option<Tok>,
    /// Calls whose arguments come before those of `call`.
    pub overrides: Vec<Tok>,
    /// `self`
    pub receiver: Option<Val>,
    /// `error`
    pub error: Option<Rc<Error>>,
    /// `result`
    pub result: Option<Val>,
    /// `n`
    pub n: f64,
    /// `failure` and the status it stands for.
    pub failure: Option<(Failure, Option<u16>)>,
    /// `failure_error`
    pub failure_error: Option<Rc<Error>>,
    /// `request`: the call above, for a transport below a client.
    pub request: Option<Tok>,
    /// The catalogue's own `defaults` stand back: what is asked is what the code gives.
    pub given_only: bool,
    /// How deep formulas nest.
    pub depth: u8,
}

impl super::val::Described {
    /// What the names in the formulas of its class mean.
    pub fn scope<'p>(&self) -> Scope<'p> {
        Scope { error: self.error.clone(), result: self.result.clone(), n: self.n, ..Scope::default() }
    }
}

/// Formulas refer to each other at most so deep.
pub(super) const DEPTH: u8 = 24;

/// How a layer ends.
pub enum Ending {
    /// The error goes on.
    Reraise,
    /// Another error.
    Raise(Rc<Error>),
    /// A value.
    Returns(Val),
}

/// A value, or nothing given.
pub(super) type Maybe = Option<Val>;

impl<'p> Machine<'p, '_, '_> {
    /// The scope of calling `callee`, whose result is `made`.
    pub fn scope_of(&self, callee: Tok, made: Option<Tok>) -> Scope<'p> {
        Scope {
            entry: self.view.known(callee),
            call: made,
            receiver: self.view.solver.receiver(callee).map(Val::Tok),
            ..Scope::default()
        }
    }

    /// Evaluates a formula; none: not given.
    pub fn formula(&mut self, formula: &Formula, scope: &Scope<'p>) -> Maybe {
        let value = self.formula_value(formula, scope)?;
        Some(self.settle(value))
    }

    fn formula_value(&mut self, formula: &Formula, scope: &Scope<'p>) -> Maybe {
        if scope.depth > DEPTH {
            return Some(Val::Unknown);
        }
        match formula {
            Formula::Number(x) => Some(Val::num(*x)),
            Formula::Text(text) => Some(Val::text(text)),
            Formula::Bool(b) => Some(Val::Bool(*b)),
            Formula::Null => Some(Val::Null),
            Formula::Name(name) => self.formula_name(name, scope),
            Formula::Field(object, name) => {
                let object = self.formula(object, scope)?;
                self.formula_field(&object, name, scope)
            }
            Formula::Index(object, index) => {
                let object = self.formula(object, scope)?;
                let index = self.formula(index, scope)?;
                match (&object, index.as_exact()) {
                    (Val::List(list), Some(i)) => list.get(i as usize).cloned(),
                    (_, Some(i)) => self.formula_field(&object, &format!("{}", i as i64), scope),
                    _ => match &index {
                        Val::Text(t) => self.formula_field(&object, t, scope),
                        _ => Some(Val::Unknown),
                    },
                }
            }
            Formula::Not(f) => Some(match self.formula_truth(f, scope) {
                Some(b) => Val::Bool(!b),
                None => Val::Unknown,
            }),
            Formula::Neg(f) => match self.formula(f, scope)? {
                Val::Num(n) => Some(Val::Num(Num { lo: -n.hi, hi: -n.lo, ..n })),
                _ => Some(Val::Unknown),
            },
            Formula::List(items) => {
                let items = items.iter().map(|f| self.formula(f, scope).unwrap_or(Val::Null)).collect();
                Some(Val::List(Rc::new(items)))
            }
            Formula::Binary(op, a, b) => self.formula_binary(*op, a, b, scope),
            Formula::Call(name, args) => self.formula_call(name, args, scope),
        }
    }

    /// Whether a formula is true; none: not known.
    pub fn formula_truth(&mut self, formula: &Formula, scope: &Scope<'p>) -> Option<bool> {
        match self.formula(formula, scope) {
            None => Some(false),
            Some(value) => self.truth(&value),
        }
    }

    /// The number of a formula.
    pub fn formula_num(&mut self, formula: &Formula, scope: &Scope<'p>) -> Option<Num> {
        self.formula(formula, scope)?.as_num()
    }

    fn formula_name(&mut self, name: &str, scope: &Scope<'p>) -> Maybe {
        if matches!(name, "error" | "result" | "failure" | "failure_error") {
            self.looked.set(true);
        }
        match name {
            "self" => return scope.receiver.clone(),
            "error" => return scope.error.clone().map(Val::Error),
            "result" => return scope.result.clone(),
            "n" => return Some(Val::num(scope.n)),
            "failure" => return scope.failure.map(|(f, _)| Val::text(f.name())),
            "failure_error" => return scope.failure_error.clone().map(Val::Error),
            "request" => return scope.request.map(Val::Tok),
            _ => {}
        }
        let entry = scope.entry?;
        let deeper = Scope { depth: scope.depth + 1, ..scope.clone() };
        for &tok in &scope.overrides {
            let callable = match *self.view.token(tok) {
                Token::Made { callee, .. } => self.view.known(callee).map(|k| k.callable),
                _ => None,
            };
            if let Some(value) = callable.and_then(|c| self.argument(tok, c, name)) {
                return Some(value);
            }
        }
        if let Some(call) = scope.call
            && let Some(value) = self.argument(call, entry.callable, name)
        {
            return Some(value);
        }
        if let Some(f) = entry.callable.locals.get(name) {
            return self.formula(f, &deeper);
        }
        if let Some(f) = entry.callable.sets.get(name) {
            return self.formula(f, &deeper);
        }
        if let Some(f) = entry.callable.defaults.get(name).filter(|_| !scope.given_only) {
            return self.formula(f, &deeper);
        }
        if let Some(f) = entry.class.and_then(|c| c.locals.get(name)) {
            return self.formula(f, &deeper);
        }
        None
    }

    /// An argument of a call, by the parameter names of its catalogue entry.
    pub fn argument(&mut self, call: Tok, callable: &Callable, name: &str) -> Maybe {
        if let Some(value) = self.given_argument(call, callable, name) {
            return Some(value);
        }
        let site = match *self.view.token(call) {
            Token::Made { site, .. } | Token::Object { site, .. } => site,
            _ => return None,
        };
        let store = &self.view.solver.store;
        let symbol = self.view.solver.symbols.find(name);
        let position = callable.params.iter().position(|p| p.trim_start_matches('*') == name);
        if let Some(value) = symbol.and_then(|s| store.get(Addr::Keyword(site, s))) {
            return Some(self.one_of(value, site, name, None));
        }
        if let Some(at) = position {
            if callable.params[at].starts_with('*') {
                let mut list = Vec::new();
                let mut i = at as u32;
                while let Some(value) = store.get(Addr::Arg(site, i)) {
                    list.push(self.view.val(value));
                    i += 1;
                }
                return Some(Val::List(Rc::new(list)));
            }
            let bare = callable.params.iter().take(at).any(|p| p == "*");
            if let Some(value) = store.get(Addr::Arg(site, at as u32)).filter(|_| !bare) {
                return Some(self.one_of(value, site, name, Some(at)));
            }
        }
        if let Some(options) = callable.options.as_deref().filter(|o| *o != name)
            && let Some(Val::Tok(container)) = self.argument(call, callable, options)
            && let Some(value) = symbol.and_then(|s| self.view.solver.store.get(Addr::Field(container, s)))
        {
            return Some(self.view.val(value));
        }
        None
    }

    /// Of several values that link has for an argument, the one that the code decides for.
    fn one_of(&mut self, value: &Value, site: Site, name: &str, at: Option<usize>) -> Val {
        let several = value.len() > 1;
        let decided = several.then(|| self.decided_argument(site, name, at)).flatten();
        decided.unwrap_or_else(|| self.view.val(value))
    }

    /// An argument as the running path has it.
    fn given_argument(&self, call: Tok, callable: &Callable, name: &str) -> Maybe {
        let (made, given) = self.given.as_ref()?;
        if *made != call {
            return None;
        }
        if let Some((_, value)) = given.keywords.iter().find(|(n, _)| &**n == name) {
            return Some(value.clone()).filter(|v| *v != Val::Unknown);
        }
        let at = callable.params.iter().position(|p| p.trim_start_matches('*') == name)?;
        if callable.params[at].starts_with('*') {
            let rest = given.positional.get(at..).unwrap_or_default();
            let known = !given.open && !rest.contains(&Val::Unknown);
            return known.then(|| Val::List(Rc::new(rest.to_vec())));
        }
        given.positional.get(at).cloned().filter(|v| *v != Val::Unknown)
    }

    fn formula_binary(&mut self, op: Operator, a: &Formula, b: &Formula, scope: &Scope<'p>) -> Maybe {
        match op {
            Operator::And | Operator::Or => {
                let left = self.formula_truth(a, scope);
                let decides = op == Operator::Or;
                if left == Some(decides) {
                    return Some(Val::Bool(decides));
                }
                let right = self.formula_truth(b, scope);
                return Some(match (left, right) {
                    (_, Some(r)) if r == decides => Val::Bool(decides),
                    (Some(_), Some(_)) => Val::Bool(!decides),
                    _ => Val::Unknown,
                });
            }
            Operator::In => {
                let value = self.formula(a, scope)?;
                let list = self.formula(b, scope)?;
                return Some(self.contains(&list, &value).map_or(Val::Unknown, Val::Bool));
            }
            Operator::Eq | Operator::NotEq => {
                let left = self.formula(a, scope).unwrap_or(Val::Null);
                let right = self.formula(b, scope).unwrap_or(Val::Null);
                // A number is no switch: `retry: 1` is not `retry: true`.
                let equal = match (&left, &right) {
                    (Val::Num(_), Val::Bool(_)) | (Val::Bool(_), Val::Num(_)) => Some(false),
                    _ => self.equal(&left, &right),
                };
                return Some(equal.map_or(Val::Unknown, |e| Val::Bool(e == (op == Operator::Eq))));
            }
            _ => {}
        }
        let left = self.formula(a, scope)?;
        let right = self.formula(b, scope)?;
        let (Some(x), Some(y)) = (left.as_num(), right.as_num()) else { return Some(Val::Unknown) };
        let compare = |sure: bool, never: bool| {
            if sure {
                Val::Bool(true)
            } else if never {
                Val::Bool(false)
            } else {
                Val::Unknown
            }
        };
        Some(match op {
            Operator::Add => Val::Num(x.combine(y, |p, q| p + q)),
            Operator::Sub => Val::Num(x.combine(y, |p, q| p - q)),
            Operator::Mul => Val::Num(x.combine(y, |p, q| if p == 0.0 || q == 0.0 { 0.0 } else { p * q })),
            Operator::Div => Val::Num(x.combine(y, |p, q| p / q)),
            Operator::Mod => Val::Num(x.combine(y, f64::rem_euclid)),
            Operator::Pow => Val::Num(x.combine(y, f64::powf)),
            Operator::Lt => compare(x.hi < y.lo, x.lo >= y.hi),
            Operator::LtEq => compare(x.hi <= y.lo, x.lo > y.hi),
            Operator::Gt => compare(x.lo > y.hi, x.hi <= y.lo),
            Operator::GtEq => compare(x.lo >= y.hi, x.hi < y.lo),
            _ => Val::Unknown,
        })
    }

    /// How a layer ends, by its formula.
    pub fn ending(&mut self, formula: Option<&Formula>, scope: &Scope<'p>) -> Ending {
        let Some(formula) = formula else { return Ending::Reraise };
        match self.formula(formula, scope) {
            Some(Val::Fail(e)) => {
                if scope.error.as_ref().is_some_and(|own| Rc::ptr_eq(own, &e)) {
                    Ending::Reraise
                } else {
                    Ending::Raise(e)
                }
            }
            Some(value) => Ending::Returns(value),
            None => Ending::Reraise,
        }
    }

    /// A part of something that is looked at as a whole.
    pub fn whole(value: &Val) -> Option<Whole> {
        match value {
            Val::Error(e) => Some(Whole::Error(e.clone())),
            Val::Answer(a) => Some(Whole::Answer(a.clone())),
            _ => None,
        }
    }
}
