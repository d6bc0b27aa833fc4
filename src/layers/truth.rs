//! Truth, equality and membership of values.

use super::items::Items;
use super::machine::Machine;
use super::val::{Answer, Val};
use crate::ir::Language;
use crate::link::token::*;

impl Machine<'_, '_, '_> {
    /// Whether a value is true in a test; none: not known.
    pub fn truth(&mut self, value: &Val) -> Option<bool> {
        match value {
            Val::Unknown | Val::Headers => None,
            // `error.response && error.response.status`
            Val::Part(whole, path) => self.is_there(whole, path).then_some(true),
            Val::Described(_) | Val::Generator(_) | Val::Iter(_) | Val::With(..) => Some(true),
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
                Token::Object { .. } | Token::Instance { .. } | Token::Module(_) => Some(true),
                Token::Made { .. } | Token::External(_) | Token::Member { .. } => {
                    self.is_something(*tok).then_some(true)
                }
                _ => None,
            }),
            Val::Many(_) => None,
            Val::Settled(inner) => self.truth(inner),
            Val::List(list) => Some(!list.is_empty()),
            Val::Range(from, to, step) => Items::Range(*from, *to, *step).len().map(|n| n > 0),
            // Requests' answers are true exactly when they are good.
            Val::Answer(answer) => {
                let ok = self.is_ok_like(answer, "__bool__");
                Some(ok.unwrap_or(true))
            }
            Val::Error(_) | Val::Fail(_) | Val::Good(_) | Val::Attempt | Val::Settles(..) => Some(true),
        }
    }

    /// Whether something of a package is a class, or a function that the catalogue describes: what these make is
    /// an object. Of other functions and constants of a package nobody knows whether they give or are a truth value.
    fn is_thing(&self, tok: Tok) -> bool {
        let path = self.view.path(tok);
        let name = path.rsplit(['.', ':', '/']).next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().any(|c| c.is_ascii_lowercase())
            || self.view.solver.known(tok).is_some_and(|known| known.callable.outbound.is_none())
    }

    /// Whether something external is an object or a function, not a value that may be anything.
    fn is_something(&self, tok: Tok) -> bool {
        let solver = self.view.solver;
        match *self.view.token(tok) {
            Token::External(path) => {
                // What a module exports; not a property of it, unless that is known.
                let path = self.view.text(path);
                if !path.contains(':') || path.contains("::") {
                    return self.is_thing(tok);
                }
                let name = path.rsplit_once(':').map_or(path, |(_, name)| name);
                !name.contains('.') || solver.known(tok).is_some() || solver.known_class(tok).is_some()
            }
            Token::Made { callee, site } if self.view.file(site.comp).language != Language::JavaScript => {
                self.is_thing(callee)
            }
            Token::Made { callee, .. } => {
                let of_value = solver.known(callee).is_some_and(|k| k.callable.value.is_some());
                let unknown = solver.known(callee).is_none() && solver.known_class(tok).is_none();
                !(of_value || unknown && self.is_plain_call(tok))
            }
            _ => solver.known(tok).is_some() || solver.known_class(tok).is_some(),
        }
    }

    /// Whether something comes from a call that is not `new` of something nobody knows, in JavaScript.
    fn is_plain_call(&self, tok: Tok) -> bool {
        let mut at = tok;
        while let Token::Member { base, .. } = *self.view.token(at) {
            at = base;
        }
        let Token::Made { site, .. } = *self.view.token(at) else { return false };
        let file = self.view.file(site.comp);
        file.language == Language::JavaScript
            && !matches!(
                file.exprs.get(site.expr.index()).map(|e| &e.kind),
                Some(crate::ir::ExprKind::Call { kind: crate::ir::CallKind::New, .. })
            )
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
            (Val::Text(text), Val::Tok(tok)) | (Val::Tok(tok), Val::Text(text)) => match self.constant(*tok)? {
                Val::Text(value) => Some(value == *text),
                _ => None,
            },
            (Val::Good(a), b) | (b, Val::Good(a)) => {
                let a = (**a).clone();
                self.equal(&a, &b.clone())
            }
            // One of several: what holds for each of them.
            (Val::Many(several), other) | (other, Val::Many(several)) if !matches!(other, Val::Many(_)) => {
                let mut each = several.iter().map(|tok| self.view.val(&Value::of(tok)));
                let first = each.next().and_then(|value| self.equal(&value, other))?;
                let rest: Vec<Val> = each.collect();
                rest.iter().all(|value| self.equal(value, other) == Some(first)).then_some(first)
            }
            (Val::Tok(a), Val::Tok(b)) => {
                if a == b {
                    return Some(true);
                }
                let (x, y) = (self.constant(*a), self.constant(*b));
                match (x, y) {
                    (Some(x), Some(y)) => self.equal(&x, &y),
                    _ => self.are_other_variants(*a, *b).then_some(false),
                }
            }
            _ => None,
        }
    }

    /// Whether two values of one enum are different variants of it, and the program does not say itself what is equal.
    fn are_other_variants(&self, a: Tok, b: Tok) -> bool {
        let (Some((class, x)), Some((other, y))) = (self.variant_of(a), self.variant_of(b)) else { return false };
        class == other && x != y && self.view.field(class, "eq").is_none()
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
            self.note_look(container);
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
}

/// Whether a value is a failure, or part of one.
pub(super) fn is_failure(value: &Val) -> bool {
    match value {
        Val::Error(_) | Val::Fail(_) | Val::Answer(_) | Val::Part(..) | Val::Described(_) | Val::With(..) => true,
        Val::Good(inner) => is_failure(inner),
        _ => false,
    }
}
