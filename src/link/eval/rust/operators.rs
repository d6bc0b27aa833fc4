//! What the language calls by itself: operators, comparisons, formatting, iteration, `Drop`.

use super::super::{Args, Frame};
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// `a + b` and the like on values of the program's types; none if no type has the operator.
    pub(in crate::link::eval) fn rust_operator(
        &mut self,
        frame: &mut Frame<'p>,
        of: &str,
        name: &str,
        on: &Value,
        args: &[Value],
        site: ExprId,
    ) -> Option<Value> {
        let mut result: Option<Value> = None;
        for token in on.iter() {
            let args = Args { positional: args.to_vec(), ..Args::default() };
            if let Some(value) = self.call_trait(frame, token, of, name, args, site) {
                result.get_or_insert_with(Value::empty).join(&value);
            }
        }
        result
    }

    /// The trait and method behind an operator.
    pub(in crate::link::eval) fn operator_of(op: BinaryOp) -> (&'static str, &'static str) {
        match op {
            BinaryOp::Add => ("Add", "add"),
            BinaryOp::Sub => ("Sub", "sub"),
            BinaryOp::Mul => ("Mul", "mul"),
            BinaryOp::Div => ("Div", "div"),
            BinaryOp::Mod => ("Rem", "rem"),
            BinaryOp::BitOr => ("BitOr", "bitor"),
            BinaryOp::BitAnd => ("BitAnd", "bitand"),
            BinaryOp::BitXor => ("BitXor", "bitxor"),
            BinaryOp::Shl => ("Shl", "shl"),
            BinaryOp::Shr => ("Shr", "shr"),
            BinaryOp::FloorDiv | BinaryOp::Pow | BinaryOp::MatMul => ("", ""),
        }
    }

    /// The trait and method behind `op=`.
    pub(in crate::link::eval) fn assigning_operator(op: BinaryOp) -> (String, String) {
        let (of, name) = Self::operator_of(op);
        (format!("{of}Assign"), format!("{name}_assign"))
    }

    /// An operator's trait called by its name (`Add::add(a, b)`, `Display::fmt(&x, f)`).
    pub(super) fn operator_function(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        of: &str,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        self.call_trait(frame, token, of, name, args.clone(), site)
    }

    /// What a comparison calls.
    pub(in crate::link::eval) fn rust_compare(
        &mut self,
        frame: &mut Frame<'p>,
        op: CompareOp,
        left: &Value,
        right: &Value,
        site: ExprId,
    ) {
        let args = [right.clone()];
        match op {
            CompareOp::Eq | CompareOp::NotEq => {
                if op == CompareOp::NotEq && self.rust_operator(frame, "PartialEq", "ne", left, &args, site).is_some() {
                    return;
                }
                self.rust_operator(frame, "PartialEq", "eq", left, &args, site);
            }
            CompareOp::Lt | CompareOp::LtEq | CompareOp::Gt | CompareOp::GtEq => {
                let own = match op {
                    CompareOp::Lt => "lt",
                    CompareOp::LtEq => "le",
                    CompareOp::Gt => "gt",
                    _ => "ge",
                };
                if self.rust_operator(frame, "PartialOrd", own, left, &args, site).is_none() {
                    self.rust_operator(frame, "PartialOrd", "partial_cmp", left, &args, site);
                }
            }
            _ => {}
        }
    }

    /// What sorting and searching for the least call on elements.
    pub(super) fn compare_elements(&mut self, frame: &mut Frame<'p>, elements: &Value, site: ExprId) {
        self.rust_operator(frame, "Ord", "cmp", elements, std::slice::from_ref(elements), site);
    }

    /// What sorting and comparing two values by `<` call.
    pub(super) fn compare_least(&mut self, frame: &mut Frame<'p>, elements: &Value, site: ExprId) {
        self.rust_compare(frame, CompareOp::Lt, elements, elements, site);
    }

    /// What showing a value calls.
    pub(in crate::link::eval) fn rust_format(
        &mut self,
        frame: &mut Frame<'p>,
        value: &Value,
        debug: bool,
        site: ExprId,
    ) {
        let mut seen = Vec::new();
        let mut stack: Vec<Tok> = value.iter().collect();
        while let Some(token) = stack.pop() {
            if seen.contains(&token) || seen.len() > 32 {
                continue;
            }
            seen.push(token);
            if debug && self.is_container(token) {
                stack.extend(self.all_elements(frame, &Value::of(token)).iter());
                continue;
            }
            let of = if debug { "Debug" } else { "Display" };
            let args = Args { positional: vec![Value::unknown()], ..Args::default() };
            self.call_trait(frame, token, of, "fmt", args, site);
        }
    }

    /// Whether a part of a format string is shown by `Debug`.
    pub(in crate::link::eval) fn is_debug(&self, frame: &Frame<'p>, part: ExprId) -> bool {
        let ExprKind::Typed(_, ty) = frame.ir.expr(part).kind else { return false };
        let Type::Ref(e) = frame.ir.types[ty.index()] else { return false };
        matches!(frame.ir.expr(e).kind, ExprKind::Free(name) if frame.ir.name(name) == "Debug")
    }

    /// What iterating over a value gives.
    pub(in crate::link::eval) fn rust_iterate(&mut self, frame: &mut Frame<'p>, value: &Value, site: ExprId) -> Value {
        let mut result = Value::empty();
        for token in value.iter() {
            match *self.tokens.get(token) {
                Token::Container { kind: ContainerKind::Dict, .. } => {
                    let (keys, values) =
                        (self.keys_of(frame, &Value::of(token)), self.all_elements(frame, &Value::of(token)));
                    result.join(&self.rust_pair(frame, site, &keys, &values));
                }
                Token::Container { .. } | Token::Rest { .. } => {
                    result.join(&self.all_elements(frame, &Value::of(token)));
                }
                Token::Generator(comp) => {
                    result.join(&self.store.read(Addr::Yield(comp), frame.comp));
                }
                Token::Object { .. } | Token::Instance { .. } | Token::Variant { .. } => {
                    result.join(&self.user_iterate(frame, token, site));
                }
                Token::Null | Token::Missing => {}
                Token::Made { .. } if self.is_error(token) => {}
                _ if self.is_external(token) => {
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

    fn user_iterate(&mut self, frame: &mut Frame<'p>, token: Tok, site: ExprId) -> Value {
        if let Some(iterator) = self.call_trait(frame, token, "IntoIterator", "into_iter", Args::default(), site) {
            let mut result = Value::empty();
            for made in iterator.iter().filter(|&t| t != token).collect::<Vec<_>>() {
                match self.tokens.get(made) {
                    Token::Object { .. } | Token::Instance { .. } => {
                        result.join(&self.next_of(frame, made, site).unwrap_or_default());
                    }
                    _ => {
                        result.join(&self.rust_iterate(frame, &Value::of(made), site));
                    }
                }
            }
            return result;
        }
        match self.next_of(frame, token, site) {
            Some(items) => items,
            // An `Option` of it.
            None => Value::of(token),
        }
    }

    /// The elements of a value whose type is an iterator.
    pub(super) fn next_of(&mut self, frame: &mut Frame<'p>, token: Tok, site: ExprId) -> Option<Value> {
        let items = match self.call_trait(frame, token, "Iterator", "next", Args::default(), site) {
            Some(items) => items,
            None => self.call_trait(frame, token, "Stream", "poll_next", Args::default(), site)?,
        };
        Some(items.filter(|t| t != Tok::NULL))
    }

    /// What goes out of scope when values do: their `Drop`, else that of what they hold.
    pub(super) fn drop_values(&mut self, frame: &mut Frame<'p>, value: &Value, site: ExprId) {
        let mut seen = Vec::new();
        let mut stack: Vec<Tok> = value.iter().collect();
        while let Some(token) = stack.pop() {
            if seen.contains(&token) || seen.len() > 32 {
                continue;
            }
            seen.push(token);
            if self.is_container(token) {
                stack.extend(self.all_elements(frame, &Value::of(token)).iter());
                continue;
            }
            self.call_trait(frame, token, "Drop", "drop", Args::default(), site);
            let Token::Object { class, .. } = *self.tokens.get(token) else { continue };
            let Token::Class { class: reference, .. } = *self.tokens.get(class) else { continue };
            for field in &self.class(reference).fields {
                let name = self.symbol(reference.file, field.name);
                stack.extend(self.store.read(Addr::Field(token, name), frame.comp).iter());
            }
        }
    }
}
