//! Globals of the runtime: what they give back and which callbacks they call. What a library does is the
//! catalogue's.

use super::super::Frame;
use crate::ir::*;
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::token::*;

/// Globals, or what is below them, that call nothing that they are given.
const INERT: &[&str] = &[
    "console",
    "JSON",
    "Object",
    "Number",
    "Math",
    "String",
    "Boolean",
    "Symbol",
    "Array",
    "Reflect",
    "BigInt",
    "Date",
    "RegExp",
    "Error",
    "TypeError",
    "RangeError",
    "AggregateError",
    "URL",
    "URLSearchParams",
    "Intl",
    "clearTimeout",
    "clearInterval",
    "clearImmediate",
    "structuredClone",
    "parseInt",
    "parseFloat",
    "isNaN",
    "isFinite",
    "performance",
    "WeakRef",
    "AbortController",
    "AbortSignal",
    "Headers",
    "Request",
    "Response",
    "FormData",
    "Blob",
    "TextEncoder",
    "TextDecoder",
    "Buffer",
    "Uint8Array",
    "ArrayBuffer",
    "encodeURIComponent",
    "decodeURIComponent",
    "btoa",
    "atob",
    "Event",
    "CustomEvent",
];

impl<'p> Solver<'p> {
    /// Whether a global calls nothing that it is given.
    pub(in crate::link::eval) fn is_inert(&self, callee: Tok) -> bool {
        let Token::External(path) = *self.tokens.get(callee) else { return false };
        let Some(name) = self.symbols.text(path).strip_prefix("globals:") else { return false };
        INERT.contains(&name.split('.').next().unwrap_or(name))
    }

    /// Calls a global; none if nothing is said about it here.
    pub(super) fn call_global(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let first = Self::at(args, 0);
        if let Some((object, function)) = name.split_once('.') {
            return match object {
                "Object" => self.object_function(frame, function, args, site),
                "Reflect" => self.reflect_function(frame, function, args, site),
                "Array" if !function.contains('.') => self.array_function(frame, function, args, site),
                "Promise" => self.promise_function(frame, callee, function, args, site),
                "Map" | "Object.groupBy" if function == "groupBy" => {
                    let elements = self.iterate(frame, &first, site);
                    self.call_back(frame, &Self::at(args, 1), &Self::with(vec![elements]), site);
                    Some(Value::unknown())
                }
                _ => {
                    // `Array.prototype.map.call(list, …)`, `Function.prototype.call.call(…)`
                    let (method, how) = name.rsplit_once('.')?;
                    if !method.contains(".prototype.") || !matches!(how, "call" | "apply") {
                        return None;
                    }
                    let borrowed = self.external(&format!("globals:{method}")).single()?;
                    self.function_call(frame, borrowed, how, args, site)
                }
            };
        }
        Some(match name {
            "Array" => self.array_function(frame, "of", args, site)?,
            "Object" | "structuredClone" => first,
            "Promise" => self.new_promise(frame, callee, args, site),
            "String" | "Boolean" | "Symbol" if name != "Symbol" => {
                if first.iter().all(|t| self.tokens.is_constant(t)) && name == "String" && !first.is_empty() {
                    first
                } else {
                    Value::unknown()
                }
            }
            "require" => match first.single().map(|t| *self.tokens.get(t)) {
                Some(Token::Str(text)) => self.import_text(frame, text),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// `new Name(…)` of a global; none if nothing is said about it here.
    pub(super) fn construct_global(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let first = Self::at(args, 0);
        Some(match name {
            "Map" | "Set" | "WeakMap" | "WeakSet" => self.new_collection(frame, name, args, site),
            "Promise" => self.new_promise(frame, callee, args, site),
            "Proxy" => self.new_proxy(frame, callee, args, site),
            "Array" => {
                let list = self.made_container(frame, site, 0, ContainerKind::List);
                if args.positional.len() > 1 {
                    return self.array_function(frame, "of", args, site);
                }
                Value::of(list)
            }
            "Object" => match first.is_empty() {
                true => Value::of(self.made_container(frame, site, 1, ContainerKind::Dict)),
                false => first,
            },
            // Transparent, as a promise is: `deref` gives it back.
            "WeakRef" => first,
            _ => return None,
        })
    }

    /// Functions of the runtime's own modules that pass values on.
    pub(super) fn call_outside_function(&mut self, path: &str, args: &Args) -> Option<Value> {
        let path = path.strip_prefix("node:").unwrap_or(path);
        match path {
            "util:inherits" | "util:default.inherits" => {
                // The prototype of one inherits from that of the other.
                let bases: Vec<Tok> = Self::at(args, 1).iter().collect();
                for child in Self::at(args, 0).iter() {
                    for &base in &bases {
                        let (child, base) = (self.prototype(child), self.prototype(base));
                        self.note(child, "#proto", &Value::of(base));
                    }
                }
                Some(Value::of(Tok::NULL))
            }
            "module:createRequire" => Some(self.external("globals:require")),
            _ => None,
        }
    }
}
