//! Tests and look-ups on values: truth, equality, membership, error types, attributes, patterns.

use super::machine::Machine;
use super::state::State;
use super::val::{Answer, Error, ErrorClass, Num, Val, Whole};
use crate::ir::*;
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

/// What a handler for all exceptions names (Python).
const EXCEPTION: &str = "builtins.Exception";

impl<'p> Machine<'p, '_, '_> {
    /// The value of something that was computed outside of the running code: a number read from the
    /// environment, a conversion, arithmetic on these.
    pub fn settle(&mut self, value: Val) -> Val {
        if let Val::Many(list) = &value {
            return self.settle_many(list).unwrap_or(value);
        }
        let Val::Tok(tok) = value else { return value };
        if self.settling > 12 {
            return value;
        }
        match self.settled_once(tok) {
            // A conversion of nothing fails.
            Some(Val::Null) if self.converts(tok) => Val::Unknown,
            Some(settled) => settled,
            None => value,
        }
    }

    /// One of several values, some of which were computed outside of the running code: what nothing was given for
    /// is left out, and of several numbers the worst counts.
    fn settle_many(&mut self, list: &Value) -> Option<Val> {
        if self.settling > 12
            || !list
                .iter()
                .any(|t| matches!(self.view.token(t), Token::Made { .. } | Token::Combined { .. }) || self.is_absent(t))
        {
            return None;
        }
        let mut found: Vec<Val> = Vec::new();
        for tok in list.iter() {
            if self.is_absent(tok) {
                continue;
            }
            match self.settled_once(tok).unwrap_or_else(|| self.view.val(&Value::of(tok))) {
                Val::Null => {}
                Val::Tok(tok) if self.view.solver.is_environment(tok) => {}
                value if found.contains(&value) => {}
                value => found.push(value),
            }
        }
        if found.len() == 1 {
            return found.pop();
        }
        let numbers: Option<Vec<f64>> = found.iter().map(Val::as_exact).collect();
        let worst = numbers?.into_iter().reduce(f64::max)?;
        Some(Val::num(worst))
    }

    /// Whether a token says no more than that an object of the program may have a property that nothing gives it, or
    /// that the environment may have a value.
    fn is_absent(&self, tok: Tok) -> bool {
        match *self.view.token(tok) {
            Token::Member { base, .. } => matches!(
                self.view.token(base),
                Token::Container { kind: ContainerKind::Dict, .. } | Token::Rest { kind: ContainerKind::Dict, .. }
            ),
            _ => self.view.solver.is_environment(tok),
        }
    }

    fn converts(&self, tok: Tok) -> bool {
        let Token::Made { callee, .. } = *self.view.token(tok) else { return false };
        matches!(&*self.view.path(callee), "builtins.int" | "builtins.float")
    }

    /// What a token settles to, worked out once for the outermost: values that are made of one another (a schema of
    /// schemas) name the same tokens again and again.
    fn settled_once(&mut self, tok: Tok) -> Option<Val> {
        if let Some(done) = self.settled.get(&tok) {
            return done.clone();
        }
        self.settled.insert(tok, None);
        self.settling += 1;
        let settled = self.settled(tok);
        self.settling -= 1;
        if self.settling == 0 {
            self.settled.clear();
        } else {
            self.settled.insert(tok, settled.clone());
        }
        settled
    }

    fn settled(&mut self, tok: Tok) -> Option<Val> {
        let store = &self.view.solver.store;
        match *self.view.token(tok) {
            Token::Made { callee, site } => {
                if let Token::External(symbol) = *self.view.token(callee) {
                    let path = self.view.text(symbol);
                    let mut args = Vec::new();
                    while let Some(arg) = store.get(Addr::Arg(site, args.len() as u32)) {
                        args.push(self.view.val(arg));
                    }
                    let args: Vec<Val> = args.into_iter().map(|a| self.settle(a)).collect();
                    if args.first() == Some(&Val::Null) && self.converts(tok) {
                        return Some(Val::Null);
                    }
                    let language = crate::link::modules::language_of_path(path);
                    if let Some(value) = self.native(language, path, &args) {
                        return Some(value);
                    }
                }
                if let Token::Member { base, name } = *self.view.token(callee)
                    && self.view.file(site.comp).language == Language::Rust
                    && self.view.known(callee).is_none()
                {
                    return self.settled_method(base, self.view.text(name), site);
                }
                let known = self.view.known(callee)?;
                let formula = known.callable.value.as_ref()?;
                let scope = self.scope_of(callee, Some(tok));
                let value = self.formula(formula, &scope)?;
                (value != Val::Unknown).then_some(value)
            }
            Token::Member { .. } => {
                // An attribute that the catalogue gives a value: the number of the attempt.
                let known = self.view.known(tok)?;
                let formula = known.callable.value.as_ref()?;
                let mut scope = self.scope_of(tok, None);
                scope.n = self.attempt;
                self.formula(formula, &scope)
            }
            Token::Combined { site } => {
                let file = self.view.file(site.comp);
                let ExprKind::Binary(op, ..) = file.exprs.get(site.expr.index())?.kind else { return None };
                let left = store.get(Addr::Arg(site, 0)).map(|v| self.view.val(v))?;
                let right = store.get(Addr::Arg(site, 1)).map(|v| self.view.val(v))?;
                let (left, right) = (self.settle(left), self.settle(right));
                let value = self.binary(op, &left, &right);
                matches!(value, Val::Num(_)).then_some(value)
            }
            Token::Container { site, kind: ContainerKind::List | ContainerKind::Tuple } => {
                // A list that was computed: its elements are worked out again.
                store.get(Addr::Element(tok))?;
                match self.view.file(site.comp).exprs.get(site.expr.index())?.kind {
                    ExprKind::Comprehension { .. } | ExprKind::Call { .. } => self.computed(site),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A method of something computed outside of the running code (`env::var(…).ok()`).
    fn settled_method(&mut self, base: Tok, name: &str, site: Site) -> Option<Val> {
        let on = self.settle(Val::Tok(base));
        if let Val::Tok(_) | Val::Many(_) | Val::Unknown = on {
            return None;
        }
        let store = &self.view.solver.store;
        let mut given = super::calls::Given::default();
        while let Some(arg) = store.get(Addr::Arg(site, given.positional.len() as u32)) {
            given.positional.push(self.view.val(arg));
        }
        if on == Val::Null && name == "parse" {
            return Some(Val::Null);
        }
        if let Some(value) = self.native_method(Language::Rust, &on, name, &given.positional) {
            return (value != Val::Unknown).then_some(value);
        }
        let (mut out, mut exits) = (Vec::new(), super::state::Exits::default());
        let state = State::at(site.comp, self.now);
        let key = self.plan.key.take();
        let done = self.outcome_call(site.expr, &on, name, &given, state, &mut out, &mut exits);
        self.plan.key = key;
        let value = out.pop().filter(|_| done.is_none() && out.is_empty())?.1;
        (value != Val::Unknown).then_some(value)
    }

    /// The value of an expression outside of the running code.
    fn computed(&mut self, site: Site) -> Option<Val> {
        let state = State::at(site.comp, self.now);
        let key = self.plan.key.take();
        let mut exits = super::state::Exits::default();
        let mut results = self.eval(site.expr, state, &mut exits);
        self.plan.key = key;
        match (results.pop(), results.is_empty()) {
            (Some((_, value @ (Val::List(_) | Val::Range(..)))), true) => Some(value),
            _ => None,
        }
    }

    /// Whether a value is true in a test; none: not known.
    pub fn truth(&mut self, value: &Val) -> Option<bool> {
        match value {
            Val::Unknown | Val::Part(..) | Val::Headers => None,
            Val::Described(_) | Val::Generator(_) | Val::Iter(_) => Some(true),
            Val::Dict(entries) => Some(!entries.is_empty()),
            Val::Null => Some(false),
            Val::Bool(b) => Some(*b),
            Val::Num(n) => match n.value() {
                Some(x) => Some(x != 0.0),
                None if n.lo > 0.0 || n.hi < 0.0 => Some(true),
                None => None,
            },
            Val::Text(t) => Some(!t.is_empty()),
            Val::Tok(tok) if self.view.solver.is_environment(*tok) => None,
            Val::Tok(tok) => self.view.solver.token_truth(*tok).or(match self.view.token(*tok) {
                Token::Container { .. } | Token::Rest { .. } => self.elements(value).map(|items| !items.is_empty()),
                Token::Object { .. } | Token::Instance { .. } | Token::Made { .. } | Token::External(_) => Some(true),
                Token::Module(_) | Token::Member { .. } => Some(true),
                _ => None,
            }),
            Val::Many(_) => None,
            Val::List(list) => Some(!list.is_empty()),
            Val::Range(from, to, step) => Items::Range(*from, *to, *step).len().map(|n| n > 0),
            // Requests' answers are true exactly when they are good.
            Val::Answer(answer) => {
                let ok = self.is_ok_like(answer, "__bool__");
                Some(ok.unwrap_or(true))
            }
            Val::Error(_) | Val::Fail(_) | Val::Good(_) | Val::Attempt => Some(true),
        }
    }

    fn is_ok_like(&self, answer: &Answer, attribute: &str) -> Option<bool> {
        let known = self
            .view
            .solver
            .catalogue
            .bases(&answer.class)
            .any(|(_, c)| c.ok_attributes.iter().any(|a| a == attribute));
        known.then_some(answer.status < 400)
    }

    /// Whether two values are equal; none: not known.
    pub fn equal(&mut self, left: &Val, right: &Val) -> Option<bool> {
        match (left, right) {
            (Val::Part(whole, path), Val::Null) | (Val::Null, Val::Part(whole, path)) => {
                self.is_there(whole, path).then_some(false)
            }
            (Val::Unknown | Val::Part(..) | Val::Headers, _) | (_, Val::Unknown | Val::Part(..) | Val::Headers) => None,
            (Val::Null, Val::Null) => Some(true),
            (Val::Null, _) | (_, Val::Null) => Some(false),
            (Val::Num(a), Val::Num(b)) => {
                if a.hi < b.lo || b.hi < a.lo {
                    return Some(false);
                }
                (a.value()? == b.value()?).then_some(true)
            }
            (Val::Bool(a), Val::Bool(b)) => Some(a == b),
            (Val::Num(n), Val::Bool(b)) | (Val::Bool(b), Val::Num(n)) => {
                let one = f64::from(u8::from(*b));
                if n.lo > one || n.hi < one { Some(false) } else { n.value().map(|x| x == one) }
            }
            (Val::Text(a), Val::Text(b)) => Some(a == b),
            (Val::Num(n), Val::Tok(tok)) | (Val::Tok(tok), Val::Num(n)) => {
                let value = self.constant(*tok)?;
                Some(value.as_exact()? == n.value()?)
            }
            (Val::Good(a), b) | (b, Val::Good(a)) => {
                let a = (**a).clone();
                self.equal(&a, &b.clone())
            }
            (Val::Tok(a), Val::Tok(b)) => {
                if a == b {
                    return Some(true);
                }
                let (x, y) = (self.constant(*a), self.constant(*b));
                match (x, y) {
                    (Some(x), Some(y)) => self.equal(&x, &y),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The value of an external constant (`StatusCode::TOO_MANY_REQUESTS`, `HTTPStatus.OK`).
    fn constant(&mut self, tok: Tok) -> Option<Val> {
        let path = self.view.path(tok);
        let (_, constant) = self.view.solver.catalogue.value(&path)?;
        let formula = constant.value.clone()?;
        self.formula(&formula, &super::formula::Scope::default())
    }

    /// Whether a container holds a value; none: not known.
    pub fn contains(&mut self, container: &Val, value: &Val) -> Option<bool> {
        if let Val::Range(from, Some(to), 1) = container {
            let n = value.as_num()?;
            return if n.lo >= *from as f64 && n.hi < *to as f64 {
                Some(true)
            } else if n.hi < *from as f64 || n.lo >= *to as f64 {
                Some(false)
            } else {
                None
            };
        }
        if let Val::Part(..) = container {
            self.looked.set(true);
            return super::wording::contains(container, value);
        }
        let items = self.elements(container)?;
        let mut result = Some(false);
        for item in items {
            match self.equal(&item, value) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => result = None,
            }
        }
        result
    }

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

    /// Whether an error is caught by some types; none: not known.
    pub fn matches(&mut self, error: &Rc<Error>, types: &Val) -> Option<bool> {
        if let Val::Tok(tok) = types
            && let Token::External(path) = self.view.token(*tok)
            && self.view.text(*path) == EXCEPTION
            && self.is_exception(error)
        {
            self.caught_as_any = true;
            return Some(true);
        }
        self.looked.set(true);
        match types {
            Val::List(list) => {
                let mut result = Some(false);
                for item in list.iter() {
                    match self.matches(error, item) {
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
                    self.matches(error, &Val::List(Rc::new(items)))
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
                let mut results = value.iter().map(|t| self.matches(error, &Val::Tok(t))).collect::<Vec<_>>();
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

    fn matches_path(&mut self, error: &Rc<Error>, path: &str) -> Option<bool> {
        self.looked.set(true);
        let catalogue = self.view.solver.catalogue;
        let everything = matches!(path, "builtins.BaseException" | "globals:Error");
        match &error.class {
            ErrorClass::Known(class) => {
                if catalogue.is_subclass(class, path) {
                    return Some(true);
                }
                let refined = self.refined(error, path);
                if refined.is_some() {
                    return refined;
                }
                let known = catalogue.class(class).is_some() && catalogue.class(path).is_some();
                if known { Some(false) } else { None }
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
                if unknown { None } else { Some(false) }
            }
            ErrorClass::Unknown => everything.then_some(true),
        }
    }

    /// An error raised under a base class may be one of its subclasses for a status.
    fn refined(&self, error: &Error, path: &str) -> Option<bool> {
        self.looked.set(true);
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
        self.looked.set(true);
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

    /// An attribute of a value, with what was written on this path.
    pub fn attribute_on(&mut self, state: &State, value: &Val, name: &str) -> Val {
        if let Val::Tok(tok) = value
            && let Some(found) = state.heap.get(&(*tok, Rc::from(name)))
        {
            return found.clone();
        }
        let found = self.attribute(value, name);
        self.settle(found)
    }

    /// An attribute of a value.
    pub fn attribute(&mut self, value: &Val, name: &str) -> Val {
        self.looked.set(self.looked.get() || is_failure(value));
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
            Val::Described(object) => self.described_attribute(object, name),
            Val::Many(value) => {
                let found: Vec<Val> = value.iter().map(|t| self.attribute_of_token(t, name)).collect();
                let found: Vec<Val> = found.into_iter().map(|v| self.settle(v)).collect();
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
            Val::Good(inner) => {
                let inner = (**inner).clone();
                self.attribute(&inner, name)
            }
            Val::Num(n) => self.status_test(*n, name),
            Val::List(list) if name == "length" => Val::num(list.len() as f64),
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

    fn attribute_of_token(&mut self, tok: Tok, name: &str) -> Val {
        if let Token::Class { .. } = self.view.token(tok)
            && let Some(symbol) = self.view.solver.symbols.find(name)
            && let Some(variant) = self.view.solver.tokens.find(&Token::Variant { class: tok, name: symbol })
        {
            return Val::Tok(variant);
        }
        if let Some(value) = self.view.field(tok, name) {
            return value;
        }
        match self.view.token(tok) {
            // A key that an object whose keys are all known does not have.
            Token::Container { kind: ContainerKind::Dict, .. } | Token::Rest { kind: ContainerKind::Dict, .. } => {
                let store = &self.view.solver.store;
                if store.get(Addr::Element(tok)).is_some() { Val::Unknown } else { Val::Null }
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
                symbol.and_then(|s| self.view.solver.tokens.find(&Token::External(s))).map_or(Val::Unknown, Val::Tok)
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
        if is_status {
            self.by_status = true;
            return match status {
                Some(s) => Val::num(f64::from(s)),
                None => Val::Null,
            };
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
    fn is_there(&self, whole: &Whole, path: &str) -> bool {
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

    /// Binds a value to a pattern.
    pub fn bind(&mut self, state: &mut State, pattern: PatId, value: &Val) {
        let ir = self.ir(state);
        match ir.pattern(pattern) {
            Pattern::Bind(var) => self.write_var(state, *var, value.clone()),
            Pattern::As(inner, var) => {
                self.write_var(state, *var, value.clone());
                self.bind(state, *inner, value);
            }
            Pattern::Attr { object, name, .. } => {
                let name = ir.name(*name);
                if let Some(Val::Tok(tok)) = self.pure(*object, state) {
                    state.heap.insert((tok, Rc::from(name)), value.clone());
                }
            }
            Pattern::Index { object, index } => {
                if let (Some(Val::Tok(tok)), Some(Val::Text(key))) =
                    (self.pure(*object, state), self.pure(*index, state))
                {
                    state.heap.insert((tok, key), value.clone());
                } else if let ExprKind::Var(var) = ir.expr(*object).kind
                    && let Val::Dict(entries) = self.read_var(state, var)
                {
                    let known = match self.pure(*index, state) {
                        Some(Val::Text(key)) => Val::Dict(Rc::new(with_entry(&entries, &key, value))),
                        _ => Val::Unknown,
                    };
                    self.write_var(state, var, known);
                }
            }
            Pattern::Deref(e) => {
                if let ExprKind::Var(var) = ir.expr(*e).kind {
                    self.write_var(state, var, value.clone());
                }
            }
            Pattern::Sequence(parts) => {
                let items = match value {
                    Val::Good(inner) => self.elements(inner),
                    _ => self.elements(value),
                };
                for (i, &part) in parts.iter().enumerate() {
                    let item = match (&items, value) {
                        (Some(items), _) => items.get(i).cloned().unwrap_or(Val::Unknown),
                        (None, Val::Fail(e)) => Val::Fail(e.clone()),
                        _ => Val::Unknown,
                    };
                    self.bind(state, part, &item);
                }
            }
            Pattern::Rest(Some(inner)) => self.bind(state, *inner, &Val::Unknown),
            Pattern::Object { entries, rest } => {
                for &(name, part) in entries {
                    let item = self.attribute_on(state, value, ir.name(name));
                    self.bind(state, part, &item);
                }
                if let Some(rest) = rest {
                    self.bind(state, *rest, &Val::Unknown);
                }
            }
            Pattern::Default(inner, default) => {
                let bound = match value {
                    Val::Null => self.pure(*default, state).unwrap_or(Val::Unknown),
                    Val::Unknown => self.pure(*default, state).unwrap_or(Val::Unknown),
                    other => other.clone(),
                };
                self.bind(state, *inner, &bound);
            }
            Pattern::Variant { args, fields, .. } => {
                let inner = match value {
                    Val::Good(inner) => (**inner).clone(),
                    Val::Fail(e) => Val::Error(e.clone()),
                    other => other.clone(),
                };
                for &part in args {
                    self.bind(state, part, &inner);
                }
                for &(name, part) in fields {
                    let item = self.attribute_on(state, &inner, ir.name(name));
                    self.bind(state, part, &item);
                }
            }
            Pattern::Or(parts) => {
                if let Some(&first) = parts.first() {
                    self.bind(state, first, value);
                }
            }
            _ => {}
        }
    }

    /// Whether a value fits a pattern, binding its names; none: not known.
    pub fn matches_pattern(&mut self, state: &mut State, pattern: PatId, value: &Val) -> Option<bool> {
        let ir = self.ir(state);
        match ir.pattern(pattern) {
            Pattern::Ignore | Pattern::Otherwise => Some(true),
            Pattern::Bind(_) => {
                self.bind(state, pattern, value);
                Some(true)
            }
            Pattern::As(inner, var) => {
                self.write_var(state, *var, value.clone());
                self.matches_pattern(state, *inner, value)
            }
            Pattern::Value(e) => {
                let wanted = self.pure(*e, state)?;
                self.equal(value, &wanted)
            }
            Pattern::Range { start, end, inclusive } => {
                let n = value.as_num()?;
                let lo =
                    start.and_then(|e| self.pure(e, state)).and_then(|v| v.as_exact()).unwrap_or(f64::NEG_INFINITY);
                let hi = end.and_then(|e| self.pure(e, state)).and_then(|v| v.as_exact()).unwrap_or(f64::INFINITY);
                let hi = if *inclusive { hi } else { hi - 1.0 };
                if n.lo >= lo && n.hi <= hi {
                    Some(true)
                } else if n.hi < lo || n.lo > hi {
                    Some(false)
                } else {
                    None
                }
            }
            Pattern::Or(parts) => {
                let mut result = Some(false);
                for &part in parts {
                    match self.matches_pattern(state, part, value) {
                        Some(true) => return Some(true),
                        None => result = None,
                        Some(false) => {}
                    }
                }
                result
            }
            Pattern::Variant { path, args, fields } => self.matches_variant(state, *path, args, fields, value),
            Pattern::Sequence(parts) => {
                let items = self.elements(value);
                let mut result = items.as_ref().map(|i| i.len() >= parts.len());
                for (i, &part) in parts.iter().enumerate() {
                    let item = items.as_ref().and_then(|items| items.get(i).cloned()).unwrap_or(Val::Unknown);
                    match self.matches_pattern(state, part, &item) {
                        Some(false) => return Some(false),
                        None => result = None,
                        Some(true) => {}
                    }
                }
                if items.is_none() && ir.language == Language::Rust {
                    // A tuple always has its parts.
                    return result.or(None);
                }
                result
            }
            Pattern::Object { .. } => {
                self.bind(state, pattern, value);
                None
            }
            _ => {
                self.bind(state, pattern, value);
                None
            }
        }
    }

    fn matches_variant(
        &mut self,
        state: &mut State,
        path: ExprId,
        args: &[PatId],
        fields: &[(Name, PatId)],
        value: &Val,
    ) -> Option<bool> {
        let ir = self.ir(state);
        let last = match &ir.expr(path).kind {
            ExprKind::Free(name) => ir.name(*name),
            ExprKind::Attr { name, .. } => ir.name(*name),
            ExprKind::Var(var) => ir.name(ir.var(*var).name),
            _ => "",
        };
        let (matched, inner) = match (last, value) {
            ("Ok" | "Some", Val::Good(inner)) => (Some(true), (**inner).clone()),
            ("Ok" | "Some", Val::Fail(_) | Val::Null) => (Some(false), Val::Unknown),
            ("Err", Val::Fail(e)) => (Some(true), Val::Error(e.clone())),
            ("Err", Val::Good(_)) => (Some(false), Val::Unknown),
            ("None", Val::Null) => (Some(true), Val::Null),
            ("None", Val::Good(_)) => (Some(false), Val::Null),
            ("Err", Val::Unknown) => (None, Val::Unknown),
            ("Ok" | "Some", other) => (if *other == Val::Unknown { None } else { Some(true) }, other.clone()),
            ("Err" | "None", _) => (Some(false), Val::Unknown),
            (name, Val::Tok(tok)) => (self.is_variant(*tok, name), value.clone()),
            (_, Val::Error(e)) => {
                self.looked.set(true);
                let e = e.clone();
                let types = self.pure(path, state).unwrap_or(Val::Unknown);
                (self.matches(&e, &types), value.clone())
            }
            (_, other) => (None, other.clone()),
        };
        if matched == Some(false) {
            return matched;
        }
        let mut result = matched;
        let by_part = !matches!(last, "Ok" | "Some" | "Err" | "None") && ir.language == Language::Rust;
        for (i, &part) in args.iter().enumerate() {
            let held = if by_part { self.part_of_value(state, &inner, &i.to_string()) } else { None };
            let item = match held {
                Some(held) => held,
                None if by_part && !matches!(inner, Val::Error(_) | Val::Answer(_)) => Val::Unknown,
                None => inner.clone(),
            };
            match self.matches_pattern(state, part, &item) {
                Some(false) => return Some(false),
                None => result = None,
                Some(true) => {}
            }
        }
        for &(name, part) in fields {
            let item = match self.part_of_value(state, &inner, ir.name(name)).filter(|_| by_part) {
                Some(held) => held,
                None => self.attribute_on(state, &inner, ir.name(name)),
            };
            match self.matches_pattern(state, part, &item) {
                Some(false) => return Some(false),
                None => result = None,
                Some(true) => {}
            }
        }
        result
    }

    /// The value that a target holds before an augmented assignment.
    pub fn read_target(&mut self, state: &State, pattern: PatId) -> Val {
        let ir = self.ir(state);
        match ir.pattern(pattern) {
            Pattern::Bind(var) => self.read_var(state, *var),
            Pattern::Attr { object, name, .. } => match self.pure(*object, state) {
                Some(value) => self.attribute_on(state, &value, ir.name(*name)),
                None => Val::Unknown,
            },
            Pattern::Index { object, index } => match (self.pure(*object, state), self.pure(*index, state)) {
                (Some(object), Some(index)) => self.index(state, &object, &index),
                _ => Val::Unknown,
            },
            Pattern::Deref(e) => self.pure(*e, state).unwrap_or(Val::Unknown),
            _ => Val::Unknown,
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

/// A dictionary with one entry more, or another value.
pub fn with_entry(entries: &[(Rc<str>, Val)], key: &Rc<str>, value: &Val) -> Vec<(Rc<str>, Val)> {
    let mut entries: Vec<(Rc<str>, Val)> = entries.iter().filter(|(name, _)| name != key).cloned().collect();
    entries.push((key.clone(), value.clone()));
    entries
}

/// Whether a value is a failure, or part of one.
fn is_failure(value: &Val) -> bool {
    match value {
        Val::Error(_) | Val::Fail(_) | Val::Answer(_) | Val::Part(..) | Val::Described(_) => true,
        Val::Good(inner) => is_failure(inner),
        _ => false,
    }
}
