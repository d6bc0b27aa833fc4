//! Iteration: `for … of`, spread, destructuring, generators and objects that make their own iterators.

use super::super::Frame;
use crate::ir::*;
use crate::link::component::Via;
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// The method that makes an iterator.
    pub(super) const ITERATOR: &'static str = "[Symbol.iterator]";

    /// What iterating over one token gives.
    pub(in crate::link::eval) fn iterated(&mut self, frame: &mut Frame<'p>, token: Tok, site: ExprId) -> Value {
        match *self.tokens.get(token) {
            Token::Null | Token::Missing => Value::empty(),
            Token::Generator(comp) => self.store.read(Addr::Yield(comp), frame.comp),
            Token::Container { kind: ContainerKind::Map, .. } => {
                let (keys, values) = (self.map_keys(frame, token), self.map_values(frame, token));
                let pair = self.made_container(frame, site, 3, ContainerKind::Tuple);
                for (place, value) in [("0", keys), ("1", values)] {
                    let place = self.symbols.intern(place);
                    self.set_key(pair, place, &value);
                }
                Value::of(pair)
            }
            Token::Container { kind: ContainerKind::Dict, .. }
            | Token::Rest { kind: ContainerKind::Dict, .. }
            | Token::Object { .. }
            | Token::Instance { .. } => self.iterated_object(frame, token, site),
            Token::Container { .. } | Token::Rest { .. } => self.all_elements(frame, &Value::of(token)),
            _ if self.is_external(token) => {
                // Elements of something external: an attempt of a policy, an item of a stream.
                let name = self.symbols.intern("#item");
                self.member(token, name)
            }
            _ => Value::unknown(),
        }
    }

    fn iterated_object(&mut self, frame: &mut Frame<'p>, object: Tok, site: ExprId) -> Value {
        let mut iterators = Value::empty();
        let mut found = false;
        for name in [Self::ITERATOR, "[Symbol.asyncIterator]"] {
            let Some(makers) = self.symbol_method(frame, object, name, site) else { continue };
            found = true;
            for maker in makers.iter() {
                iterators.join(&self.call_token(frame, maker, &Args::default(), site, Via::Implicit));
            }
        }
        if !found {
            return self.of_declared_container(frame, object);
        }
        let mut result = Value::empty();
        for iterator in iterators.iter() {
            result.join(&self.driven(frame, iterator, site));
        }
        result
    }

    /// An object that is known by a declared type of elements (`Record<K, V>`).
    fn of_declared_container(&mut self, frame: &mut Frame<'p>, object: Tok) -> Value {
        let elements = self.store.read(Addr::Element(object), frame.comp);
        if elements.is_empty() { self.not_found() } else { elements }
    }

    /// What driving an iterator gives: its `next` is called.
    fn driven(&mut self, frame: &mut Frame<'p>, iterator: Tok, site: ExprId) -> Value {
        let is_object = match *self.tokens.get(iterator) {
            Token::Container { kind, .. } => kind == ContainerKind::Dict,
            Token::Object { .. } | Token::Instance { .. } => true,
            _ => false,
        };
        if !is_object {
            return self.iterated(frame, iterator, site);
        }
        let Some(next) = self.symbol_method(frame, iterator, "next", site) else { return Value::unknown() };
        let mut results = Value::empty();
        for next in next.iter() {
            results.join(&self.call_token(frame, next, &Args::default(), site, Via::Implicit));
        }
        let value = self.symbols.intern("value");
        let results = results.filter(|t| t != Tok::NULL);
        self.attribute(frame, &results, value, site).filter(|t| t != Tok::NULL)
    }

    /// `generator.name(…)`
    pub(super) fn generator_method(
        &mut self,
        frame: &mut Frame<'p>,
        generator: Tok,
        comp: CompId,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let elements = self.store.read(Addr::Yield(comp), frame.comp);
        Some(match name {
            "next" | "return" | "throw" => {
                self.write(Addr::Sent(comp), &Self::at(args, 0));
                let mut value = elements;
                value.join(&self.store.read(Addr::Return(comp), frame.comp));
                Value::of(self.made_object(frame, site, 1, &[("value", value), ("done", Value::unknown())]))
            }
            Self::ITERATOR | "[Symbol.asyncIterator]" => Value::of(generator),
            // Iterator helpers.
            _ => {
                let list = self.made_container(frame, site, 4, ContainerKind::List);
                self.write(Addr::Element(list), &elements);
                match name {
                    "take" | "drop" => Value::of(list),
                    _ => return self.array_method(frame, list, name, args, site),
                }
            }
        })
    }
}
