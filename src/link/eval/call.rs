//! Calls: from a callee's token to the components and external entries it reaches.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::{Target, Via};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// A call expression.
    pub fn call(&mut self, frame: &mut Frame<'p>, id: ExprId, callee: ExprId, args: &[Arg], kind: CallKind) -> Value {
        if frame.is_javascript() {
            return self.call_expression(frame, id, callee, args, kind);
        }
        let rust = frame.ir.language == Language::Rust;
        let mut callee_value =
            if rust { self.rust_callee(frame, callee, args.len()) } else { self.eval(frame, callee) };
        let args = self.args(frame, args);
        if rust {
            callee_value = self.fitting_callees(frame, callee_value, &args, false);
            self.note_type_arguments(frame, id, &callee_value);
        }
        self.flush(frame);
        let mut result = Value::empty();
        if callee_value.is_empty() && self.waits() {
            return result;
        }
        if callee_value.is_top() {
            self.hand_over(frame, &args, id);
            self.record(frame.comp, id, Tok::TOP, Target::Unresolved, Via::Call);
            return Value::unknown();
        }
        if callee_value.is_empty() || callee_value.contains(Tok::UNKNOWN) {
            self.hand_over(frame, &args, id);
            self.record(frame.comp, id, Tok::UNKNOWN, Target::Unresolved, Via::Call);
            result.insert(Tok::UNKNOWN);
        }
        for token in callee_value.iter() {
            result.join(&self.call_token(frame, token, &args, id, Via::Call));
        }
        result
    }

    /// Calls one token.
    pub fn call_token(&mut self, frame: &mut Frame<'p>, callee: Tok, args: &Args, site: ExprId, via: Via) -> Value {
        self.call_as(frame, callee, callee, args, site, via)
    }

    /// Calls `callee`; the call is recorded under `seen`, the token with its wrappers.
    fn call_as(&mut self, frame: &mut Frame<'p>, callee: Tok, seen: Tok, args: &Args, site: ExprId, via: Via) -> Value {
        match *self.tokens.get(callee) {
            Token::Function { func, env } => self.call_function(frame, func, env, None, seen, args, site, via),
            Token::Bound { func, this } => self.call_bound(frame, func, this, seen, args, site, via),
            Token::Class { class, .. } if self.files[class.file as usize].language == Language::Rust => {
                self.make_struct(frame, callee, args, site)
            }
            Token::Class { .. } => self.call_class(frame, callee, args, site, via),
            Token::Variant { class, name } => self.make_variant(frame, class, name, args, site),
            Token::Wrapped { by, inner, .. } => {
                if via == Via::Call
                    && let Some(task) = self.task_call(callee)
                {
                    return self.call_external(frame, task, args, site, via);
                }
                self.call_around(frame, by, callee, args, site);
                if self.binds(by) {
                    let mut args = args.clone();
                    args.positional.insert(0, Value::of(callee));
                    return self.call_as(frame, inner, seen, &args, site, via);
                }
                self.call_as(frame, inner, seen, args, site, via)
            }
            Token::Partial { site: made, func } => {
                let mut all = Args::default();
                let mut i = 0;
                while let Some(value) = self.partial_argument(frame, made, i) {
                    all.positional.push(value);
                    i += 1;
                }
                all.positional.extend(args.positional.iter().cloned());
                all.rest = args.rest.clone();
                all.keywords = args.keywords.clone();
                for key in self.partial_keywords(frame, made) {
                    if !all.keywords.iter().any(|(name, _)| *name == key) {
                        let value = self.store.read(Addr::Keyword(made, key), frame.comp);
                        all.keywords.push((key, value));
                    }
                }
                all.other_keywords = args.other_keywords.clone();
                self.call_as(frame, func, seen, &all, site, via)
            }
            Token::Object { .. } | Token::Instance { .. } => {
                match self.call_special(frame, &Value::of(callee), "__call__", args.clone(), site) {
                    Some(value) => value,
                    None if self.known(callee).is_some() => self.call_external(frame, callee, args, site, via),
                    None => {
                        self.hand_over(frame, args, site);
                        Value::unknown()
                    }
                }
            }
            Token::Super { class, this } => self.call_super(frame, class, this, args, site),
            Token::Made { site: made, .. } if self.is_derived_function(callee) => {
                let root = self.underived(callee);
                let Token::Wrapped { inner, .. } = *self.tokens.get(root) else { return Value::unknown() };
                let wrapped = self.tokens.intern(Token::Wrapped { by: callee, inner, site: made });
                self.call_as(frame, wrapped, wrapped, args, site, via)
            }
            Token::External(_) | Token::Made { .. } | Token::Member { .. } => {
                if let Some(value) = self.initialise_base(frame, callee, args, site, via) {
                    return value;
                }
                if let Some(value) = self.call_builtin(frame, callee, args, site) {
                    self.note_start(frame, callee, args, site, via);
                    return value;
                }
                self.call_external(frame, callee, args, site, via)
            }
            Token::Unknown | Token::Top | Token::Missing => Value::unknown(),
            // `f?.()`
            Token::Null if frame.is_javascript() => Value::empty(),
            _ => Value::unknown(),
        }
    }

    /// Keeps the call of something that the language provides if it starts or joins work: how it does is the
    /// catalogue's to say.
    fn note_start(&mut self, frame: &Frame<'p>, callee: Tok, args: &Args, site: ExprId, via: Via) {
        let starts = matches!(self.tokens.get(callee), Token::External(_))
            && self.known(callee).is_some_and(|known| {
                let callable = known.callable;
                callable.concurrency.is_some() || callable.calls.iter().any(|c| c.how == "later")
            });
        if starts {
            let place = self.site(frame, site);
            self.write_arguments(place, args);
            let made = self.tokens.intern(Token::Made { site: place, callee });
            self.record(frame.comp, site, callee, Target::External(made), via);
        }
    }

    /// What a wrapper from outside calls beside the function: a context manager used as a decorator, the
    /// implementations of a `singledispatch`.
    fn call_around(&mut self, frame: &mut Frame<'p>, by: Tok, wrapped: Tok, args: &Args, site: ExprId) {
        match self.tokens.get(by) {
            Token::Object { .. } | Token::Instance { .. } => {
                let manager = Value::of(by);
                self.enter(frame, &manager, site);
                self.leave_manager(frame, &manager, site);
            }
            _ if self.is_path(by, &["functools.singledispatch", "functools.singledispatchmethod"]) => {
                let name = self.symbols.intern("#implementations");
                let implementations = self.store.read(Addr::Field(wrapped, name), frame.comp);
                for callee in implementations.iter() {
                    self.call_token(frame, callee, args, site, Via::Call);
                }
            }
            _ => {}
        }
    }

    /// Whether a token is a decorated function with other settings.
    fn is_derived_function(&self, token: Tok) -> bool {
        let root = self.underived(token);
        root != token && matches!(self.tokens.get(root), Token::Wrapped { .. })
    }

    /// Whether a decorator hands the object that it makes to the function it decorates.
    fn binds(&self, by: Tok) -> bool {
        let Token::Made { callee, site } = *self.tokens.get(by) else { return false };
        let Some(name) = self.known(callee).and_then(|k| k.callable.binds.as_deref()) else { return false };
        let Some(symbol) = self.symbols.find(name) else { return false };
        self.store.get(Addr::Keyword(site, symbol)).is_some_and(|v| v.contains(Tok::TRUE))
    }

    fn partial_argument(&mut self, frame: &Frame<'p>, site: Site, i: u32) -> Option<Value> {
        let value = self.store.read(Addr::Arg(site, i), frame.comp);
        if value.is_empty() { None } else { Some(value) }
    }

    fn partial_keywords(&mut self, frame: &Frame<'p>, site: Site) -> Vec<crate::link::symbols::Symbol> {
        let keys = self.store.read(Addr::KeywordSpread(site), frame.comp);
        keys.iter().filter_map(|t| if let Token::Str(s) = self.tokens.get(t) { Some(*s) } else { None }).collect()
    }

    fn call_bound(
        &mut self,
        frame: &mut Frame<'p>,
        func: Tok,
        this: Tok,
        seen: Tok,
        args: &Args,
        site: ExprId,
        via: Via,
    ) -> Value {
        match *self.tokens.get(func) {
            Token::Function { func, env } => {
                self.call_function(frame, func, env, Some(&Value::of(this)), seen, args, site, via)
            }
            Token::Wrapped { by, inner, .. } => {
                self.call_around(frame, by, func, args, site);
                self.call_bound(frame, inner, this, seen, args, site, via)
            }
            Token::Bound { .. } => self.call_as(frame, func, seen, args, site, via),
            _ => {
                let mut args = args.clone();
                args.positional.insert(0, Value::of(this));
                self.call_as(frame, func, seen, &args, site, via)
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn call_function(
        &mut self,
        frame: &mut Frame<'p>,
        func: FuncRef,
        env: CompId,
        this: Option<&Value>,
        seen: Tok,
        args: &Args,
        site: ExprId,
        via: Via,
    ) -> Value {
        let function = self.function(func);
        if this.is_none()
            && let Some(value) = self.dispatch_trait(frame, func, args, site, via)
        {
            return value;
        }
        let mut result = Value::empty();
        if function.is_abstract && frame.is_javascript() {
            // A signature: what stands behind it is not in the tree.
            self.hand_over(frame, args, site);
            return self.with_declared_of(frame, result, function.returns, func.file);
        }
        for comp in self.enter_function(frame.comp, func, Some(env), this, args) {
            self.record(frame.comp, site, seen, Target::Comp(comp), via);
            self.run_first(comp);
            if function.is_generator {
                result.insert(self.tokens.intern(Token::Generator(comp)));
            } else {
                result.join(&self.store.read(Addr::Return(comp), frame.comp));
            }
        }
        if self.files[func.file as usize].language == Language::Rust {
            result = self.rust_returned(frame, result, func);
        } else if !function.is_generator {
            result = self.with_declared_of(frame, result, function.returns, func.file);
        }
        result
    }

    /// Callables handed to unknown code count as called by whoever hands them over.
    pub fn hand_over(&mut self, frame: &mut Frame<'p>, args: &Args, site: ExprId) {
        if frame.is_javascript() {
            return self.hand_over_deep(frame, args, site);
        }
        let mut handed: Vec<Tok> = Vec::new();
        let values = args.positional.iter().chain(args.keywords.iter().map(|(_, v)| v)).chain(&args.rest);
        for value in values {
            handed.extend(value.iter().filter(|&t| self.is_callable(t)));
        }
        for token in handed {
            if matches!(self.tokens.get(token), Token::Class { .. } | Token::Variant { .. }) {
                continue;
            }
            self.call_token(frame, token, &Args::default(), site, Via::Handed);
        }
    }

    /// Whether a token is a callable of the program.
    pub fn is_callable(&self, token: Tok) -> bool {
        match *self.tokens.get(token) {
            Token::Function { .. } | Token::Class { .. } | Token::Wrapped { .. } | Token::Partial { .. } => true,
            Token::Variant { .. } => true,
            Token::Bound { func, .. } => self.is_callable(func),
            _ => false,
        }
    }
}
