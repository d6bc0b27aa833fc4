//! Lists, tuples, dictionaries, objects: elements by constant key where there is one.

use super::builtins::{FACTORY, beside};
use super::{Args, Frame, Slot};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::{Addr, SPREAD};
use crate::link::symbols::Symbol;
use crate::link::token::*;
use rustc_hash::FxHashMap;

/// Builtin collections that classes extend.
const COLLECTIONS: &[&str] = &[
    "builtins.dict",
    "builtins.list",
    "builtins.set",
    "builtins.tuple",
    "collections.UserDict",
    "collections.UserList",
    "collections.OrderedDict",
    "collections.defaultdict",
    "collections.deque",
];

/// Elements that are told apart in one display; further ones are one.
pub(super) const LISTED: usize = 64;

/// Entries of a display, in order, by key.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) list: Vec<(Symbol, Value)>,
    index: FxHashMap<Symbol, usize>,
}

impl Fields {
    pub(super) fn put(&mut self, key: Symbol, value: Value) {
        let next = self.list.len();
        match *self.index.entry(key).or_insert(next) {
            at if at < next => self.list[at].1 = value,
            _ => self.list.push((key, value)),
        }
    }

    pub(super) fn add(&mut self, key: Symbol, value: Value) {
        match self.index.get(&key) {
            Some(&at) => {
                self.list[at].1.join(&value);
            }
            None => self.put(key, value),
        }
    }
}

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

    /// Whether this execution made the container itself, each time it runs: then it sees its own writes in order.
    fn is_own(&self, frame: &Frame<'p>, container: Tok) -> bool {
        matches!(*self.tokens.get(container), Token::Container { site, .. } if site.comp == frame.comp)
    }

    /// Replaces the element under a constant key.
    pub(super) fn put_key(&mut self, frame: &mut Frame<'p>, container: Tok, key: Symbol, value: &Value) {
        self.set_key(container, key, value);
        if self.is_own(frame, container) {
            frame.own.entry((container, key)).or_default().join(value);
            frame.env.set(Slot::Field(container, key), value.clone());
        }
    }

    /// The element under a constant key.
    pub(super) fn key_of(&mut self, frame: &Frame<'p>, container: Tok, key: Symbol) -> Value {
        let stored = self.store.read(Addr::Field(container, key), frame.comp);
        let mut value = self.in_order(frame, container, key, stored);
        // A switch that something unknown was spread over may be set or not.
        if self.is_switch(&value) && self.may_hold_more(frame, container) {
            value.insert(Tok::UNKNOWN);
        }
        value
    }

    /// Whether something unknown was spread into an object.
    pub(super) fn may_hold_more(&mut self, frame: &Frame<'p>, container: Tok) -> bool {
        let Some(mark) = self.symbols.find(SPREAD) else { return false };
        !self.store.read(Addr::Field(container, mark), frame.comp).is_empty()
    }

    /// What the store says under a key, without what this execution itself wrote there before or will write after.
    pub(super) fn in_order(&self, frame: &Frame<'p>, holder: Tok, key: Symbol, stored: Value) -> Value {
        let Some(own) = frame.own.get(&(holder, key)) else { return stored };
        match frame.env.get(Slot::Field(holder, key)) {
            Some(now) if now.is_empty() => stored,
            Some(now) => {
                let mut value = stored.filter(|t| !own.contains(t));
                value.join(now);
                value
            }
            None => stored.filter(|t| !own.contains(t)),
        }
    }

    /// How many elements a sequence has, if it was written out and nothing was added.
    pub(super) fn length(&mut self, frame: &Frame<'p>, sequence: Tok) -> Option<usize> {
        let listed = matches!(
            self.tokens.get(sequence),
            Token::Container { kind: ContainerKind::List | ContainerKind::Tuple, .. }
                | Token::Rest { kind: ContainerKind::Tuple, .. }
        );
        if !listed || !self.store.read(Addr::Element(sequence), frame.comp).is_empty() {
            return None;
        }
        let keys = self.store.read(Addr::Keys(sequence), frame.comp);
        if keys.contains(Tok::TOP) { None } else { Some(keys.len()) }
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
            if i < LISTED {
                let key = self.symbols.number(i);
                self.put_key(frame, token, key, value);
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

    pub(super) fn fill(&mut self, frame: &mut Frame<'p>, token: Tok, entries: &[Entry]) {
        if frame.is_javascript() {
            return self.fill_object(frame, token, entries);
        }
        // A later entry replaces an earlier one of the same key; a spread is replaced by what follows.
        let mut fields: Fields = Fields::default();
        let mut others = Value::empty();
        for entry in entries {
            match *entry {
                Entry::Pair(key, value) => {
                    let key = self.eval(frame, key);
                    let value = self.eval(frame, value);
                    match self.constant_key(frame, &key) {
                        Some(key) => fields.put(key, value),
                        None => {
                            others.join(&value);
                        }
                    }
                }
                Entry::Spread(e) => {
                    let spread = self.eval(frame, e);
                    let mut args = Args::default();
                    self.keyword_spread(frame, &spread, &mut args);
                    self.note_spread(token, &spread);
                    for (key, value) in args.keywords {
                        // With several possible sources the older value may stay.
                        if spread.len() > 1 {
                            fields.add(key, value);
                        } else {
                            fields.put(key, value);
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
                    if let Some(key) = self.constant_key(frame, &key) {
                        fields.put(key, value);
                    }
                }
            }
        }
        let fields = fields.list;
        let listed = fields.len() <= LISTED;
        for (key, value) in fields {
            if listed {
                self.put_key(frame, token, key, &value);
            } else {
                self.set_key(token, key, &value);
            }
        }
        self.write(Addr::Element(token), &others);
    }

    /// `Config { a: 1, ..base }`
    pub fn struct_literal(&mut self, frame: &mut Frame<'p>, id: ExprId, path: ExprId, entries: &[Entry]) -> Value {
        let rust = frame.ir.language == Language::Rust;
        let class = if rust { self.rust_path(frame, path) } else { self.eval(frame, path) };
        let site = self.site(frame, id);
        let mut result = Value::empty();
        let mut variant = None;
        for token in class.iter() {
            let object = match *self.tokens.get(token) {
                Token::Class { .. } => {
                    let object = self.tokens.intern(Token::Object { site, class: token });
                    if rust {
                        self.made(frame, object, token);
                    } else {
                        for base in self.class_order(frame, token).to_vec() {
                            self.write(Addr::Instances(base), &Value::of(object));
                        }
                    }
                    object
                }
                Token::Variant { class, name } => {
                    variant = Some(name);
                    let object = self.tokens.intern(Token::Object { site, class });
                    self.made(frame, object, class);
                    object
                }
                _ => self.tokens.intern(Token::Made { site, callee: token }),
            };
            if rust {
                self.made_by_site.insert(site, object);
            }
            result.insert(object);
        }
        let token = self.tokens.intern(Token::Container { site, kind: ContainerKind::Dict });
        self.fill(frame, token, entries);
        let keys = self.constant_keys(frame, token);
        for object in result.iter().collect::<Vec<_>>() {
            let made = matches!(self.tokens.get(object), Token::Made { .. });
            for &key in &keys {
                let value = self.store.read(Addr::Field(token, key), frame.comp);
                let key = match variant {
                    Some(variant) => {
                        let full = format!("{}.{}", self.symbols.text(variant), self.symbols.text(key));
                        self.symbols.intern(&full)
                    }
                    None => key,
                };
                if rust {
                    self.expect_field(frame, object, key, &value);
                    self.put_made(object, key, &value);
                } else {
                    self.write(Addr::Field(object, key), &value);
                }
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
    pub fn constant_key(&mut self, frame: &Frame<'p>, key: &Value) -> Option<Symbol> {
        self.key_symbol(frame, key.single()?)
    }

    fn key_symbol(&mut self, frame: &Frame<'p>, key: Tok) -> Option<Symbol> {
        match *self.tokens.get(key) {
            // Python tells `d["1"]` from `d[1]`.
            Token::Str(s) if frame.ir.language == Language::Python => {
                let text = self.symbols.text(s);
                if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
                    return Some(s);
                }
                let quoted = format!("'{text}");
                Some(self.symbols.intern(&quoted))
            }
            Token::Str(s) => Some(s),
            Token::Int(n) => Some(match usize::try_from(n) {
                Ok(n) => self.symbols.number(n),
                Err(_) => self.symbols.intern(&n.to_string()),
            }),
            Token::Bool(b) => Some(self.symbols.intern(if b { "true" } else { "false" })),
            _ => None,
        }
    }

    fn is_negative(&self, index: &Value) -> bool {
        index.single().is_some_and(|t| matches!(self.tokens.get(t), Token::Int(n) if *n < 0))
    }

    /// The key that a negative index means.
    fn from_end(&mut self, frame: &Frame<'p>, sequence: Tok, index: &Value) -> Option<Vec<Symbol>> {
        let Token::Int(n) = *self.tokens.get(index.single()?) else { return None };
        let back = usize::try_from(n.checked_neg()?).ok().filter(|&back| back > 0)?;
        let at = self.length(frame, sequence)?.checked_sub(back)?;
        Some(vec![self.symbols.number(at)])
    }

    /// `object[start:end]`
    pub fn slice(&mut self, frame: &mut Frame<'p>, id: ExprId, object: &Value, bounds: &[ExprId]) -> Value {
        let bounds: Vec<Value> = bounds.iter().map(|&b| self.eval(frame, b)).collect();
        let mut result = Value::empty();
        for token in object.iter() {
            match self.slice_of(frame, id, token, &bounds) {
                Some(slice) => result.join(&slice),
                None => result.insert(token),
            };
        }
        result
    }

    pub(super) fn slice_of(
        &mut self,
        frame: &mut Frame<'p>,
        id: ExprId,
        token: Tok,
        bounds: &[Value],
    ) -> Option<Value> {
        let kind = match *self.tokens.get(token) {
            Token::Container { kind, .. } | Token::Rest { kind, .. } => kind,
            _ => return None,
        };
        let length = self.length(frame, token)? as i64;
        let bound = |at: usize, default: i64| match bounds.get(at) {
            None => Some(default),
            Some(value) => match *self.tokens.get(value.single()?) {
                Token::Null => Some(default),
                Token::Int(n) => Some(if n < 0 { (length + n).max(0) } else { n.min(length) }),
                _ => None,
            },
        };
        let (start, end, step) = (bound(0, 0)?, bound(1, length)?, bound(2, 1)?);
        if step != 1 {
            return None;
        }
        let slice = self.tokens.intern(Token::Container { site: self.site(frame, id), kind });
        for (to, from) in (start..end).enumerate() {
            let from = self.symbols.number(from.max(0) as usize);
            let to = self.symbols.number(to);
            let value = self.key_of(frame, token, from);
            self.put_key(frame, slice, to, &value);
        }
        Some(Value::of(slice))
    }

    /// `object[index]`
    pub fn index(&mut self, frame: &mut Frame<'p>, object: &Value, index: &Value, site: ExprId) -> Value {
        if frame.is_javascript() {
            return self.element_of(frame, object, index, site);
        }
        let mut result = Value::empty();
        let keys: Option<Vec<Symbol>> = index.iter().map(|t| self.key_symbol(frame, t)).collect();
        let mut special = Value::empty();
        for token in object.iter() {
            match *self.tokens.get(token) {
                Token::Container { .. } | Token::Rest { .. } => {
                    let from_end = self.from_end(frame, token, index);
                    let keys = if from_end.is_some() || self.is_negative(index) { &from_end } else { &keys };
                    match keys {
                        Some(keys) if !keys.is_empty() => {
                            for &key in keys {
                                result.join(&self.key_of(frame, token, key));
                            }
                            result.join(&self.store.read(Addr::Element(token), frame.comp));
                        }
                        _ => {
                            result.join(&self.all_elements(frame, &Value::of(token)));
                        }
                    }
                    let made = self.default_element(frame, token, site);
                    result.join(&made);
                }
                Token::Object { .. } | Token::Instance { .. } => {
                    special.insert(token);
                }
                Token::Module(file) => {
                    // `globals()["name"]`
                    for &key in keys.iter().flatten() {
                        result.join(&self.module_attribute(frame, file, key));
                    }
                }
                Token::Member { base, name } if self.symbols.text(name) == "__dict__" => {
                    for &key in keys.iter().flatten() {
                        result.join(&self.attribute(frame, &Value::of(base), key, site));
                    }
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
            let found = if frame.ir.language == Language::Rust {
                let list = std::slice::from_ref(index);
                self.rust_operator(frame, "Index", "index", &special, list, site)
            } else {
                self.call_special(frame, &special, "__getitem__", args, site)
            };
            match found {
                Some(value) => {
                    result.join(&value);
                }
                None => {
                    for token in special.iter() {
                        result.join(&self.index_of_object(frame, token, index, keys.as_deref(), site));
                    }
                }
            }
        }
        if result.is_empty() && !object.is_empty() { self.not_found() } else { result }
    }

    /// `object[index]` where the class says nothing: a subclass of a builtin collection, or a named tuple.
    fn index_of_object(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        index: &Value,
        keys: Option<&[Symbol]>,
        site: ExprId,
    ) -> Value {
        let mut result = Value::empty();
        if let Some(&Token::Int(n)) = index.single().map(|t| self.tokens.get(t))
            && let Ok(position) = usize::try_from(n)
            && let Some(value) = self.tuple_field(frame, token, position)
        {
            return value;
        }
        if self.is_collection(token) {
            result.join(&self.store.read(Addr::Element(token), frame.comp));
        }
        match keys {
            Some(keys) => {
                for &key in keys {
                    if self.is_collection(token) {
                        result.join(&self.store.read(Addr::Field(token, key), frame.comp));
                    } else {
                        result.join(&self.attribute(frame, &Value::of(token), key, site));
                    }
                }
            }
            None => {
                result.join(&self.all_elements(frame, &Value::of(token)));
            }
        }
        result
    }

    /// Whether an object's class extends a builtin collection.
    pub(super) fn is_collection(&self, token: Tok) -> bool {
        let (Token::Object { class, .. } | Token::Instance { class }) = *self.tokens.get(token) else { return false };
        self.external_base(class).is_some_and(|base| self.is_path(base, COLLECTIONS))
    }

    /// A field of a named tuple by its position.
    pub(super) fn tuple_field(&mut self, frame: &mut Frame<'p>, token: Tok, position: usize) -> Option<Value> {
        let (Token::Object { class, .. } | Token::Instance { class }) = *self.tokens.get(token) else { return None };
        let base = self.external_base(class)?;
        if self.is_path(base, &["typing.NamedTuple"]) {
            let order = self.class_order(frame, class);
            let fields = order.iter().find_map(|&c| match *self.tokens.get(c) {
                Token::Class { class, .. } => Some((class.file, &self.class(class).fields)),
                _ => None,
            });
            let (file, fields) = fields?;
            let name = self.symbol(file, fields.get(position)?.name);
            return Some(self.attribute(frame, &Value::of(token), name, ExprId(u32::MAX)));
        }
        None
    }

    /// What a missing key of a `defaultdict` makes.
    fn default_element(&mut self, frame: &mut Frame<'p>, token: Tok, site: ExprId) -> Value {
        let Some(name) = self.symbols.find(FACTORY) else { return Value::empty() };
        let Token::Container { site: made, kind: ContainerKind::Dict } = *self.tokens.get(token) else {
            return Value::empty();
        };
        let factory = self.store.read(Addr::Field(token, name), frame.comp);
        let mut result = Value::empty();
        for callee in factory.iter() {
            let kind = match *self.tokens.get(callee) {
                Token::External(path) => match self.symbols.text(path) {
                    "builtins.list" | "collections.deque" => Some(ContainerKind::List),
                    "builtins.set" => Some(ContainerKind::Set),
                    "builtins.dict" | "collections.OrderedDict" => Some(ContainerKind::Dict),
                    _ => None,
                },
                _ => None,
            };
            match kind {
                Some(kind) => {
                    let site = Site { comp: made.comp, expr: beside(made.expr) };
                    result.insert(self.tokens.intern(Token::Container { site, kind }));
                }
                None if self.is_callable(callee) => {
                    let value = self.call_token(frame, callee, &Args::default(), site, Via::Implicit);
                    result.join(&value);
                }
                None => {}
            }
        }
        self.write(Addr::Element(token), &result);
        result
    }

    /// `object[index] = value`
    pub fn set_index(&mut self, frame: &mut Frame<'p>, object: &Value, index: &Value, value: &Value) {
        if frame.is_javascript() {
            return self.set_element(frame, object, index, value);
        }
        for token in object.iter() {
            match self.tokens.get(token) {
                Token::Container { .. } | Token::Rest { .. } => match self.constant_key(frame, index) {
                    Some(key) if object.len() == 1 => self.put_key(frame, token, key, value),
                    Some(key) => self.set_key(token, key, value),
                    None => {
                        self.write(Addr::Element(token), value);
                        self.write(Addr::Keys(token), index);
                    }
                },
                Token::Object { .. } => {
                    let args = Args { positional: vec![index.clone(), value.clone()], ..Args::default() };
                    let on = Value::of(token);
                    if self.call_special(frame, &on, "__setitem__", args, ExprId(u32::MAX)).is_some() {
                        continue;
                    }
                    match self.constant_key(frame, index) {
                        Some(key) => self.set_key(token, key, value),
                        None => {
                            self.write(Addr::Element(token), value);
                            self.write(Addr::Keys(token), index);
                        }
                    }
                }
                &Token::Member { base, name } if self.symbols.text(name) == "__dict__" => {
                    if let Some(key) = self.constant_key(frame, index) {
                        self.set_attribute(frame, &Value::of(base), key, value, None);
                    }
                }
                // `os.environ["N"] = "3"`, too.
                &(Token::Module(_) | Token::External(_)) => {
                    if let Some(key) = self.constant_key(frame, index) {
                        self.set_attribute(frame, &Value::of(token), key, value, None);
                    }
                }
                _ => {}
            }
        }
    }
}
