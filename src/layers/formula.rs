//! Evaluates the catalogue's formulas over what the code says: arguments of calls, settings of clients
//! with their overrides, recorded calls, the failure at hand.

use super::machine::Machine;
use super::val::{Error, ErrorClass, Num, Val, Whole};
use crate::catalogue::schema::Callable;
use crate::catalogue::{Formula, Operator};
use crate::chains::Failure;
use crate::ir::ExprKind;
use crate::link::known::Known;
use crate::link::store::Addr;
use crate::link::token::*;
use crate::versions::Assumed;
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
const DEPTH: u8 = 24;

/// A callable that decides when to stop is asked about so many attempts.
const MOST_ASKED: u32 = 200;

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
type Maybe = Option<Val>;

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
        if let Some(f) = entry.callable.defaults.get(name) {
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
        if let Some(value) = symbol.and_then(|s| store.get(Addr::Keyword(site, s))) {
            return Some(self.view.val(value));
        }
        let position = callable.params.iter().position(|p| p.trim_start_matches('*') == name);
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
                return Some(self.view.val(value));
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
                        (Some(a), Some(b)) => match (a.as_exact(), b.as_exact()) {
                            (Some(x), Some(y)) => Some(Val::num(x.max(y))),
                            _ if a == b => Some(a),
                            _ => Some(Val::Unknown),
                        },
                        (a, b) => a.or(b),
                    };
                }
                best
            }
            Val::Good(inner) => self.formula_field(inner, name, scope),
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
        let deeper = Scope { depth: scope.depth + 1, ..Scope::default() };
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
                if let Some(f) = known.callable.defaults.get(name).or_else(|| known.callable.locals.get(name)) {
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
                if let Some(f) = known.new.defaults.get(name) {
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
            Token::Container { .. } | Token::Rest { .. } | Token::Module(_) | Token::Class { .. } => {
                view.field(tok, name)
            }
            _ => None,
        }
    }

    /// An attribute written from outside (`openai.max_retries = 4`).
    fn written(&self, tok: Tok, name: &str) -> Maybe {
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

    fn operator_rule(&self, site: Site, operand: &Val, name: &str) -> Option<String> {
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
                let equal = self.equal(&left, &right);
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

    fn numbers(&mut self, args: &[Formula], scope: &Scope<'p>) -> Option<Vec<Num>> {
        let mut numbers = Vec::new();
        for arg in args {
            match self.formula(arg, scope) {
                None | Some(Val::Null) => {}
                Some(Val::List(list)) => {
                    for item in list.iter() {
                        numbers.push(item.as_num()?);
                    }
                }
                Some(value) => numbers.push(value.as_num()?),
            }
        }
        Some(numbers)
    }

    fn formula_call(&mut self, name: &str, args: &[Formula], scope: &Scope<'p>) -> Maybe {
        let arg = |i: usize| args.get(i).unwrap_or(&Formula::Null);
        match name {
            "if" => match self.formula_truth(arg(0), scope) {
                Some(true) => self.formula(arg(1), scope),
                Some(false) => self.formula(arg(2), scope),
                None => {
                    // Either may hold: the worse number counts.
                    let a = self.formula(arg(1), scope);
                    let b = self.formula(arg(2), scope);
                    match (a.as_ref().and_then(Val::as_num), b.as_ref().and_then(Val::as_num)) {
                        (Some(x), Some(y)) => Some(Val::Num(if x.hi >= y.hi { x } else { y })),
                        _ => Some(Val::Unknown),
                    }
                }
            },
            "missing" => Some(Val::Bool(self.formula(arg(0), scope).is_none())),
            "default" => args.iter().find_map(|f| self.formula(f, scope).filter(|v| *v != Val::Null)),
            "truthy" => Some(match self.formula(arg(0), scope) {
                None => Val::Bool(false),
                // A predicate that raises decides nothing.
                Some(Val::Fail(_)) => Val::Unknown,
                Some(value) => self.truth(&value).map_or(Val::Unknown, Val::Bool),
            }),
            "min" | "max" | "sum" => {
                let numbers = match self.numbers(args, scope) {
                    Some(numbers) => numbers,
                    None => return Some(Val::Unknown),
                };
                let f: fn(f64, f64) -> f64 = match name {
                    "min" => f64::min,
                    "max" => f64::max,
                    _ => |a, b| a + b,
                };
                numbers.into_iter().reduce(|a, b| a.combine(b, f)).map(Val::Num)
            }
            "clamp" => {
                let x = self.formula_num(arg(0), scope);
                let lo = self.formula_num(arg(1), scope).unwrap_or(Num::exact(0.0));
                let hi = self.formula_num(arg(2), scope).unwrap_or(Num::exact(f64::INFINITY));
                Some(x.map_or(Val::Unknown, |x| Val::Num(x.combine(hi, f64::min).combine(lo, f64::max))))
            }
            "floor" | "ceil" | "log" => {
                let x = self.formula_num(arg(0), scope);
                let f: fn(f64) -> f64 = match name {
                    "floor" => f64::floor,
                    "ceil" => f64::ceil,
                    _ => f64::ln,
                };
                Some(x.map_or(Val::Unknown, |x| Val::Num(Num { lo: f(x.lo), hi: f(x.hi), ..x })))
            }
            "number" => match self.formula(arg(0), scope)? {
                Val::Num(n) => Some(Val::Num(n)),
                Val::Text(t) => t.trim().parse::<f64>().ok().map(Val::num),
                Val::Unknown => Some(Val::Unknown),
                Val::Bool(b) => Some(Val::num(f64::from(u8::from(b)))),
                _ => None,
            },
            "uniform" => {
                let a = self.formula_num(arg(0), scope);
                let b = self.formula_num(arg(1), scope);
                Some(match (a, b) {
                    (Some(a), Some(b)) => {
                        let (lo, hi) = (a.lo.min(b.lo), a.hi.max(b.hi));
                        Val::Num(Num { lo, hi, random: lo < hi, clock: false, asked: a.asked || b.asked })
                    }
                    _ => Val::Unknown,
                })
            }
            "random" => Some(Val::Num(Num { lo: 0.0, hi: 1.0, random: true, clock: false, asked: false })),
            "jitter" => {
                let x = self.formula_num(arg(0), scope);
                let share = self.formula_num(arg(1), scope).and_then(Num::value);
                Some(match (x, share) {
                    (Some(x), Some(s)) => {
                        Val::Num(Num { lo: x.lo * (1.0 - s), hi: x.hi * (1.0 + s), random: s > 0.0, ..x })
                    }
                    _ => Val::Unknown,
                })
            }
            "at" => {
                let list = self.formula(arg(0), scope)?;
                let n = self.formula_num(arg(1), scope).and_then(Num::value).unwrap_or(1.0);
                match self.elements(&list) {
                    Some(items) => items.get((n.max(1.0) as usize) - 1).or(items.last()).cloned(),
                    None => Some(list),
                }
            }
            "first" | "last" | "len" => {
                let list = self.formula(arg(0), scope)?;
                let items = self.elements(&list);
                Some(match (name, items) {
                    ("first", Some(items)) => return items.first().cloned(),
                    ("last", Some(items)) => return items.last().cloned(),
                    ("len", Some(items)) => Val::num(items.len() as f64),
                    ("first" | "last", None) if !matches!(list, Val::Unknown) => return None,
                    _ if matches!(list, Val::Num(_) | Val::Bool(_) | Val::Null) => Val::Null,
                    _ => Val::Unknown,
                })
            }
            "has" => {
                let object = self.formula(arg(0), scope)?;
                let Some(Val::Text(key)) = self.formula(arg(1), scope) else { return Some(Val::Unknown) };
                Some(Val::Bool(self.formula_field(&object, &key, scope).is_some()))
            }
            "instance" => {
                let error = self.formula(arg(0), scope);
                let types = self.formula(arg(1), scope);
                Some(match (error, types) {
                    (None, _) => Val::Bool(false),
                    (Some(Val::Error(e)), Some(types)) => self.matches(&e, &types).map_or(Val::Unknown, Val::Bool),
                    _ => Val::Unknown,
                })
            }
            "status" => Some(match self.formula(arg(0), scope)? {
                Val::Error(e) => e.status.map_or(Val::Null, |s| Val::num(f64::from(s))),
                Val::Answer(a) => Val::num(f64::from(a.status)),
                Val::Good(inner) => match *inner {
                    Val::Answer(a) => Val::num(f64::from(a.status)),
                    _ => Val::Unknown,
                },
                _ => Val::Unknown,
            }),
            "status_in" => {
                let list = self.formula(arg(0), scope)?;
                let status = scope.failure.and_then(|(_, s)| s);
                Some(match status {
                    Some(s) => self.contains(&list, &Val::num(f64::from(s))).map_or(Val::Unknown, Val::Bool),
                    None => Val::Bool(false),
                })
            }
            "holds" | "any" | "all" => {
                let predicate = self.formula(arg(0), scope)?;
                let subject = self.formula(arg(1), scope);
                Some(self.holds(&predicate, subject, name == "all", scope).map_or(Val::Unknown, Val::Bool))
            }
            "call" => {
                let f = self.formula(arg(0), scope)?;
                let values: Vec<Val> =
                    args.iter().skip(1).map(|a| self.formula(a, scope).unwrap_or(Val::Null)).collect();
                Some(self.call_value(&f, values))
            }
            "object" => {
                let Some(Val::Text(class)) = self.formula(arg(0), scope) else { return Some(Val::Unknown) };
                Some(self.describe(class, scope))
            }
            // The first attempt after which a callable, told how many failed before and the rest, says no.
            "asked_while" => {
                let f = self.formula(arg(0), scope)?;
                for n in 1..=MOST_ASKED {
                    let scope = Scope { n: f64::from(n), ..scope.clone() };
                    let mut values = vec![Val::num(f64::from(n - 1))];
                    for formula in args.iter().skip(1) {
                        values.push(self.formula(formula, &scope).unwrap_or(Val::Unknown));
                    }
                    let answer = self.call_value(&f, values);
                    if self.truth(&answer) == Some(false) {
                        return Some(Val::num(f64::from(n)));
                    }
                }
                Some(Val::num(f64::INFINITY))
            }
            // The first attempt after which a callable says to stop.
            "until" => {
                let f = self.formula(arg(0), scope)?;
                let Some(Val::Text(class)) = self.formula(arg(1), scope) else { return Some(Val::Unknown) };
                for n in 1..=MOST_ASKED {
                    let scope = Scope { n: f64::from(n), ..scope.clone() };
                    let object = self.describe(class.clone(), &scope);
                    let answer = self.call_value(&f, vec![object]);
                    // Some answer with the wait beside it: `(stop, seconds)`.
                    let stop = self.elements(&answer).and_then(|parts| parts.first().cloned());
                    match self.truth(&stop.unwrap_or(answer)) {
                        Some(true) => return Some(Val::num(f64::from(n))),
                        Some(false) => {}
                        None => return Some(Val::Unknown),
                    }
                }
                Some(Val::num(f64::INFINITY))
            }
            // Whether callables raise when they are handed a value.
            "raises" => {
                let Some(list) = self.formula(arg(0), scope) else { return Some(Val::Bool(false)) };
                let value = self.formula(arg(1), scope).unwrap_or(Val::Null);
                let callables = self.elements(&list).unwrap_or_else(|| vec![list]);
                let raises = callables.iter().any(|f| matches!(self.call_value(f, vec![value.clone()]), Val::Fail(_)));
                Some(Val::Bool(raises))
            }
            "duration" => match self.formula(arg(0), scope)? {
                Val::Num(n) => Some(Val::Num(n.combine(Num::exact(1_000.0), |a, b| a / b))),
                Val::Text(text) => Some(seconds_of(&text).map_or(Val::Unknown, Val::num)),
                _ => Some(Val::Unknown),
            },
            "callable" => Some(match self.formula(arg(0), scope)? {
                Val::Tok(tok) => {
                    Val::Bool(self.view.solver.is_callable(tok) || self.view.field(tok, "__call__").is_some())
                }
                Val::Unknown | Val::Many(_) => Val::Unknown,
                _ => Val::Bool(false),
            }),
            "upper" => Some(match self.formula(arg(0), scope)? {
                Val::Text(t) => Val::text(&t.to_uppercase()),
                other => other,
            }),
            "count" => {
                let start = self.formula_num(arg(0), scope).and_then(Num::value)?;
                let step = self.formula_num(arg(1), scope).and_then(Num::value)?;
                Some(if step == 0.0 { Val::Unknown } else { Val::Range(start as i64, None, step as i64) })
            }
            "repeat" => {
                let item = self.formula(arg(0), scope).unwrap_or(Val::Null);
                Some(match self.formula(arg(1), scope) {
                    None | Some(Val::Null) => Val::Range(0, None, 1),
                    Some(times) => match times.as_exact() {
                        Some(n) if (0.0..=4_096.0).contains(&n) => Val::List(Rc::new(vec![item; n as usize])),
                        _ => Val::Unknown,
                    },
                })
            }
            "take" => {
                let list = self.formula(arg(0), scope)?;
                let n = self.formula_num(arg(1), scope).and_then(Num::value).filter(|n| (0.0..=4_096.0).contains(n));
                Some(match (self.iterated(&list), n) {
                    (Some(items), Some(n)) => {
                        let n = items.len().unwrap_or(u32::MAX).min(n as u32);
                        Val::List(Rc::new((0..n).map(|i| items.at(i)).collect()))
                    }
                    _ => Val::Unknown,
                })
            }
            "concat" => {
                let lists = self.formula(arg(0), scope)?;
                let mut all = Vec::new();
                for list in self.elements(&lists).unwrap_or_default() {
                    let Some(items) = self.iterated(&list) else { return Some(Val::Unknown) };
                    match items.len() {
                        Some(n) if n as usize + all.len() <= 4_096 => all.extend((0..n).map(|i| items.at(i))),
                        _ => return Some(Val::Unknown),
                    }
                }
                Some(Val::List(Rc::new(all)))
            }
            "is" => {
                let value = self.formula(arg(0), scope)?;
                let Some(Val::Text(path)) = self.formula(arg(1), scope) else { return Some(Val::Unknown) };
                Some(match value {
                    Val::Tok(tok) => {
                        let own = self.view.path(tok);
                        let catalogue = self.view.solver.catalogue;
                        let same = *own == *path
                            || catalogue.name(&own) == catalogue.name(&path)
                            || catalogue.function(&own).is_some_and(|(_, f)| f.path.iter().any(|p| **p == *path));
                        Val::Bool(same)
                    }
                    Val::Unknown => Val::Unknown,
                    _ => Val::Bool(false),
                })
            }
            "matches_prefix" => self.matches_prefix(args, scope),
            "starts_with" => {
                let text = self.formula(arg(0), scope)?;
                let prefix = self.formula(arg(1), scope)?;
                Some(match (text, prefix) {
                    (Val::Text(t), Val::Text(p)) => Val::Bool(t.starts_with(&*p)),
                    _ => Val::Unknown,
                })
            }
            "lower" => Some(match self.formula(arg(0), scope)? {
                Val::Text(t) => Val::text(&t.to_lowercase()),
                other => other,
            }),
            // Nothing is set where the code is read.
            "env" => args.get(1).and_then(|f| self.formula(f, scope)).or(Some(Val::Null)),
            "assigned" => {
                let Some(Val::Text(path)) = self.formula(arg(0), scope) else { return None };
                let (module, name) = path.rsplit_once(['.', ':'])?;
                let symbol = self.view.solver.symbols.find(module)?;
                let tok = self.view.solver.tokens.find(&Token::External(symbol))?;
                self.written(tok, name)
            }
            "version_at_least" => Some(Val::Bool(self.version_at_least(args, scope))),
            "clock" => Some(Val::Num(Num { clock: true, ..Num::exact(self.now) })),
            "raise" => match self.formula(arg(0), scope)? {
                Val::Text(path) => Some(Val::Fail(Rc::new(self.error_of_class(&path, scope)))),
                _ => Some(Val::Unknown),
            },
            "raise_error" => match self.formula(arg(0), scope)? {
                Val::Error(e) => Some(Val::Fail(e)),
                _ => Some(Val::Unknown),
            },
            "reraise" => scope.error.clone().map(Val::Fail).or_else(|| scope.result.clone()),
            "returns" => self.formula(arg(0), scope).or(Some(Val::Null)),
            "keys" => Some(Val::Unknown),
            _ => Some(Val::Unknown),
        }
    }

    /// What a library hands to a callback.
    fn describe(&self, class: Rc<str>, scope: &Scope<'p>) -> Val {
        Val::Described(Rc::new(super::val::Described {
            class,
            n: scope.n,
            error: scope.error.clone(),
            result: scope.result.clone(),
        }))
    }

    fn error_of_class(&self, path: &str, scope: &Scope<'p>) -> Error {
        Error {
            class: ErrorClass::Known(Rc::from(path)),
            status: None,
            fields: scope.error.iter().map(|e| (Rc::from("__cause__"), Val::Error(e.clone()))).collect(),
            token: None,
            injected: true,
            class_of_failure: scope.error.as_ref().and_then(|e| e.class_of_failure),
        }
    }

    fn matches_prefix(&mut self, args: &[Formula], scope: &Scope<'p>) -> Maybe {
        let calls = self.formula(args.first()?, scope)?;
        let Some(Val::Text(parameter)) = self.formula(args.get(1)?, scope) else { return None };
        let text = args.get(2).and_then(|f| self.formula(f, scope));
        let items = self.elements(&calls)?;
        let mut best: Option<(usize, Val)> = None;
        let mut possible = Vec::new();
        for call in items {
            let prefix = self.formula_field(&call, &parameter, scope);
            match (&prefix, &text) {
                (Some(Val::Text(p)), Some(Val::Text(t))) => {
                    if t.to_lowercase().starts_with(&p.to_lowercase())
                        && best.as_ref().is_none_or(|(len, _)| p.len() > *len)
                    {
                        best = Some((p.len(), call));
                    }
                }
                _ => possible.push(call),
            }
        }
        if let Some((_, call)) = best {
            return Some(call);
        }
        match possible.len() {
            0 => None,
            1 => possible.pop(),
            _ => Some(Val::Many(
                possible.iter().filter_map(|v| if let Val::Tok(t) = v { Some(*t) } else { None }).collect(),
            )),
        }
    }

    /// The file in which a value was made.
    fn file_of(&self, tok: Tok) -> Option<&'p crate::ir::File> {
        match *self.view.token(tok) {
            Token::Made { site, .. } | Token::Object { site, .. } => Some(self.view.file(site.comp)),
            _ => None,
        }
    }

    fn version_at_least(&mut self, args: &[Formula], scope: &Scope<'p>) -> bool {
        let Some(Val::Text(wanted)) = args.first().and_then(|f| self.formula(f, scope)) else { return true };
        let Some(entry) = scope.entry else { return true };
        // The file that calls; a transport is asked about for the client above it.
        let receiver = if let Some(Val::Tok(t)) = scope.receiver { Some(t) } else { None };
        let file = [scope.call, scope.request, receiver].into_iter().flatten().find_map(|t| self.file_of(t));
        let file = file.or_else(|| self.here.map(|comp| self.view.file(comp)));
        let assumed = file.and_then(|file| self.versions.assumed_of(entry.library, file));
        assumed.unwrap_or_else(|| Assumed::of_catalogue(&entry.library.version)).is_at_least(&wanted)
    }

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

/// A property that a base of a class gives its objects.
fn inherited<'c>(
    catalogue: &'c crate::catalogue::Catalogue,
    class: &crate::catalogue::schema::Class,
    name: &str,
) -> Option<&'c Formula> {
    let path = class.path.first()?;
    catalogue.bases(path).find_map(|(_, base)| base.new.props.get(name))
}

/// The seconds of a text such as `200 millis`, `10m` or `1 hour 30 minutes`.
fn seconds_of(text: &str) -> Option<f64> {
    let mut total = 0.0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest.get(..digits)?.parse().ok()?;
        rest = rest.get(digits..)?.trim_start();
        let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let factor = match rest.get(..letters)? {
            "" | "ms" | "millis" | "milli" | "msec" | "msecs" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
            "d" | "day" | "days" => 86_400.0,
            "w" | "week" | "weeks" => 604_800.0,
            "micros" | "micro" => 1e-6,
            "nanos" | "nano" => 1e-9,
            _ => return None,
        };
        total += number * factor;
        rest = rest.get(letters..)?.trim_start_matches([' ', ',']);
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::seconds_of;

    #[test]
    fn durations_as_libraries_write_them() {
        let of = |text: &str| seconds_of(text).map(|s| (s * 1000.0).round());
        assert_eq!(of("200 millis"), Some(200.0));
        assert_eq!(of("10m"), Some(600_000.0));
        assert_eq!(of("1 hour 30 minutes"), Some(5_400_000.0));
        assert_eq!(of("1500"), Some(1_500.0));
        assert_eq!(of("soon"), None);
        assert_eq!(of(""), None);
    }
}
