//! What `Default` gives of the language's own plain types.

use crate::ir::{ExprKind, File, Literal, Type, TypeId};

/// The default of a declared type, where it is nothing, a number or a truth value.
pub fn plain_default(file: &File, ty: TypeId) -> Option<Literal> {
    let mut at = ty;
    loop {
        at = match &file.types[at.index()] {
            Type::Apply { base, .. } => *base,
            Type::Ref(e) => {
                let name = match file.expr(*e).kind {
                    ExprKind::Free(name) => name,
                    ExprKind::Attr { name, .. } => name,
                    _ => return None,
                };
                return match file.name(name) {
                    "Option" => Some(Literal::Null),
                    "bool" => Some(Literal::Bool(false)),
                    "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128"
                    | "isize" => Some(Literal::Int(0)),
                    _ => None,
                };
            }
            _ => return None,
        };
    }
}
