//! Python's builtin functions.

use crate::ir::*;
use crate::link::component::Via;
use crate::link::eval::{Args, Frame};
use crate::link::solver::Solver;
use crate::link::token::*;

/// Functions whose result depends on what their arguments are: nothing can be said while these have no value.
const COMPUTING: &[&str] = &[
    "int",
    "float",
    "str",
    "bool",
    "len",
    "abs",
    "round",
    "min",
    "max",
    "sum",
    "isinstance",
    "issubclass",
    "callable",
    "hasattr",
    "type",
];

impl<'p> Solver<'p> {
    pub(super) fn python_builtin(
        &mut self,
        frame: &mut Frame<'p>,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let first = Self::first(args);
        if self.waits() && COMPUTING.contains(&name) && args.positional.iter().any(Value::is_empty) {
            return Some(Value::empty());
        }
        Some(match name {
            "getattr" => {
                let key = args.positional.get(1).cloned().unwrap_or_default();
                let mut result = match self.constant_key(frame, &key) {
                    Some(key) => self.attribute(frame, &first, key, site),
                    None => self.any_attribute(frame, &first, &key, site),
                };
                if let Some(default) = args.positional.get(2)
                    && (result.is_empty() || result.contains(Tok::UNKNOWN))
                {
                    result.join(default);
                }
                result
            }
            "setattr" => {
                let keys = args.positional.get(1).cloned().unwrap_or_default();
                let value = args.positional.get(2).cloned().unwrap_or_default();
                for key in keys.iter() {
                    if let Token::Str(key) = *self.tokens.get(key) {
                        self.set_attribute(frame, &first, key, &value, Some(site));
                    }
                }
                Value::of(Tok::NULL)
            }
            "len" | "iter" | "next" | "str" | "repr" | "bool" | "int" | "float" | "abs" | "hash" | "bytes"
            | "format" | "round" | "aiter" | "anext" => {
                let special = format!("__{name}__");
                if let Some(value) = self.call_special(frame, &first, &special, Args::default(), site) {
                    return Some(value);
                }
                match name {
                    "bool" => {
                        self.call_truth(frame, &first, site);
                        self.boolean(self.truth(&first))
                    }
                    // `iter(function, sentinel)`
                    "iter" if args.positional.len() == 2 => {
                        let made = self.call_all(frame, &first, &Args::default(), site);
                        self.new_container(frame, site, ContainerKind::List, &made)
                    }
                    "iter" | "aiter" => first,
                    "next" | "anext" => {
                        let mut result = self.iterate(frame, &first, site);
                        if let Some(default) = args.positional.get(1) {
                            result.join(default);
                        }
                        result
                    }
                    "int" | "float" => match first.single().map(|t| *self.tokens.get(t)) {
                        Some(Token::Int(_) | Token::Float(_)) => first,
                        Some(Token::Str(s)) => match self.symbols.text(s).trim().parse::<i64>() {
                            Ok(n) => Value::of(self.tokens.intern(Token::Int(n))),
                            Err(_) => self.call_external(frame, self.builtin_token(name)?, args, site, Via::Call),
                        },
                        _ => return None,
                    },
                    // What they give is worked out where it is needed.
                    "len" | "abs" | "round" => {
                        return Some(self.call_external(frame, self.builtin_token(name)?, args, site, Via::Call));
                    }
                    "str" if first.iter().all(|t| matches!(self.tokens.get(t), Token::Str(_))) => first,
                    _ => Value::unknown(),
                }
            }
            "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" => {
                if name == "reversed"
                    && let Some(value) = self.call_special(frame, &first, "__reversed__", Args::default(), site)
                {
                    return Some(value);
                }
                let elements = self.iterate(frame, &first, site);
                if name == "sorted" {
                    self.compare_by(frame, &elements, args, site);
                }
                let ordered = matches!(name, "list" | "tuple");
                if ordered && first.single().is_some_and(|t| self.is_container(t)) && !elements.is_empty() {
                    return Some(first);
                }
                self.new_container(frame, site, ContainerKind::List, &elements)
            }
            "dict" => {
                let token =
                    self.tokens.intern(Token::Container { site: self.site(frame, site), kind: ContainerKind::Dict });
                self.merge_into(frame, token, &first, args, site);
                Value::of(token)
            }
            "enumerate" | "zip" => {
                let mut lists: Vec<Value> = args.positional.iter().map(|v| self.iterate(frame, v, site)).collect();
                if name == "enumerate" {
                    lists.insert(0, Value::unknown());
                }
                let pair = self.pair(frame, site, &lists);
                self.new_container(frame, site, ContainerKind::List, &Value::of(pair))
            }
            // Some write the arguments the wrong way round: the callable is what can be called.
            "map"
                if !first.iter().any(|t| self.may_be_called(t))
                    && args.positional.get(1).is_some_and(|v| v.iter().any(|t| self.is_callable(t))) =>
            {
                let mut swapped = args.clone();
                swapped.positional.swap(0, 1);
                return self.python_builtin(frame, name, &swapped, site);
            }
            "map" | "filter" => {
                let positional = args.positional.iter().skip(1).map(|v| self.iterate(frame, v, site)).collect();
                let each = Args { positional, ..Args::default() };
                let mut result = self.call_all(frame, &first, &each, site);
                if name == "filter" {
                    result = each.positional.first().cloned().unwrap_or_default();
                }
                self.new_container(frame, site, ContainerKind::List, &result)
            }
            "min" | "max" | "sum" | "any" | "all" => {
                let mut elements = Value::empty();
                for value in &args.positional {
                    if args.positional.len() == 1 {
                        elements.join(&self.iterate(frame, value, site));
                    } else {
                        elements.join(value);
                    }
                }
                if matches!(name, "min" | "max") {
                    self.compare_by(frame, &elements, args, site);
                } else if name == "sum" {
                    let start = args.positional.get(1).cloned().unwrap_or_else(Value::unknown);
                    self.binary(frame, BinaryOp::Add, &start, &elements, site);
                }
                if !matches!(name, "min" | "max") {
                    return Some(Value::unknown());
                }
                if elements.iter().all(|t| matches!(self.tokens.get(t), Token::Int(_))) && !elements.is_empty() {
                    let numbers = elements
                        .iter()
                        .filter_map(|t| if let Token::Int(n) = self.tokens.get(t) { Some(*n) } else { None });
                    let best = if name == "min" { numbers.min() } else { numbers.max() };
                    return best.map(|n| Value::of(self.tokens.intern(Token::Int(n))));
                }
                let computed = |t: Tok| {
                    matches!(
                        self.tokens.get(t),
                        Token::Int(_) | Token::Float(_) | Token::Made { .. } | Token::Combined { .. }
                    )
                };
                if args.positional.len() > 1 && !elements.is_empty() && elements.iter().all(computed) {
                    return Some(self.call_external(frame, self.builtin_token(name)?, args, site, Via::Call));
                }
                elements
            }
            "type" => {
                let mut result = Value::empty();
                for token in first.iter() {
                    match *self.tokens.get(token) {
                        Token::Object { class, .. } | Token::Instance { class } => {
                            result.insert(class);
                        }
                        _ => {
                            result.insert(Tok::UNKNOWN);
                        }
                    }
                }
                result
            }
            "property" | "staticmethod" | "classmethod" => {
                let by = self.builtin_token(name)?;
                let place = self.site(frame, site);
                first.iter().map(|inner| self.tokens.intern(Token::Wrapped { by, inner, site: place })).collect()
            }
            "isinstance" | "issubclass" => {
                let classes = args.positional.get(1).cloned().unwrap_or_default();
                let classes = self.class_list(frame, &classes);
                match classes {
                    Some(classes) if name == "isinstance" => self.instance_test(frame, &first, &classes),
                    _ => Value::unknown(),
                }
            }
            "callable" => {
                let known = first.iter().map(|t| match self.tokens.get(t) {
                    _ if self.is_callable(t) => Some(true),
                    Token::Container { .. } | Token::Rest { .. } => Some(false),
                    _ if self.tokens.is_constant(t) => Some(false),
                    _ => None,
                });
                let known: Option<Vec<bool>> = known.collect();
                let first = known.as_ref().and_then(|k| k.first().copied());
                self.boolean(first.filter(|f| known.is_some_and(|k| k.iter().all(|x| x == f))))
            }
            "globals" => Value::of(self.tokens.intern(Token::Module(frame.file))),
            "eval" => self.evaluated(frame, &first, site),
            "vars" if !first.is_empty() => {
                let name = self.symbols.intern("__dict__");
                self.attribute(frame, &first, name, site)
            }
            "print" | "hasattr" | "id" | "vars" | "dir" | "delattr" | "range" | "input" | "open" | "ord" | "chr"
            | "divmod" | "pow" => Value::unknown(),
            "__import__" => match first.single().map(|t| *self.tokens.get(t)) {
                Some(Token::Str(s)) => self.import_text(frame, s),
                _ => Value::unknown(),
            },
            _ => return None,
        })
    }

    /// Calls the `key` of a sort, or the comparison of what is sorted.
    fn compare_by(&mut self, frame: &mut Frame<'p>, elements: &Value, args: &Args, site: ExprId) {
        match self.keyword(args, "key") {
            Some(key) => {
                let each = Args { positional: vec![elements.clone()], ..Args::default() };
                self.call_all(frame, &key, &each, site);
            }
            None => {
                let other = Args { positional: vec![elements.clone()], ..Args::default() };
                self.call_special(frame, elements, "__lt__", other, site);
            }
        }
    }

    fn may_be_called(&self, token: Tok) -> bool {
        self.is_callable(token)
            || matches!(
                self.tokens.get(token),
                Token::Object { .. } | Token::External(_) | Token::Unknown | Token::Made { .. } | Token::Member { .. }
            )
    }

    /// `eval` of a constant text that names something or calls it without arguments.
    fn evaluated(&mut self, frame: &mut Frame<'p>, text: &Value, site: ExprId) -> Value {
        let Some(text) = self.single_text(text) else { return Value::unknown() };
        let (path, called) = match text.trim().strip_suffix("()") {
            Some(path) => (path, true),
            None => (text.trim(), false),
        };
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        if path.is_empty() || !path.chars().all(plain) {
            return Value::unknown();
        }
        let mut value = Value::of(self.tokens.intern(Token::Module(frame.file)));
        for name in path.split('.') {
            let name = self.symbols.intern(name);
            value = self.attribute(frame, &value, name, site);
        }
        if called { self.call_all(frame, &value, &Args::default(), site) } else { value }
    }

    /// `isinstance(value, classes)`, as far as it is known.
    fn instance_test(&mut self, frame: &mut Frame<'p>, value: &Value, classes: &[Tok]) -> Value {
        let mut outcome = None;
        for token in value.iter() {
            let is = self.is_instance(frame, token, classes);
            if is.is_none() || (outcome.is_some() && outcome != is) {
                return Value::unknown();
            }
            outcome = is;
        }
        self.boolean(outcome)
    }

    fn builtin_token(&self, name: &str) -> Option<Tok> {
        let symbol = self.symbols.find(&format!("builtins.{name}"))?;
        self.tokens.find(&Token::External(symbol))
    }

    /// An attribute whose name is one of several strings, or not known.
    fn any_attribute(&mut self, frame: &mut Frame<'p>, object: &Value, key: &Value, site: ExprId) -> Value {
        let mut result = Value::empty();
        for token in key.iter() {
            match *self.tokens.get(token) {
                Token::Str(name) => {
                    result.join(&self.attribute(frame, object, name, site));
                }
                _ => {
                    result.insert(Tok::UNKNOWN);
                }
            }
        }
        result
    }
}
