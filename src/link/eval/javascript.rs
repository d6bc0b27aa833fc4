//! What is JavaScript's own about execution: prototypes and receivers, `new`, promises, iterators,
//! collections, emitters and decorators. Every other stage of an execution is shared by all languages.

mod array;
mod attr;
mod call;
mod collection;
mod construct;
mod decorate;
mod emitter;
mod function;
mod global;
mod iterate;
mod object;
mod promise;
mod types;

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

/// Objects are seen through so many prototypes.
const PROTOTYPES: usize = 12;

impl Frame<'_> {
    /// Whether JavaScript is being run.
    pub fn is_javascript(&self) -> bool {
        self.ir.language == Language::JavaScript
    }
}

impl<'p> Solver<'p> {
    /// One of several values that one expression makes.
    fn part_of(&self, frame: &Frame<'p>, site: ExprId, part: u32) -> Site {
        Site { comp: frame.comp, expr: site }.part(part)
    }

    /// A container made by a call, as its `part`.
    fn made_container(&mut self, frame: &Frame<'p>, site: ExprId, part: u32, kind: ContainerKind) -> Tok {
        let site = self.part_of(frame, site, part);
        self.tokens.intern(Token::Container { site, kind })
    }

    /// A list made by a call, with some elements.
    fn made_list(&mut self, frame: &Frame<'p>, site: ExprId, elements: &Value) -> Value {
        let list = self.made_container(frame, site, 0, ContainerKind::List);
        self.write(Addr::Element(list), elements);
        Value::of(list)
    }

    /// An object made by a call, with some fields.
    fn made_object(&mut self, frame: &Frame<'p>, site: ExprId, part: u32, fields: &[(&str, Value)]) -> Tok {
        let object = self.made_container(frame, site, part, ContainerKind::Dict);
        for (name, value) in fields {
            let name = self.symbols.intern(name);
            self.set_key(object, name, value);
        }
        object
    }

    /// Writes what only this module reads, beside the fields of the source.
    fn note(&mut self, on: Tok, name: &str, value: &Value) {
        let name = self.symbols.intern(name);
        self.write(Addr::Field(on, name), value);
    }

    /// Reads it.
    fn noted(&mut self, frame: &Frame<'p>, on: Tok, name: &str) -> Value {
        match self.symbols.find(name) {
            Some(name) => self.store.read(Addr::Field(on, name), frame.comp),
            None => {
                let name = self.symbols.intern(name);
                self.store.read(Addr::Field(on, name), frame.comp)
            }
        }
    }

    /// Calls what a callback may be, handed to a part of the language or to something outside.
    fn call_back(&mut self, frame: &mut Frame<'p>, callbacks: &Value, args: &Args, site: ExprId) -> Value {
        let mut result = Value::empty();
        for callback in callbacks.iter() {
            if self.can_be_called(callback) {
                result.join(&self.call_token(frame, callback, args, site, Via::Handed));
            }
        }
        result
    }

    fn can_be_called(&self, token: Tok) -> bool {
        self.is_callable(token)
            || matches!(self.tokens.get(token), Token::External(_) | Token::Member { .. } | Token::Made { .. })
    }

    /// The symbol under which a key is kept: texts and numbers by what they say, symbols by where they are made.
    fn key_name(&mut self, key: Tok) -> Option<Symbol> {
        match *self.tokens.get(key) {
            Token::Str(text) => Some(text),
            Token::Int(n) => Some(self.symbols.intern(&n.to_string())),
            Token::Bool(b) => Some(self.symbols.intern(if b { "true" } else { "false" })),
            Token::Null => Some(self.symbols.intern("null")),
            Token::External(path) => {
                let name = self.symbols.text(path).strip_prefix("globals:Symbol.")?;
                let name = format!("[Symbol.{name}]");
                Some(self.symbols.intern(&name))
            }
            Token::Made { callee, .. } => {
                let Token::External(path) = *self.tokens.get(callee) else { return None };
                if !self.symbols.text(path).starts_with("globals:Symbol") {
                    return None;
                }
                Some(self.symbols.intern(&format!("[symbol {}]", key.0)))
            }
            _ => None,
        }
    }

    /// The keys that a value names; none if one of them is not known.
    fn key_names(&mut self, keys: &Value) -> Option<Vec<Symbol>> {
        if keys.is_empty() {
            return None;
        }
        keys.iter().map(|key| self.key_name(key)).collect()
    }

    /// An argument by position.
    fn at(args: &Args, position: usize) -> Value {
        match args.positional.get(position) {
            Some(value) => value.clone(),
            None => args.rest.clone().unwrap_or_default(),
        }
    }

    /// Arguments by position, as a call with these.
    fn with(positional: Vec<Value>) -> Args {
        Args { positional, ..Args::default() }
    }
}
