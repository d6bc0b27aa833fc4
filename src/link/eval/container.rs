//! Lists, tuples, dictionaries, objects: elements by constant key where there is one.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Whether a token is a container of the program.
    pub fn is_container(&self, token: Tok) -> bool {
        matches!(self.tokens.get(token), Token::Container { .. } | Token::Rest { .. })
    }

    /// Writes an element under a constant key.
    pub fn set_key(&mut self, container: Tok, key: Symbol, value: &Value) {
        self.write(Addr::Field(container, key), value);
        let key = self.tokens.intern(Token::Str(key));
        self.write(Addr::Keys(container), &Value::of(key));
    }

    /// The constant keys of a container.
    pub fn constant_keys(&mut self, frame: &Frame<'p>, container: Tok) -> Vec<Symbol> {
        let keys = self.store.read(Addr::Keys(container), frame.comp);
        keys.iter().filter_map(|t| if let Token::Str(s) = self.tokens.get(t) { Some(*s) } else { None }).collect()
    }

    /// `[a, b]`, `(a, b)`, `{a, b}`
    pub fn sequence(&mut self, frame: &mut Frame<'p>, id: ExprId, kind: SeqKind, args: &[Arg]) -> Value {
        let kind = match kind {
            SeqKind::List => ContainerKind::List,
            SeqKind::Tuple => ContainerKind::Tuple,
            SeqKind::Set => ContainerKind::Set,
        };
        let site = self.site(frame, id);
        let token = self.tokens.intern(Token::Container { site, kind });
        let args = self.args(frame, args);
        for (i, value) in args.positional.iter().enumerate() {
            if i < 32 {
                let key = self.symbols.intern(&i.to_string());
                self.set_key(token, key, value);
            } else {
                self.write(Addr::Element(token), value);
            }
        }
        if let Some(rest) = &args.rest {
            self.write(Addr::Element(token), rest);
        }
        Value::of(token)
    }

    /// `{key: value}`
    pub fn dictionary(&mut self, frame: &mut Frame<'p>, id: ExprId, entries: &[Entry]) -> Value {
        let site = self.site(frame, id);
        let token = self.tokens.intern(Token::Container { site, kind: ContainerKind::Dict });
        self.fill(frame, token, entries);
        Value::of(token)
    }

    fn fill(&mut self, frame: &mut Frame<'p>, token: Tok, entries: &[Entry]) {
        // A later entry replaces an earlier one of the same key; a spread is replaced by what follows.
        let mut fields: Vec<(Symbol, Value)> = Vec::new();
        let mut others = Value::empty();
        for entry in entries {
            match *entry {
                Entry::Pair(key, value) => {
                    let key = self.eval(frame, key);
                    let value = self.eval(frame, value);
                    match self.constant_key(&key) {
                        Some(key) => {
                            fields.retain(|(k, _)| *k != key);
                            fields.push((key, value));
                        }
                        None => {
                            others.join(&value);
                        }
                    }
                }
                Entry::Spread(e) => {
                    let spread = self.eval(frame, e);
                    let mut args = Args::default();
                    self.keyword_spread(frame, &spread, &mut args);
                    for (key, value) in args.keywords {
                        // With several possible sources the older value may stay.
                        let old = fields.iter().position(|(k, _)| *k == key);
                        match old {
                            Some(at) if spread.len() > 1 => {
                                fields[at].1.join(&value);
                            }
                            Some(at) => fields[at].1 = value,
                            None => fields.push((key, value)),
                        }
                    }
                    if let Some(value) = args.other_keywords {
                        others.join(&value);
                    }
                }
                Entry::Getter(key, closure) => {
                    let key = self.eval(frame, key);
                    let getter = self.eval(frame, closure);
                    self.flush(frame);
                    let mut value = Value::empty();
                    for callee in getter.iter() {
                        let bound = self.tokens.intern(Token::Bound { func: callee, this: token });
                        value.join(&self.call_token(frame, bound, &Args::default(), closure, Via::Implicit));
                    }
                    if let Some(key) = self.constant_key(&key) {
                        fields.push((key, value));
                    }
                }
            }
        }
        for (key, value) in fields {
            self.set_key(token, key, &value);
        }
        self.write(Addr::Element(token), &others);
    }

    /// `Config { a: 1, ..base }`
    pub fn struct_literal(&mut self, frame: &mut Frame<'p>, id: ExprId, path: ExprId, entries: &[Entry]) -> Value {
        let class = self.eval(frame, path);
        let site = self.site(frame, id);
        let mut result = Value::empty();
        for token in class.iter() {
            let object = match *self.tokens.get(token) {
                Token::Class { .. } => {
                    let object = self.tokens.intern(Token::Object { site, class: token });
                    for base in self.class_order(frame, token).to_vec() {
                        self.write(Addr::Instances(base), &Value::of(object));
                    }
                    object
                }
                _ => self.tokens.intern(Token::Made { site, callee: token }),
            };
            result.insert(object);
        }
        let token = self.tokens.intern(Token::Container { site, kind: ContainerKind::Dict });
        self.fill(frame, token, entries);
        let keys = self.constant_keys(frame, token);
        for object in result.iter().collect::<Vec<_>>() {
            let made = matches!(self.tokens.get(object), Token::Made { .. });
            for &key in &keys {
                let value = self.store.read(Addr::Field(token, key), frame.comp);
                self.write(Addr::Field(object, key), &value);
                if made {
                    self.write(Addr::Keyword(site, key), &value);
                }
            }
            // `..base`: what the literal does not name comes from there.
            for entry in entries {
                if let Entry::Spread(e) = entry {
                    let base = self.eval(frame, *e);
                    self.copy_fields(frame, &base, object, &keys);
                }
            }
        }
        if result.is_empty() { Value::of(token) } else { result }
    }

    fn copy_fields(&mut self, frame: &mut Frame<'p>, from: &Value, to: Tok, but: &[Symbol]) {
        for token in from.iter() {
            let class = match *self.tokens.get(token) {
                Token::Object { class, .. } | Token::Instance { class } => class,
                _ => continue,
            };
            let Token::Class { class, .. } = *self.tokens.get(class) else { continue };
            for field in &self.class(class).fields {
                let name = self.symbol(class.file, field.name);
                if !but.contains(&name) {
                    let value = self.store.read(Addr::Field(token, name), frame.comp);
                    self.write(Addr::Field(to, name), &value);
                }
            }
        }
    }

    /// The key that a value names, if it is one constant.
    pub fn constant_key(&mut self, key: &Value) -> Option<Symbol> {
        let symbol = match *self.tokens.get(key.single()?) {
            Token::Str(s) => s,
            Token::Int(n) => self.symbols.intern(&n.to_string()),
            Token::Bool(b) => self.symbols.intern(if b { "true" } else { "false" }),
            _ => return None,
        };
        Some(symbol)
    }

    /// `object[index]`
    pub fn index(&mut self, frame: &mut Frame<'p>, object: &Value, index: &Value, site: ExprId) -> Value {
        let mut result = Value::empty();
        let keys: Option<Vec<Symbol>> = index
            .iter()
            .map(|t| match *self.tokens.get(t) {
                Token::Str(s) => Some(s),
                Token::Int(n) if n >= 0 => Some(self.symbols.intern(&n.to_string())),
                _ => None,
            })
            .collect();
        let mut special = Value::empty();
        for token in object.iter() {
            match self.tokens.get(token).clone() {
                Token::Container { .. } | Token::Rest { .. } => {
                    match &keys {
                        Some(keys) if !keys.is_empty() => {
                            for &key in keys {
                                let value = self.store.read(Addr::Field(token, key), frame.comp);
                                result.join(&value);
                            }
                            result.join(&self.store.read(Addr::Element(token), frame.comp));
                        }
                        _ => {
                            result.join(&self.all_elements(frame, &Value::of(token)));
                        }
                    }
                }
                Token::Object { .. } | Token::Instance { .. } => {
                    special.insert(token);
                }
                Token::Class { .. } => {
                    // `Generic[T]`
                    result.insert(token);
                }
                Token::External(_) => {
                    // A generic type, or an element of something external (`os.environ["X"]`).
                    let made = self.tokens.intern(Token::Made { site: self.site(frame, site), callee: token });
                    self.write(Addr::Arg(self.site(frame, site), 0), index);
                    result.insert(made);
                    result.insert(token);
                }
                Token::Null | Token::Missing => {}
                _ => {
                    result.insert(Tok::UNKNOWN);
                }
            }
        }
        if !special.is_empty() {
            let args = Args { positional: vec![index.clone()], ..Args::default() };
            match self.call_special(frame, &special, "__getitem__", args, site) {
                Some(value) => {
                    result.join(&value);
                }
                None => {
                    for key in keys.unwrap_or_default() {
                        result.join(&self.attribute(frame, &special, key, site));
                    }
                }
            }
        }
        if result.is_empty() && !object.is_empty() { self.not_found() } else { result }
    }

    /// `object[index] = value`
    pub fn set_index(&mut self, frame: &mut Frame<'p>, object: &Value, index: &Value, value: &Value) {
        for token in object.iter() {
            match self.tokens.get(token) {
                Token::Container { .. } | Token::Rest { .. } => match self.constant_key(index) {
                    Some(key) => self.set_key(token, key, value),
                    None => {
                        self.write(Addr::Element(token), value);
                        self.write(Addr::Keys(token), index);
                    }
                },
                Token::Object { .. } => {
                    let args = Args { positional: vec![index.clone(), value.clone()], ..Args::default() };
                    let on = Value::of(token);
                    if self.call_special(frame, &on, "__setitem__", args, ExprId(u32::MAX)).is_none()
                        && let Some(key) = self.constant_key(index)
                    {
                        self.write(Addr::Field(token, key), value);
                    }
                }
                _ => {}
            }
        }
    }

    /// The element at a position of a sequence.
    pub fn element_at(&mut self, frame: &mut Frame<'p>, value: &Value, position: usize) -> Value {
        let key = self.symbols.intern(&position.to_string());
        let mut result = Value::empty();
        for token in value.iter() {
            if self.is_container(token) {
                result.join(&self.store.read(Addr::Field(token, key), frame.comp));
                result.join(&self.store.read(Addr::Element(token), frame.comp));
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
            if self.is_container(token) {
                for key in self.constant_keys(frame, token) {
                    result.join(&self.store.read(Addr::Field(token, key), frame.comp));
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
            if self.is_container(token) {
                result.join(&self.store.read(Addr::Keys(token), frame.comp));
            } else {
                result.insert(Tok::UNKNOWN);
            }
        }
        result
    }

    /// What iterating over a value gives.
    pub fn iterate(&mut self, frame: &mut Frame<'p>, value: &Value, site: ExprId) -> Value {
        let mut result = Value::empty();
        for token in value.iter() {
            match self.tokens.get(token).clone() {
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

    /// A comprehension, evaluated inline.
    pub fn comprehension(
        &mut self,
        frame: &mut Frame<'p>,
        id: ExprId,
        kind: CompKind,
        clauses: &[CompClause],
        element: ExprId,
        key: Option<ExprId>,
    ) -> Value {
        for clause in clauses {
            let iterated = self.eval(frame, clause.iter);
            let elements = self.iterate(frame, &iterated, clause.iter);
            self.bind(frame, clause.target, &elements, None);
            for &condition in &clause.conditions {
                self.eval(frame, condition);
            }
        }
        let kind = match kind {
            CompKind::List | CompKind::Generator => ContainerKind::List,
            CompKind::Set => ContainerKind::Set,
            CompKind::Dict => ContainerKind::Dict,
        };
        let token = self.tokens.intern(Token::Container { site: self.site(frame, id), kind });
        if let Some(key) = key {
            let key = self.eval(frame, key);
            self.write(Addr::Keys(token), &key);
        }
        let value = self.eval(frame, element);
        self.write(Addr::Element(token), &value);
        Value::of(token)
    }

    /// A JSX element: the component is called by whoever renders it, handlers are handed to it.
    pub fn element(
        &mut self,
        frame: &mut Frame<'p>,
        id: ExprId,
        component: Option<ExprId>,
        attributes: &[Entry],
        children: &[ExprId],
    ) -> Value {
        let site = self.site(frame, id);
        let props = self.tokens.intern(Token::Container { site, kind: ContainerKind::Dict });
        self.fill(frame, props, attributes);
        for &child in children {
            let value = self.eval(frame, child);
            let key = self.symbols.intern("children");
            self.set_key(props, key, &value);
        }
        self.flush(frame);
        match component {
            Some(component) => {
                let callee = self.eval(frame, component);
                let args = Args { positional: vec![Value::of(props)], ..Args::default() };
                for token in callee.iter() {
                    self.call_token(frame, token, &args, id, Via::Call);
                }
            }
            None => {
                let handlers = self.all_elements(frame, &Value::of(props));
                let args = Args { positional: vec![handlers], ..Args::default() };
                self.hand_over(frame, &args, id);
            }
        }
        Value::unknown()
    }
}
