//! Patterns: binding, and reading a target back.

use super::Frame;
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Binds a value to a pattern. `source` is the expression the value comes from, if there is one.
    pub fn bind(&mut self, frame: &mut Frame<'p>, pattern: PatId, value: &Value, source: Option<ExprId>) {
        match frame.ir.pattern(pattern) {
            Pattern::Ignore | Pattern::Unknown | Pattern::Otherwise => {}
            Pattern::Bind(var) => self.write_var(frame, *var, value.clone()),
            Pattern::As(inner, var) => {
                self.write_var(frame, *var, value.clone());
                self.bind(frame, *inner, value, source);
            }
            Pattern::Attr { object, name, .. } => {
                // What a type is written with belongs to the type.
                let of_type = frame.ir.language == Language::Rust && frame.ir.name(*name).starts_with('#');
                let object = if of_type { self.rust_path(frame, *object) } else { self.eval(frame, *object) };
                let name = self.symbol(frame.file, *name);
                self.set_attribute(frame, &object, name, value, source);
            }
            Pattern::Index { object, index } => {
                let object = self.eval(frame, *object);
                let index = self.eval(frame, *index);
                self.set_index(frame, &object, &index, value);
            }
            Pattern::Deref(object) => {
                if let ExprKind::Var(var) = frame.ir.expr(*object).kind {
                    let mut joined = self.read_var(frame, var);
                    joined.join(value);
                    self.write_var(frame, var, joined);
                } else {
                    self.eval(frame, *object);
                }
            }
            Pattern::Sequence(parts) => {
                let rest_at = parts.iter().position(|&p| matches!(frame.ir.pattern(p), Pattern::Rest(_)));
                for (i, &part) in parts.iter().enumerate() {
                    let element = match rest_at {
                        Some(at) if i >= at => self.all_elements(frame, value),
                        _ => self.element_at(frame, value, i),
                    };
                    match frame.ir.pattern(part) {
                        Pattern::Rest(Some(inner)) => {
                            let after = parts.len() - 1 - i;
                            let rest = self.rest_of(frame, *inner, value, i, after);
                            self.bind(frame, *inner, &rest, None);
                        }
                        Pattern::Rest(None) => {}
                        _ => self.bind(frame, part, &element, None),
                    }
                }
            }
            Pattern::Rest(inner) => {
                if let Some(inner) = inner {
                    self.bind(frame, *inner, value, source);
                }
            }
            Pattern::Object { entries, rest } => {
                for &(name, part) in entries {
                    let symbol = self.symbol(frame.file, name);
                    let site = source.unwrap_or(ExprId(u32::MAX));
                    let field = self.attribute(frame, value, symbol, site);
                    // A key that an object of the program does not have is missing.
                    let field = field.filter(|t| match *self.tokens.get(t) {
                        Token::Member { base, .. } => !self.is_container(base),
                        _ => true,
                    });
                    self.bind(frame, part, &field, None);
                }
                if let Some(rest) = rest {
                    self.bind(frame, *rest, value, None);
                }
            }
            Pattern::Default(inner, default) => {
                let mut joined = value.filter(|t| t != Tok::NULL && t != Tok::MISSING);
                if joined.is_empty() || joined.len() < value.len() || joined.contains(Tok::UNKNOWN) {
                    joined.join(&self.eval(frame, *default));
                }
                self.bind(frame, *inner, &joined, None);
            }
            Pattern::Variant { path, args, fields } if frame.ir.language == Language::Rust => {
                self.bind_parts(frame, *path, args, fields, value);
            }
            Pattern::Variant { path, args, fields } => {
                let path = self.eval(frame, *path);
                for (i, &part) in args.iter().enumerate() {
                    let element = self.variant_part(frame, &path, value, i);
                    self.bind(frame, part, &element, None);
                }
                for &(name, part) in fields {
                    let symbol = self.symbol(frame.file, name);
                    let field = self.attribute(frame, value, symbol, ExprId(u32::MAX));
                    self.bind(frame, part, &field, None);
                }
            }
            Pattern::Value(e) => {
                self.eval(frame, *e);
            }
            Pattern::Range { start, end, .. } => {
                for e in [start, end].into_iter().flatten() {
                    self.eval(frame, *e);
                }
            }
            Pattern::Or(parts) => {
                for &part in parts {
                    self.bind(frame, part, value, source);
                }
            }
        }
    }

    /// What a positional part of a variant or class pattern holds: `Ok(x)` and the like are transparent.
    fn variant_part(&mut self, frame: &mut Frame<'p>, path: &Value, value: &Value, index: usize) -> Value {
        let wraps = path.iter().any(|t| match self.tokens.get(t) {
            Token::External(s) => {
                let last = self.symbols.text(*s).rsplit([':', '.']).next().unwrap_or("").to_string();
                matches!(last.as_str(), "Ok" | "Err" | "Some" | "Ready")
            }
            _ => false,
        });
        if wraps {
            return value.filter(|t| t != Tok::NULL);
        }
        let name = self.symbols.number(index);
        let part = self.attribute(frame, value, name, ExprId(u32::MAX));
        if part.is_empty() { Value::unknown() } else { part }
    }

    /// What is left for `*rest` between the parts before and after it.
    fn rest_of(&mut self, frame: &mut Frame<'p>, pattern: PatId, value: &Value, before: usize, after: usize) -> Value {
        let site = Site { comp: frame.comp, expr: ExprId(u32::MAX / 2 + 1 + pattern.0) };
        let rest = self.tokens.intern(Token::Container { site, kind: ContainerKind::List });
        let length = value.single().and_then(|t| self.length(frame, t));
        match (value.single(), length) {
            (Some(token), Some(length)) => {
                for (to, from) in (before..length.saturating_sub(after)).enumerate() {
                    let (from, to) = (self.symbols.number(from), self.symbols.number(to));
                    let element = self.key_of(frame, token, from);
                    self.put_key(frame, rest, to, &element);
                }
            }
            _ => {
                let elements = self.iterate(frame, value, ExprId(u32::MAX));
                self.write(Addr::Element(rest), &elements);
            }
        }
        Value::of(rest)
    }

    /// `__set__` of an object that the class holds under the name.
    fn set_by_descriptor(
        &mut self,
        frame: &mut Frame<'p>,
        object: Tok,
        class: Tok,
        name: crate::link::symbols::Symbol,
        value: &Value,
        site: Option<ExprId>,
    ) -> bool {
        if self.symbols.find("__set__").is_none() {
            return false;
        }
        let order = self.class_order(frame, class);
        let Some(held) = order.iter().find_map(|&c| self.own_attribute(frame, c, name)) else { return false };
        let args = super::Args { positional: vec![Value::of(object), value.clone()], ..Default::default() };
        let site = site.unwrap_or(ExprId(u32::MAX));
        self.call_special(frame, &held, "__set__", args, site).is_some()
    }

    /// The value that a target holds before an augmented assignment.
    pub fn read_pattern(&mut self, frame: &mut Frame<'p>, pattern: PatId) -> Value {
        match frame.ir.pattern(pattern) {
            Pattern::Bind(var) => self.read_var(frame, *var),
            Pattern::Attr { object, name, .. } => {
                let object = self.eval(frame, *object);
                let name = self.symbol(frame.file, *name);
                self.attribute(frame, &object, name, ExprId(u32::MAX))
            }
            Pattern::Index { object, index } => {
                let object = self.eval(frame, *object);
                let index = self.eval(frame, *index);
                self.index(frame, &object, &index, ExprId(u32::MAX))
            }
            Pattern::Deref(e) => self.eval(frame, *e),
            _ => Value::unknown(),
        }
    }

    /// Writes an attribute.
    pub fn set_attribute(
        &mut self,
        frame: &mut Frame<'p>,
        object: &Value,
        name: crate::link::symbols::Symbol,
        value: &Value,
        site: Option<ExprId>,
    ) {
        for token in object.iter() {
            if frame.is_javascript() {
                self.set_property(frame, token, name, value, site.unwrap_or(ExprId(u32::MAX)));
                continue;
            }
            match *self.tokens.get(token) {
                Token::Module(file) => {
                    if let Some(&var) = self.index[file as usize].scopes.get(&MODULE).and_then(|s| s.get(&name))
                        && let Some(module) = self.module_component(file)
                    {
                        self.write(Addr::Var(module, var), value);
                    }
                    self.write(Addr::Field(token, name), value);
                }
                Token::Super { this, .. } => self.write(Addr::Field(this, name), value),
                Token::Class { .. } if frame.func == MODULE && object.len() == 1 => {
                    // Module code runs once: it sees its own writes in order.
                    self.write(Addr::Field(token, name), value);
                    if !frame.counting {
                        self.write(Addr::Given(token, name), value);
                    }
                    frame.own.entry((token, name)).or_default().join(value);
                    frame.env.set(super::Slot::Field(token, name), value.clone());
                }
                Token::Unknown | Token::Top | Token::Null | Token::Missing => {}
                Token::Object { class, .. } | Token::Instance { class } => {
                    if self.set_by_descriptor(frame, token, class, name, value, site) {
                        continue;
                    }
                    if let Some(setter) = self.setter(frame, class, name) {
                        let args = super::Args { positional: vec![value.clone()], ..Default::default() };
                        let bound = self.tokens.intern(Token::Bound { func: setter, this: token });
                        let site = site.unwrap_or(ExprId(u32::MAX));
                        self.call_token(frame, bound, &args, site, crate::link::component::Via::Implicit);
                    } else if frame.guessed && !self.is_useful(value) {
                        // A setter that nobody is seen to call.
                    } else {
                        self.write(Addr::Field(token, name), value);
                        if !frame.counting {
                            self.write(Addr::Given(token, name), value);
                        }
                        // Instances of which no more is known see what any instance holds, and any may be one of them.
                        let instance = self.tokens.intern(Token::Instance { class });
                        if token == instance {
                            self.write(Addr::Shared(instance, name), value);
                        } else {
                            self.write(Addr::Field(instance, name), value);
                        }
                    }
                }
                Token::Container { .. } | Token::Rest { .. } => self.set_key(token, name, value),
                Token::Class { .. } if !frame.counting => {
                    self.write(Addr::Field(token, name), value);
                    self.write(Addr::Given(token, name), value);
                }
                Token::External(_) => self.set_outside(frame, token, name, value),
                _ => self.write(Addr::Field(token, name), value),
            }
        }
    }

    /// Writes a setting of something external: one for all of the program, and that of the package that writes it.
    pub fn set_outside(&mut self, frame: &Frame<'p>, of: Tok, name: crate::link::symbols::Symbol, value: &Value) {
        if !value.is_empty() {
            self.write(Addr::Field(of, name), value);
            self.write(Addr::Set(of, name, self.modules.members.of(frame.file)), value);
        }
    }
}
