//! Objects: literals, elements by key, and what `Object` and `Reflect` do to them.

use super::super::Frame;
use super::super::container::{Fields, LISTED};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::{Addr, SPREAD};
use crate::link::symbols::Symbol;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Fills an object with the entries of a literal.
    pub(in crate::link::eval) fn fill_object(&mut self, frame: &mut Frame<'p>, object: Tok, entries: &[Entry]) {
        // A later entry replaces an earlier one of the same key.
        let mut fields = Fields::default();
        for entry in entries {
            match *entry {
                Entry::Pair(key, value) => {
                    let key = self.eval(frame, key);
                    let value = self.eval(frame, value);
                    let plain = |s: &Self, key: &[Symbol]| match *key {
                        [key] if !s.symbols.text(key).starts_with("set ") => Some(key),
                        _ => None,
                    };
                    match self.key_names(&key).and_then(|keys| plain(self, &keys)) {
                        Some(key) => fields.put(key, value),
                        None => self.put_element(frame, object, &key, &value),
                    }
                }
                Entry::Spread(e) => {
                    let from = self.eval(frame, e);
                    self.note_spread(object, &from);
                    for (key, value) in self.own_properties(frame, &from, object) {
                        // Of several sources one may not have what the others have.
                        if from.len() > 1 { fields.add(key, value) } else { fields.put(key, value) }
                    }
                }
                Entry::Getter(key, closure) => {
                    let key = self.eval(frame, key);
                    let getter = self.eval(frame, closure);
                    for key in self.key_names(&key).unwrap_or_default() {
                        self.put_accessor(object, "get", key, &getter);
                    }
                }
            }
        }
        let listed = fields.list.len() <= LISTED;
        for (key, value) in fields.list {
            if listed {
                self.put_key(frame, object, key, &value);
            } else {
                self.set_key(object, key, &value);
            }
        }
    }

    /// Something was spread over an object of which nobody knows what it holds.
    pub(in crate::link::eval) fn note_spread(&mut self, object: Tok, from: &Value) {
        let known = |t: Tok| {
            self.is_container(t) || self.tokens.is_constant(t) || matches!(self.tokens.get(t), Token::Object { .. })
        };
        let unknown = if from.is_empty() { !self.waits() } else { !from.iter().all(known) };
        if unknown {
            let mark = self.symbols.intern(SPREAD);
            self.write(Addr::Field(object, mark), &Value::unknown());
        }
    }

    /// Writes an element under a key that may be known.
    pub(super) fn put_element(&mut self, frame: &mut Frame<'p>, object: Tok, key: &Value, value: &Value) {
        if key.is_empty() && self.waits() {
            return;
        }
        match self.key_names(key) {
            Some(keys) => match keys.as_slice() {
                &[key] if self.symbols.text(key).starts_with("set ") => {
                    let name = self.symbols.text(key)["set ".len()..].to_string();
                    let name = self.symbols.intern(&name);
                    self.put_accessor(object, "set", name, value);
                }
                &[key] => self.put_key(frame, object, key, value),
                keys => keys.iter().for_each(|&key| self.set_key(object, key, value)),
            },
            None => {
                self.write(Addr::Element(object), value);
                self.write(Addr::Keys(object), &Value::unknown());
            }
        }
    }

    /// Copies what an object has itself (`Object.assign`).
    pub(super) fn copy_properties(&mut self, frame: &mut Frame<'p>, from: &Value, to: Tok) {
        if matches!(self.tokens.get(to), Token::Container { .. } | Token::Object { .. } | Token::Instance { .. }) {
            self.note_spread(to, from);
        }
        for (key, value) in self.own_properties(frame, from, to) {
            match self.is_container(to) {
                true if from.len() == 1 => self.put_key(frame, to, key, &value),
                true => self.set_key(to, key, &value),
                false => self.set_property(frame, to, key, &value, ExprId(u32::MAX)),
            }
        }
    }

    /// What some objects have themselves under keys that are known; the rest is copied to `to` at once.
    fn own_properties(&mut self, frame: &mut Frame<'p>, from: &Value, to: Tok) -> Vec<(Symbol, Value)> {
        let mut found = Vec::new();
        for source in from.iter() {
            match *self.tokens.get(source) {
                Token::Container { .. } | Token::Rest { .. } => {
                    for key in self.constant_keys(frame, source) {
                        let value = self.key_of(frame, source, key);
                        if !value.is_empty() {
                            found.push((key, value));
                        }
                    }
                    let others = self.store.read(Addr::Element(source), frame.comp);
                    self.write(Addr::Element(to), &others);
                    self.copy_accessors(frame, source, to);
                }
                Token::Object { class, .. } => {
                    let order = self.class_order(frame, class);
                    for &class in order.iter() {
                        let Token::Class { class, .. } = *self.tokens.get(class) else { continue };
                        for field in &self.class(class).fields {
                            let name = self.symbol(class.file, field.name);
                            let value = self.store.read(Addr::Field(source, name), frame.comp);
                            if !value.is_empty() {
                                found.push((name, value));
                            }
                        }
                    }
                }
                Token::Module(file) => {
                    for name in self.exported_names(file) {
                        let value = self.module_attribute(frame, file, name);
                        found.push((name, value));
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Accessors are read while they are copied; keeping them says the same.
    fn copy_accessors(&mut self, frame: &mut Frame<'p>, from: Tok, to: Tok) {
        if self.accessors.is_empty() {
            return;
        }
        let names: Vec<Symbol> = self.accessors_of(frame, from);
        for name in names {
            for kind in ["get", "set"] {
                let accessor = self.accessor(kind, name);
                let value = self.store.read(Addr::Field(from, accessor), frame.comp);
                self.write(Addr::Field(to, accessor), &value);
            }
        }
    }

    /// Names under which an object has accessors.
    fn accessors_of(&mut self, frame: &Frame<'p>, object: Tok) -> Vec<Symbol> {
        let names = self.noted(frame, object, "#accessors");
        names.iter().filter_map(|t| if let Token::Str(s) = *self.tokens.get(t) { Some(s) } else { None }).collect()
    }

    /// Notes an accessor of an object.
    fn put_accessor(&mut self, object: Tok, kind: &str, key: Symbol, function: &Value) {
        let accessor = self.accessor(kind, key);
        self.write(Addr::Field(object, accessor), function);
        let key = self.tokens.intern(Token::Str(key));
        self.note(object, "#accessors", &Value::of(key));
        if self.is_container(object) {
            self.write(Addr::Keys(object), &Value::of(key));
        }
    }

    fn exported_names(&self, file: u32) -> Vec<Symbol> {
        let ir = &self.files[file as usize];
        let mut names = Vec::new();
        for stmt in &ir.stmts {
            if let Stmt::Export(Export::Name(name, _) | Export::From(name, ..)) = stmt {
                names.push(self.symbol(file, *name));
            }
        }
        names
    }

    /// `object[key]`
    pub(in crate::link::eval) fn element_of(
        &mut self,
        frame: &mut Frame<'p>,
        object: &Value,
        key: &Value,
        site: ExprId,
    ) -> Value {
        if key.is_empty() && self.waits() {
            return Value::empty();
        }
        let keys = self.key_names(key);
        let mut result = Value::empty();
        let mut missing = false;
        for token in object.iter() {
            match (&keys, *self.tokens.get(token)) {
                (_, Token::Null | Token::Missing) => {}
                (_, Token::Unknown | Token::Top) => {
                    result.insert(Tok::UNKNOWN);
                }
                (Some(keys), _) => {
                    for &key in keys {
                        let value = self.keyed(frame, token, key, site);
                        missing |= value.is_empty();
                        result.join(&value);
                    }
                }
                (None, Token::Container { .. } | Token::Rest { .. }) => {
                    let value = self.all_elements(frame, &Value::of(token));
                    missing |= value.is_empty();
                    result.join(&self.bound_to(frame, value, token, site));
                    result.join(&self.read_getters(frame, token, site));
                }
                (None, Token::Module(file)) => {
                    for name in self.exported_names(file) {
                        result.join(&self.module_attribute(frame, file, name));
                    }
                }
                (None, Token::Object { class, .. }) => {
                    let value = self.any_member(frame, token, class, site);
                    missing |= value.is_empty();
                    result.join(&value);
                }
                (None, _) if self.is_external(token) => {
                    let name = self.symbols.intern("#item");
                    result.join(&self.member(token, name));
                }
                _ => {
                    result.insert(Tok::UNKNOWN);
                }
            }
        }
        if missing && result.is_empty() && !self.waits() {
            result.insert(Tok::NULL);
        }
        result
    }

    fn keyed(&mut self, frame: &mut Frame<'p>, token: Tok, key: Symbol, site: ExprId) -> Value {
        match *self.tokens.get(token) {
            Token::Container { .. } | Token::Rest { .. } => {
                let mut value = self.look_up(frame, token, key, token, site, 0).unwrap_or_default();
                let others = self.store.read(Addr::Element(token), frame.comp);
                value.join(&self.bound_to(frame, others, token, site));
                value
            }
            _ if self.is_external(token) && self.symbols.text(key).bytes().all(|b| b.is_ascii_digit()) => {
                let name = self.symbols.intern("#item");
                self.member(token, name)
            }
            _ => self.property(frame, token, key, site),
        }
    }

    fn read_getters(&mut self, frame: &mut Frame<'p>, token: Tok, site: ExprId) -> Value {
        let mut result = Value::empty();
        for name in self.accessors_of(frame, token) {
            let getter = self.accessor("get", name);
            for getter in self.store.read(Addr::Field(token, getter), frame.comp).iter() {
                let bound = self.tokens.intern(Token::Bound { func: getter, this: token });
                result.join(&self.call_token(frame, bound, &Args::default(), site, Via::Implicit));
            }
        }
        result
    }

    /// Any method or field of an object: its key is not known.
    fn any_member(&mut self, frame: &mut Frame<'p>, object: Tok, class: Tok, site: ExprId) -> Value {
        let mut value = self.store.read(Addr::Element(object), frame.comp);
        let order = self.class_order(frame, class);
        let mut names = Vec::new();
        for &class in order.iter() {
            let Token::Class { class, .. } = *self.tokens.get(class) else { continue };
            let declared = self.class(class);
            for &(name, function) in &declared.methods {
                let function = self.files[class.file as usize].function(function);
                let name = self.symbol(class.file, name);
                let plain = function.binding == Binding::Instance && self.symbols.text(name) != "constructor";
                if plain && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        for name in names {
            value.join(&self.look_up(frame, object, name, object, site, 0).unwrap_or_default());
        }
        value
    }

    /// `object[key] = value`
    pub(in crate::link::eval) fn set_element(
        &mut self,
        frame: &mut Frame<'p>,
        object: &Value,
        key: &Value,
        value: &Value,
    ) {
        if key.is_empty() && self.waits() {
            return;
        }
        let keys = self.key_names(key);
        for token in object.iter() {
            match (&keys, self.tokens.get(token)) {
                (_, Token::Unknown | Token::Top | Token::Null | Token::Missing) => {}
                (Some(keys), Token::Container { .. } | Token::Rest { .. }) if keys.len() > 1 => {
                    keys.iter().for_each(|&key| self.set_key(token, key, value));
                }
                (Some(keys), _) => {
                    keys.iter().for_each(|&key| self.set_property(frame, token, key, value, ExprId(u32::MAX)));
                }
                (None, _) => {
                    self.write(Addr::Element(token), value);
                    self.write(Addr::Keys(token), &Value::unknown());
                }
            }
        }
    }

    /// `Object.name(…)`
    pub(super) fn object_function(
        &mut self,
        frame: &mut Frame<'p>,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let first = Self::at(args, 0);
        Some(match name {
            "freeze" | "seal" | "preventExtensions" => first,
            "keys" | "getOwnPropertyNames" => {
                let keys = self.keys_of(frame, &first).filter(|t| t != Tok::UNKNOWN);
                let keys = if keys.is_empty() { Value::unknown() } else { keys };
                self.made_list(frame, site, &keys)
            }
            "values" => {
                let values = self.element_of(frame, &first, &Value::unknown(), site);
                self.made_list(frame, site, &values)
            }
            "entries" => {
                let keys = self.keys_of(frame, &first);
                let values = self.element_of(frame, &first, &Value::unknown(), site);
                self.made_pairs(frame, site, &keys, &values)
            }
            "fromEntries" => {
                let object = self.made_container(frame, site, 1, ContainerKind::Dict);
                let pairs = self.iterate(frame, &first, site);
                for pair in pairs.iter() {
                    let key = self.element_at(frame, &Value::of(pair), 0);
                    let value = self.element_at(frame, &Value::of(pair), 1);
                    self.put_element(frame, object, &key, &value);
                }
                Value::of(object)
            }
            "assign" => {
                for target in first.iter() {
                    for source in args.positional.iter().skip(1).chain(&args.rest) {
                        self.copy_properties(frame, source, target);
                    }
                }
                first
            }
            "create" => {
                let object = self.made_container(frame, site, 1, ContainerKind::Dict);
                self.note(object, "#proto", &first.filter(|t| t != Tok::NULL && t != Tok::UNKNOWN));
                self.define_properties(frame, &Value::of(object), &Self::at(args, 1));
                Value::of(object)
            }
            "defineProperty" => {
                let key = Self::at(args, 1);
                self.define_property(frame, &first, &key, &Self::at(args, 2));
                first
            }
            "defineProperties" => {
                self.define_properties(frame, &first, &Self::at(args, 1));
                first
            }
            "setPrototypeOf" => {
                let prototype = Self::at(args, 1);
                for token in first.iter() {
                    self.note(token, "#proto", &prototype.filter(|t| t != Tok::NULL && t != Tok::UNKNOWN));
                }
                first
            }
            "getPrototypeOf" => {
                let mut result = Value::empty();
                for token in first.iter() {
                    match *self.tokens.get(token) {
                        Token::Object { class, .. } | Token::Instance { class } => {
                            result.insert(self.prototype(class));
                        }
                        Token::Class { .. } => {
                            let order = self.class_order(frame, token);
                            result.insert(order.get(1).copied().unwrap_or(Tok::UNKNOWN));
                        }
                        _ => {
                            result.join(&self.noted(frame, token, "#proto"));
                        }
                    }
                }
                if result.is_empty() { Value::unknown() } else { result }
            }
            "is" | "hasOwn" | "isFrozen" | "getOwnPropertyDescriptor" => Value::unknown(),
            _ => return None,
        })
    }

    fn define_properties(&mut self, frame: &mut Frame<'p>, on: &Value, descriptors: &Value) {
        for token in descriptors.iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
            for key in self.constant_keys(frame, token) {
                let descriptor = self.key_of(frame, token, key);
                let key = Value::of(self.tokens.intern(Token::Str(key)));
                self.define_property(frame, on, &key, &descriptor);
            }
        }
    }

    fn define_property(&mut self, frame: &mut Frame<'p>, on: &Value, key: &Value, descriptor: &Value) {
        let Some(keys) = self.key_names(key) else { return };
        for token in descriptor.iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
            for kind in ["value", "get", "set"] {
                let part = self.symbols.intern(kind);
                let value = self.key_of(frame, token, part);
                if value.is_empty() {
                    continue;
                }
                for &key in &keys {
                    for target in on.iter() {
                        match kind {
                            "value" => self.write(Addr::Field(target, key), &value),
                            _ => self.put_accessor(target, kind, key, &value),
                        }
                    }
                }
            }
        }
    }

    /// `Reflect.name(…)`
    pub(super) fn reflect_function(
        &mut self,
        frame: &mut Frame<'p>,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let first = Self::at(args, 0);
        let second = Self::at(args, 1);
        Some(match name {
            "get" => self.element_of(frame, &first, &second, site),
            "set" => {
                self.set_element(frame, &first, &second, &Self::at(args, 2));
                Value::of(Tok::TRUE)
            }
            "apply" => {
                let list = Self::at(args, 2);
                let passed = self.spread_list(frame, &list, site);
                self.call_with_receiver(frame, &first, &second, &passed, site)
            }
            "construct" => {
                let passed = self.spread_list(frame, &second, site);
                let mut result = Value::empty();
                for token in first.iter() {
                    result.join(&self.construct(frame, token, &passed, site));
                }
                result
            }
            "ownKeys" => return self.object_function(frame, "keys", args, site),
            "getPrototypeOf" | "setPrototypeOf" | "defineProperty" => {
                return self.object_function(frame, name, args, site);
            }
            "has" | "deleteProperty" => Value::unknown(),
            _ => return None,
        })
    }
}
