//! Elements of containers, and iteration.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// The element at a position of a sequence.
    pub fn element_at(&mut self, frame: &mut Frame<'p>, value: &Value, position: usize) -> Value {
        let key = self.symbols.number(position);
        let mut result = Value::empty();
        for token in value.iter() {
            if self.is_container(token) {
                result.join(&self.key_of(frame, token, key));
                result.join(&self.store.read(Addr::Element(token), frame.comp));
            } else if let Some(value) = self.tuple_field(frame, token, position) {
                result.join(&value);
            } else if let Token::Object { .. } | Token::Instance { .. } | Token::Generator(_) = self.tokens.get(token) {
                result.join(&self.iterate(frame, &Value::of(token), ExprId(u32::MAX)));
            } else if token != Tok::NULL {
                result.insert(Tok::UNKNOWN);
            }
        }
        result
    }

    /// Every element of some containers.
    pub fn all_elements(&mut self, frame: &mut Frame<'p>, value: &Value) -> Value {
        let mut result = Value::empty();
        for token in value.iter() {
            if self.is_container(token) || self.is_collection(token) {
                let keys = self.store.read(Addr::Keys(token), frame.comp);
                if keys.contains(Tok::TOP) {
                    result.insert(Tok::TOP);
                }
                for key in self.constant_keys(frame, token) {
                    result.join(&self.key_of(frame, token, key));
                }
                result.join(&self.store.read(Addr::Element(token), frame.comp));
            } else if token != Tok::NULL {
                result.insert(Tok::UNKNOWN);
            }
        }
        result
    }

    /// The keys of some dictionaries.
    pub fn keys_of(&mut self, frame: &mut Frame<'p>, value: &Value) -> Value {
        let mut result = Value::empty();
        for token in value.iter() {
            if self.is_container(token) || self.is_collection(token) {
                result.join(&self.store.read(Addr::Keys(token), frame.comp));
            } else {
                result.insert(Tok::UNKNOWN);
            }
        }
        result
    }

    /// The keys of an object that extends a dictionary.
    fn dictionary_keys(&mut self, frame: &Frame<'p>, token: Tok) -> Option<Value> {
        let (Token::Object { class, .. } | Token::Instance { class }) = *self.tokens.get(token) else { return None };
        let base = self.external_base(class)?;
        let Token::External(path) = *self.tokens.get(base) else { return None };
        if !self.symbols.text(path).to_lowercase().ends_with("dict") {
            return None;
        }
        Some(self.store.read(Addr::Keys(token), frame.comp))
    }

    /// What iterating over a value gives.
    pub fn iterate(&mut self, frame: &mut Frame<'p>, value: &Value, site: ExprId) -> Value {
        if frame.ir.language == Language::Rust {
            return self.rust_iterate(frame, value, site);
        }
        let mut result = Value::empty();
        for token in value.iter() {
            if frame.is_javascript() {
                result.join(&self.iterated(frame, token, site));
                continue;
            }
            match *self.tokens.get(token) {
                Token::Container { kind: ContainerKind::Dict, .. } | Token::Rest { kind: ContainerKind::Dict, .. }
                    if frame.ir.language == Language::Python =>
                {
                    result.join(&self.keys_of(frame, &Value::of(token)));
                }
                Token::Container { .. } | Token::Rest { .. } => {
                    result.join(&self.all_elements(frame, &Value::of(token)));
                }
                Token::Generator(comp) => {
                    result.join(&self.store.read(Addr::Yield(comp), frame.comp));
                }
                Token::Object { .. } | Token::Instance { .. } => {
                    let on = Value::of(token);
                    let mut iterator = Value::empty();
                    if self.is_collection(token) {
                        result.join(&self.all_elements(frame, &on));
                        if let Some(keys) = self.dictionary_keys(frame, token) {
                            result = keys;
                        }
                    }
                    for name in ["__iter__", "__aiter__", "iter", "into_iter"] {
                        if let Some(made) = self.call_special(frame, &on, name, Args::default(), site) {
                            iterator.join(&made);
                        }
                    }
                    if iterator.is_empty() {
                        iterator.insert(token);
                    }
                    for name in ["__next__", "__anext__", "next"] {
                        if let Some(value) = self.call_special(frame, &iterator, name, Args::default(), site) {
                            result.join(&value);
                        }
                    }
                    for made in iterator.iter().collect::<Vec<_>>() {
                        if made != token && !matches!(self.tokens.get(made), Token::Object { .. }) {
                            result.join(&self.iterate(frame, &Value::of(made), site));
                        }
                    }
                }
                Token::Null | Token::Missing => {}
                _ if self.is_external(token) => {
                    // Elements of something external: an attempt of a policy, an item of a stream.
                    let name = self.symbols.intern("#item");
                    result.join(&self.member(token, name));
                }
                _ => {
                    result.insert(Tok::UNKNOWN);
                }
            }
        }
        result
    }
}
