//! Arguments of a call, and how they reach parameters.

use super::Frame;
use crate::ir::*;
use crate::link::component::{CompKey, THIS};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

/// Evaluated arguments.
#[derive(Clone, Default, Debug)]
pub struct Args {
    /// By position.
    pub positional: Vec<Value>,
    /// By keyword.
    pub keywords: Vec<(Symbol, Value)>,
    /// Elements of unknown number after the positional ones.
    pub rest: Option<Value>,
    /// Values of unknown keywords.
    pub other_keywords: Option<Value>,
}

/// A function that calls itself on more receivers stays with its own.
const RECEIVERS: usize = 4;
/// At most so many combinations of tokens are told apart at one call.
const COMBINATIONS: usize = 6;

impl<'p> Solver<'p> {
    /// Evaluates the arguments of a call, spreading containers whose elements are known.
    pub fn args(&mut self, frame: &mut Frame<'p>, args: &[Arg]) -> Args {
        let mut result = Args::default();
        for arg in args {
            let value = self.eval(frame, arg.value());
            match arg {
                Arg::Positional(_) => match &mut result.rest {
                    Some(rest) => {
                        rest.join(&value);
                    }
                    None => result.positional.push(value),
                },
                Arg::Keyword(name, _) => {
                    let name = self.symbol(frame.file, *name);
                    result.keywords.push((name, value));
                }
                Arg::Spread(e) => self.spread(frame, &value, *e, &mut result),
                Arg::KeywordSpread(_) => self.keyword_spread(frame, &value, &mut result),
            }
        }
        result
    }

    pub(super) fn spread(&mut self, frame: &mut Frame<'p>, value: &Value, site: ExprId, args: &mut Args) {
        if let Some(token) = value.single()
            && self.is_container(token)
            && args.rest.is_none()
        {
            let mut index = 0;
            loop {
                let name = self.symbols.number(index);
                let element = self.key_of(frame, token, name);
                if element.is_empty() {
                    break;
                }
                args.positional.push(element);
                index += 1;
            }
            let rest = self.store.read(Addr::Element(token), frame.comp);
            if !rest.is_empty() {
                args.rest = Some(rest);
            }
            return;
        }
        let elements = self.iterate(frame, value, site);
        if !elements.is_empty() {
            args.rest.get_or_insert_with(Value::empty).join(&elements);
        }
    }

    /// Adds the entries of dictionaries as keyword arguments.
    pub fn keyword_spread(&mut self, frame: &mut Frame<'p>, value: &Value, args: &mut Args) {
        for token in value.iter() {
            if !self.is_container(token) {
                if !self.tokens.is_constant(token) {
                    args.other_keywords.get_or_insert_with(Value::empty).join(&Value::unknown());
                }
                continue;
            }
            for key in self.constant_keys(frame, token) {
                let field = self.key_of(frame, token, key);
                match args.keywords.iter_mut().find(|(name, _)| *name == key) {
                    Some((_, old)) => {
                        old.join(&field);
                    }
                    None => args.keywords.push((key, field)),
                }
            }
            let other = self.store.read(Addr::Element(token), frame.comp);
            if !other.is_empty() {
                args.other_keywords.get_or_insert_with(Value::empty).join(&other);
            }
        }
    }

    /// The components that a call of a function reaches, with its arguments written to their parameters.
    pub fn enter_function(
        &mut self,
        caller: CompId,
        func: FuncRef,
        env: Option<CompId>,
        this: Option<&Value>,
        args: &Args,
    ) -> Vec<CompId> {
        let function = self.function(func);
        let mut args = args.clone();
        let takes_receiver = function.params.first().is_some_and(|p| p.kind == ParamKind::Receiver);
        let python = self.files[func.file as usize].language != Language::JavaScript;
        if let Some(this) = this
            && (takes_receiver || (python && function.binding != Binding::Static))
        {
            args.positional.insert(0, this.clone());
        }
        let bound = self.bind_args(func, function, &args);
        let contexts = self.contexts_of(caller, func, this.filter(|_| !takes_receiver), &bound);
        let mut comps = Vec::with_capacity(contexts.len());
        for context in contexts {
            let depth = context.iter().map(|&(_, t)| self.token_depth(t) + 1).max().unwrap_or(0);
            let depth = depth.max(env.map_or(0, |e| self.comps[e.0 as usize].depth));
            let comp = self.component(CompKey { func, parent: env, context: context.clone() }, depth);
            let told_apart = !self.comps[comp.0 as usize].key.context.is_empty();
            for (i, value) in bound.iter().enumerate() {
                let chosen = context.iter().find(|(at, _)| told_apart && *at == i as u32);
                match chosen {
                    Some(&(_, token)) => self.write(Addr::Param(comp, i as u32), &Value::of(token)),
                    None => self.write(Addr::Param(comp, i as u32), value),
                }
            }
            if let Some(this) = this.filter(|_| !takes_receiver) {
                match context.iter().find(|(at, _)| told_apart && *at == THIS) {
                    Some(&(_, token)) => self.write(Addr::This(comp), &Value::of(token)),
                    None => self.write(Addr::This(comp), this),
                }
            }
            self.write_rest(comp, func, function, &args);
            self.write_arguments_object(comp, func, &args);
            comps.push(comp);
        }
        comps.dedup();
        comps
    }

    fn bind_args(&mut self, func: FuncRef, function: &'p Function, args: &Args) -> Vec<Value> {
        let mut position = 0;
        let mut bound = Vec::with_capacity(function.params.len());
        for param in &function.params {
            let mut value = Value::empty();
            let by_position = matches!(param.kind, ParamKind::Receiver | ParamKind::PositionalOnly | ParamKind::Normal);
            if by_position {
                if let Some(given) = args.positional.get(position) {
                    value.join(given);
                    position += 1;
                } else if let Some(rest) = &args.rest {
                    value.join(rest);
                }
            }
            if matches!(param.kind, ParamKind::Normal | ParamKind::KeywordOnly)
                && let Some(name) = param.name
            {
                let name = self.symbol(func.file, name);
                if let Some((_, given)) = args.keywords.iter().find(|(n, _)| *n == name) {
                    value.join(given);
                } else if value.is_empty()
                    && let Some(other) = &args.other_keywords
                {
                    value.join(other);
                    value.insert(Tok::MISSING);
                }
            }
            let given = position > bound.len() || !value.is_empty();
            if value.is_empty() && !given && !matches!(param.kind, ParamKind::VarArgs | ParamKind::KwArgs) {
                value.insert(Tok::MISSING);
            }
            bound.push(value);
        }
        bound
    }

    /// Tells calls apart by the tokens of the parameters that matter.
    fn contexts_of(
        &mut self,
        caller: CompId,
        func: FuncRef,
        this: Option<&Value>,
        bound: &[Value],
    ) -> Vec<Box<[(u32, Tok)]>> {
        // A function that calls itself stays in its own context: its counters would never end.
        let mut at = Some(caller);
        while let Some(around) = at {
            let own = &self.comps[around.0 as usize].key;
            if own.func == func {
                return self.contexts_of_itself(own.context.clone(), this, bound);
            }
            // Its closures call it again, too (`.catch(() => attempt(left - 1))`).
            at = own.parent;
        }
        let mut contexts: Vec<Vec<(u32, Tok)>> = vec![Vec::new()];
        let receiver = this.filter(|_| self.is_receiver_told_apart(func)).map(|value| (THIS, value));
        let params = bound.iter().enumerate().map(|(i, value)| (i as u32, value));
        let full = self.is_receiver_told_apart(func);
        for (i, value) in receiver.into_iter().chain(params) {
            let relevant = if i == THIS { full } else { self.is_told_apart(func, i) };
            if !relevant || value.is_empty() || value.is_top() {
                continue;
            }
            let tokens: Vec<Tok> = value.iter().collect();
            let chosen = i != THIS && self.is_chosen_by(func, i);
            let vague = |t: Tok| match self.tokens.get(t) {
                Token::Str(_) => !chosen,
                Token::Unknown => true,
                Token::Int(_) | Token::Float(_) | Token::Bool(_) => !full,
                _ => false,
            };
            if tokens.len() * contexts.len() > COMBINATIONS || tokens.iter().any(|&t| vague(t)) {
                continue;
            }
            contexts = contexts
                .into_iter()
                .flat_map(|context| {
                    tokens.iter().map(move |&token| {
                        let mut context = context.clone();
                        context.push((i, token));
                        context
                    })
                })
                .collect();
        }
        contexts.into_iter().map(Vec::into_boxed_slice).collect()
    }

    /// The contexts of a function that calls itself: its own one, but for another receiver (one of its kind that it is put
    /// around) that one's.
    fn contexts_of_itself(
        &self,
        own: Box<[(u32, Tok)]>,
        this: Option<&Value>,
        bound: &[Value],
    ) -> Vec<Box<[(u32, Tok)]>> {
        let (at, receiver) = match (this, bound.first()) {
            (Some(this), _) => (THIS, this),
            (None, Some(first)) => (0, first),
            (None, None) => return vec![own],
        };
        let Some(place) = own.iter().position(|&(i, _)| i == at) else { return vec![own] };
        let is_object = |t: Tok| matches!(self.tokens.get(t), Token::Object { .. });
        if receiver.is_empty()
            || receiver.len() > RECEIVERS
            || !receiver.iter().all(is_object)
            || !is_object(own[place].1)
        {
            return vec![own];
        }
        let with = |token: Tok| {
            let mut context = own.clone();
            context[place].1 = token;
            context
        };
        receiver.iter().map(with).collect()
    }

    /// Writes what `*args` and `**kwargs` collect.
    fn write_rest(&mut self, comp: CompId, func: FuncRef, function: &'p Function, args: &Args) {
        let positional = function
            .params
            .iter()
            .filter(|p| matches!(p.kind, ParamKind::Receiver | ParamKind::PositionalOnly | ParamKind::Normal));
        let fixed = positional.count();
        for (i, param) in function.params.iter().enumerate() {
            match param.kind {
                ParamKind::VarArgs => {
                    let rest = self.tokens.intern(Token::Rest { comp, param: i as u32, kind: ContainerKind::Tuple });
                    for (n, value) in args.positional.iter().skip(fixed).enumerate() {
                        let name = self.symbols.number(n);
                        self.set_key(rest, name, value);
                    }
                    if let Some(value) = &args.rest {
                        self.write(Addr::Element(rest), value);
                    }
                }
                ParamKind::KwArgs => {
                    let rest = self.tokens.intern(Token::Rest { comp, param: i as u32, kind: ContainerKind::Dict });
                    for (name, value) in &args.keywords {
                        let named = function.params.iter().any(|p| {
                            p.kind != ParamKind::PositionalOnly
                                && p.name.is_some_and(|n| self.symbol(func.file, n) == *name)
                        });
                        if !named {
                            self.set_key(rest, *name, value);
                        }
                    }
                    if let Some(value) = &args.other_keywords {
                        self.write(Addr::Element(rest), value);
                    }
                }
                _ => {}
            }
        }
    }
}
