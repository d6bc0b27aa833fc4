//! Operators: arithmetic on constants, methods of the program's classes, policies combined.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    pub(super) fn unary(&mut self, frame: &mut Frame<'p>, op: UnaryOp, value: &Value, site: ExprId) -> Value {
        if value.is_empty() && self.waits() {
            return Value::empty();
        }
        if frame.ir.language == Language::Rust {
            let found = match op {
                UnaryOp::Not => self.rust_operator(frame, "Not", "not", value, &[], site),
                UnaryOp::Neg => self.rust_operator(frame, "Neg", "neg", value, &[], site),
                _ => None,
            };
            if let Some(found) = found {
                return found;
            }
        }
        match op {
            UnaryOp::Not => {
                self.call_truth(frame, value, site);
                self.boolean(self.truth(value).map(|truth| !truth))
            }
            UnaryOp::Neg => match value.single().map(|t| *self.tokens.get(t)) {
                Some(Token::Int(n)) => Value::of(self.tokens.intern(Token::Int(n.wrapping_neg()))),
                Some(Token::Float(b)) => Value::of(self.tokens.intern(Token::Float((-f64::from_bits(b)).to_bits()))),
                _ => self.special(frame, value, "__neg__", Args::default(), site),
            },
            UnaryOp::Plus => value.clone(),
            UnaryOp::Invert => self.special(frame, value, "__invert__", Args::default(), site),
            UnaryOp::TypeOf | UnaryOp::Void | UnaryOp::Delete => Value::unknown(),
        }
    }

    /// What a method of the language gives; unknown where there is none.
    fn special(&mut self, frame: &mut Frame<'p>, on: &Value, name: &str, args: Args, site: ExprId) -> Value {
        self.call_special(frame, on, name, args, site).unwrap_or_else(Value::unknown)
    }

    /// The value of an augmented assignment.
    pub fn augmented(&mut self, frame: &mut Frame<'p>, op: AssignOp, old: &Value, new: &Value, site: ExprId) -> Value {
        match op {
            AssignOp::Binary(op) => {
                if frame.ir.language == Language::Rust {
                    let (of, name) = Self::assigning_operator(op);
                    if let Some(value) = self.rust_operator(frame, &of, &name, old, std::slice::from_ref(new), site) {
                        let _ = value;
                        return old.clone();
                    }
                }
                let (_, _, in_place) = special_of(op);
                let args = Args { positional: vec![new.clone()], ..Args::default() };
                match self.call_special(frame, old, in_place, args, site) {
                    Some(value) => value,
                    None => self.binary(frame, op, old, new, site),
                }
            }
            AssignOp::Or | AssignOp::And | AssignOp::Coalesce => {
                // What decides that the old value is replaced does not stay.
                let mut value = match op {
                    AssignOp::Coalesce => old.filter(|t| t != Tok::NULL),
                    _ => old.filter(|t| self.token_truth(t) != Some(op == AssignOp::And)),
                };
                value.join(new);
                value
            }
        }
    }

    fn number(&self, value: &Value) -> Option<f64> {
        match self.tokens.get(value.single()?) {
            Token::Int(n) => Some(*n as f64),
            Token::Float(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// Arithmetic on constants; operators of classes; operators on external values.
    pub fn binary(&mut self, frame: &mut Frame<'p>, op: BinaryOp, left: &Value, right: &Value, site: ExprId) -> Value {
        if (left.is_empty() || right.is_empty()) && self.waits() {
            return Value::empty();
        }
        if let (Some(a), Some(b)) = (left.single(), right.single()) {
            if let (&Token::Int(a), &Token::Int(b)) = (self.tokens.get(a), self.tokens.get(b)) {
                let result = match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Sub => a.checked_sub(b),
                    BinaryOp::Mul => a.checked_mul(b),
                    BinaryOp::FloorDiv if b != 0 => a.checked_div_euclid(b),
                    BinaryOp::Mod if b != 0 => a.checked_rem_euclid(b),
                    BinaryOp::Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
                    BinaryOp::Shl => u32::try_from(b).ok().filter(|b| *b < 62).map(|b| a << b),
                    BinaryOp::Div if b != 0 && frame.ir.language == Language::Rust => a.checked_div(b),
                    _ => None,
                };
                if let Some(n) = result {
                    return Value::of(self.tokens.intern(Token::Int(n)));
                }
            }
            if let (&Token::Str(a), &Token::Str(b), BinaryOp::Add) = (self.tokens.get(a), self.tokens.get(b), op) {
                let text = format!("{}{}", self.symbols.text(a), self.symbols.text(b));
                if text.len() < 200 {
                    return self.string(&text);
                }
            }
        }
        if let (Some(a), Some(b)) = (self.number(left), self.number(right)) {
            let result = match op {
                BinaryOp::Add => Some(a + b),
                BinaryOp::Sub => Some(a - b),
                BinaryOp::Mul => Some(a * b),
                BinaryOp::Div if b != 0.0 => Some(a / b),
                BinaryOp::Pow => Some(a.powf(b)),
                _ => None,
            };
            if let Some(x) = result.filter(|x| x.is_finite()) {
                return Value::of(self.tokens.intern(Token::Float(x.to_bits())));
            }
        }
        if frame.ir.language == Language::Rust {
            let (of, name) = Self::operator_of(op);
            if let Some(value) = self.rust_operator(frame, of, name, left, std::slice::from_ref(right), site) {
                return value;
            }
        }
        let (plain, reflected, _) = special_of(op);
        for (on, name, other) in [(left, plain, right), (right, reflected, left)] {
            let args = Args { positional: vec![other.clone()], ..Args::default() };
            if let Some(value) = self.call_special(frame, on, name, args, site) {
                return value;
            }
        }
        // Lists and strings joined; policies combined.
        if left.iter().chain(right.iter()).any(|t| self.is_external(t)) {
            let site = self.site(frame, site);
            self.write(Addr::Arg(site, 0), left);
            self.write(Addr::Arg(site, 1), right);
            return Value::of(self.tokens.intern(Token::Combined { site }));
        }
        if op == BinaryOp::BitOr {
            // `A | B` as a type.
            let classes = |v: &Value| v.filter(|t| matches!(self.tokens.get(t), Token::Class { .. }));
            let mut both = classes(left);
            both.join(&classes(right));
            if !both.is_empty() {
                return both;
            }
        }
        if op == BinaryOp::Add || op == BinaryOp::BitOr {
            let containers =
                |v: &Value| v.filter(|t| matches!(self.tokens.get(t), Token::Container { .. } | Token::Rest { .. }));
            let mut both = containers(left);
            both.join(&containers(right));
            if !both.is_empty() {
                return both;
            }
        }
        Value::unknown()
    }

    pub(super) fn compare(
        &mut self,
        frame: &mut Frame<'p>,
        op: CompareOp,
        left: &Value,
        right: &Value,
        site: ExprId,
    ) -> Value {
        if (left.is_empty() || right.is_empty()) && self.waits() {
            return Value::empty();
        }
        if frame.ir.language == Language::Rust {
            self.rust_compare(frame, op, left, right, site);
        }
        let negated = matches!(op, CompareOp::NotEq | CompareOp::IsNot);
        if matches!(op, CompareOp::Eq | CompareOp::NotEq | CompareOp::Is | CompareOp::IsNot) {
            let equal = self.equal(left, right);
            if equal.is_some() {
                return self.boolean(equal.map(|e| e != negated));
            }
        }
        if let (Some(a), Some(b)) = (self.numbers(left), self.numbers(right)) {
            // Several numbers decide if all of them say the same.
            let less = |x: (f64, f64), y: (f64, f64)| match () {
                () if x.1 < y.0 => Some(true),
                () if x.0 >= y.1 => Some(false),
                () => None,
            };
            let result = match op {
                CompareOp::Lt => less(a, b),
                CompareOp::Gt => less(b, a),
                CompareOp::LtEq => less(b, a).map(|l| !l),
                CompareOp::GtEq => less(a, b).map(|l| !l),
                _ => None,
            };
            if result.is_some() {
                return self.boolean(result);
            }
        }
        let name = match op {
            CompareOp::Eq => "__eq__",
            CompareOp::NotEq => "__ne__",
            CompareOp::Lt => "__lt__",
            CompareOp::LtEq => "__le__",
            CompareOp::Gt => "__gt__",
            CompareOp::GtEq => "__ge__",
            CompareOp::In | CompareOp::NotIn => {
                let args = Args { positional: vec![left.clone()], ..Args::default() };
                self.call_special(frame, right, "__contains__", args, site);
                return Value::unknown();
            }
            CompareOp::Is | CompareOp::IsNot => return Value::unknown(),
        };
        let args = Args { positional: vec![right.clone()], ..Args::default() };
        self.call_special(frame, left, name, args, site);
        Value::unknown()
    }

    /// The smallest and the largest of a value that is nothing but numbers.
    fn numbers(&self, value: &Value) -> Option<(f64, f64)> {
        let mut range: Option<(f64, f64)> = None;
        for token in value.iter() {
            let n = self.number(&Value::of(token))?;
            range = Some(range.map_or((n, n), |(lo, hi)| (lo.min(n), hi.max(n))));
        }
        range
    }

    fn equal(&self, left: &Value, right: &Value) -> Option<bool> {
        let (a, b) = (left.single()?, right.single()?);
        let plain = |t: Tok| {
            self.tokens.is_constant(t)
                || matches!(
                    self.tokens.get(t),
                    Token::Function { .. } | Token::Class { .. } | Token::Object { .. } | Token::Container { .. }
                )
        };
        match (self.tokens.get(a), self.tokens.get(b)) {
            (Token::Null, _) if plain(b) => Some(a == b),
            (_, Token::Null) if plain(a) => Some(a == b),
            _ if self.tokens.is_constant(a) && self.tokens.is_constant(b) => Some(a == b),
            _ => None,
        }
    }
}

/// The methods behind an operator: plain, of the right operand, in place.
fn special_of(op: BinaryOp) -> (&'static str, &'static str, &'static str) {
    match op {
        BinaryOp::Add => ("__add__", "__radd__", "__iadd__"),
        BinaryOp::Sub => ("__sub__", "__rsub__", "__isub__"),
        BinaryOp::Mul => ("__mul__", "__rmul__", "__imul__"),
        BinaryOp::Div => ("__truediv__", "__rtruediv__", "__itruediv__"),
        BinaryOp::FloorDiv => ("__floordiv__", "__rfloordiv__", "__ifloordiv__"),
        BinaryOp::Mod => ("__mod__", "__rmod__", "__imod__"),
        BinaryOp::Pow => ("__pow__", "__rpow__", "__ipow__"),
        BinaryOp::MatMul => ("__matmul__", "__rmatmul__", "__imatmul__"),
        BinaryOp::BitOr => ("__or__", "__ror__", "__ior__"),
        BinaryOp::BitAnd => ("__and__", "__rand__", "__iand__"),
        BinaryOp::BitXor => ("__xor__", "__rxor__", "__ixor__"),
        BinaryOp::Shl => ("__lshift__", "__rlshift__", "__ilshift__"),
        BinaryOp::Shr => ("__rshift__", "__rrshift__", "__irshift__"),
    }
}
