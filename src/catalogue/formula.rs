//! The catalogue's small expression language, parsed once at load.

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use std::fmt;

/// Operators of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    In,
    And,
    Or,
}

/// An expression over parameters, settings and a failure. Text form: numbers, `"text"`, `true`,
/// `false`, `null`, `inf`, names, `a.b`, `a[0]`, `f(x, y)`, `+ - * / % **`, `== != < <= > >=`, `in`,
/// `and or not`, `[a, b]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Formula {
    /// A number; `inf` is unbounded.
    Number(f64),
    /// A text.
    Text(String),
    /// `true`, `false`
    Bool(bool),
    /// `null`
    #[default]
    Null,
    /// A parameter, `self`, `error`, `result`, `n`, `version`.
    Name(String),
    /// `a.b`
    Field(Box<Formula>, String),
    /// `a[i]`
    Index(Box<Formula>, Box<Formula>),
    /// `f(x, y)`
    Call(String, Vec<Formula>),
    /// `a + b`
    Binary(Operator, Box<Formula>, Box<Formula>),
    /// `not a`
    Not(Box<Formula>),
    /// `-a`
    Neg(Box<Formula>),
    /// `[a, b]`
    List(Vec<Formula>),
}

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Formula;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, a boolean or a formula in quotes")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Formula, E> {
                super::parse_formula(text).map_err(E::custom)
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<Formula, E> {
                Ok(Formula::Number(n as f64))
            }
            fn visit_u64<E: Error>(self, n: u64) -> Result<Formula, E> {
                Ok(Formula::Number(n as f64))
            }
            fn visit_f64<E: Error>(self, n: f64) -> Result<Formula, E> {
                Ok(Formula::Number(n))
            }
            fn visit_bool<E: Error>(self, b: bool) -> Result<Formula, E> {
                Ok(Formula::Bool(b))
            }
        }
        deserializer.deserialize_any(Text)
    }
}
