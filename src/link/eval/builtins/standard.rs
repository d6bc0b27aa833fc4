//! Functions of Python's standard library that carry values through or answer questions about them.

use crate::ir::*;
use crate::link::eval::{Args, Frame};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// Functions of these look at callables that they are given and do not call them.
const HARMLESS: &[&str] = &["inspect.", "typing.", "typing_extensions.", "warnings.", "pickle.", "abc.", "logging."];

/// Partial applications of partial applications; further ones are left out.
const PARTIALS: usize = 12;

impl<'p> Solver<'p> {
    /// Functions of the standard library that carry values through.
    /// What `inspect` says about functions.
    fn inspected(&self, path: &str, value: &Value) -> Value {
        if value.is_empty() && self.waits() {
            return Value::empty();
        }
        let question = path.rsplit('.').next().unwrap_or(path);
        let mut outcome = None;
        for token in value.iter() {
            let mut at = token;
            let mut bound = false;
            let answer = loop {
                match *self.tokens.get(at) {
                    Token::Bound { func, .. } => (at, bound) = (func, true),
                    Token::Wrapped { inner, .. } => at = inner,
                    Token::Function { func, .. } => {
                        let function = self.function(func);
                        break Some(match question {
                            "iscoroutinefunction" => function.is_async && !function.is_generator,
                            "isasyncgenfunction" => function.is_async && function.is_generator,
                            "isgeneratorfunction" => !function.is_async && function.is_generator,
                            "ismethod" => bound,
                            "isfunction" => !bound,
                            "isroutine" => true,
                            _ => false,
                        });
                    }
                    Token::Class { .. } => break Some(question == "isclass"),
                    _ => break None,
                }
            };
            if answer.is_none() || (outcome.is_some() && outcome != answer) {
                return Value::unknown();
            }
            outcome = answer;
        }
        self.boolean(outcome)
    }

    pub(super) fn standard_function(
        &mut self,
        frame: &mut Frame<'p>,
        path: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let first = Self::first(args);
        Some(match path {
            "functools.partial" | "functools.partialmethod" => {
                let place = self.site(frame, site);
                let mut rest = args.clone();
                if !rest.positional.is_empty() {
                    rest.positional.remove(0);
                }
                let first = first.filter(|t| self.wrappers(t) < PARTIALS);
                self.write_arguments(place, &rest);
                let partial: Vec<Tok> =
                    first.iter().map(|func| self.tokens.intern(Token::Partial { site: place, func })).collect();
                if path == "functools.partial" {
                    return Some(partial.into_iter().collect());
                }
                let by = self.external(path).single()?;
                partial.into_iter().map(|inner| self.tokens.intern(Token::Wrapped { by, inner, site: place })).collect()
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
            "importlib.import_module" => match first.single().map(|t| *self.tokens.get(t)) {
                Some(Token::Str(s)) => self.import_text(frame, s),
                _ => Value::unknown(),
            },
            "copy.copy"
            | "copy.deepcopy"
            | "asyncio.run"
            | "asyncio.shield"
            | "asyncio.ensure_future"
            | "asyncio.create_task" => first,
            "asyncio.wait_for" | "asyncio.run_coroutine_threadsafe" => first,
            "typing.cast" => args.positional.get(1).cloned().unwrap_or_default(),
            "asyncio.gather" => {
                let token =
                    self.tokens.intern(Token::Container { site: self.site(frame, site), kind: ContainerKind::List });
                for (i, value) in args.positional.iter().enumerate() {
                    let key = self.symbols.number(i);
                    self.set_key(token, key, value);
                }
                if let Some(rest) = &args.rest {
                    self.write(Addr::Element(token), rest);
                }
                Value::of(token)
            }
            "functools.update_wrapper"
            | "types.MappingProxyType"
            | "contextlib.nullcontext"
            | "itertools.cycle"
            | "itertools.islice"
            | "itertools.takewhile"
            | "itertools.dropwhile"
            | "itertools.filterfalse"
                if !args.positional.is_empty() =>
            {
                if path.ends_with("while") || path.ends_with("filterfalse") {
                    let items = args.positional.get(1).cloned().unwrap_or_default();
                    let elements = self.iterate(frame, &items, site);
                    let each = Args { positional: vec![elements], ..Args::default() };
                    self.call_all(frame, &first, &each, site);
                    return Some(items);
                }
                first
            }
            "itertools.repeat" => self.new_container(frame, site, ContainerKind::List, &first),
            "itertools.starmap" => {
                let items = args.positional.get(1).map(|v| self.iterate(frame, v, site)).unwrap_or_default();
                let positional = (0..8).map(|i| self.element_at(frame, &items, i)).take_while(|v| !v.is_empty());
                let each = Args { positional: positional.collect(), ..Args::default() };
                let result = self.call_all(frame, &first, &each, site);
                self.new_container(frame, site, ContainerKind::List, &result)
            }
            "itertools.product" | "itertools.zip_longest" => {
                let lists: Vec<Value> = args.positional.iter().map(|v| self.iterate(frame, v, site)).collect();
                let pair = self.pair(frame, site, &lists);
                self.new_container(frame, site, ContainerKind::List, &Value::of(pair))
            }
            "contextlib.closing" | "contextlib.aclosing" => {
                let close = self.symbols.intern(if path.ends_with("aclosing") { "aclose" } else { "close" });
                let close = self.attribute(frame, &first, close, site);
                self.call_all(frame, &close, &Args::default(), site);
                first
            }
            "types.MethodType" => {
                let first = first.filter(|t| self.wrappers(t) < PARTIALS);
                let this = args.positional.get(1).cloned().unwrap_or_default();
                let mut bound = Value::empty();
                for func in first.iter() {
                    for this in this.iter() {
                        bound.insert(self.tokens.intern(Token::Bound { func, this }));
                    }
                }
                bound
            }
            "types.SimpleNamespace"
            | "argparse.Namespace"
            | "collections.OrderedDict"
            | "collections.Counter"
            | "collections.UserDict"
            | "weakref.WeakValueDictionary"
            | "weakref.WeakKeyDictionary" => {
                return self.python_builtin(frame, "dict", args, site);
            }
            "collections.ChainMap" => {
                let token = self.new_container(frame, site, ContainerKind::Dict, &Value::empty());
                for map in &args.positional {
                    for token in token.iter() {
                        self.merge_into(frame, token, map, &Args::default(), site);
                    }
                }
                token
            }
            "collections.defaultdict" => {
                let token =
                    self.tokens.intern(Token::Container { site: self.site(frame, site), kind: ContainerKind::Dict });
                let name = self.symbols.intern(super::FACTORY);
                self.write(Addr::Field(token, name), &first);
                let mut rest = args.clone();
                if !rest.positional.is_empty() {
                    rest.positional.remove(0);
                }
                let other = Self::first(&rest);
                self.merge_into(frame, token, &other, &rest, site);
                Value::of(token)
            }
            "collections.deque" | "collections.UserList" | "weakref.WeakSet" | "heapq.merge" => {
                let elements = self.iterate(frame, &first, site);
                self.new_container(frame, site, ContainerKind::List, &elements)
            }
            "queue.Queue"
            | "queue.LifoQueue"
            | "queue.PriorityQueue"
            | "queue.SimpleQueue"
            | "asyncio.Queue"
            | "asyncio.LifoQueue"
            | "asyncio.PriorityQueue"
            | "multiprocessing.Queue"
            | "multiprocessing.SimpleQueue"
            | "multiprocessing.JoinableQueue" => {
                let kind = ContainerKind::List;
                Value::of(self.tokens.intern(Token::Container { site: self.site(frame, site), kind }))
            }
            "heapq.heappush" | "heapq.heappop" | "heapq.heappushpop" | "heapq.heapreplace" | "bisect.insort" => {
                let method = if path.ends_with("pop") { "pop" } else { "append" };
                let mut rest = args.clone();
                if !rest.positional.is_empty() {
                    rest.positional.remove(0);
                }
                let mut result = Value::empty();
                for token in first.iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
                    result.join(&self.container_method(frame, token, method, &rest, site));
                }
                result
            }
            "dataclasses.replace" | "copy.replace" => {
                for (name, value) in &args.keywords {
                    self.set_attribute(frame, &first, *name, value, Some(site));
                }
                first
            }
            "inspect.iscoroutinefunction"
            | "asyncio.iscoroutinefunction"
            | "inspect.isasyncgenfunction"
            | "inspect.isgeneratorfunction"
            | "inspect.isfunction"
            | "inspect.ismethod"
            | "inspect.isclass"
            | "inspect.isroutine" => self.inspected(path, &first),
            _ if HARMLESS.iter().any(|prefix| path.starts_with(prefix)) => Value::unknown(),
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
}
