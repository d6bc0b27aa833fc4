//! Decorators of methods and classes: the standard ones, called with the value and a context, and the older
//! ones of TypeScript, called with the prototype, the name and a property descriptor.

use super::super::Frame;
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Applies the decorators of a method or accessor, the last one first.
    pub(in crate::link::eval) fn decorate_function(
        &mut self,
        frame: &mut Frame<'p>,
        value: Value,
        function: &'p Function,
    ) -> Value {
        let evaluated: Vec<(ExprId, Value)> = function.decorators.iter().map(|&d| (d, self.eval(frame, d))).collect();
        let mut value = value;
        for (site, decorator) in evaluated.iter().rev() {
            let (ours, outside): (Vec<Tok>, Vec<Tok>) = decorator.iter().partition(|&t| self.is_callable(t));
            let outside: Value = outside.into_iter().collect();
            let mut result = Value::empty();
            if ours.is_empty() || !outside.is_empty() {
                result = self.apply_decorator(frame, &outside, &value, *site);
            }
            for token in ours {
                result.join(&self.decorate_method(frame, token, &value, function, *site));
            }
            value = result;
        }
        value
    }

    /// A decorator of the program applied to a method or accessor.
    fn decorate_method(
        &mut self,
        frame: &mut Frame<'p>,
        decorator: Tok,
        value: &Value,
        function: &Function,
        site: ExprId,
    ) -> Value {
        self.flush(frame);
        if self.wants_descriptor(decorator) {
            return self.decorate_descriptor(frame, decorator, value, function, site);
        }
        let name = match function.name {
            Some(name) => Value::of(self.tokens.intern(Token::Str(self.symbol(frame.file, name)))),
            None => Value::unknown(),
        };
        let kind = match function.binding {
            Binding::Getter => "getter",
            Binding::Setter => "setter",
            _ => "method",
        };
        let kind = self.string(kind);
        let adder = self.external("globals:addInitializer");
        let fields = [("kind", kind), ("name", name), ("addInitializer", adder)];
        let context = self.made_object(frame, site, 1, &fields);
        let passed = Self::with(vec![value.clone(), Value::of(context)]);
        let returned = self.call_token(frame, decorator, &passed, site, Via::Decorate);
        self.replaced(value, &returned)
    }

    /// What a decorator leaves: what it returns, or what there was.
    fn replaced(&self, value: &Value, returned: &Value) -> Value {
        let replacement = returned.filter(|t| self.can_be_called(t));
        let mut result = replacement;
        let keeps = returned.iter().any(|t| t == Tok::NULL || t == Tok::UNKNOWN);
        if keeps || (returned.is_empty() && !self.waits()) {
            result.join(value);
        }
        result
    }

    /// Whether a decorator is of the older kind: it names three parameters, or takes whatever comes.
    fn wants_descriptor(&self, decorator: Tok) -> bool {
        let mut at = decorator;
        loop {
            match *self.tokens.get(at) {
                Token::Bound { func, .. } | Token::Partial { func, .. } => at = func,
                Token::Function { func, .. } => {
                    let params = &self.function(func).params;
                    let named = |i: usize, names: &[&str]| {
                        let name = params.get(i).and_then(|p| p.name);
                        name.is_some_and(|n| names.contains(&self.files[func.file as usize].name(n)))
                    };
                    return params.iter().filter(|p| p.kind != ParamKind::VarArgs).count() >= 3
                        || named(0, &["target", "_target", "proto", "prototype"])
                            && named(
                                1,
                                &[
                                    "key",
                                    "_key",
                                    "propertyKey",
                                    "_propertyKey",
                                    "propertyName",
                                    "name",
                                    "methodName",
                                    "method",
                                ],
                            );
                }
                _ => return false,
            }
        }
    }

    fn decorate_descriptor(
        &mut self,
        frame: &mut Frame<'p>,
        decorator: Tok,
        value: &Value,
        function: &Function,
        site: ExprId,
    ) -> Value {
        let class = function.class.and_then(|id| self.class_token(ClassRef { file: frame.file, id }, frame.comp));
        let target = match (class, function.binding) {
            (Some(class), Binding::Static) => Value::of(class),
            (Some(class), _) => Value::of(self.prototype(class)),
            (None, _) => Value::unknown(),
        };
        let name = match function.name {
            Some(name) => Value::of(self.tokens.intern(Token::Str(self.symbol(frame.file, name)))),
            None => Value::unknown(),
        };
        let part = match function.binding {
            Binding::Getter => "get",
            Binding::Setter => "set",
            _ => "value",
        };
        let descriptor = self.made_object(frame, site, 1, &[(part, value.clone())]);
        let passed = Self::with(vec![target, name, Value::of(descriptor)]);
        let returned = self.call_token(frame, decorator, &passed, site, Via::Decorate);
        let mut result = Value::empty();
        let mut kept = returned.is_empty() && !self.waits();
        for token in returned.iter() {
            if token == descriptor || token == Tok::NULL || token == Tok::UNKNOWN {
                kept = true;
            } else if self.is_container(token) {
                result.join(&self.described(frame, token, part));
            } else if self.can_be_called(token) {
                result.insert(token);
            }
        }
        if kept {
            // What was put into the descriptor replaces what was there.
            let now = self.described(frame, descriptor, part);
            let others = now.filter(|t| !value.contains(t));
            result.join(if others.is_empty() { &now } else { &others });
        }
        result
    }

    /// The function in a property descriptor.
    fn described(&mut self, frame: &mut Frame<'p>, descriptor: Tok, part: &str) -> Value {
        let key = self.symbols.intern(part);
        let mut value = self.key_of(frame, descriptor, key);
        if value.is_empty() && part == "value" {
            // A getter that hands out the function (binding it first, mostly).
            let get = self.symbols.intern("get");
            value = self.key_of(frame, descriptor, get);
            let accessor = self.accessor("get", key);
            value.join(&self.store.read(crate::link::store::Addr::Field(descriptor, accessor), frame.comp));
        }
        value.filter(|t| self.can_be_called(t))
    }

    /// A decorator of the program applied to a class.
    pub(in crate::link::eval) fn decorate_class(
        &mut self,
        frame: &mut Frame<'p>,
        decorator: Tok,
        class: &Value,
        site: ExprId,
    ) -> Value {
        let kind = self.string("class");
        let adder = self.external("globals:addInitializer");
        let context = self.made_object(frame, site, 1, &[("kind", kind), ("addInitializer", adder)]);
        let passed = Self::with(vec![class.clone(), Value::of(context)]);
        let returned = self.call_token(frame, decorator, &passed, site, Via::Decorate);
        self.replaced(class, &returned)
    }
}
