//! Properties: own ones, those of classes and prototypes, accessors; and what everything answers to
//! (`then` of a value that may be promised).

use super::super::{Frame, Slot};
use super::PROTOTYPES;
use crate::ir::*;
use crate::link::component::Via;
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

/// Names of the global object.
const GLOBAL: &[&str] = &["globalThis", "window", "global", "self"];

impl<'p> Solver<'p> {
    /// `object.name` of one token.
    pub(in crate::link::eval) fn property(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        name: Symbol,
        site: ExprId,
    ) -> Value {
        let promised = matches!(self.symbols.text(name), "then" | "catch" | "finally" | "deref");
        let found = self.found_property(frame, token, name, site);
        if let Some(mut value) = found
            && (!promised || value.iter().any(|t| t != Tok::UNKNOWN && self.can_be_called(t)))
        {
            if self.is_switch(&value) && self.may_hold_more(frame, token) {
                // What was copied over it may say otherwise.
                value.insert(Tok::UNKNOWN);
            }
            return value;
        }
        if promised {
            return self.member(token, name);
        }
        match *self.tokens.get(token) {
            // What a CommonJS module exports as a whole is its default export too.
            Token::Container { .. } | Token::Function { .. } | Token::Class { .. } | Token::Object { .. }
                if self.symbols.text(name) == "default" =>
            {
                Value::of(token)
            }
            Token::Object { .. } | Token::Instance { .. } | Token::Class { .. } => self.not_found(),
            Token::Bool(_) | Token::Float(_) | Token::Int(_) => Value::unknown(),
            // An object of the program: either there is nothing, or something outside has put it there.
            Token::Container { kind: ContainerKind::Dict, .. } => {
                let mut value = self.member(token, name);
                value.insert(Tok::NULL);
                value
            }
            _ => self.member(token, name),
        }
    }

    fn found_property(&mut self, frame: &mut Frame<'p>, token: Tok, name: Symbol, site: ExprId) -> Option<Value> {
        match *self.tokens.get(token) {
            Token::Unknown | Token::Top => Some(Value::unknown()),
            Token::Null | Token::Missing => Some(Value::empty()),
            Token::Module(file) => {
                let value = self.module_attribute(frame, file, name);
                if value.is_empty() && !self.waits() { Some(Value::unknown()) } else { Some(value) }
            }
            Token::External(path) => Some(self.external_property(frame, token, path, name)),
            Token::Super { class, this } => Some(self.super_property(frame, class, this, name, site)),
            Token::Made { .. } | Token::Wrapped { .. } => match self.trapped(frame, token, name, site) {
                Some(value) => Some(value),
                None => self.written(frame, token, name, token, site),
            },
            _ => self.look_up(frame, token, name, token, site, 0),
        }
    }

    /// A property of something outside.
    fn external_property(&mut self, frame: &Frame<'p>, token: Tok, path: Symbol, name: Symbol) -> Value {
        let text = self.symbols.text(path);
        let global = text.strip_prefix("globals:").is_some_and(|g| GLOBAL.contains(&g));
        let text = if global {
            let name = self.symbols.text(name);
            let name = if GLOBAL.contains(&name) { "globalThis" } else { name };
            format!("globals:{name}")
        } else if text.ends_with(':') {
            format!("{text}{}", self.symbols.text(name))
        } else {
            format!("{text}.{}", self.symbols.text(name))
        };
        let mut value = self.store.read(Addr::Field(token, name), frame.comp);
        if global {
            value.join(&self.global_written(frame, name));
        }
        if value.is_empty() {
            value = self.external(&text);
        }
        value
    }

    /// What the program has put into the global object.
    pub(super) fn global_written(&mut self, frame: &Frame<'p>, name: Symbol) -> Value {
        let global = self.global_object();
        self.store.read(Addr::Field(global, name), frame.comp)
    }

    /// The global object.
    pub(super) fn global_object(&mut self) -> Tok {
        let path = self.symbols.intern("globals:globalThis");
        self.tokens.intern(Token::External(path))
    }

    /// A field written to a token, accessors included, bound to `this`.
    fn written(&mut self, frame: &mut Frame<'p>, on: Tok, name: Symbol, this: Tok, site: ExprId) -> Option<Value> {
        let stored = self.store.read(Addr::Field(on, name), frame.comp);
        let mut value = self.in_order(frame, on, name, stored);
        if self.accessors.contains(&name) {
            let getter = self.accessor("get", name);
            let getters = self.store.read(Addr::Field(on, getter), frame.comp);
            for getter in getters.iter() {
                let bound = self.tokens.intern(Token::Bound { func: getter, this });
                value.join(&self.call_token(frame, bound, &Args::default(), site, Via::Implicit));
            }
            if value.is_empty() && !getters.is_empty() {
                return Some(value);
            }
        }
        if value.is_empty() {
            return None;
        }
        Some(self.bound_to(frame, value, this, site))
    }

    /// The name under which an accessor of a property is kept.
    pub(super) fn accessor(&mut self, kind: &str, name: Symbol) -> Symbol {
        let text = format!("{kind} {}", self.symbols.text(name));
        self.symbols.intern(&text)
    }

    /// Looks a property up on a token and its prototypes; functions found are bound to `this`.
    pub(super) fn look_up(
        &mut self,
        frame: &mut Frame<'p>,
        on: Tok,
        name: Symbol,
        this: Tok,
        site: ExprId,
        depth: usize,
    ) -> Option<Value> {
        if depth > PROTOTYPES {
            return None;
        }
        match *self.tokens.get(on) {
            Token::Object { class, .. } | Token::Instance { class } => {
                return self.of_instance(frame, on, class, name, this, site, depth);
            }
            Token::Class { .. } => return self.of_class(frame, on, name, this, site),
            Token::External(path) if depth > 0 => {
                return Some(self.external_property(frame, on, path, name));
            }
            Token::Null | Token::Unknown | Token::Top => return None,
            Token::Bound { func, .. } | Token::Partial { func, .. } => {
                let own = self.written(frame, on, name, this, site);
                return own.or_else(|| self.look_up(frame, func, name, this, site, depth + 1));
            }
            _ => {}
        }
        let mut value = self.written(frame, on, name, this, site);
        match *self.tokens.get(on) {
            Token::Function { .. } if self.symbols.text(name) == "prototype" => {
                value.get_or_insert_default().insert(self.prototype(on));
                return value;
            }
            Token::Member { base, name: part } if value.is_none() && self.symbols.text(part) == "prototype" => {
                if self.symbols.text(name) == "constructor" {
                    return Some(Value::of(base));
                }
                if let Token::Class { .. } = self.tokens.get(base) {
                    let order = self.class_order(frame, base);
                    value = order.iter().find_map(|&c| self.own_member(frame, c, name, false));
                }
            }
            Token::Container { kind, .. } | Token::Rest { kind, .. } if kind == ContainerKind::Dict => {
                // Written under a key that was not known.
                let others = self.store.read(Addr::Element(on), frame.comp);
                if !others.is_empty() {
                    let others = self.bound_to(frame, others, this, site);
                    value.get_or_insert_default().join(&others);
                }
            }
            _ => {}
        }
        if value.is_some() {
            return value;
        }
        let prototypes = self.noted(frame, on, "#proto");
        self.of_prototypes(frame, &prototypes, name, this, site, depth)
    }

    fn of_prototypes(
        &mut self,
        frame: &mut Frame<'p>,
        prototypes: &Value,
        name: Symbol,
        this: Tok,
        site: ExprId,
        depth: usize,
    ) -> Option<Value> {
        let mut result: Option<Value> = None;
        for prototype in prototypes.iter() {
            if let Some(value) = self.look_up(frame, prototype, name, this, site, depth + 1) {
                result.get_or_insert_default().join(&value);
            }
        }
        result
    }

    /// The object that a function's or class's instances inherit from.
    pub(super) fn prototype(&mut self, of: Tok) -> Tok {
        let name = self.symbols.intern("prototype");
        self.tokens.intern(Token::Member { base: of, name })
    }

    /// All objects that instances of a function made with `new` may inherit from.
    fn prototypes_of(&mut self, frame: &Frame<'p>, function: Tok) -> Value {
        let mut prototypes = Value::of(self.prototype(function));
        prototypes.join(&self.noted(frame, function, "prototype"));
        prototypes
    }

    #[allow(clippy::too_many_arguments)]
    fn of_instance(
        &mut self,
        frame: &mut Frame<'p>,
        object: Tok,
        class: Tok,
        name: Symbol,
        this: Tok,
        site: ExprId,
        depth: usize,
    ) -> Option<Value> {
        let mut value = self.written(frame, object, name, this, site).unwrap_or_default();
        let shared = self.shared_field(frame, object, class, name);
        if !shared.is_empty() {
            value.join(&self.bound_to(frame, shared, this, site));
        }
        let order = self.class_order(frame, class);
        let mut external = false;
        for &class in order.iter() {
            let found = match *self.tokens.get(class) {
                Token::Class { .. } => {
                    self.own_member(frame, class, name, false).map(|found| self.bound_to(frame, found, this, site))
                }
                Token::Function { .. } => {
                    let prototypes = self.prototypes_of(frame, class);
                    self.of_prototypes(frame, &prototypes, name, this, site, depth)
                }
                _ => {
                    external = true;
                    None
                }
            };
            if let Some(found) = found {
                // A method is hidden by a field of its name; a field may be set on some instances only.
                if value.is_empty() || !found.iter().all(|t| self.is_callable(t) || t == Tok::NULL) {
                    value.join(&found);
                }
                break;
            }
        }
        if value.is_empty() {
            let prototypes = self.noted(frame, object, "#proto");
            value = self.of_prototypes(frame, &prototypes, name, this, site, depth).unwrap_or_default();
        }
        if !self.is_useful(&value) {
            let declared = order.iter().find_map(|&c| self.declared_field(c, name));
            if let Some((declared, file, comp)) = declared.filter(|_| self.types_count()) {
                value.join(&self.declared_value(frame, declared, file, comp));
            }
        }
        if value.is_empty() {
            let others = self.store.read(Addr::Element(object), frame.comp);
            value = self.bound_to(frame, others, this, site);
        }
        if value.is_empty() && external {
            return Some(self.member(object, name));
        }
        if value.is_empty() { None } else { Some(value) }
    }

    /// A property of a class itself: static members, those of its bases, what was put on it.
    fn of_class(&mut self, frame: &mut Frame<'p>, class: Tok, name: Symbol, this: Tok, site: ExprId) -> Option<Value> {
        if self.symbols.text(name) == "prototype" {
            return Some(Value::of(self.prototype(class)));
        }
        let order = self.class_order(frame, class);
        for &base in order.iter() {
            let found = match *self.tokens.get(base) {
                Token::Class { .. } => self.own_member(frame, base, name, true),
                Token::External(path) => Some(self.external_property(frame, base, path, name)),
                _ => self.written(frame, base, name, this, site),
            };
            if let Some(found) = found {
                return Some(self.bound_to(frame, found, this, site));
            }
        }
        None
    }

    /// A member that a class itself has, not bound; what the program put there later comes first.
    pub(in crate::link::eval) fn own_member(
        &mut self,
        frame: &mut Frame<'p>,
        class: Tok,
        name: Symbol,
        is_static: bool,
    ) -> Option<Value> {
        if let Token::Function { .. } = self.tokens.get(class) {
            let is_constructor = !is_static && self.symbols.text(name) == "constructor";
            return is_constructor.then(|| Value::of(class));
        }
        let (file, body, comp) = self.body_of(class)?;
        let holder = if is_static { class } else { self.prototype(class) };
        let replaced = self.store.read(Addr::Field(holder, name), frame.comp);
        if replaced.iter().any(|t| self.is_callable(t)) {
            return Some(replaced);
        }
        let mut value = replaced;
        let index = &self.index[file as usize].script;
        let members = index.members.get(&(body, name)).cloned().unwrap_or_default();
        for member in members {
            if member.is_static.is_none_or(|s| s == is_static) {
                value.join(&self.store.read(Addr::Var(comp, member.var), frame.comp));
            }
        }
        if value.is_empty() { None } else { Some(value) }
    }

    /// `super.name`: looked up after `class` in the receiver's order.
    fn super_property(
        &mut self,
        frame: &mut Frame<'p>,
        class: ClassRef,
        this: Tok,
        name: Symbol,
        site: ExprId,
    ) -> Value {
        let is_static = matches!(self.tokens.get(this), Token::Class { .. });
        match self.member_after(frame, class, this, name, is_static, site) {
            Some(value) => value,
            // The next class is from outside: its methods act on the receiver's settings.
            None => self.member(this, name),
        }
    }

    /// A member looked up after `class` in the receiver's order, bound to the receiver.
    pub(in crate::link::eval) fn member_after(
        &mut self,
        frame: &mut Frame<'p>,
        class: ClassRef,
        this: Tok,
        name: Symbol,
        is_static: bool,
        site: ExprId,
    ) -> Option<Value> {
        let start = match *self.tokens.get(this) {
            Token::Object { class, .. } | Token::Instance { class } => class,
            Token::Class { .. } => this,
            _ => self.class_token(class, frame.comp)?,
        };
        let order = self.class_order(frame, start);
        let is_meant = |t: &Tok| matches!(self.tokens.get(*t), Token::Class { class: c, .. } if *c == class);
        let at = order.iter().position(is_meant).map_or(0, |at| at + 1);
        for &base in order.get(at..).unwrap_or_default() {
            let found = match self.tokens.get(base) {
                Token::Function { .. } if self.symbols.text(name) != "constructor" => {
                    let prototypes = self.prototypes_of(frame, base);
                    self.of_prototypes(frame, &prototypes, name, this, site, 0)
                }
                _ => self.own_member(frame, base, name, is_static),
            };
            if let Some(found) = found {
                return Some(self.bound_to(frame, found, this, site));
            }
        }
        None
    }

    /// Binds functions that use their receiver to it; getters are called.
    pub(super) fn bound_to(&mut self, frame: &mut Frame<'p>, value: Value, this: Tok, site: ExprId) -> Value {
        let mut result = Value::empty();
        for token in value.iter() {
            let mut at = token;
            while let Token::Wrapped { inner, .. } = *self.tokens.get(at) {
                at = inner;
            }
            let Token::Function { func, .. } = *self.tokens.get(at) else {
                result.insert(token);
                continue;
            };
            let function = self.function(func);
            let script = &self.index[func.file as usize].script;
            match function.binding {
                Binding::Getter => {
                    let bound = self.tokens.intern(Token::Bound { func: token, this });
                    result.join(&self.call_token(frame, bound, &Args::default(), site, Via::Implicit));
                }
                _ if function.kind == FunctionKind::Arrow => {
                    result.insert(token);
                }
                Binding::None | Binding::Static if !script.uses_this.contains(&func.id) => {
                    result.insert(token);
                }
                _ => {
                    result.insert(self.tokens.intern(Token::Bound { func: token, this }));
                }
            }
        }
        result
    }

    /// Writes a property.
    pub(in crate::link::eval) fn set_property(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        name: Symbol,
        value: &Value,
        site: ExprId,
    ) {
        match *self.tokens.get(token) {
            Token::Unknown | Token::Top | Token::Null | Token::Missing => {}
            Token::Super { this, .. } => self.set_property(frame, this, name, value, site),
            Token::Bound { func, .. } => self.set_property(frame, func, name, value, site),
            Token::External(path) => {
                let global = self.symbols.text(path).strip_prefix("globals:").is_some_and(|g| GLOBAL.contains(&g));
                let on = if global { self.global_object() } else { token };
                self.set_outside(frame, on, name, value);
            }
            Token::Object { class, .. } | Token::Instance { class } => {
                if self.call_setter(frame, class, token, name, value, site) {
                    return;
                }
                self.put_field(frame, token, name, value);
                // Instances known by declaration only see what any instance holds.
                let instance = self.tokens.intern(Token::Instance { class });
                if token == instance {
                    self.write(Addr::Shared(instance, name), value);
                } else {
                    self.write(Addr::Field(instance, name), value);
                }
            }
            Token::Class { .. } => {
                if !self.call_setter(frame, token, token, name, value, site) {
                    self.write(Addr::Field(token, name), value);
                    self.give(frame, token, name, value);
                }
            }
            Token::Container { .. } | Token::Rest { .. } => {
                if self.descriptors.contains(&token) {
                    self.note(token, "#replaced", value);
                } else if !self.call_written_setter(frame, token, name, value, site) {
                    let counted = self.counted(frame, token, name, value, site);
                    self.put_key(frame, token, name, &counted);
                }
            }
            _ => {
                if !self.call_written_setter(frame, token, name, value, site) {
                    self.write(Addr::Field(token, name), value);
                }
            }
        }
    }

    /// Writes a field of an object; one that this execution has made itself holds what was written last.
    fn put_field(&mut self, frame: &mut Frame<'p>, object: Tok, name: Symbol, value: &Value) {
        self.write(Addr::Field(object, name), value);
        self.give(frame, object, name, value);
        let own = matches!(*self.tokens.get(object), Token::Object { site, .. } if site.comp == frame.comp);
        if own {
            frame.own.entry((object, name)).or_default().join(value);
            frame.env.set(Slot::Field(object, name), value.clone());
        }
    }

    /// Notes what a field is given, other than by counting up and down.
    fn give(&mut self, frame: &Frame<'p>, object: Tok, name: Symbol, value: &Value) {
        if !frame.counting {
            self.write(Addr::Given(object, name), value);
        }
    }

    /// What counting makes of a property of an object literal: the property's own value goes into it, which is how
    /// execution tells it from what the property starts with.
    fn counted(&mut self, frame: &Frame<'p>, object: Tok, name: Symbol, value: &Value, site: ExprId) -> Value {
        let number = |t| matches!(self.tokens.get(t), Token::Int(_) | Token::Float(_) | Token::Unknown);
        if !frame.counting || site.0 == u32::MAX || !value.iter().all(number) {
            return value.clone();
        }
        let site = self.site(frame, site);
        let counted = Value::of(self.tokens.intern(Token::Combined { site }));
        let mut old = self.store.get(Addr::Field(object, name)).cloned().unwrap_or_default();
        old.join(&counted);
        self.write(Addr::Arg(site, 0), &old);
        counted
    }

    fn call_setter(
        &mut self,
        frame: &mut Frame<'p>,
        class: Tok,
        this: Tok,
        name: Symbol,
        value: &Value,
        site: ExprId,
    ) -> bool {
        match self.setter(frame, class, name) {
            Some(setter) => {
                let bound = self.tokens.intern(Token::Bound { func: setter, this });
                self.call_token(frame, bound, &Self::with(vec![value.clone()]), site, Via::Implicit);
                true
            }
            None => self.call_written_setter(frame, this, name, value, site),
        }
    }

    /// A setter of an object literal or one that was defined on an object.
    fn call_written_setter(
        &mut self,
        frame: &mut Frame<'p>,
        on: Tok,
        name: Symbol,
        value: &Value,
        site: ExprId,
    ) -> bool {
        if !self.accessors.contains(&name) {
            return false;
        }
        let setter = self.accessor("set", name);
        let setters = self.store.read(Addr::Field(on, setter), frame.comp);
        for setter in setters.iter() {
            let bound = self.tokens.intern(Token::Bound { func: setter, this: on });
            self.call_token(frame, bound, &Self::with(vec![value.clone()]), site, Via::Implicit);
        }
        !setters.is_empty()
    }

    /// A member of a class or object by the name of a symbol of the language.
    pub(super) fn symbol_method(&mut self, frame: &mut Frame<'p>, on: Tok, name: &str, site: ExprId) -> Option<Value> {
        let name = self.symbols.find(name)?;
        self.look_up(frame, on, name, on, site, 0).filter(|v| v.iter().any(|t| self.is_callable(t)))
    }
}
