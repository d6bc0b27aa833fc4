//! `Result` and `Option`: what is inside passes through; an `Err` is a value of its own.

use super::super::{Args, Frame};
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// What an `Err` holds; none if the token is no `Err`.
    pub(super) fn error_inside(&mut self, frame: &Frame<'p>, token: Tok) -> Option<Value> {
        let Token::Made { site, callee } = *self.tokens.get(token) else { return None };
        if !self.is_err(callee) {
            return None;
        }
        Some(self.store.read(Addr::Arg(site, 0), frame.comp))
    }

    fn is_err(&self, callee: Tok) -> bool {
        matches!(*self.tokens.get(callee), Token::External(path)
            if matches!(self.symbols.text(path), "Err" | "std::result::Result::Err" | "Result::Err"))
    }

    /// Whether a token is an `Err`.
    pub(super) fn is_error(&self, token: Tok) -> bool {
        matches!(*self.tokens.get(token), Token::Made { callee, .. } if self.is_err(callee))
    }

    /// An `Err` of some values.
    pub(super) fn error_of(&mut self, frame: &mut Frame<'p>, inner: &Value, site: ExprId) -> Value {
        let place = self.site(frame, site);
        self.write(Addr::Arg(place, 0), inner);
        let callee = self.external("Err");
        callee.iter().map(|callee| self.tokens.intern(Token::Made { site: place, callee })).collect()
    }

    /// What a pattern takes out of a value.
    pub(super) fn unwrapped(&mut self, frame: &mut Frame<'p>, pattern: &str, value: &Value) -> Value {
        match pattern {
            "Err" => {
                let mut inner = Value::empty();
                for token in value.iter() {
                    if let Some(error) = self.error_inside(frame, token) {
                        inner.join(&error);
                    } else if token == Tok::UNKNOWN
                        || matches!(self.tokens.get(token), Token::Made { .. } | Token::Member { .. })
                    {
                        inner.insert(Tok::UNKNOWN);
                    }
                }
                inner
            }
            "Ok" | "Ready" => value.filter(|t| !self.is_error(t)),
            _ => value.filter(|t| t != Tok::NULL && !self.is_error(t)),
        }
    }

    /// `value?`: an `Err` is returned, converted to the declared error.
    pub(in crate::link::eval) fn propagate(&mut self, frame: &mut Frame<'p>, value: Value, site: ExprId) -> Value {
        if !value.iter().any(|t| self.is_error(t)) {
            return value;
        }
        let mut passed = Value::empty();
        for token in value.iter() {
            if let Some(inner) = self.error_inside(frame, token) {
                let converted = self.converted(frame, &inner, site);
                match converted {
                    Some(error) => passed.join(&self.error_of(frame, &error, site)),
                    None => passed.insert(token),
                };
            }
        }
        self.flush(frame);
        self.write(Addr::Return(frame.comp), &passed);
        value.filter(|t| !self.is_error(t))
    }

    /// An error as the function's declared error type, if a `From` of the program makes it.
    fn converted(&mut self, frame: &mut Frame<'p>, error: &Value, site: ExprId) -> Option<Value> {
        let returns = frame.ir.function(frame.func).returns?;
        let Type::Apply { args, .. } = &frame.ir.types[returns.index()] else { return None };
        let Type::Ref(e) = frame.ir.types[args.get(1)?.index()] else { return None };
        let items = self.type_items(frame.file, frame.func, e);
        let target = self.items_value(frame, &items);
        let Token::Class { class, .. } = *self.tokens.get(target.single()?) else { return None };
        let same = |t: Tok| matches!(*self.tokens.get(t), Token::Object { class: c, .. } | Token::Instance { class: c } | Token::Variant { class: c, .. } if Some(c) == target.single());
        if error.iter().any(same) {
            return None;
        }
        let from = self.symbols.find("from")?;
        let members = self.modules.impls.of_trait(class, from, |t| self.symbols.text(t.name) == "From");
        let found = self.member_values(frame, target.single()?, &members);
        let args = Args { positional: vec![error.clone()], ..Args::default() };
        let found = self.fitting_callees(frame, found, &args, false);
        if found.is_empty() || error.iter().all(|t| t == Tok::UNKNOWN) {
            return None;
        }
        let mut result = Value::empty();
        self.flush(frame);
        for callee in found.iter() {
            result.join(&self.call_token(frame, callee, &args, site, crate::link::component::Via::Implicit));
        }
        Some(result)
    }

    /// A method of an `Err`.
    pub(super) fn error_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        inner: &Value,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Value {
        let first = args.positional.first().cloned().unwrap_or_default();
        let with_error = Args { positional: vec![inner.clone()], ..Args::default() };
        match name {
            "err" | "unwrap_err" | "expect_err" | "into_err" => inner.clone(),
            "map_err" => {
                let mapped = self.apply(frame, &first, &with_error, site);
                self.error_of(frame, &mapped, site)
            }
            "or_else" | "unwrap_or_else" => self.apply(frame, &first, &with_error, site),
            "inspect_err" | "is_err_and" => {
                self.apply(frame, &first, &with_error, site);
                Value::of(base)
            }
            "map_or_else" => self.apply(frame, &first, &with_error, site),
            "map_or" | "unwrap_or" | "or" => first,
            "unwrap" | "expect" | "ok" | "unwrap_or_default" => Value::empty(),
            _ => Value::of(base),
        }
    }
}

impl<'p> Solver<'p> {
    /// `.await`: what the catalogue says happens then; else the value itself.
    pub(in crate::link::eval) fn rust_await(&mut self, frame: &mut Frame<'p>, value: Value, site: ExprId) -> Value {
        let name = self.symbols.intern("await");
        let mut result = Value::empty();
        for token in value.iter() {
            let outside =
                matches!(self.tokens.get(token), Token::Made { .. } | Token::Member { .. } | Token::Wrapped { .. });
            let awaited = self.tokens.intern(Token::Member { base: token, name });
            if outside && self.known(awaited).is_some() {
                self.flush(frame);
                result.join(&self.call_external(
                    frame,
                    awaited,
                    &Args::default(),
                    site,
                    crate::link::component::Via::Call,
                ));
            } else {
                result.insert(token);
            }
        }
        result
    }
}
