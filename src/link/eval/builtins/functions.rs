//! Methods of function objects, generators, strings and promises.

use crate::ir::*;
use crate::link::component::Via;
use crate::link::eval::{Args, Frame};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    pub(super) fn builtin_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        match self.tokens.get(base) {
            Token::Container { .. } | Token::Rest { .. } => Some(self.container_method(frame, base, name, args, site)),
            Token::Generator(comp) => {
                let comp = *comp;
                match name {
                    "send" | "asend" => self.write(Addr::Sent(comp), &Self::first(args)),
                    "close" | "aclose" => return Some(Value::of(Tok::NULL)),
                    _ => {}
                }
                Some(self.store.read(Addr::Yield(comp), frame.comp))
            }
            Token::Function { .. } | Token::Bound { .. } | Token::Partial { .. } | Token::Wrapped { .. } => {
                self.function_method(frame, base, name, args, site)
            }
            Token::Str(text) => {
                let text = self.symbols.text(*text).to_string();
                Some(self.string_method(frame, &text, name, args, site))
            }
            Token::Class { .. } => match name {
                // `type.__call__`, reached from a metaclass by `super()`.
                "__call__" => Some(self.instantiate(frame, base, args, site, Via::Call)),
                "__new__" => Some(self.allocate(frame, &Self::first(args), site)),
                "__init_subclass__" | "__set_name__" | "mro" | "__subclasses__" => Some(Value::unknown()),
                _ => None,
            },
            Token::Object { .. } | Token::Instance { .. } if self.is_collection(base) => {
                Some(self.container_method(frame, base, name, args, site))
            }
            Token::Member { base: owner, name: at } if self.symbols.text(*at) == "__dict__" => {
                let owner = Value::of(*owner);
                self.dictionary_of(frame, &owner, name, args, site)
            }
            Token::Member { .. } | Token::Made { .. } => {
                // What happens after an external call: its result is not known, the callbacks are.
                let promise = matches!(name, "then" | "catch" | "finally");
                if promise
                    && self.known(self.tokens.find(&Token::Member { base, name: self.symbols.find(name)? })?).is_none()
                {
                    let mut result = Value::empty();
                    for callback in &args.positional {
                        let each = Args { positional: vec![Value::unknown()], ..Args::default() };
                        result.join(&self.call_all(frame, callback, &each, site));
                    }
                    result.insert(base);
                    return Some(result);
                }
                self.stack_method(frame, base, name, args, site)
            }
            _ => None,
        }
    }

    /// `x.__dict__.update(…)` and the like are attributes.
    fn dictionary_of(
        &mut self,
        frame: &mut Frame<'p>,
        owner: &Value,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let first = Self::first(args);
        match name {
            "update" => {
                let mut all = args.clone();
                self.keyword_spread(frame, &first, &mut all);
                for (key, value) in &all.keywords {
                    self.set_attribute(frame, owner, *key, value, Some(site));
                }
                Some(Value::of(Tok::NULL))
            }
            "get" | "pop" | "setdefault" => {
                let key = self.constant_key(frame, &first)?;
                let value = args.positional.get(1).cloned().unwrap_or_default();
                if name == "setdefault" {
                    self.set_attribute(frame, owner, key, &value, Some(site));
                }
                let mut result = self.attribute(frame, owner, key, site);
                result.join(&value);
                Some(result)
            }
            _ => Some(Value::unknown()),
        }
    }

    /// `ExitStack`'s methods: they enter managers and call back.
    fn stack_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let Token::Made { callee, .. } = *self.tokens.get(base) else { return None };
        let Token::External(path) = *self.tokens.get(callee) else { return None };
        let path = self.symbols.text(path);
        if path == "contextvars.ContextVar" {
            let held = self.symbols.intern("#value");
            return match name {
                "set" => {
                    self.write(Addr::Field(base, held), &Self::first(args));
                    Some(Value::unknown())
                }
                "get" => {
                    let mut value = self.store.read(Addr::Field(base, held), frame.comp);
                    value.join(&Self::first(args));
                    Some(if value.is_empty() { self.not_found() } else { value })
                }
                _ => None,
            };
        }
        if !matches!(path, "contextlib.ExitStack" | "contextlib.AsyncExitStack") {
            return None;
        }
        let first = Self::first(args);
        match name {
            "enter_context" | "enter_async_context" => {
                let entered = self.enter(frame, &first, site);
                self.leave_manager(frame, &first, site);
                Some(entered)
            }
            "callback" | "push_async_callback" => {
                let mut rest = args.clone();
                if !rest.positional.is_empty() {
                    rest.positional.remove(0);
                }
                self.call_all(frame, &first, &rest, site);
                Some(first)
            }
            _ => None,
        }
    }

    /// Methods of a constant string.
    fn string_method(&mut self, frame: &mut Frame<'p>, text: &str, name: &str, args: &Args, site: ExprId) -> Value {
        let changed = match name {
            "lower" | "casefold" | "toLowerCase" => text.to_lowercase(),
            "upper" | "toUpperCase" => text.to_uppercase(),
            "strip" | "trim" => text.trim().to_string(),
            "format" if frame.ir.language == Language::Python => return self.formatted(text, args),
            "split" | "rsplit" | "splitlines" if args.positional.len() == 1 => {
                let Some(by) = self.single_text(&Self::first(args)).filter(|by| !by.is_empty()) else {
                    return Value::unknown();
                };
                let token =
                    self.tokens.intern(Token::Container { site: self.site(frame, site), kind: ContainerKind::List });
                for (i, part) in text.split(&by).take(64).enumerate() {
                    let (key, part) = (self.symbols.number(i), self.string(part));
                    self.set_key(token, key, &part);
                }
                return Value::of(token);
            }
            _ => return Value::unknown(),
        };
        self.string(&changed)
    }

    /// The text of a value that is one constant string.
    pub(super) fn single_text(&self, value: &Value) -> Option<String> {
        match *self.tokens.get(value.single()?) {
            Token::Str(text) => Some(self.symbols.text(text).to_string()),
            Token::Int(n) => Some(n.to_string()),
            _ => None,
        }
    }

    /// `"send_{}".format(kind)`, as far as it is constant.
    fn formatted(&mut self, text: &str, args: &Args) -> Value {
        let mut result = String::new();
        let (mut rest, mut at) = (text, 0);
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, after)) = after.split_once('}') else { return Value::unknown() };
            let value = match inside.parse::<usize>() {
                _ if inside.is_empty() => args.positional.get(at),
                Ok(index) => args.positional.get(index),
                Err(_) => {
                    let symbol = self.symbols.find(inside);
                    args.keywords.iter().find(|(name, _)| Some(*name) == symbol).map(|(_, value)| value)
                }
            };
            at += 1;
            let Some(part) = value.and_then(|value| self.single_text(value)) else { return Value::unknown() };
            result.push_str(before);
            result.push_str(&part);
            rest = after;
        }
        result.push_str(rest);
        self.string(&result)
    }

    /// `@send.register(int)`, `@send.register`
    fn register_implementation(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let name = self.symbols.intern("#implementations");
        let functions = |solver: &Self, value: &Value| {
            value.filter(|t| !matches!(solver.tokens.get(t), Token::Class { .. }) && solver.is_callable(t))
        };
        let first = functions(self, &Self::first(args));
        let second = args.positional.get(1).map(|v| functions(self, v)).unwrap_or_default();
        let implementation = if first.is_empty() { second } else { first };
        if implementation.is_empty() {
            // The class only: the result is applied to the function.
            let register = self.symbols.intern("register");
            let _ = (frame, site);
            return Some(self.member(base, register));
        }
        self.write(Addr::Field(base, name), &implementation);
        Some(implementation)
    }

    fn function_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        if name == "register"
            && let Token::Wrapped { by, .. } = *self.tokens.get(base)
            && self.is_path(by, &["functools.singledispatch", "functools.singledispatchmethod"])
        {
            return self.register_implementation(frame, base, args, site);
        }
        let mut rest = args.clone();
        let this = if rest.positional.is_empty() { Value::unknown() } else { rest.positional.remove(0) };
        match name {
            "__call__" => Some(self.call_token(frame, base, args, site, Via::Call)),
            "__get__" => {
                let bound = this.iter().map(|this| self.tokens.intern(Token::Bound { func: base, this }));
                Some(bound.collect())
            }
            "call" | "apply" if frame.ir.language == Language::JavaScript => {
                if name == "apply" {
                    let list = rest.positional.first().cloned().unwrap_or_default();
                    let elements = (0..8).map(|i| self.element_at(frame, &list, i)).take_while(|v| !v.is_empty());
                    rest.positional = elements.collect();
                }
                let mut result = Value::empty();
                for this in this.iter() {
                    let bound = self.tokens.intern(Token::Bound { func: base, this });
                    result.join(&self.call_token(frame, bound, &rest, site, Via::Call));
                }
                Some(result)
            }
            "bind" if frame.ir.language == Language::JavaScript => {
                let place = self.site(frame, site);
                self.write_arguments(place, &rest);
                let bound: Vec<Tok> =
                    this.iter().map(|this| self.tokens.intern(Token::Bound { func: base, this })).collect();
                Some(bound.into_iter().map(|func| self.tokens.intern(Token::Partial { site: place, func })).collect())
            }
            _ => None,
        }
    }
}
