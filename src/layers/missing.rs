//! Attributes that an error of the program does not have: reading one is an error itself in Python, and gives
//! nothing in JavaScript.

use super::machine::Machine;
use super::val::{Error, ErrorClass, Val};
use crate::ir::{ExprId, ExprKind, File, Language};
use crate::link::token::Token;
use std::rc::Rc;

/// Builtin bases that give an error no attributes beyond [`COMMON`], in all languages.
const PLAIN: &[&str] = &[
    "builtins.object",
    "builtins.BaseException",
    "builtins.Exception",
    "builtins.ValueError",
    "builtins.TypeError",
    "builtins.RuntimeError",
    "builtins.LookupError",
    "builtins.KeyError",
    "globals:Error",
    "globals:TypeError",
    "globals:RangeError",
];
/// What a signal that ran out gives.
const TIMED_OUT: &str = "globals:DOMException";
/// Attributes of every error.
const COMMON: &[&str] = &["args", "add_note", "with_traceback", "message", "name", "stack", "cause", "constructor"];

/// By these an error of a client in JavaScript leads to the answer that it came with.
const OF_ANSWER: &[&str] = &["response", "status", "statusCode"];

/// Whether what a path leads to is the answer that came with an error, and the class is one of the language's own,
/// whose errors carry none: `fetch` gives a `TypeError` where nothing came.
pub fn has_no_answer(class: &str, path: &str) -> bool {
    class.starts_with("globals:") && (PLAIN.contains(&class) || class == TIMED_OUT) && OF_ANSWER.contains(&path)
}

/// Whether an attribute is left out with what it is asked of, as `a?.b` and what follows it in one go.
pub fn is_skipped(ir: &File, e: ExprId) -> bool {
    let mut at = e;
    loop {
        at = match ir.expr(at).kind {
            ExprKind::Attr { optional: true, .. } => return true,
            ExprKind::Attr { object, .. } | ExprKind::Index { object, .. } => object,
            ExprKind::Typed(inner, _) => inner,
            _ => return false,
        };
    }
}

impl Machine<'_, '_, '_> {
    /// Whether an error certainly has no attribute of this name: the program made it of a class of its own, and
    /// neither the classes nor anybody else gives it one.
    pub fn lacks(&self, error: &Error, name: &str) -> bool {
        let Some(tok) = error.token else { return false };
        if name.starts_with('_') || COMMON.contains(&name) || error.fields.iter().any(|(n, _)| &**n == name) {
            return false;
        }
        let class = match &error.class {
            ErrorClass::Own(class) => class,
            // `new Error("status 404")`
            ErrorClass::Known(path) => {
                let made = matches!(self.view.token(tok), Token::Made { .. }) && path.starts_with("globals:");
                return made && PLAIN.contains(&&**path) && self.view.field(tok, name).is_none();
            }
            ErrorClass::Unknown => return false,
        };
        let solver = self.view.solver;
        let Some(order) = solver.orders.get(class) else { return false };
        let plain = order.iter().all(|&base| match *self.view.token(base) {
            Token::Class { .. } => true,
            Token::External(path) => PLAIN.contains(&self.view.text(path)),
            _ => false,
        });
        let given = |name: &str| order.iter().chain([&tok]).any(|&t| self.view.field(t, name).is_some());
        plain && !given(name) && !given("__getattr__") && !given("__getattribute__")
    }

    /// The error that reading such an attribute is, where it is one.
    pub fn error_of_lacking(&self, value: &Val, name: &str, language: Language) -> Option<Rc<Error>> {
        let Val::Error(error) = value else { return None };
        self.looked.set(true);
        if language != Language::Python || !self.lacks(error, name) {
            return None;
        }
        let class = ErrorClass::Known(Rc::from("builtins.AttributeError"));
        Some(Rc::new(Error { class, ..self.unknown_error() }))
    }
}
