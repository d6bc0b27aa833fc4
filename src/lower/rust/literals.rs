//! Constants.

use super::lowerer::Lowerer;
use crate::ir::{ExprId, ExprKind, Literal};
use syn::Lit;

impl Lowerer {
    /// A literal expression.
    pub fn literal(&mut self, lit: &Lit) -> ExprId {
        let span = self.at(lit.span());
        let literal = match lit {
            Lit::Str(s) => Literal::Str(self.b.name(&s.value())),
            Lit::Char(c) => Literal::Str(self.b.name(c.value().encode_utf8(&mut [0; 4]))),
            Lit::Byte(byte) => Literal::Int(i64::from(byte.value())),
            Lit::Bool(b) => Literal::Bool(b.value),
            Lit::Int(int) if matches!(int.suffix(), "f32" | "f64") => float(int.base10_digits()),
            Lit::Int(int) => int.base10_parse::<i64>().map_or(Literal::Other, Literal::Int),
            Lit::Float(f) => float(f.base10_digits()),
            _ => Literal::Other,
        };
        self.b.expr(ExprKind::Literal(literal), span)
    }
}

fn float(digits: &str) -> Literal {
    digits.parse().map_or(Literal::Other, Literal::Float)
}
