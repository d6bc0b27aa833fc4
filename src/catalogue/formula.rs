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

impl Operator {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Sub => "-",
            Operator::Mul => "*",
            Operator::Div => "/",
            Operator::Mod => "%",
            Operator::Pow => "**",
            Operator::Eq => "==",
            Operator::NotEq => "!=",
            Operator::Lt => "<",
            Operator::LtEq => "<=",
            Operator::Gt => ">",
            Operator::GtEq => ">=",
            Operator::In => "in",
            Operator::And => "and",
            Operator::Or => "or",
        }
    }
}

/// As the catalogue writes it; operands that are operations themselves stand in brackets. Formulas nest no deeper than
/// their parser lets them.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, items: &[Formula]| {
            for (i, item) in items.iter().enumerate() {
                write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
            }
            Ok(())
        };
        match self {
            Formula::Number(n) => write!(f, "{n}"),
            Formula::Text(text) => write!(f, "'{text}'"),
            Formula::Bool(b) => write!(f, "{b}"),
            Formula::Null => f.write_str("null"),
            Formula::Name(name) => f.write_str(name),
            Formula::Field(of, name) => write!(f, "{of}.{name}"),
            Formula::Index(of, index) => write!(f, "{of}[{index}]"),
            Formula::Call(name, items) => {
                write!(f, "{name}(")?;
                list(f, items)?;
                f.write_str(")")
            }
            Formula::Binary(operator, a, b) => {
                for (i, side) in [a, b].into_iter().enumerate() {
                    if i == 1 {
                        write!(f, " {} ", operator.text())?;
                    }
                    match **side {
                        Formula::Binary(..) => write!(f, "({side})")?,
                        _ => write!(f, "{side}")?,
                    }
                }
                Ok(())
            }
            Formula::Not(of) => write!(f, "not {of}"),
            Formula::Neg(of) => write!(f, "-{of}"),
            Formula::List(items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")
            }
        }
    }
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
