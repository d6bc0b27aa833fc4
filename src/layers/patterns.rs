//! Patterns: binding values to targets, and matching values against patterns.

use super::machine::Machine;
use super::state::State;
use super::val::{Error, ErrorClass, Val};
use crate::ir::*;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// Binds a value to a pattern.
    pub fn bind(&mut self, state: &mut State, pattern: PatId, value: &Val) {
        let ir = self.ir(state);
        match ir.pattern(pattern) {
            Pattern::Bind(var) => self.write_var(state, *var, value.clone()),
            Pattern::As(inner, var) => {
                self.write_var(state, *var, value.clone());
                self.bind(state, *inner, value);
            }
            Pattern::Attr { object, name, .. } => {
                let name = ir.name(*name);
                if let Some(top) = state.stack.last_mut()
                    && !top.narrowed.is_empty()
                {
                    top.narrowed.retain(|(_, attributes), _| {
                        let mut parts = attributes.split('.');
                        !parts.any(|part| part.trim_end_matches(super::countdown::COUNTED) == name)
                    });
                }
                if let Some(Val::Tok(tok)) = self.pure(*object, state) {
                    self.note_written(tok, name, value);
                    state.heap.insert((tok, Rc::from(name)), value.clone());
                }
            }
            Pattern::Index { object, index } => {
                if let (Some(Val::Tok(tok)), Some(Val::Text(key))) =
                    (self.pure(*object, state), self.pure(*index, state))
                {
                    state.heap.insert((tok, key), value.clone());
                } else if let ExprKind::Var(var) = ir.expr(*object).kind
                    && let Val::Dict(entries) = self.read_var(state, var)
                {
                    let known = match self.pure(*index, state) {
                        Some(Val::Text(key)) => Val::Dict(Rc::new(with_entry(&entries, &key, value))),
                        _ => Val::Unknown,
                    };
                    self.write_var(state, var, known);
                }
            }
            Pattern::Deref(e) => self.write_through(*e, value, state),
            Pattern::Sequence(parts) => {
                let items = match value {
                    Val::Good(inner) => self.elements(inner),
                    Val::Error(error) => {
                        self.looked.set(true);
                        parts_of_error(error)
                    }
                    _ => self.elements(value),
                };
                let beyond = if ir.language == Language::JavaScript { Val::Null } else { Val::Unknown };
                for (i, &part) in parts.iter().enumerate() {
                    let item = match (&items, value) {
                        (Some(items), _) if matches!(ir.pattern(part), Pattern::Rest(_)) => {
                            // What the parts after it do not take.
                            let end = items.len().saturating_sub(parts.len() - i - 1).max(i.min(items.len()));
                            Val::List(Rc::new(items[i.min(items.len())..end].to_vec()))
                        }
                        (Some(items), _) => items.get(i).cloned().unwrap_or_else(|| beyond.clone()),
                        (None, Val::Fail(e)) => Val::Fail(e.clone()),
                        _ => Val::Unknown,
                    };
                    self.bind(state, part, &item);
                }
            }
            Pattern::Rest(Some(inner)) => {
                let rest = if matches!(value, Val::List(_)) { value.clone() } else { Val::Unknown };
                self.bind(state, *inner, &rest);
            }
            Pattern::Object { entries, rest } => {
                for &(name, part) in entries {
                    let item = self.attribute_on(state, value, ir.name(name));
                    self.bind(state, part, &item);
                }
                if let Some(rest) = rest {
                    self.bind(state, *rest, &Val::Unknown);
                }
            }
            Pattern::Default(inner, default) => {
                let bound = match value {
                    Val::Null => self.pure(*default, state).unwrap_or(Val::Unknown),
                    Val::Unknown => {
                        let default = self.pure(*default, state).unwrap_or(Val::Unknown);
                        self.unless_empty(default)
                    }
                    other => other.clone(),
                };
                self.bind(state, *inner, &bound);
            }
            Pattern::Variant { args, fields, .. } => {
                let inner = match value {
                    Val::Good(inner) => (**inner).clone(),
                    Val::Fail(e) => Val::Error(e.clone()),
                    other => other.clone(),
                };
                for &part in args {
                    self.bind(state, part, &inner);
                }
                for &(name, part) in fields {
                    let item = self.attribute_on(state, &inner, ir.name(name));
                    self.bind(state, part, &item);
                }
            }
            Pattern::Or(parts) => {
                if let Some(&first) = parts.first() {
                    self.bind(state, first, value);
                }
            }
            _ => {}
        }
    }

    /// Whether a value fits a pattern, binding its names; none: not known.
    pub fn matches_pattern(&mut self, state: &mut State, pattern: PatId, value: &Val) -> Option<bool> {
        let ir = self.ir(state);
        match ir.pattern(pattern) {
            Pattern::Ignore | Pattern::Otherwise => Some(true),
            Pattern::Bind(_) => {
                self.bind(state, pattern, value);
                Some(true)
            }
            Pattern::As(inner, var) => {
                self.write_var(state, *var, value.clone());
                self.matches_pattern(state, *inner, value)
            }
            Pattern::Value(e) => {
                let wanted = self.pure(*e, state)?;
                self.equal(value, &wanted)
            }
            Pattern::Range { start, end, inclusive } => {
                let n = value.as_num()?;
                let lo =
                    start.and_then(|e| self.pure(e, state)).and_then(|v| v.as_exact()).unwrap_or(f64::NEG_INFINITY);
                let hi = end.and_then(|e| self.pure(e, state)).and_then(|v| v.as_exact()).unwrap_or(f64::INFINITY);
                let hi = if *inclusive { hi } else { hi - 1.0 };
                if n.lo >= lo && n.hi <= hi {
                    Some(true)
                } else if n.hi < lo || n.lo > hi {
                    Some(false)
                } else {
                    None
                }
            }
            Pattern::Or(parts) => {
                let mut result = Some(false);
                for &part in parts {
                    match self.matches_pattern(state, part, value) {
                        Some(true) => return Some(true),
                        None => result = None,
                        Some(false) => {}
                    }
                }
                result
            }
            Pattern::Variant { path, args, fields } => self.matches_variant(state, *path, args, fields, value),
            Pattern::Sequence(parts) => {
                let items = match value {
                    Val::Error(error) => {
                        self.looked.set(true);
                        parts_of_error(error)
                    }
                    _ => self.elements(value),
                };
                let mut result = items.as_ref().map(|i| i.len() >= parts.len());
                for (i, &part) in parts.iter().enumerate() {
                    let item = items.as_ref().and_then(|items| items.get(i).cloned()).unwrap_or(Val::Unknown);
                    match self.matches_pattern(state, part, &item) {
                        Some(false) => return Some(false),
                        None => result = None,
                        Some(true) => {}
                    }
                }
                if items.is_none() && ir.language == Language::Rust {
                    // A tuple always has its parts.
                    return result.or(None);
                }
                result
            }
            Pattern::Object { .. } => {
                self.bind(state, pattern, value);
                None
            }
            _ => {
                self.bind(state, pattern, value);
                None
            }
        }
    }

    fn matches_variant(
        &mut self,
        state: &mut State,
        path: ExprId,
        args: &[PatId],
        fields: &[(Name, PatId)],
        value: &Val,
    ) -> Option<bool> {
        let ir = self.ir(state);
        let last = match &ir.expr(path).kind {
            ExprKind::Free(name) => ir.name(*name),
            ExprKind::Attr { name, .. } => ir.name(*name),
            ExprKind::Var(var) => ir.name(ir.var(*var).name),
            _ => "",
        };
        let (matched, inner) = match (last, value) {
            ("Ok" | "Some", Val::Good(inner)) => (Some(true), (**inner).clone()),
            ("Ok" | "Some", Val::Fail(_) | Val::Null) => (Some(false), Val::Unknown),
            ("Err", Val::Fail(e)) => (Some(true), Val::Error(e.clone())),
            ("Err", Val::Good(_)) => (Some(false), Val::Unknown),
            ("None", Val::Null) => (Some(true), Val::Null),
            ("None", Val::Good(_)) => (Some(false), Val::Null),
            ("Err", Val::Unknown) => (None, Val::Unknown),
            ("Ok" | "Some", other) => (if *other == Val::Unknown { None } else { Some(true) }, other.clone()),
            ("Err" | "None", _) => (Some(false), Val::Unknown),
            (name, Val::Tok(tok)) => (self.is_variant(*tok, name), value.clone()),
            (_, Val::Error(e)) => {
                self.looked.set(true);
                let e = e.clone();
                let types = self.pure(path, state).unwrap_or(Val::Unknown);
                (self.matches(&e, &types), value.clone())
            }
            (_, other) => (None, other.clone()),
        };
        if matched == Some(false) {
            return matched;
        }
        let mut result = matched;
        let converted = matched == Some(true)
            && matches!(&inner, Val::Error(e) if matches!(e.class, ErrorClass::Known(_)))
            && matches!(self.pure(path, state), Some(Val::Tok(tok)) if self.variant_of(tok).is_some());
        let by_part = !matches!(last, "Ok" | "Some" | "Err" | "None") && ir.language == Language::Rust;
        for (i, &part) in args.iter().enumerate() {
            let held = if by_part { self.part_of_value(state, &inner, &i.to_string()) } else { None };
            let item = match held {
                Some(held) => held,
                None if by_part && !matches!(inner, Val::Error(_) | Val::Answer(_)) => Val::Unknown,
                None => inner.clone(),
            };
            match self.matches_pattern(state, part, &item) {
                Some(false) => return Some(false),
                None => result = None,
                Some(true) => {}
            }
        }
        for &(name, part) in fields {
            let item = match self.part_of_value(state, &inner, ir.name(name)).filter(|_| by_part) {
                Some(held) => held,
                // What `#[from]` made it of.
                None if by_part && converted => inner.clone(),
                None => self.attribute_on(state, &inner, ir.name(name)),
            };
            match self.matches_pattern(state, part, &item) {
                Some(false) => return Some(false),
                None => result = None,
                Some(true) => {}
            }
        }
        result
    }

    /// The value that a target holds before an augmented assignment.
    pub fn read_target(&mut self, state: &State, pattern: PatId) -> Val {
        let ir = self.ir(state);
        match ir.pattern(pattern) {
            Pattern::Bind(var) => self.read_var(state, *var),
            Pattern::Attr { object, name, .. } => match self.pure(*object, state) {
                Some(value) => self.attribute_on(state, &value, ir.name(*name)),
                None => Val::Unknown,
            },
            Pattern::Index { object, index } => match (self.pure(*object, state), self.pure(*index, state)) {
                (Some(object), Some(index)) => self.index(state, &object, &index),
                _ => Val::Unknown,
            },
            Pattern::Deref(e) => self.read_through(*e, state),
            _ => Val::Unknown,
        }
    }
}

/// The parts of an error that is a tuple.
fn parts_of_error(error: &Error) -> Option<Vec<Val>> {
    let part =
        |i: usize| error.fields.iter().find(|(name, _)| **name == *i.to_string()).map(|(_, value)| value.clone());
    let tuple = error.class == ErrorClass::Unknown && error.token.is_none() && !error.fields.is_empty();
    if tuple { (0..error.fields.len()).map(part).collect() } else { None }
}

/// A dictionary with one entry more, or another value.
pub fn with_entry(entries: &[(Rc<str>, Val)], key: &Rc<str>, value: &Val) -> Vec<(Rc<str>, Val)> {
    let mut entries: Vec<(Rc<str>, Val)> = entries.iter().filter(|(name, _)| name != key).cloned().collect();
    entries.push((key.clone(), value.clone()));
    entries
}
