//! Calls that leave the program: arguments are kept, callables handed over are called.

use super::{Args, Frame};
use crate::catalogue::schema::{Callable, Calls};
use crate::ir::*;
use crate::link::component::{Target, Via};
use crate::link::known::Known;
use crate::link::modules::Resolved;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Calls something external.
    pub fn call_external(&mut self, frame: &mut Frame<'p>, callee: Tok, args: &Args, site: ExprId, via: Via) -> Value {
        let family = if self.known(callee).is_none() { self.as_family(frame, callee, args, site) } else { None };
        if family.is_some() {
            // Its own callbacks are as unknown as before.
            self.hand_over(frame, args, site);
        }
        let callee = family.unwrap_or(callee);
        let place = self.site(frame, site);
        self.write_arguments(place, args);
        let made = self.tokens.intern(Token::Made { site: place, callee });
        self.record(frame.comp, site, callee, Target::External(made), via);
        if let Some(wrapped) = self.decorate_by_call(callee, args, place) {
            return wrapped;
        }
        let Some(known) = self.known(callee) else {
            if !self.is_inert(callee) {
                self.hand_over(frame, args, site);
            }
            return Value::of(made);
        };
        let mut result = Value::empty();
        for calls in &known.callable.calls {
            result.join(&self.call_handed(frame, callee, &known, calls, args, site, made));
        }
        if let Some(formula) = &known.callable.receives_from {
            for queue in self.queues(frame, callee, &known, formula, args) {
                for calls in known.callable.calls.iter().filter(|c| c.how == "job") {
                    let handlers = self.argument(frame, known.callable, args, &calls.callable);
                    self.write(queue, &handlers.filter(|t| self.is_callable(t)));
                }
            }
        }
        if let Some(formula) = &known.callable.sends_to {
            for queue in self.queues(frame, callee, &known, formula, args) {
                let handlers = self.store.read(queue, frame.comp);
                for handler in handlers.iter() {
                    self.call_token(frame, handler, &Args::default(), site, Via::Handed);
                }
            }
        }
        for (path, formula) in &known.callable.assigns {
            let value = self.given_by(frame, known.callable, args, formula, site);
            // Of `queues.{options.name}`, the last name is an argument's.
            let argument = path.strip_suffix('}').and_then(|p| p.rsplit_once(".{"));
            let split = argument.or_else(|| path.rsplit_once(['.', ':']));
            let Some((module, name)) = split else { continue };
            let module = self.symbols.intern(module);
            let module = self.tokens.intern(Token::External(module));
            let names = match argument {
                Some(_) => self.texts_at(frame, known.callable, args, name),
                None => vec![self.symbols.intern(name)],
            };
            for name in names {
                let member = self.modules.members.of(frame.file);
                self.write(Addr::SetBy(module, name, member), &Value::of(made));
                self.set_outside(frame, module, name, &value);
            }
        }
        if known.is_constructor || (known.callable.returns.is_some() && !known.callable.derives) {
            self.note_made(made);
        }
        if let Some(name) = &known.callable.records {
            let on = match &known.callable.records_on {
                Some(argument) => self.argument(frame, known.callable, args, argument),
                None => self.receiver(callee).map(Value::of).unwrap_or_default(),
            };
            let name = self.symbols.intern(name);
            for token in on.iter() {
                self.write(Addr::Records(token, name), &Value::of(made));
            }
        }
        if known.callable.calls.iter().any(|c| c.callable == "self" && c.how == "decorate") && !result.is_empty() {
            return result;
        }
        let mut also = Value::empty();
        for name in &known.callable.returns_also {
            let name = name.strip_prefix("argument ").unwrap_or(name);
            let given = self.argument(frame, known.callable, args, name);
            let containers = given.filter(|t| self.is_container(t));
            also.join(&self.all_elements(frame, &containers));
            also.join(&given.filter(|t| !self.is_container(t)));
        }
        if let Some(receiver) = self.receiver(callee).filter(|_| !also.is_empty()) {
            also.insert(receiver);
            return also;
        }
        match known.callable.returns.as_deref() {
            Some("self") if !known.callable.derives => {
                if let Some(receiver) = self.receiver(callee) {
                    return Value::of(receiver);
                }
            }
            Some(name) => {
                if let Some(argument) = name.strip_prefix("argument ") {
                    // A future that has run here is what came of it.
                    let ran = known.callable.calls.iter().any(|c| c.how == "now" && c.callable == argument);
                    if ran && !result.is_empty() && frame.ir.language == Language::Rust {
                        return result;
                    }
                    return self.argument(frame, known.callable, args, argument);
                }
            }
            None => {}
        }
        if result.is_empty() || known.callable.returns.is_some() {
            result.insert(made);
        }
        result
    }

    /// The value bound to a parameter, or of a property or setting of it (`evaluate.try`, `lambda_function.handler`).
    fn argument_at(&mut self, frame: &mut Frame<'p>, callable: &Callable, args: &Args, path: &str) -> Value {
        let mut names = path.split('.');
        let mut value = self.argument(frame, callable, args, names.next().unwrap_or(path));
        for name in names {
            value = self.settings(frame, &value, name);
        }
        value
    }

    /// The texts that an argument, or a property of one, can be.
    fn texts_at(&mut self, frame: &mut Frame<'p>, callable: &Callable, args: &Args, path: &str) -> Vec<Symbol> {
        let value = self.argument_at(frame, callable, args, path);
        let text = |t| if let Token::Str(s) = *self.tokens.get(t) { Some(s) } else { None };
        value.iter().filter_map(text).collect()
    }

    /// The value of an argument, or of a field of one.
    fn given_by(
        &mut self,
        frame: &mut Frame<'p>,
        callable: &Callable,
        args: &Args,
        formula: &crate::catalogue::Formula,
        site: ExprId,
    ) -> Value {
        use crate::catalogue::Formula;
        match formula {
            Formula::Name(name) => self.argument(frame, callable, args, name),
            // What a factory makes.
            Formula::Call(name, of) if name == "call" => {
                let mut value = Value::empty();
                for factory in of.first().into_iter() {
                    let factories = self.given_by(frame, callable, args, factory, site);
                    for factory in factories.iter().filter(|&t| self.is_callable(t)).collect::<Vec<_>>() {
                        value.join(&self.call_token(frame, factory, &Args::default(), site, Via::Handed));
                    }
                }
                value
            }
            Formula::Field(object, name) => {
                let objects = self.given_by(frame, callable, args, object, site);
                let Some(name) = self.symbols.find(name) else { return Value::empty() };
                let mut value = Value::empty();
                for object in objects.iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
                    value.join(&self.store.read(Addr::Field(object, name), frame.comp));
                }
                value
            }
            _ => Value::empty(),
        }
    }

    /// Keeps what was made of a client's class for those who only declare that they are handed one.
    fn note_made(&mut self, made: Tok) {
        if let Some(kept) = self.made_objects(made) {
            self.write(kept, &Value::of(made));
        }
    }

    /// Where the objects of the catalogue's class of a token are kept; none if it is no client, queue or policy.
    pub(super) fn made_objects(&mut self, token: Tok) -> Option<Addr> {
        let (_, class) = self.known_class(token)?;
        let matters = |c: &Callable| c.outbound.is_some() || c.sends_to.is_some() || c.layer.is_some();
        if !class.methods.iter().any(|m| matters(&m.callable)) {
            return None;
        }
        let name = self.symbols.intern(class.path.first()?);
        Some(Addr::Instances(self.tokens.intern(Token::External(name))))
    }

    /// Where the handlers of the queues that a formula names are kept.
    fn queues(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Tok,
        known: &Known<'p>,
        formula: &crate::catalogue::Formula,
        args: &Args,
    ) -> Vec<Addr> {
        use crate::catalogue::Formula;
        let names = match formula {
            Formula::Name(name) => self.argument(frame, known.callable, args, name),
            Formula::Field(object, name) if matches!(&**object, Formula::Name(n) if n == "self") => {
                self.setting(frame, callee, name)
            }
            _ => Value::empty(),
        };
        let symbol = self.symbols.intern(&format!("#queue {}", known.library.name));
        let base = self.tokens.intern(Token::External(symbol));
        let text = |m: &Self, t: Tok| if let Token::Str(s) = *m.tokens.get(t) { Some(s) } else { None };
        let mut texts: Vec<_> = names.iter().filter_map(|t| text(self, t)).collect();
        if known.callable.receives_from.is_some() {
            for name in names.iter().filter(|&t| text(self, t).is_some()).collect::<Vec<_>>() {
                self.write(Addr::Keys(base), &Value::of(name));
            }
            if texts.is_empty() && self.is_past_calls() {
                // A worker of a queue whose name nobody knows: no queue is the only one.
                self.write(Addr::Keys(base), &Value::unknown());
            }
        } else if texts.is_empty() && frame.is_javascript() && self.is_past_calls() {
            // A queue that is handed in by name elsewhere: the program's only one.
            let all = self.store.read(Addr::Keys(base), frame.comp);
            texts.extend(all.single().and_then(|t| text(self, t)));
        }
        // What several calls hand to one component that stands for all of them, nobody can tell apart.
        let maker = match (formula, self.receiver(callee).map(|r| self.tokens.get(r))) {
            (Formula::Field(..), Some(Token::Made { site, .. })) => site.comp,
            _ => frame.comp,
        };
        if texts.len() > 1 && self.stands_for_many(maker) {
            return Vec::new();
        }
        texts.into_iter().map(|name| Addr::Field(base, name)).collect()
    }

    /// A class whose decorator says from which queue its objects are given jobs.
    pub(super) fn note_processor(&mut self, frame: &mut Frame<'p>, decorator: Tok, class: Tok) {
        let Token::Made { callee, site } = *self.tokens.get(decorator) else { return };
        let Some(known) = self.known(callee) else { return };
        let Some(formula) = &known.callable.receives_from else { return };
        // A class of the library says which of its methods runs; else they are marked.
        let order = self.class_order(frame, class);
        let runs: Vec<String> =
            order.iter().find_map(|&base| Some(self.known_class(base)?.1.runs.clone())).unwrap_or_default();
        let mut args = Args::default();
        let name = self.symbols.intern("name");
        let first = self.store.read(Addr::Arg(site, 0), frame.comp);
        let mut names = first.clone();
        for options in first.iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
            names.join(&self.store.read(Addr::Field(options, name), frame.comp));
        }
        args.positional.push(names.filter(|t| matches!(self.tokens.get(t), Token::Str(_))));
        let this = self.tokens.intern(Token::Instance { class });
        for queue in self.queues(frame, callee, &known, formula, &args) {
            for func in self.marked_methods(frame, class) {
                let bound = self.tokens.intern(Token::Bound { func, this });
                self.write(queue, &Value::of(bound));
            }
            for method in &runs {
                let method = self.symbols.intern(method);
                for func in self.own_member(frame, class, method, false).unwrap_or_default().iter() {
                    let bound = self.tokens.intern(Token::Bound { func, this });
                    self.write(queue, &Value::of(bound));
                }
            }
        }
    }

    /// Methods whose decorator says that a queue runs them (`@Process('resize') resize(job) {}`).
    fn marked_methods(&mut self, frame: &mut Frame<'p>, class: Tok) -> Vec<Tok> {
        let Token::Class { class: reference, .. } = *self.tokens.get(class) else { return Vec::new() };
        let ir: &'p File = &self.files[reference.file as usize];
        let mut found = Vec::new();
        for function in ir.functions.iter().filter(|f| f.class == Some(reference.id) && !f.decorators.is_empty()) {
            let Some(name) = function.name else { continue };
            let marks = function.decorators.iter().any(|&decorator| {
                let value = self.eval(frame, decorator);
                value.iter().any(|t| match *self.tokens.get(t) {
                    Token::Made { callee, .. } => {
                        self.known(callee).is_some_and(|k| k.callable.entry.as_deref() == Some("job"))
                    }
                    _ => false,
                })
            });
            if marks {
                let name = self.symbol(frame.file, name);
                found.extend(self.own_member(frame, class, name, false).unwrap_or_default().iter());
            }
        }
        found
    }

    /// An argument of the call that made a receiver.
    fn setting(&mut self, frame: &mut Frame<'p>, callee: Tok, name: &str) -> Value {
        let Some(receiver) = self.receiver(callee) else { return Value::empty() };
        let Token::Made { site, callee: maker } = *self.tokens.get(receiver) else { return Value::empty() };
        let Some(known) = self.known(maker) else { return Value::empty() };
        if let Some(symbol) = self.symbols.find(name) {
            let given = self.store.read(Addr::Keyword(site, symbol), frame.comp);
            if !given.is_empty() {
                return given;
            }
        }
        match known.callable.params.iter().position(|p| p == name) {
            Some(at) => self.store.read(Addr::Arg(site, at as u32), frame.comp),
            None => self.option(frame, site, known.callable, name),
        }
    }

    /// What stands under a name in the object of options that a call is given.
    pub(super) fn option(&mut self, frame: &Frame<'p>, site: Site, callable: &Callable, name: &str) -> Value {
        let at = callable.options.as_ref().and_then(|options| callable.params.iter().position(|p| p == options));
        let (Some(at), Some(symbol)) = (at, self.symbols.find(name)) else { return Value::empty() };
        let mut found = Value::empty();
        for object in self.store.read(Addr::Arg(site, at as u32), frame.comp).iter() {
            if self.is_container(object) {
                found.join(&self.store.read(Addr::Field(object, symbol), frame.comp));
            }
        }
        found
    }

    /// `retry(stop=…)(f)`: a decorator's result applied by a call.
    fn decorate_by_call(&mut self, callee: Tok, args: &Args, place: Site) -> Option<Value> {
        let Token::Made { callee: maker, .. } = *self.tokens.get(callee) else { return None };
        let known = self.known(maker)?;
        if !known.callable.calls.iter().any(|c| c.callable == "result" && c.how == "decorate") {
            return None;
        }
        let first = args.positional.first()?;
        let wrapped: Value = first
            .iter()
            .filter(|&t| self.is_callable(t))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|inner| self.tokens.intern(Token::Wrapped { by: callee, inner, site: place }))
            .collect();
        if wrapped.is_empty() { None } else { Some(wrapped) }
    }

    /// The object at the end of a chain of derivations (`task.with_options(…)`).
    pub fn underived(&self, token: Tok) -> Tok {
        let mut at = token;
        for _ in 0..8 {
            let Token::Made { callee, .. } = *self.tokens.get(at) else { break };
            let derives = self.known(callee).is_some_and(|k| k.callable.derives);
            match self.receiver(callee) {
                Some(receiver) if derives => at = receiver,
                _ => break,
            }
        }
        at
    }

    /// What a chain of derivations starts from; a decorated callable with the settings of the whole chain.
    fn rederived(&mut self, token: Tok) -> Tok {
        let root = self.underived(token);
        match (*self.tokens.get(root), *self.tokens.get(token)) {
            (Token::Wrapped { inner, .. }, Token::Made { site, .. }) if root != token => {
                self.tokens.intern(Token::Wrapped { by: token, inner, site })
            }
            _ => root,
        }
    }

    /// The value bound to a parameter of a catalogue entry.
    pub fn argument(&mut self, frame: &mut Frame<'p>, callable: &Callable, args: &Args, name: &str) -> Value {
        if let Some(symbol) = self.symbols.find(name)
            && let Some((_, value)) = args.keywords.iter().find(|(n, _)| *n == symbol)
        {
            return value.clone();
        }
        if let Some(at) = callable.params.iter().position(|p| p == name)
            && let Some(value) = args.positional.get(at)
        {
            return value.clone();
        }
        // An options object that holds named parameters.
        if let Some(options) = &callable.options
            && options != name
            && let Some(symbol) = self.symbols.find(name)
        {
            let options = self.argument(frame, callable, args, options);
            let mut value = Value::empty();
            for token in options.iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
                value.join(&self.store.read(Addr::Field(token, symbol), frame.comp));
            }
            return value;
        }
        Value::empty()
    }

    #[allow(clippy::too_many_arguments)]
    fn call_handed(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Tok,
        known: &Known<'p>,
        calls: &Calls,
        args: &Args,
        site: ExprId,
        made: Tok,
    ) -> Value {
        let rust = frame.ir.language == Language::Rust;
        let callables = match calls.callable.as_str() {
            "result" => return Value::of(made),
            "declared" => self.declared_method(frame, callee),
            "self" => match self.receiver(callee) {
                Some(receiver) if rust => Value::of(self.rederived(receiver)),
                Some(receiver) => Value::of(self.underived(receiver)),
                None => Value::empty(),
            },
            name => match name.strip_prefix('*').or_else(|| rest_of(known.callable, name)) {
                Some(rest) => {
                    let at = known.callable.params.iter().position(|p| p.trim_start_matches('*') == rest).unwrap_or(0);
                    let mut all = Value::empty();
                    for value in args.positional.iter().skip(at).chain(&args.rest) {
                        all.join(value);
                    }
                    let nested = all.filter(|t| self.is_container(t));
                    all.join(&self.all_elements(frame, &nested));
                    all
                }
                None => match name.strip_prefix("self.") {
                    Some(path) => {
                        let mut names = path.split('.');
                        let mut value = self.of_receiver(frame, callee, names.next().unwrap_or(path));
                        for name in names {
                            value = self.settings(frame, &value, name);
                        }
                        value
                    }
                    None => self.argument_at(frame, known.callable, args, name),
                },
            },
        };
        if calls.how == "decorate" {
            let place = self.site(frame, site);
            return callables
                .iter()
                .map(|inner| self.tokens.intern(Token::Wrapped { by: made, inner, site: place }))
                .collect();
        }
        let passed = self.passed_on(frame, known.callable, calls, args);
        let mut result = Value::empty();
        for token in callables.iter() {
            let token = if rust { self.rederived(token) } else { token };
            for target in self.callables_named(frame, token) {
                let value = self.call_token(frame, target, &passed, site, Via::Handed);
                result.join(&value);
            }
        }
        if calls.how == "now" { result } else { Value::empty() }
    }

    /// The method of this name of what implements the type that the receiver's maker was given
    /// (`proxyActivities<typeof activities>()`).
    fn declared_method(&mut self, frame: &mut Frame<'p>, callee: Tok) -> Value {
        let (root, name) = self.member_path(callee);
        let Token::Made { site, .. } = *self.tokens.get(root) else { return Value::empty() };
        if !self.types_count() {
            return Value::empty();
        }
        let file = self.comps[site.comp.0 as usize].key.func.file;
        let ir: &'p File = &self.files[file as usize];
        let Ok(at) = ir.type_args.binary_search_by_key(&site.expr, |(call, _)| *call) else { return Value::empty() };
        let name = self.symbols.intern(&name);
        let mut methods = Value::empty();
        for &ty in &ir.type_args[at].1 {
            let implementers = self.declared_value(frame, ty, file, site.comp);
            let found = self.attribute(frame, &implementers, name, ExprId(u32::MAX));
            methods.join(&found.filter(|t| self.is_callable(t)));
        }
        methods
    }

    /// A method that the program gave a receiver's class, or a setting of a receiver.
    fn of_receiver(&mut self, frame: &mut Frame<'p>, callee: Tok, name: &str) -> Value {
        let Some(receiver) = self.receiver(callee) else { return Value::empty() };
        if let (Token::Object { .. } | Token::Instance { .. }, Some(symbol)) =
            (self.tokens.get(receiver), self.symbols.find(name))
        {
            return self.class_attribute_of(frame, receiver, symbol).unwrap_or_default();
        }
        self.setting(frame, callee, name)
    }

    /// A decorated function whose call is not the function's: a task that is started by calling it.
    pub(super) fn task_call(&mut self, wrapped: Tok) -> Option<Tok> {
        let (_, class) = self.known_class(wrapped)?;
        let path = class.path.first().map_or("", String::as_str);
        let (_, _, method) = self.catalogue.method(path, "__call__")?;
        if !method.callable.calls.iter().any(|c| c.callable == "self") {
            return None;
        }
        let name = self.symbols.intern("__call__");
        Some(self.tokens.intern(Token::Member { base: wrapped, name }))
    }

    /// A callable, or the function that a dotted string names.
    /// Whether a token is a request that is sent when somebody asks for its answer, with whatever is put around it.
    fn sends_later(&self, token: Tok) -> bool {
        let mut at = token;
        while let Token::Wrapped { inner, .. } = *self.tokens.get(at) {
            at = inner;
        }
        matches!(self.tokens.get(at), Token::Made { .. })
            && self.known(at).is_some_and(|known| known.callable.outbound.is_some())
    }

    fn callables_named(&mut self, frame: &mut Frame<'p>, token: Tok) -> Vec<Tok> {
        match *self.tokens.get(token) {
            Token::Str(text) => {
                let text = self.symbols.text(text).to_string();
                let language = frame.ir.language;
                // A file alone (`lambda/work.ts`) is run by what it exports as its handler.
                let is_file = language == Language::JavaScript && crate::lower::language_of(&text).is_some();
                let split = if is_file { Some((text.as_str(), "handler")) } else { text.rsplit_once(['.', ':']) };
                let Some((module, name)) = split else { return Vec::new() };
                let resolved = match self.modules.resolve_text(frame.ir, module) {
                    Resolved::File(file) => Resolved::File(file),
                    other => self.modules.by_ending(language, module).map_or(other, Resolved::File),
                };
                let module = self.module_value(resolved);
                let Some(name) = self.symbols.find(name) else { return Vec::new() };
                let value = self.attribute(frame, &module, name, ExprId(u32::MAX));
                value.iter().filter(|&t| self.is_callable(t)).collect()
            }
            Token::Object { .. } | Token::Instance { .. } => vec![token],
            Token::Made { .. } | Token::Wrapped { .. } if frame.is_javascript() && self.sends_later(token) => {
                let name = self.symbols.intern("__call__");
                vec![self.tokens.intern(Token::Member { base: token, name })]
            }
            _ if self.is_callable(token) => vec![token],
            // `setTimeout(client.flush)`
            Token::External(_) | Token::Member { .. } if frame.is_javascript() => vec![token],
            _ => Vec::new(),
        }
    }

    fn passed_on(&mut self, frame: &mut Frame<'p>, callable: &Callable, calls: &Calls, args: &Args) -> Args {
        let mut passed = Args::default();
        for name in &calls.with {
            match name.strip_prefix('*') {
                Some(rest) => {
                    let named = callable.params.iter().position(|p| p.trim_start_matches('*') == rest);
                    match named {
                        Some(at) => {
                            passed.positional.extend(args.positional.iter().skip(at).cloned());
                            passed.rest = args.rest.clone();
                            let known: Vec<_> = callable.params.iter().filter_map(|p| self.symbols.find(p)).collect();
                            passed.keywords.extend(args.keywords.iter().filter(|(n, _)| !known.contains(n)).cloned());
                        }
                        None => {
                            // The elements of a parameter that holds the arguments (`args=(1, 2)`).
                            let value = self.argument(frame, callable, args, rest);
                            for token in value.iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
                                for i in 0..16 {
                                    let element = self.element_at(frame, &Value::of(token), i);
                                    if element.is_empty() {
                                        break;
                                    }
                                    passed.positional.push(element);
                                }
                            }
                        }
                    }
                }
                None => {
                    let mut value = self.argument(frame, callable, args, name);
                    if calls.how == "each" {
                        value = self.iterate(frame, &value, ExprId(u32::MAX));
                    }
                    passed.positional.push(value);
                }
            }
        }
        // Objects that the library makes for it: a context, a function that stops the retries.
        for name in &calls.gives {
            let class = self.symbols.intern(name);
            let class = self.tokens.intern(Token::External(class));
            passed.positional.push(Value::of(self.tokens.intern(Token::Instance { class })));
        }
        passed
    }
}

/// A parameter that collects the rest, named without its star.
fn rest_of<'n>(callable: &Callable, name: &'n str) -> Option<&'n str> {
    callable.params.iter().any(|p| p.strip_prefix('*') == Some(name)).then_some(name)
}
