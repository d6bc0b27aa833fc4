//! What the languages themselves provide: containers' methods, Python's builtin functions, function
//! objects' methods. No packages: those are the catalogue's.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Calls a builtin; none if the token is none.
    pub fn call_builtin(&mut self, frame: &mut Frame<'p>, callee: Tok, args: &Args, site: ExprId) -> Option<Value> {
        if frame.is_javascript() {
            return self.call_language(frame, callee, args, site, Via::Call);
        }
        match *self.tokens.get(callee) {
            Token::External(path) => {
                let path = self.symbols.text(path).to_string();
                if frame.ir.language == Language::Rust {
                    return self.rust_function(frame, &path, args, site);
                }
                match path.strip_prefix("builtins.") {
                    Some(name) => self.python_builtin(frame, name, args, site),
                    None => self.standard_function(frame, &path, args, site),
                }
            }
            Token::Member { base, name } => {
                let name = self.symbols.text(name).to_string();
                if frame.ir.language == Language::Rust {
                    return self.rust_method(frame, base, &name, args, site);
                }
                self.builtin_method(frame, base, &name, args, site)
            }
            _ => None,
        }
    }

    fn first(args: &Args) -> Value {
        args.positional.first().cloned().unwrap_or_default()
    }

    fn keyword(&self, args: &Args, name: &str) -> Option<Value> {
        let symbol = self.symbols.find(name)?;
        args.keywords.iter().find(|(n, _)| *n == symbol).map(|(_, v)| v.clone())
    }

    fn call_all(&mut self, frame: &mut Frame<'p>, callees: &Value, args: &Args, site: ExprId) -> Value {
        let mut result = Value::empty();
        for callee in callees.iter() {
            if self.is_callable(callee) || matches!(self.tokens.get(callee), Token::Object { .. }) {
                result.join(&self.call_token(frame, callee, args, site, Via::Handed));
            }
        }
        result
    }

    /// A new container at a call, holding some elements.
    fn new_container(&mut self, frame: &Frame<'p>, site: ExprId, kind: ContainerKind, elements: &Value) -> Value {
        let token = self.tokens.intern(Token::Container { site: self.site(frame, site), kind });
        self.write(Addr::Element(token), elements);
        Value::of(token)
    }

    fn python_builtin(&mut self, frame: &mut Frame<'p>, name: &str, args: &Args, site: ExprId) -> Option<Value> {
        let first = Self::first(args);
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
                let key = args.positional.get(1).cloned().unwrap_or_default();
                let value = args.positional.get(2).cloned().unwrap_or_default();
                if let Some(key) = self.constant_key(frame, &key) {
                    self.set_attribute(frame, &first, key, &value, Some(site));
                }
                Value::of(Tok::NULL)
            }
            "len" | "iter" | "next" | "str" | "repr" | "bool" | "int" | "float" | "abs" | "hash" | "bytes" | "format"
            | "round" | "aiter" | "anext" => {
                let special = format!("__{name}__");
                if let Some(value) = self.call_special(frame, &first, &special, Args::default(), site) {
                    return Some(value);
                }
                match name {
                    "iter" | "aiter" => first,
                    "next" | "anext" => {
                        let mut result = self.iterate(frame, &first, site);
                        if let Some(default) = args.positional.get(1) {
                            result.join(default);
                        }
                        result
                    }
                    "int" | "float" => match first.single().map(|t| self.tokens.get(t).clone()) {
                        Some(Token::Int(_) | Token::Float(_)) => first,
                        Some(Token::Str(s)) => match self.symbols.text(s).trim().parse::<i64>() {
                            Ok(n) => Value::of(self.tokens.intern(Token::Int(n))),
                            Err(_) => self.call_external(frame, self.builtin_token(name)?, args, site, Via::Call),
                        },
                        _ => return None,
                    },
                    "str" if first.iter().all(|t| matches!(self.tokens.get(t), Token::Str(_))) => first,
                    _ => Value::unknown(),
                }
            }
            "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" => {
                let elements = self.iterate(frame, &first, site);
                if let Some(key) = self.keyword(args, "key") {
                    let each = Args { positional: vec![elements.clone()], ..Args::default() };
                    self.call_all(frame, &key, &each, site);
                }
                let ordered = matches!(name, "list" | "tuple");
                if ordered && first.single().is_some_and(|t| self.is_container(t)) && !elements.is_empty() {
                    return Some(first);
                }
                self.new_container(frame, site, ContainerKind::List, &elements)
            }
            "dict" => {
                let token = self.tokens.intern(Token::Container {
                    site: self.site(frame, site),
                    kind: ContainerKind::Dict,
                });
                let mut all = args.clone();
                self.keyword_spread(frame, &first, &mut all);
                for (key, value) in &all.keywords {
                    self.set_key(token, *key, value);
                }
                if let Some(value) = &all.other_keywords {
                    self.write(Addr::Element(token), value);
                }
                for pair in self.iterate(frame, &first, site).iter().collect::<Vec<_>>() {
                    let key = self.element_at(frame, &Value::of(pair), 0);
                    let value = self.element_at(frame, &Value::of(pair), 1);
                    if self.is_container(pair) {
                        self.set_index(frame, &Value::of(token), &key, &value);
                    }
                }
                Value::of(token)
            }
            "enumerate" | "zip" => {
                let mut lists: Vec<Value> =
                    args.positional.iter().map(|v| self.iterate(frame, v, site)).collect();
                if name == "enumerate" {
                    lists.insert(0, Value::unknown());
                }
                let pair = self.tokens.intern(Token::Container {
                    site: Site { comp: frame.comp, expr: ExprId(u32::MAX / 2 - site.0) },
                    kind: ContainerKind::Tuple,
                });
                for (i, value) in lists.iter().enumerate() {
                    let key = self.symbols.intern(&i.to_string());
                    self.set_key(pair, key, value);
                }
                self.new_container(frame, site, ContainerKind::List, &Value::of(pair))
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
                if let Some(key) = self.keyword(args, "key") {
                    let each = Args { positional: vec![elements.clone()], ..Args::default() };
                    self.call_all(frame, &key, &each, site);
                }
                if !matches!(name, "min" | "max") {
                    return Some(Value::unknown());
                }
                if elements.iter().all(|t| matches!(self.tokens.get(t), Token::Int(_))) && !elements.is_empty() {
                    let numbers = elements.iter().filter_map(|t| {
                        if let Token::Int(n) = self.tokens.get(t) { Some(*n) } else { None }
                    });
                    let best = if name == "min" { numbers.min() } else { numbers.max() };
                    return best.map(|n| Value::of(self.tokens.intern(Token::Int(n))));
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
            "property" | "staticmethod" | "classmethod" => first,
            "print" | "isinstance" | "issubclass" | "callable" | "hasattr" | "id" | "vars" | "dir" | "delattr"
            | "range" | "input" | "open" | "ord" | "chr" | "divmod" | "pow" => Value::unknown(),
            "__import__" => match first.single().map(|t| self.tokens.get(t).clone()) {
                Some(Token::Str(s)) => self.import_text(frame, s),
                _ => Value::unknown(),
            },
            _ => return None,
        })
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

    /// Functions of the standard library that carry values through.
    fn standard_function(&mut self, frame: &mut Frame<'p>, path: &str, args: &Args, site: ExprId) -> Option<Value> {
        let first = Self::first(args);
        Some(match path {
            "functools.partial" | "functools.partialmethod" => {
                let place = self.site(frame, site);
                let mut rest = args.clone();
                if !rest.positional.is_empty() {
                    rest.positional.remove(0);
                }
                self.write_arguments(place, &rest);
                first.iter().map(|func| self.tokens.intern(Token::Partial { site: place, func })).collect()
            }
            "functools.reduce" => {
                let mut elements = args.positional.get(1).map(|v| self.iterate(frame, v, site)).unwrap_or_default();
                let item = elements.clone();
                if let Some(start) = args.positional.get(2) {
                    elements.join(start);
                }
                let each = Args { positional: vec![elements, item], ..Args::default() };
                self.call_all(frame, &first, &each, site)
            }
            "importlib.import_module" => match first.single().map(|t| self.tokens.get(t).clone()) {
                Some(Token::Str(s)) => self.import_text(frame, s),
                _ => Value::unknown(),
            },
            "copy.copy" | "copy.deepcopy" | "asyncio.run" | "asyncio.shield" | "asyncio.ensure_future"
            | "asyncio.create_task" => first,
            "asyncio.wait_for" | "asyncio.run_coroutine_threadsafe" => first,
            "typing.cast" => args.positional.get(1).cloned().unwrap_or_default(),
            "asyncio.gather" => {
                let token = self.tokens.intern(Token::Container {
                    site: self.site(frame, site),
                    kind: ContainerKind::List,
                });
                for (i, value) in args.positional.iter().enumerate() {
                    let key = self.symbols.intern(&i.to_string());
                    self.set_key(token, key, value);
                }
                if let Some(rest) = &args.rest {
                    self.write(Addr::Element(token), rest);
                }
                Value::of(token)
            }
            "itertools.chain" | "itertools.chain.from_iterable" => {
                let mut elements = Value::empty();
                for value in &args.positional {
                    elements.join(&self.iterate(frame, value, site));
                }
                if path.ends_with("from_iterable") {
                    elements = self.iterate(frame, &elements, site);
                }
                self.new_container(frame, site, ContainerKind::List, &elements)
            }
            "operator.attrgetter" | "operator.itemgetter" | "operator.methodcaller" => Value::unknown(),
            _ => return None,
        })
    }

    fn builtin_method(
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
                Some(self.store.read(Addr::Yield(comp), frame.comp))
            }
            Token::Function { .. } | Token::Bound { .. } | Token::Partial { .. } | Token::Wrapped { .. } => {
                self.function_method(frame, base, name, args, site)
            }
            Token::Str(_) => Some(Value::unknown()),
            Token::Member { .. } | Token::Made { .. } => {
                // What happens after an external call: its result is not known, the callbacks are.
                let promise = matches!(name, "then" | "catch" | "finally");
                if promise && self.known(self.tokens.find(&Token::Member { base, name: self.symbols.find(name)? })?).is_none() {
                    let mut result = Value::empty();
                    for callback in &args.positional {
                        let each = Args { positional: vec![Value::unknown()], ..Args::default() };
                        result.join(&self.call_all(frame, callback, &each, site));
                    }
                    result.insert(base);
                    return Some(result);
                }
                None
            }
            _ => None,
        }
    }

    fn function_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let mut rest = args.clone();
        let this = if rest.positional.is_empty() { Value::unknown() } else { rest.positional.remove(0) };
        match name {
            "__call__" => Some(self.call_token(frame, base, args, site, Via::Call)),
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

    fn container_method(&mut self, frame: &mut Frame<'p>, base: Tok, name: &str, args: &Args, site: ExprId) -> Value {
        let this = Value::of(base);
        let first = Self::first(args);
        match name {
            "append" | "add" | "push" | "appendleft" | "unshift" | "put" | "push_back" => {
                for value in &args.positional {
                    self.write(Addr::Element(base), value);
                }
                Value::unknown()
            }
            "insert" | "set" | "setdefault" => {
                let value = args.positional.get(1).cloned().unwrap_or_default();
                self.set_index(frame, &this, &first, &value);
                if name == "insert" {
                    self.write(Addr::Element(base), &value);
                }
                let mut result = value;
                if name == "setdefault" {
                    result.join(&self.index(frame, &this, &first, site));
                }
                result
            }
            "extend" | "update" => {
                let mut all = args.clone();
                self.keyword_spread(frame, &first, &mut all);
                for (key, value) in &all.keywords {
                    self.set_key(base, *key, value);
                }
                let elements = self.iterate(frame, &first, site);
                self.write(Addr::Element(base), &elements.filter(|t| !self.tokens.is_constant(t)));
                Value::unknown()
            }
            "get" | "pop" | "popitem" | "popleft" | "shift" | "at" | "remove" => {
                let mut value = if first.is_empty() {
                    self.all_elements(frame, &this)
                } else {
                    self.index(frame, &this, &first, site)
                };
                value = value.filter(|t| t != Tok::UNKNOWN);
                match args.positional.get(1) {
                    Some(default) if value.is_empty() || self.constant_key(frame, &first).is_none() => {
                        value.join(default);
                    }
                    None if value.is_empty() => {
                        value.insert(Tok::NULL);
                    }
                    _ => {}
                }
                value
            }
            "items" | "entries" => {
                let keys = self.keys_of(frame, &this);
                let values = self.all_elements(frame, &this);
                let pair = self.tokens.intern(Token::Container {
                    site: Site { comp: frame.comp, expr: ExprId(u32::MAX / 2 - site.0) },
                    kind: ContainerKind::Tuple,
                });
                for (key, value) in [("0", keys), ("1", values)] {
                    let key = self.symbols.intern(key);
                    self.set_key(pair, key, &value);
                }
                self.new_container(frame, site, ContainerKind::List, &Value::of(pair))
            }
            "values" | "iter" | "into_iter" | "iter_mut" => {
                let values = self.all_elements(frame, &this);
                self.new_container(frame, site, ContainerKind::List, &values)
            }
            "keys" => {
                let keys = self.keys_of(frame, &this);
                self.new_container(frame, site, ContainerKind::List, &keys)
            }
            "copy" | "slice" | "concat" | "reverse" | "sort" | "filter" | "flat" | "clone" => {
                let elements = self.all_elements(frame, &this);
                let each = Args { positional: vec![elements.clone(), elements], ..Args::default() };
                self.call_all(frame, &first, &each, site);
                this
            }
            "map" | "forEach" | "flatMap" | "some" | "every" | "find" | "findIndex" | "findLast" | "for_each" | "any"
            | "all" | "filter_map" | "flat_map" | "then" => {
                let elements = self.all_elements(frame, &this);
                let each = Args { positional: vec![elements.clone()], ..Args::default() };
                let result = self.call_all(frame, &first, &each, site);
                match name {
                    "find" | "findLast" => elements,
                    "map" | "flatMap" | "filter_map" | "flat_map" => {
                        self.new_container(frame, site, ContainerKind::List, &result)
                    }
                    _ => Value::unknown(),
                }
            }
            "reduce" | "reduceRight" | "fold" => {
                let (callback, start) = if name == "fold" { (1, 0) } else { (0, 1) };
                let elements = self.all_elements(frame, &this);
                let mut total = args.positional.get(start).cloned().unwrap_or_else(|| elements.clone());
                let callback = args.positional.get(callback).cloned().unwrap_or_default();
                let each = Args { positional: vec![total.clone(), elements], ..Args::default() };
                let result = self.call_all(frame, &callback, &each, site);
                total.join(&result);
                total
            }
            "__getitem__" => self.index(frame, &this, &first, site),
            _ => {
                self.hand_over(frame, args, site);
                Value::unknown()
            }
        }
    }
}
