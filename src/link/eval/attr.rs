//! Attributes: fields of objects, class attributes along the class order, modules, externals.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// `object.name`
    pub fn attribute(&mut self, frame: &mut Frame<'p>, object: &Value, name: Symbol, site: ExprId) -> Value {
        let mut result = Value::empty();
        for token in object.iter() {
            if frame.is_javascript() {
                result.join(&self.property(frame, token, name, site));
            } else {
                result.join(&self.attribute_of(frame, token, name, site));
            }
        }
        result
    }

    fn attribute_of(&mut self, frame: &mut Frame<'p>, token: Tok, name: Symbol, site: ExprId) -> Value {
        match *self.tokens.get(token) {
            Token::Unknown | Token::Top => Value::unknown(),
            Token::Null | Token::Missing => Value::empty(),
            Token::Module(file) if self.files[file as usize].language == Language::Rust => {
                self.method_of(frame, token, name, site, 0)
            }
            Token::Module(file) => self.module_attribute(frame, file, name),
            Token::Inline(_) => self.method_of(frame, token, name, site, 0),
            Token::Variant { .. } => Value::unknown(),
            Token::Package(folder) => {
                let folder = self.symbols.text(folder).to_string();
                let text = self.symbols.text(name).to_string();
                match self.modules.submodule(frame.ir.language, &folder, &text) {
                    Some(resolved) => self.module_value(resolved),
                    None => Value::unknown(),
                }
            }
            Token::External(path) => {
                let text = self.join_path(path, name);
                let mut value = self.external(&text);
                value.join(&self.store.read(Addr::Field(token, name), frame.comp));
                value
            }
            Token::Wrapped { inner, .. } if self.symbols.text(name) == "__wrapped__" => Value::of(inner),
            Token::Made { .. } | Token::Member { .. } | Token::Wrapped { .. } | Token::Partial { .. } => {
                if let Some(value) = self.function_attribute(frame, token, name) {
                    return value;
                }
                let written = self.store.read(Addr::Field(token, name), frame.comp);
                if !written.is_empty() {
                    return written;
                }
                self.member(token, name)
            }
            Token::Class { .. } => {
                let order = self.class_order(frame, token);
                for class in order.iter().copied() {
                    if let Some(value) = self.own_attribute(frame, class, name) {
                        return self.from_class(value, token);
                    }
                    if matches!(self.tokens.get(class), Token::External(_)) {
                        return self.attribute_of(frame, class, name, site);
                    }
                }
                let value = self.store.read(Addr::Field(token, name), frame.comp);
                if !value.is_empty() {
                    return value;
                }
                self.metaclass_attribute(frame, token, name, site).unwrap_or_else(|| match self.symbols.text(name) {
                    "__new__" | "__call__" | "__init_subclass__" | "mro" | "__subclasses__" => self.member(token, name),
                    _ => self.not_found(),
                })
            }
            Token::Object { class, .. } | Token::Instance { class } => {
                self.instance_attribute(frame, token, class, name, site)
            }
            Token::Super { class, this } => match self.after_class(frame, class, this, name) {
                Some(value) => self.bind_method(frame, value, this, site),
                None => {
                    // The next class is external: its methods act on the receiver's settings.
                    self.member(this, name)
                }
            },
            Token::Container { .. } | Token::Rest { .. } => {
                let mut value = self.store.read(Addr::Field(token, name), frame.comp);
                if value.is_empty() {
                    return self.member(token, name);
                }
                value = self.bind_method(frame, value, token, site);
                value
            }
            Token::Function { .. } | Token::Bound { .. } => {
                if let Some(value) = self.function_attribute(frame, token, name) {
                    return value;
                }
                let value = self.store.read(Addr::Field(token, name), frame.comp);
                if value.is_empty() { self.member(token, name) } else { value }
            }
            Token::Str(_) if self.symbols.text(name) == "value" => Value::of(token),
            Token::Combined { site } => {
                let members = self.members_of_all(site, name);
                if members.is_empty() { self.member(token, name) } else { members }
            }
            Token::Generator(_) | Token::Str(_) => self.member(token, name),
            // A member of an enumeration is its value.
            Token::Bool(_) | Token::Int(_) | Token::Float(_) if self.symbols.text(name) == "value" => Value::of(token),
            Token::Bool(_) | Token::Int(_) | Token::Float(_) => Value::unknown(),
        }
    }

    /// Attributes that functions have by nature.
    fn function_attribute(&mut self, frame: &Frame<'p>, token: Tok, name: Symbol) -> Option<Value> {
        let text = self.symbols.text(name);
        if !text.starts_with("__") && !matches!(text, "func" | "args" | "keywords") {
            return None;
        }
        match (*self.tokens.get(token), text) {
            (Token::Bound { func, .. }, "__func__") => Some(Value::of(func)),
            (Token::Bound { this, .. }, "__self__") => Some(Value::of(this)),
            (Token::Partial { func, .. }, "func") => Some(Value::of(func)),
            (Token::Wrapped { by, inner, .. }, "__wrapped__") => {
                // `functools.wraps(f)` was given the function; a wrapper from outside holds it.
                if let Token::Made { site, callee } = *self.tokens.get(by)
                    && self.is_path(callee, &["functools.wraps"])
                {
                    return Some(self.store.read(Addr::Arg(site, 0), frame.comp));
                }
                Some(Value::of(inner))
            }
            _ => None,
        }
    }

    /// An attribute that a class has from its metaclass.
    fn metaclass_attribute(&mut self, frame: &mut Frame<'p>, class: Tok, name: Symbol, site: ExprId) -> Option<Value> {
        let meta = self.metaclass(frame, class)?;
        let order = self.class_order(frame, meta);
        let value = order.iter().find_map(|&c| self.own_attribute(frame, c, name))?;
        Some(self.bind_method(frame, value, class, site))
    }

    /// An attribute of something whose attributes are not tracked.
    pub fn member(&mut self, base: Tok, name: Symbol) -> Value {
        let mut depth = 0;
        let mut at = base;
        while let Token::Member { base, .. } = *self.tokens.get(at) {
            at = base;
            depth += 1;
        }
        if depth > 8 {
            return Value::unknown();
        }
        Value::of(self.tokens.intern(Token::Member { base, name }))
    }

    /// An attribute of objects that an operator made one pipeline of: what is called on that is called on each.
    fn members_of_all(&mut self, site: Site, name: Symbol) -> Value {
        let mut operands = Vec::new();
        let mut pending = vec![site];
        let mut one = false;
        while let Some(site) = pending.pop() {
            for i in [1, 0] {
                let Some(value) = self.store.get(Addr::Arg(site, i)) else { continue };
                for token in value.iter() {
                    match *self.tokens.get(token) {
                        Token::Combined { site } if operands.len() + pending.len() < 64 => pending.push(site),
                        _ => operands.push(token),
                    }
                }
            }
        }
        let mut members = Value::empty();
        for operand in operands {
            let Some((_, class)) = self.known_class(operand) else { continue };
            let path = class.path.first().map_or("", String::as_str);
            one |= self.catalogue.bases(path).any(|(_, base)| {
                let path = base.path.first().map_or("", String::as_str);
                self.catalogue.operators(path).any(|o| o.values().any(|rule| rule.contains_key("object")))
            });
            let member = self.tokens.intern(Token::Member { base: operand, name });
            if self.known(member).is_some_and(|k| k.callable.outbound.is_some() || k.callable.layer.is_some()) {
                members.insert(member);
            }
        }
        if one { members } else { Value::empty() }
    }

    fn join_path(&self, path: Symbol, name: Symbol) -> String {
        let path = self.symbols.text(path);
        let name = self.symbols.text(name);
        match path {
            _ if path.contains("::") => format!("{path}::{name}"),
            _ if path.ends_with(':') => format!("{path}{name}"),
            _ => format!("{path}.{name}"),
        }
    }

    /// What is not there: it may come, or nothing is known about it.
    pub(super) fn not_found(&self) -> Value {
        if self.waits() { Value::empty() } else { Value::unknown() }
    }

    /// An attribute that the class itself defines.
    pub fn own_attribute(&mut self, frame: &mut Frame<'p>, class: Tok, name: Symbol) -> Option<Value> {
        let (file, body, comp) = self.body_of(class)?;
        let replaced = self.store.read(Addr::Field(class, name), frame.comp);
        let replaced = self.in_order(frame, class, name, replaced);
        if replaced.iter().any(|t| self.is_callable(t)) {
            return Some(replaced);
        }
        let var = self.index[file as usize].scopes.get(&body).and_then(|scope| scope.get(&name).copied());
        let mut value = match var {
            Some(var) => self.store.read(Addr::Var(comp, var), frame.comp),
            None => Value::empty(),
        };
        value.join(&replaced);
        if value.is_empty() { None } else { Some(value) }
    }

    /// Whether a class of the program has an attribute of that name.
    fn declares(&self, class: Tok, name: Symbol) -> bool {
        let Token::Class { class, .. } = *self.tokens.get(class) else { return false };
        let body = self.class(class).body;
        self.index[class.file as usize].scopes.get(&body).is_some_and(|scope| scope.contains_key(&name))
    }

    /// What a class attribute is when read from the class: class methods are bound.
    fn from_class(&mut self, value: Value, class: Tok) -> Value {
        let mut result = Value::empty();
        for token in value.iter() {
            let binding = self.binding_of(token);
            if binding == Binding::Class {
                result.insert(self.tokens.intern(Token::Bound { func: token, this: class }));
            } else {
                result.insert(token);
            }
        }
        result
    }

    /// How the function behind a callable is bound.
    pub(super) fn binding_of(&self, token: Tok) -> Binding {
        let mut at = token;
        loop {
            match *self.tokens.get(at) {
                Token::Function { func, .. } => return self.function(func).binding,
                Token::Wrapped { by, inner, .. } => {
                    if let Token::External(path) = *self.tokens.get(by) {
                        match self.symbols.text(path) {
                            "builtins.classmethod" => return Binding::Class,
                            "builtins.staticmethod" => return Binding::Static,
                            "builtins.property" | "functools.cached_property" => return Binding::Getter,
                            _ => {}
                        }
                    }
                    at = inner;
                }
                _ => return Binding::None,
            }
        }
    }

    /// The attribute of an instance's class, bound to it.
    pub fn class_attribute_of(&mut self, frame: &mut Frame<'p>, object: Tok, name: Symbol) -> Option<Value> {
        let class = match *self.tokens.get(object) {
            Token::Object { class, .. } | Token::Instance { class } => class,
            _ => return None,
        };
        let order = self.class_order(frame, class);
        let value = order.iter().find_map(|&c| self.own_attribute(frame, c, name))?;
        Some(self.bind_method(frame, value, object, ExprId(u32::MAX)))
    }

    /// What was written to a field of an instance of which no more than the class was known: any may be meant.
    pub(super) fn shared_field(&mut self, frame: &Frame<'p>, object: Tok, class: Tok, name: Symbol) -> Value {
        match (self.tokens.get(object), self.tokens.find(&Token::Instance { class })) {
            (Token::Object { .. }, Some(instance)) => self.store.read(Addr::Shared(instance, name), frame.comp),
            _ => Value::empty(),
        }
    }

    fn instance_attribute(
        &mut self,
        frame: &mut Frame<'p>,
        object: Tok,
        class: Tok,
        name: Symbol,
        site: ExprId,
    ) -> Value {
        let order = self.class_order(frame, class);
        let mut value = self.store.read(Addr::Field(object, name), frame.comp);
        value.join(&self.shared_field(frame, object, class, name));
        let mut external = None;
        for &class in order.iter() {
            if let Some(found) = self.own_attribute(frame, class, name) {
                let shadowed = !value.is_empty() && found.iter().all(|t| self.is_callable(t) || t == Tok::NULL);
                if !shadowed {
                    value.join(&self.bind_method(frame, found, object, site));
                }
                break;
            }
            if external.is_none() && matches!(self.tokens.get(class), Token::External(_)) {
                external = Some(class);
            }
        }
        if !self.is_useful(&value) {
            let declared = order.iter().find_map(|&c| self.declared_field(c, name));
            if let Some((declared, file, comp)) = declared.filter(|_| self.types_count()) {
                value.join(&self.declared_value(frame, declared, file, comp));
            }
        }
        if value.is_empty() && matches!(self.symbols.text(name), "__class__") {
            return Value::of(class);
        }
        if value.is_empty() && self.symbols.text(name) == "__dict__" {
            return self.member(object, name);
        }
        if value.is_empty() {
            // What the program's own classes declare is theirs, even before it has a value.
            if order.iter().any(|&c| self.declares(c, name)) {
                return self.not_found();
            }
            if external.is_some() {
                return self.member(object, name);
            }
            if let Some(value) = self.dynamic_attribute(frame, object, name, site) {
                return value;
            }
            return self.not_found();
        }
        value
    }

    /// `__getattr__`
    fn dynamic_attribute(&mut self, frame: &mut Frame<'p>, object: Tok, name: Symbol, site: ExprId) -> Option<Value> {
        let getattr = self.symbols.find("__getattr__")?;
        let method = self.class_attribute_of(frame, object, getattr)?;
        let key = Value::of(self.tokens.intern(Token::Str(name)));
        let args = Args { positional: vec![key], ..Args::default() };
        let mut result = Value::empty();
        for callee in method.iter() {
            result.join(&self.call_token(frame, callee, &args, site, Via::Implicit));
        }
        Some(result)
    }

    /// Binds the methods among some values to a receiver; getters are called.
    pub fn bind_method(&mut self, frame: &mut Frame<'p>, value: Value, this: Tok, site: ExprId) -> Value {
        let mut result = Value::empty();
        for token in value.iter() {
            match (self.tokens.get(token), self.binding_of(token)) {
                (&Token::Wrapped { by, inner, .. }, _) if self.is_path(by, &["functools.partialmethod"]) => {
                    if let Token::Partial { site, func } = *self.tokens.get(inner) {
                        let func = self.tokens.intern(Token::Bound { func, this });
                        result.insert(self.tokens.intern(Token::Partial { site, func }));
                    }
                }
                (Token::Function { .. } | Token::Wrapped { .. }, Binding::Getter) => {
                    let bound = self.tokens.intern(Token::Bound { func: token, this });
                    result.join(&self.call_token(frame, bound, &Args::default(), site, Via::Implicit));
                }
                (Token::Function { .. } | Token::Wrapped { .. }, Binding::Static) => {
                    result.insert(token);
                }
                (Token::Function { .. } | Token::Wrapped { .. }, Binding::Class) => {
                    let class = self.class_of(this);
                    result.insert(self.tokens.intern(Token::Bound { func: token, this: class }));
                }
                (Token::Function { .. } | Token::Wrapped { .. }, _) => {
                    result.insert(self.tokens.intern(Token::Bound { func: token, this }));
                }
                (Token::Object { .. } | Token::Instance { .. }, _) => {
                    let class = self.class_of(this);
                    let args = Args { positional: vec![Value::of(this), Value::of(class)], ..Args::default() };
                    match self.call_special(frame, &Value::of(token), "__get__", args, site) {
                        Some(value) => result.join(&value),
                        None => result.insert(token),
                    };
                }
                _ => {
                    result.insert(token);
                }
            }
        }
        result
    }

    fn class_of(&self, object: Tok) -> Tok {
        match *self.tokens.get(object) {
            Token::Object { class, .. } | Token::Instance { class } => class,
            _ => object,
        }
    }

    /// A setter of a class.
    pub fn setter(&mut self, frame: &mut Frame<'p>, class: Tok, name: Symbol) -> Option<Tok> {
        let order = self.class_order(frame, class);
        for class in order.iter().copied() {
            let Token::Class { class: reference, .. } = *self.tokens.get(class) else { continue };
            let declared = self.class(reference);
            for &(method, function) in &declared.methods {
                if self.symbol(reference.file, method) == name
                    && self.files[reference.file as usize].function(function).binding == Binding::Setter
                {
                    let (_, _, body) = self.body_of(class)?;
                    let func = FuncRef { file: reference.file, id: function };
                    return Some(self.tokens.intern(Token::Function { func, env: body }));
                }
            }
        }
        None
    }

    /// An attribute looked up after `class` in the receiver's class order.
    pub fn after_class(&mut self, frame: &mut Frame<'p>, class: ClassRef, this: Tok, name: Symbol) -> Option<Value> {
        let start = match *self.tokens.get(this) {
            Token::Object { class, .. } | Token::Instance { class } => class,
            Token::Class { .. } => this,
            _ => self.class_token(class, frame.comp)?,
        };
        let order = self.class_order(frame, start);
        let at = order
            .iter()
            .position(|&t| matches!(self.tokens.get(t), Token::Class { class: c, .. } if *c == class))
            .map_or(0, |at| at + 1);
        order[at..].to_vec().iter().find_map(|&c| self.own_attribute(frame, c, name))
    }
}
