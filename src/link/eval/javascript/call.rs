//! Calls: which part of the language answers a call, and what is handed to code outside.

use super::super::Frame;
use crate::ir::*;
use crate::link::component::{Target, Via};
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// Objects handed to something outside are searched for callbacks so deep.
const HANDED: usize = 2;

impl<'p> Solver<'p> {
    /// A call, construction or tagged template.
    pub(in crate::link::eval) fn call_expression(
        &mut self,
        frame: &mut Frame<'p>,
        id: ExprId,
        callee: ExprId,
        args: &[Arg],
        kind: CallKind,
    ) -> Value {
        let callees = self.eval(frame, callee);
        let given = args;
        let args = match kind {
            CallKind::Tagged => self.template_args(frame, id, args),
            _ => self.args(frame, args),
        };
        self.flush(frame);
        if callees.is_empty() && self.waits() {
            return Value::empty();
        }
        let mut result = Value::empty();
        if callees.is_top() {
            self.hand_over(frame, &args, id);
            self.record(frame.comp, id, Tok::TOP, Target::Unresolved, Via::Call);
            return Value::unknown();
        }
        if callees.is_empty() || callees.contains(Tok::UNKNOWN) {
            self.hand_over(frame, &args, id);
            self.record(frame.comp, id, Tok::UNKNOWN, Target::Unresolved, Via::Call);
            self.may_be_filled(frame, given, &args);
            result.insert(Tok::UNKNOWN);
        }
        for token in callees.iter() {
            let value = match kind {
                CallKind::New => self.construct(frame, token, &args, id),
                _ => self.call_token(frame, token, &args, id, Via::Call),
            };
            result.join(&value);
        }
        result
    }

    /// Objects of this function that are handed to a function nobody knows: it may write into them what is read later.
    fn may_be_filled(&mut self, frame: &Frame<'p>, given: &[Arg], args: &Args) {
        for (arg, value) in given.iter().zip(&args.positional) {
            let Arg::Positional(e) = arg else { return };
            if !matches!(frame.ir.expr(*e).kind, ExprKind::Var(_)) {
                continue;
            }
            for token in value.iter() {
                let made_here = matches!(*self.tokens.get(token), Token::Container { site, kind: ContainerKind::Dict }
                    if site.comp == frame.comp);
                if made_here {
                    self.note_spread(token, &Value::unknown());
                }
            }
        }
    }

    /// The arguments of a tag: the texts, then what is put between them.
    fn template_args(&mut self, frame: &mut Frame<'p>, id: ExprId, args: &[Arg]) -> Args {
        let texts = self.made_container(frame, id, 5, ContainerKind::List);
        let mut result = Self::with(vec![Value::of(texts)]);
        for arg in args {
            let ExprKind::Template(parts) = &frame.ir.expr(arg.value()).kind else { continue };
            for &part in parts {
                let value = self.eval(frame, part);
                if matches!(frame.ir.expr(part).kind, ExprKind::Literal(Literal::Str(_))) {
                    self.write(Addr::Element(texts), &value);
                } else {
                    result.positional.push(value);
                }
            }
        }
        result
    }

    /// Calls a part of the language; none if the token is none.
    pub(in crate::link::eval) fn call_language(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Tok,
        args: &Args,
        site: ExprId,
        via: Via,
    ) -> Option<Value> {
        match *self.tokens.get(callee) {
            Token::External(path) => {
                let path = self.symbols.text(path).to_string();
                if path.ends_with(':') {
                    // A module that is called is its default export.
                    let value = self.external(&format!("{path}default"));
                    return value.single().map(|t| self.call_token(frame, t, args, site, via));
                }
                match path.strip_prefix("globals:") {
                    Some(name) => self.call_global(frame, callee, name, args, site),
                    None => self.call_outside_function(&path, args),
                }
            }
            Token::Member { base, name } => {
                let name = self.symbols.text(name).to_string();
                if name.starts_with('#') {
                    return Some(self.settle(base, &name, args));
                }
                self.call_method(frame, callee, base, &name, args, site)
            }
            Token::Made { .. } => self.call_proxy(frame, callee, args, site),
            _ => None,
        }
    }

    /// Calls a method that the language gives to a value.
    fn call_method(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Tok,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let promised = matches!(name, "then" | "catch" | "finally");
        // What a library made of a function has methods of its own (`defer(f).pipe(…)`, `model.withRetry(…).invoke()`).
        if let Token::Wrapped { .. } = self.tokens.get(base)
            && self.known(callee).is_some()
        {
            return None;
        }
        match *self.tokens.get(base) {
            Token::Container { kind, .. } | Token::Rest { kind, .. } if !promised => {
                let found = match kind {
                    ContainerKind::List | ContainerKind::Tuple => self.array_method(frame, base, name, args, site),
                    ContainerKind::Map => self.map_method(frame, base, name, args, site),
                    ContainerKind::Set => self.set_method(frame, base, name, args, site),
                    ContainerKind::Dict | ContainerKind::Iter => None,
                };
                // Declared containers stand for maps and sets too.
                let found = found.or_else(|| match (kind, name) {
                    (ContainerKind::List, "get" | "set" | "add") => {
                        self.write(Addr::Element(base), &args.positional.last().cloned().unwrap_or_default());
                        Some(self.all_elements(frame, &Value::of(base)))
                    }
                    _ => None,
                });
                found.or_else(|| {
                    self.hand_over(frame, args, site);
                    Some(Value::unknown())
                })
            }
            Token::Generator(comp) if !promised => self.generator_method(frame, base, comp, name, args, site),
            Token::Function { .. }
            | Token::Bound { .. }
            | Token::Partial { .. }
            | Token::Wrapped { .. }
            | Token::Class { .. }
                if !promised =>
            {
                let value = self.function_call(frame, base, name, args, site);
                value.or_else(|| {
                    self.hand_over(frame, args, site);
                    Some(Value::unknown())
                })
            }
            Token::Str(_) if !promised => {
                self.hand_over(frame, args, site);
                Some(Value::unknown())
            }
            _ => {
                if self.known(callee).is_some() {
                    return None;
                }
                if promised {
                    return Some(self.promise_method(frame, base, name, args, site));
                }
                if matches!(name, "call" | "apply" | "bind") {
                    return self.function_call(frame, base, name, args, site);
                }
                if name == "deref" {
                    return Some(Value::of(base));
                }
                self.emitter_method(frame, base, name, args, site)
            }
        }
    }

    /// Callables handed to code outside, those in objects and lists too, count as called by whoever hands them over.
    pub(in crate::link::eval) fn hand_over_deep(&mut self, frame: &mut Frame<'p>, args: &Args, site: ExprId) {
        let mut open: Vec<(Tok, usize)> = Vec::new();
        for value in args.positional.iter().chain(&args.rest) {
            open.extend(value.iter().map(|t| (t, 0)));
        }
        let mut seen = Vec::new();
        while let Some((token, depth)) = open.pop() {
            match *self.tokens.get(token) {
                Token::Class { .. } => {}
                Token::Container { .. } | Token::Rest { .. } if depth < HANDED && !seen.contains(&token) => {
                    seen.push(token);
                    let elements = self.all_elements(frame, &Value::of(token));
                    let elements = self.bound_to(frame, elements, token, site);
                    open.extend(elements.iter().map(|t| (t, depth + 1)));
                }
                _ if self.is_callable(token) && !seen.contains(&token) => {
                    seen.push(token);
                    self.call_token(frame, token, &Args::default(), site, Via::Handed);
                }
                _ => {}
            }
        }
    }
}
