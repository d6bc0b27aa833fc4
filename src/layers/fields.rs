//! Fields in formulas: what errors, calls and objects of libraries say of themselves.

use super::formula::{DEPTH, Maybe, Scope};
use super::machine::Machine;
use super::val::{Error, Num, Val};
use crate::catalogue::Formula;
use crate::ir::ExprKind;
use crate::link::known::Known;
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

impl<'p> Machine<'p, '_, '_> {
    /// A field of a value in a formula.
    pub fn formula_field(&mut self, object: &Val, name: &str, scope: &Scope<'p>) -> Maybe {
        if scope.depth > DEPTH {
            return Some(Val::Unknown);
        }
        match object {
            Val::Unknown => Some(Val::Unknown),
            Val::List(list) => {
                let list: Vec<Val> = list.iter().filter_map(|v| self.formula_field(v, name, scope)).collect();
                if list.is_empty() { None } else { Some(Val::List(Rc::new(list))) }
            }
            Val::Error(error) => self.error_field(error, name, scope),
            Val::Answer(_) | Val::Part(..) | Val::Described(_) => Some(self.attribute(object, name)),
            Val::Tok(tok) => self.token_field(*tok, name, scope),
            Val::Many(value) => {
                let mut best: Maybe = None;
                for tok in value.iter() {
                    let found = self.token_field(tok, name, scope);
                    best = match (best, found) {
                        (Some(a), Some(b)) => match (a.as_exact(), b.as_exact(), a.as_num(), b.as_num()) {
                            (Some(x), Some(y), ..) => Some(Val::num(x.max(y))),
                            _ if a == b => Some(a),
                            // Either of them.
                            (_, _, Some(x), Some(y)) => Some(Val::Num(Num {
                                lo: x.lo.min(y.lo),
                                hi: x.hi.max(y.hi),
                                random: x.random || y.random,
                                ..x
                            })),
                            _ => Some(Val::Unknown),
                        },
                        (a, b) => a.or(b),
                    };
                }
                best
            }
            Val::Good(inner) => self.formula_field(inner, name, scope),
            // The least and the greatest number of a range.
            Val::Range(from, to, _) => match name {
                "start" => Some(Val::num(*from as f64)),
                "end" => Some(Val::num(to.map_or(f64::INFINITY, |to| to.saturating_sub(1).max(*from) as f64))),
                _ => None,
            },
            Val::Dict(entries) => entries.iter().find(|(n, _)| &**n == name).map(|(_, value)| value.clone()),
            _ => None,
        }
    }

    fn error_field(&mut self, error: &Rc<Error>, name: &str, scope: &Scope<'p>) -> Maybe {
        if let Some((_, value)) = error.fields.iter().find(|(n, _)| &**n == name) {
            return Some(value.clone());
        }
        if let Some(tok) = error.token
            && let Some(value) = self.token_field(tok, name, scope)
        {
            return Some(value);
        }
        match self.attribute(&Val::Error(error.clone()), name) {
            Val::Part(..) => None,
            value => Some(value),
        }
    }

    fn token_field(&mut self, tok: Tok, name: &str, scope: &Scope<'p>) -> Maybe {
        let given_only = scope.given_only;
        let deeper = Scope { depth: scope.depth + 1, given_only, ..Scope::default() };
        let view = self.view;
        match *view.token(tok) {
            Token::Made { callee, .. } => {
                let Some(known) = view.known(callee) else { return self.written(tok, name) };
                let receiver = view.solver.receiver(callee).map(Val::Tok);
                let own = Scope {
                    entry: Some(known),
                    call: Some(tok),
                    receiver: receiver.clone(),
                    error: scope.error.clone(),
                    result: scope.result.clone(),
                    n: scope.n,
                    failure: scope.failure,
                    failure_error: scope.failure_error.clone(),
                    request: scope.request,
                    given_only,
                    depth: scope.depth + 1,
                    overrides: Vec::new(),
                };
                if let Some(f) = known.callable.props.get(name) {
                    let rust = known.is_constructor && view.path(callee).contains("::");
                    let own = if rust { Scope { receiver: Some(Val::Tok(tok)), ..own } } else { own };
                    return self.formula(f, &own);
                }
                if !known.is_constructor
                    && let Some((library, class)) = view.solver.known_class(tok)
                    && let Some(f) = class.new.props.get(name).or_else(|| inherited(view.solver.catalogue, class, name))
                {
                    // What its class says of all that are made, by whatever function.
                    let entry = Known { library, callable: &class.new, class: Some(class), is_constructor: true };
                    let made = Some(Val::Tok(tok));
                    return self.formula(f, &Scope { entry: Some(entry), call: None, receiver: made, ..own });
                }
                if let Some(value) = self.argument(tok, known.callable, name).or_else(|| self.written(tok, name)) {
                    return Some(value);
                }
                if let Some(f) = known.callable.sets.get(name) {
                    return self.formula(f, &own);
                }
                if let Some(Val::List(list)) = self.records(tok, name) {
                    // Each call of a builder records on what the one before made.
                    let before =
                        receiver.clone().filter(|_| known.callable.derives && view.path(callee).contains("::"));
                    let before = before.and_then(|b| self.formula_field(&b, name, &deeper));
                    let mut all = match before {
                        Some(Val::List(before)) => (*before).clone(),
                        _ => Vec::new(),
                    };
                    all.extend(list.iter().cloned());
                    return Some(Val::List(Rc::new(all)));
                }
                if known.callable.derives {
                    let base = match &known.callable.derives_from {
                        Some(argument) => self.argument(tok, known.callable, argument),
                        None => receiver.clone(),
                    };
                    if let Some(value) =
                        base.and_then(|b| self.formula_field(&b, name, &Scope { n: scope.n, ..deeper.clone() }))
                    {
                        return Some(value);
                    }
                }
                let default = known.callable.defaults.get(name).filter(|_| !given_only);
                if let Some(f) = default.or_else(|| known.callable.locals.get(name)) {
                    return self.formula(f, &own);
                }
                if name == "receiver" {
                    return receiver;
                }
                None
            }
            Token::Wrapped { by, inner, .. } => {
                self.token_field(by, name, scope).or_else(|| self.token_field(inner, name, scope))
            }
            Token::Bound { func, .. } => self.token_field(func, name, scope),
            Token::Object { class, .. } | Token::Instance { class } => {
                if let Some(value) = view.field(tok, name) {
                    return Some(value);
                }
                let (library, known) = view.solver.known_class(tok)?;
                if let Some(value) = self.argument(tok, &known.new, name) {
                    return Some(value);
                }
                if let Some(list) = self.records(tok, name) {
                    return Some(list);
                }
                if let Some(f) = known.new.props.get(name) {
                    let entry = Known { library, callable: &known.new, class: Some(known), is_constructor: true };
                    let own = Scope {
                        entry: Some(entry),
                        call: Some(tok),
                        receiver: Some(Val::Tok(tok)),
                        n: scope.n,
                        ..deeper
                    };
                    return self.formula(f, &own);
                }
                if let Some(f) = known.new.defaults.get(name).filter(|_| !given_only) {
                    let entry = Known { library, callable: &known.new, class: Some(known), is_constructor: true };
                    return self.formula(f, &Scope { entry: Some(entry), call: Some(tok), ..deeper });
                }
                let _ = class;
                None
            }
            Token::External(symbol) => {
                if let Some(value) = self.written(tok, name).or_else(|| self.records(tok, name)) {
                    return Some(value);
                }
                let path = view.text(symbol);
                let (library, constant) = view.solver.catalogue.value(path)?;
                let _ = library;
                let f = constant.props.get(name)?;
                self.formula(
                    f,
                    &Scope { n: scope.n, error: scope.error.clone(), result: scope.result.clone(), ..deeper },
                )
            }
            Token::Combined { site } => self.combined_field(site, name, scope),
            Token::Container { .. } | Token::Rest { .. } => {
                view.field(tok, name).or_else(|| self.field_of_each(tok, name, scope))
            }
            Token::Module(_) | Token::Class { .. } => view.field(tok, name),
            _ => None,
        }
    }

    /// The field of each element of a list that the code wrote down or filled.
    fn field_of_each(&mut self, list: Tok, name: &str, scope: &Scope<'p>) -> Maybe {
        let view = self.view;
        let (Token::Container { kind, .. } | Token::Rest { kind, .. }) = *view.token(list) else { return None };
        if !matches!(kind, ContainerKind::List | ContainerKind::Tuple | ContainerKind::Set) {
            return None;
        }
        let store = &view.solver.store;
        let mut items: Vec<Val> = store.get(Addr::Element(list)).map(|value| view.val(value)).into_iter().collect();
        for position in 0_u32.. {
            let at = view.solver.symbols.find(&position.to_string()).and_then(|at| store.get(Addr::Field(list, at)));
            let Some(value) = at else { break };
            items.push(view.val(value));
        }
        // Lists may hold themselves.
        let deeper = Scope { depth: scope.depth + 1, ..scope.clone() };
        self.formula_field(&Val::List(Rc::new(items)), name, &deeper)
    }

    /// An attribute written from outside (`openai.max_retries = 4`).
    pub(super) fn written(&self, tok: Tok, name: &str) -> Maybe {
        let symbol = self.view.solver.symbols.find(name)?;
        self.view.solver.store.get(Addr::Field(tok, symbol)).map(|v| self.view.val(v))
    }

    fn records(&self, tok: Tok, name: &str) -> Maybe {
        let symbol = self.view.solver.symbols.find(name)?;
        let calls = self.view.solver.store.get(Addr::Records(tok, symbol))?;
        Some(Val::List(Rc::new(calls.iter().map(Val::Tok).collect())))
    }

    /// A property of two external values joined by an operator.
    fn combined_field(&mut self, site: Site, name: &str, scope: &Scope<'p>) -> Maybe {
        let store = &self.view.solver.store;
        let left = store.get(Addr::Arg(site, 0)).map(|v| self.view.val(v))?;
        let right = store.get(Addr::Arg(site, 1)).map(|v| self.view.val(v))?;
        let a = self.formula_field(&left, name, scope);
        let b = self.formula_field(&right, name, scope);
        let rule = self.operator_rule(site, &left, name).or_else(|| self.operator_rule(site, &right, name))?;
        let (Some(a), Some(b)) = (a.clone(), b.clone()) else {
            // What only one side says holds where the rule is the narrower of both.
            return if rule == "max" { None } else { a.or(b) };
        };
        let (Some(x), Some(y)) = (a.as_num(), b.as_num()) else { return Some(Val::Unknown) };
        Some(Val::Num(match rule.as_str() {
            "min" => x.combine(y, f64::min),
            "max" => x.combine(y, f64::max),
            "sum" => x.combine(y, |p, q| p + q),
            _ => return Some(Val::Unknown),
        }))
    }

    pub(super) fn operator_rule(&self, site: Site, operand: &Val, name: &str) -> Option<String> {
        let file = self.view.file(site.comp);
        let ExprKind::Binary(op, ..) = file.exprs.get(site.expr.index())?.kind else { return None };
        let sign = match op {
            crate::ir::BinaryOp::BitOr => "|",
            crate::ir::BinaryOp::BitAnd => "&",
            crate::ir::BinaryOp::Add => "+",
            _ => return None,
        };
        let mut at = match operand {
            Val::Tok(tok) => *tok,
            _ => return None,
        };
        while let Token::Combined { site } = *self.view.token(at) {
            at = self.view.solver.store.get(Addr::Arg(site, 0))?.iter().next()?;
        }
        let path = self.view.path(at);
        self.view.solver.catalogue.operators(&path).find_map(|o| o.get(sign)?.get(name).cloned())
    }
}

/// A property that a base of a class gives its objects.
fn inherited<'c>(
    catalogue: &'c crate::catalogue::Catalogue,
    class: &crate::catalogue::schema::Class,
    name: &str,
) -> Option<&'c Formula> {
    let path = class.path.first()?;
    catalogue.bases(path).find_map(|(_, base)| base.new.props.get(name))
}
