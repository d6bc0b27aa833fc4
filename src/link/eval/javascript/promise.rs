//! Promises. A promise is what it is fulfilled with, as `await` is the value itself; `then` hands that to
//! its callbacks, and functions that settle a promise write into it.

use super::super::Frame;
use crate::ir::*;
use crate::link::component::{Target, Via};
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// `promise.then(…)`, `.catch(…)`, `.finally(…)` where the promise is `base`.
    pub(super) fn promise_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Value {
        let first = Self::at(args, 0);
        let fulfilled = if base == Tok::MISSING { Value::of(Tok::NULL) } else { Value::of(base) };
        let none = Args::default();
        match name {
            "then" => {
                let mut result = match first.iter().any(|t| self.can_be_called(t)) {
                    true => self.call_back(frame, &first, &Self::with(vec![fulfilled]), site),
                    false if first.is_empty() && self.waits() && !args.positional.is_empty() => Value::empty(),
                    false if first.contains(Tok::UNKNOWN) => Value::unknown(),
                    false => fulfilled,
                };
                let failed = Self::with(vec![Value::unknown()]);
                result.join(&self.call_back(frame, &Self::at(args, 1), &failed, site));
                result
            }
            "catch" => {
                let mut result = fulfilled;
                if self.does_something(&first) {
                    let failed = Self::with(vec![Value::unknown()]);
                    let caught = self.call_back(frame, &first, &failed, site);
                    result.join(&caught.filter(|t| t != Tok::NULL));
                }
                result
            }
            _ => {
                self.call_back(frame, &first, &none, site);
                fulfilled
            }
        }
    }

    /// `await value`: what a library's object does when it is waited for (a request that is sent only then).
    pub(in crate::link::eval) fn awaited(&mut self, frame: &mut Frame<'p>, value: Value, site: ExprId) -> Value {
        if !value.iter().any(|t| matches!(self.tokens.get(t), Token::Made { .. })) {
            return value;
        }
        let then = self.symbols.intern("then");
        let mut result = Value::empty();
        for token in value.iter() {
            let method = self.tokens.intern(Token::Member { base: token, name: then });
            let sends = matches!(self.tokens.get(token), Token::Made { .. })
                && self.known(method).is_some_and(|k| k.callable.outbound.is_some());
            if sends {
                result.join(&self.call_external(frame, method, &Args::default(), site, Via::Call));
            } else {
                result.insert(token);
            }
        }
        result
    }

    /// `return request`, of something that is sent only when it is waited for: whoever calls the function waits.
    pub(in crate::link::eval) fn awaited_outside(&mut self, frame: &Frame<'p>, value: &Value, site: ExprId) {
        for token in value.iter() {
            if !matches!(self.tokens.get(token), Token::Made { .. }) {
                continue;
            }
            let name = self.symbols.intern("then");
            let then = self.tokens.intern(Token::Member { base: token, name });
            if self.known(then).is_some_and(|k| k.callable.outbound.is_some()) {
                let made = self.tokens.intern(Token::Made { site: self.site(frame, site), callee: then });
                self.record(frame.comp, site, then, Target::External(made), Via::Returned);
            }
        }
    }

    /// What functions return and their callers wait for is sent by the callers where there are any in the program.
    pub(in crate::link) fn settle_returned(&mut self) {
        for comp in &mut self.comps {
            if comp.called {
                comp.calls.retain(|call| call.via != Via::Returned);
            }
            for call in comp.calls.iter_mut().filter(|call| call.via == Via::Returned) {
                call.via = Via::Call;
            }
        }
    }

    /// Whether a handler is more than `() => {}`, which says that the failure is of no interest.
    fn does_something(&self, handlers: &Value) -> bool {
        handlers.iter().any(|t| match *self.tokens.get(t) {
            Token::Function { func, .. } => {
                let function = self.function(func);
                !self.files[func.file as usize].block(function.body).is_empty()
            }
            _ => true,
        })
    }

    /// `Promise.name(…)`
    pub(super) fn promise_function(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let first = Self::at(args, 0);
        let result = match name {
            "all" | "allSettled" => {
                let settled = name == "allSettled";
                let list = self.made_container(frame, site, 0, ContainerKind::List);
                for token in first.iter() {
                    if self.is_list(token) {
                        for key in self.constant_keys(frame, token) {
                            let value = self.key_of(frame, token, key);
                            let value = if settled { self.settled(frame, site, &value) } else { value };
                            self.set_key(list, key, &value);
                        }
                        let others = self.store.read(Addr::Element(token), frame.comp);
                        let others = if settled { self.settled(frame, site, &others) } else { others };
                        self.write(Addr::Element(list), &others);
                    } else {
                        let elements = self.iterated(frame, token, site);
                        let elements = if settled { self.settled(frame, site, &elements) } else { elements };
                        self.write(Addr::Element(list), &elements);
                    }
                }
                Value::of(list)
            }
            "race" | "any" => self.iterate(frame, &first, site),
            "resolve" => return Some(if args.positional.is_empty() { Value::of(Tok::NULL) } else { first }),
            "try" => {
                let mut passed = args.clone();
                if !passed.positional.is_empty() {
                    passed.positional.remove(0);
                }
                return Some(self.call_back(frame, &first, &passed, site));
            }
            "withResolvers" => {
                let place = self.site(frame, site);
                let made = self.tokens.intern(Token::Made { site: place, callee });
                let promise = self.fulfilled(frame, made);
                let (resolve, reject) = (self.settler(made, "#resolve"), self.settler(made, "#reject"));
                let fields = [("promise", promise), ("resolve", resolve), ("reject", reject)];
                return Some(Value::of(self.made_object(frame, site, 1, &fields)));
            }
            _ => return None,
        };
        // The catalogue says what else it does.
        self.call_external(frame, callee, args, site, Via::Call);
        Some(result)
    }

    fn settled(&mut self, frame: &Frame<'p>, site: ExprId, value: &Value) -> Value {
        if value.is_empty() {
            return Value::empty();
        }
        let fields = [("value", value.clone()), ("status", Value::unknown()), ("reason", Value::unknown())];
        Value::of(self.made_object(frame, site, 1, &fields))
    }

    /// `new Promise(executor)`: the executor is called at once with two functions.
    pub(super) fn new_promise(&mut self, frame: &mut Frame<'p>, callee: Tok, args: &Args, site: ExprId) -> Value {
        let place = self.site(frame, site);
        let made = self.tokens.intern(Token::Made { site: place, callee });
        let (resolve, reject) = (self.settler(made, "#resolve"), self.settler(made, "#reject"));
        let executor = Self::at(args, 0);
        for executor in executor.iter().filter(|&t| self.can_be_called(t)).collect::<Vec<_>>() {
            self.call_token(frame, executor, &Self::with(vec![resolve.clone(), reject.clone()]), site, Via::Handed);
        }
        self.fulfilled(frame, made)
    }

    fn settler(&mut self, promise: Tok, name: &str) -> Value {
        let name = self.symbols.intern(name);
        Value::of(self.tokens.intern(Token::Member { base: promise, name }))
    }

    fn fulfilled(&mut self, frame: &Frame<'p>, made: Tok) -> Value {
        let value = self.noted(frame, made, "#value");
        if value.is_empty() { Value::of(made) } else { value }
    }

    /// Calls a function that settles a promise.
    pub(super) fn settle(&mut self, promise: Tok, name: &str, args: &Args) -> Value {
        if name == "#resolve" {
            let value = if args.positional.is_empty() { Value::of(Tok::NULL) } else { Self::at(args, 0) };
            self.note(promise, "#value", &value);
        }
        Value::of(Tok::NULL)
    }
}
