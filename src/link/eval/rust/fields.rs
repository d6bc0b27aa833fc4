//! Fields of values, and what patterns take out of them.

use super::super::Frame;
use super::methods::DEREFS;
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

/// Of a type of which more objects are made, no field is looked at in all of them.
const MOST_MADE: usize = 16;

impl<'p> Solver<'p> {
    /// A field of a value.
    pub(super) fn field_of(&mut self, frame: &mut Frame<'p>, token: Tok, name: Symbol, site: ExprId) -> Value {
        self.field_within(frame, token, name, site, 0)
    }

    fn field_within(&mut self, frame: &mut Frame<'p>, token: Tok, name: Symbol, site: ExprId, depth: usize) -> Value {
        match *self.tokens.get(token) {
            Token::Unknown | Token::Top => Value::unknown(),
            Token::Null | Token::Missing => Value::empty(),
            Token::Object { class, .. } | Token::Instance { class } => {
                self.own_field(frame, token, class, name, site, depth)
            }
            Token::Container { .. } | Token::Rest { .. } => {
                let mut value = self.key_of(frame, token, name);
                value.join(&self.store.read(Addr::Element(token), frame.comp));
                if value.is_empty() { self.not_found() } else { value }
            }
            Token::Bool(_) | Token::Int(_) | Token::Float(_) | Token::Str(_) => Value::of(token),
            // `state.0` on what passes through a wrapper.
            Token::Function { .. } | Token::Bound { .. } | Token::Class { .. } => Value::of(token),
            _ => {
                let stored = self.store.read(Addr::Field(token, name), frame.comp);
                if stored.is_empty() { self.member(token, name) } else { stored }
            }
        }
    }

    fn own_field(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        class: Tok,
        name: Symbol,
        site: ExprId,
        depth: usize,
    ) -> Value {
        let Token::Class { class: reference, .. } = *self.tokens.get(class) else {
            let stored = self.store.read(Addr::Field(token, name), frame.comp);
            return if stored.is_empty() { self.member(token, name) } else { stored };
        };
        let stored = self.store.read(Addr::Field(token, name), frame.comp);
        let mut value = self.in_order(frame, token, name, stored);
        value.join(&self.shared_field(frame, token, class, name));
        let declared = self.declared_field(class, name);
        if declared.is_none() {
            // Not its own: behind `Deref`, or the position of a wrapper that the value passed through.
            if depth < DEREFS
                && let Some(inner) = self.dereferenced(frame, token, site)
            {
                for token in inner.iter() {
                    value.join(&self.field_within(frame, token, name, site, depth + 1));
                }
                return value;
            }
            if self.symbols.text(name).bytes().all(|b| b.is_ascii_digit()) {
                return Value::of(token);
            }
        }
        // One that is known by its type only is one of those that the program makes.
        if !self.is_useful(&value) && matches!(self.tokens.get(token), Token::Instance { .. }) && self.types_count() {
            let made = self.made_of(class);
            for object in made.into_iter().take(MOST_MADE) {
                let stored = self.store.read(Addr::Field(object, name), frame.comp);
                value.join(&stored.filter(|t| t != Tok::UNKNOWN && t != Tok::TOP));
            }
        }
        if !self.is_useful(&value)
            && let Some((ty, file, _)) = declared
            && self.types_count()
        {
            let scope = self.class(reference).parent;
            value.join(&self.rust_declared(frame, ty, file, scope, 0));
        }
        if value.is_empty() { self.not_found() } else { value }
    }

    /// Binds the parts of a variant's, struct's or wrapper's pattern.
    pub(in crate::link::eval) fn bind_parts(
        &mut self,
        frame: &mut Frame<'p>,
        path: ExprId,
        args: &[PatId],
        fields: &[(Name, PatId)],
        value: &Value,
    ) {
        let path = self.rust_path(frame, path);
        let rest_at = args.iter().position(|&p| matches!(frame.ir.pattern(p), Pattern::Rest(_)));
        for (i, &part) in args.iter().enumerate() {
            if rest_at.is_some_and(|at| i >= at) {
                // Counted from the end: which position that is depends on the type.
                if !matches!(frame.ir.pattern(part), Pattern::Rest(_)) {
                    self.bind(frame, part, &Value::unknown(), None);
                }
                continue;
            }
            let name = self.symbols.intern(&i.to_string());
            let inner = self.part(frame, &path, value, name, true);
            self.bind(frame, part, &inner, None);
        }
        for &(name, part) in fields {
            let name = self.symbol(frame.file, name);
            let inner = self.part(frame, &path, value, name, false);
            self.bind(frame, part, &inner, None);
        }
    }

    fn part(&mut self, frame: &mut Frame<'p>, path: &Value, value: &Value, name: Symbol, by_position: bool) -> Value {
        let mut result = Value::empty();
        for token in path.iter() {
            match *self.tokens.get(token) {
                Token::Variant { name: variant, class } => {
                    let full = format!("{}.{}", self.symbols.text(variant), self.symbols.text(name));
                    let full = self.symbols.intern(&full);
                    for object in value.iter() {
                        match *self.tokens.get(object) {
                            Token::Object { class: other, .. } | Token::Instance { class: other } if other == class => {
                                result.join(&self.variant_field(frame, object, class, full));
                            }
                            Token::Unknown | Token::Top | Token::Made { .. } | Token::Member { .. } => {
                                result.insert(Tok::UNKNOWN);
                            }
                            _ => {}
                        }
                    }
                    if value.iter().all(|t| t == Tok::UNKNOWN) {
                        let declared = self.tokens.intern(Token::Instance { class });
                        let known = self.variant_field(frame, declared, class, full);
                        if !known.is_empty() {
                            result = known;
                        }
                    }
                }
                Token::External(s) if by_position => {
                    let last = self.symbols.text(s).rsplit("::").next().unwrap_or("").to_string();
                    result.join(&self.unwrapped(frame, &last, value));
                }
                Token::Class { .. } => {
                    for object in value.iter() {
                        result.join(&self.field_of(frame, object, name, ExprId(u32::MAX)));
                    }
                }
                _ => {
                    result.insert(Tok::UNKNOWN);
                }
            }
        }
        if result.is_empty() && !value.is_empty() { self.not_found() } else { result }
    }

    fn variant_field(&mut self, frame: &mut Frame<'p>, object: Tok, class: Tok, name: Symbol) -> Value {
        let mut value = self.store.read(Addr::Field(object, name), frame.comp);
        value.join(&self.shared_field(frame, object, class, name));
        if let Token::Instance { .. } = self.tokens.get(object)
            && !self.is_useful(&value)
            && let Some((ty, file, _)) = self.declared_field(class, name)
            && let Token::Class { class: reference, .. } = *self.tokens.get(class)
            && self.types_count()
        {
            let scope = self.class(reference).parent;
            value.join(&self.rust_declared(frame, ty, file, scope, 0));
        }
        value
    }
}
