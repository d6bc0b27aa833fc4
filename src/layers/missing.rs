//! Attributes that an error of the program does not have: reading one is an error itself in Python, and gives
//! nothing in JavaScript.

use super::machine::Machine;
use super::val::{Error, ErrorClass, Val};
use crate::ir::Language;
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
/// Attributes of every error.
const COMMON: &[&str] = &["args", "add_note", "with_traceback", "message", "name", "stack", "cause", "constructor"];

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
