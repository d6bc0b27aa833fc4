//! Functions and classes: definition, decoration, construction, class order.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::{CompKey, Target, Via};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// A function definition with its decorators applied.
    pub fn define(&mut self, frame: &mut Frame<'p>, id: FunctionId) -> Value {
        let function = frame.ir.function(id);
        if frame.ir.language == Language::Python {
            for (i, param) in function.params.iter().enumerate() {
                if let Some(default) = param.default {
                    let value = self.eval(frame, default);
                    self.write(Addr::Default(frame.comp, id.0, i as u32), &value);
                }
            }
        }
        let func = FuncRef { file: frame.file, id };
        let token = self.tokens.intern(Token::Function { func, env: frame.comp });
        let value = match frame.ir.language {
            Language::JavaScript => self.decorate_function(frame, Value::of(token), function),
            _ => self.decorate(frame, Value::of(token), &function.decorators),
        };
        if value.single() != Some(token) && !value.is_empty() {
            self.decorated.insert(token, value.clone());
        }
        value
    }

    fn decorate(&mut self, frame: &mut Frame<'p>, value: Value, decorators: &[ExprId]) -> Value {
        let evaluated: Vec<(ExprId, Value)> = decorators.iter().map(|&d| (d, self.eval(frame, d))).collect();
        let mut value = value;
        for (site, decorator) in evaluated.iter().rev() {
            value = self.apply_decorator(frame, decorator, &value, *site);
        }
        value
    }

    pub(super) fn apply_decorator(&mut self, frame: &mut Frame<'p>, decorator: &Value, value: &Value, site: ExprId) -> Value {
        let mut result = Value::empty();
        for token in decorator.iter() {
            match self.tokens.get(token) {
                Token::Unknown | Token::Top | Token::Null | Token::Missing => {
                    result.join(value);
                }
                Token::External(_) | Token::Made { .. } | Token::Member { .. } | Token::Combined { .. } => {
                    if self.stands_for_its_function(token) {
                        let place = self.site(frame, site);
                        self.record(frame.comp, site, token, Target::External(token), Via::Decorate);
                        for inner in value.iter() {
                            result.insert(self.tokens.intern(Token::Wrapped { by: token, inner, site: place }));
                        }
                    } else {
                        result.join(value);
                    }
                }
                _ => {
                    self.flush(frame);
                    let args = Args { positional: vec![value.clone()], ..Args::default() };
                    result.join(&self.call_token(frame, token, &args, site, Via::Decorate));
                }
            }
        }
        if decorator.is_empty() && !self.waits() {
            return value.clone();
        }
        result
    }

    /// Whether an external decorator is one that matters (a layer, a task, an entry point).
    fn stands_for_its_function(&self, decorator: Tok) -> bool {
        let known = match *self.tokens.get(decorator) {
            Token::Made { callee, .. } => self.known(decorator).or_else(|| self.known(callee)),
            _ => self.known(decorator),
        };
        known.is_some_and(|k| {
            k.callable.layer.is_some()
                || !k.callable.calls.is_empty()
                || k.callable.entry.is_some()
                || k.callable.returns.is_some()
        })
    }

    /// A class statement: its body runs now, then decorators are applied.
    pub fn define_class(&mut self, frame: &mut Frame<'p>, id: ClassId) -> Value {
        let class = frame.ir.class(id);
        let class_ref = ClassRef { file: frame.file, id };
        let token = self.tokens.intern(Token::Class { class: class_ref, env: frame.comp });
        self.note_bases(frame, token, class);
        self.flush(frame);
        let body = FuncRef { file: frame.file, id: class.body };
        let depth = self.comps[frame.comp.0 as usize].depth;
        self.component(CompKey { func: body, parent: Some(frame.comp), context: Box::default() }, depth);
        let mut result = Value::of(token);
        // A decorator of the program may replace the class; one from outside does not.
        for &decorator in class.decorators.iter().rev() {
            let value = self.eval(frame, decorator);
            for callee in value.iter() {
                if frame.is_javascript() {
                    if self.is_callable(callee) {
                        result = self.decorate_class(frame, callee, &result, decorator);
                    }
                    continue;
                }
                if matches!(self.tokens.get(callee), Token::Function { .. } | Token::Bound { .. }) {
                    let args = Args { positional: vec![result.clone()], ..Args::default() };
                    let replaced = self.call_token(frame, callee, &args, decorator, Via::Decorate);
                    if !replaced.is_empty() {
                        result = replaced;
                    }
                }
            }
        }
        result
    }

    /// The token of a class, seen from a component inside or beside it.
    pub fn class_token(&mut self, class: ClassRef, from: CompId) -> Option<Tok> {
        let parent = self.class(class).parent;
        let env = self.owner(from, class.file, parent)?;
        Some(self.tokens.intern(Token::Class { class, env }))
    }

    /// The component of a class's body.
    pub fn body_of(&mut self, class: Tok) -> Option<(u32, FunctionId, CompId)> {
        let Token::Class { class, env } = *self.tokens.get(class) else { return None };
        let body = self.class(class).body;
        let func = FuncRef { file: class.file, id: body };
        let depth = self.comps[env.0 as usize].depth;
        let comp = self.component(CompKey { func, parent: Some(env), context: Box::default() }, depth);
        Some((class.file, body, comp))
    }

    /// Evaluates an expression of another component's scope, for its value only.
    pub fn eval_in(&mut self, frame: &mut Frame<'p>, comp: CompId, file: u32, e: ExprId) -> Value {
        let ir: &'p File = &self.files[file as usize];
        match ir.expr(e).kind {
            ExprKind::Var(var) => {
                let owner = self.owner(comp, file, ir.var(var).owner);
                if owner == Some(frame.comp)
                    && let Some(value) = frame.env.var(var)
                {
                    return value.clone();
                }
                owner.map_or(Value::unknown(), |owner| self.store.read(Addr::Var(owner, var), frame.comp))
            }
            ExprKind::Attr { object, name, .. } => {
                let object = self.eval_in(frame, comp, file, object);
                let name = self.symbol(file, name);
                self.attribute(frame, &object, name, e)
            }
            // `Base[T]`, `Generic[T]`
            ExprKind::Index { object, .. } => self.eval_in(frame, comp, file, object),
            ExprKind::Free(name) => {
                let func = self.comps[comp.0 as usize].key.func.id;
                let mut other = Frame::new(frame.comp, file, ir, func);
                let _ = name;
                self.eval(&mut other, e)
            }
            ExprKind::Call { callee, .. } => {
                // `class C(make_base()):` what the call returned when the statement ran.
                let _ = callee;
                let targets: Vec<CompId> = self.comps[comp.0 as usize]
                    .calls
                    .iter()
                    .filter(|c| c.expr == e)
                    .filter_map(|c| if let Target::Comp(t) = c.target { Some(t) } else { None })
                    .collect();
                let mut value = Value::empty();
                for target in targets {
                    value.join(&self.store.read(Addr::Return(target), frame.comp));
                }
                value
            }
            _ => Value::unknown(),
        }
    }

    /// Makes an instance.
    pub fn instantiate(
        &mut self,
        frame: &mut Frame<'p>,
        token: Tok,
        class: ClassRef,
        args: &Args,
        site: ExprId,
        via: Via,
    ) -> Value {
        let place = self.site(frame, site);
        let object = self.tokens.intern(Token::Object { site: place, class: token });
        self.made_by_site.insert(place, object);
        let order = self.class_order(frame, token);
        for &base in order.iter() {
            self.write(Addr::Instances(base), &Value::of(object));
        }
        self.run_field_initialisers(frame, &order, object);
        let this = Value::of(object);
        if frame.is_javascript() {
            return self.construct_class(frame, token, object, &order, args, site, via);
        }
        let mut constructed = false;
        for name in ["__new__", "__init__"] {
            let Some(symbol) = self.symbols.find(name) else { continue };
            let found = order.iter().find_map(|&c| self.own_attribute(frame, c, symbol));
            let Some(constructor) = found else { continue };
            for callee in constructor.iter() {
                let receiver = if name == "__new__" { token } else { object };
                let bound = self.tokens.intern(Token::Bound { func: callee, this: receiver });
                self.call_token(frame, bound, args, site, via);
                constructed |= name != "__new__";
            }
        }
        if !constructed {
            self.fill_fields(frame, &order, object, args);
            self.write_arguments(place, args);
        }
        let _ = class;
        this
    }

    fn run_field_initialisers(&mut self, frame: &mut Frame<'p>, order: &[Tok], object: Tok) {
        for &class in order.iter().rev() {
            let Token::Class { class, env } = *self.tokens.get(class) else { continue };
            let Some(init) = self.class(class).field_init else { continue };
            let func = FuncRef { file: class.file, id: init };
            let this = Value::of(object);
            self.enter_function(frame.comp, func, Some(env), Some(&this), &Args::default());
        }
    }

    /// Arguments become fields where the class has no constructor of its own (dataclasses, models).
    fn fill_fields(&mut self, frame: &mut Frame<'p>, order: &[Tok], object: Tok, args: &Args) {
        let mut fields: Vec<Symbol> = Vec::new();
        for &class in order.iter().rev() {
            let Token::Class { class, .. } = *self.tokens.get(class) else { continue };
            for field in &self.class(class).fields {
                let name = self.symbol(class.file, field.name);
                if !fields.contains(&name) {
                    fields.push(name);
                }
            }
        }
        for (field, value) in fields.iter().zip(&args.positional) {
            self.write(Addr::Field(object, *field), value);
        }
        for (name, value) in &args.keywords {
            self.write(Addr::Field(object, *name), value);
        }
        if let Some(symbol) = self.symbols.find("__post_init__") {
            let found = order.iter().find_map(|&c| self.own_attribute(frame, c, symbol));
            if let Some(method) = found {
                for callee in method.iter() {
                    let bound = self.tokens.intern(Token::Bound { func: callee, this: object });
                    self.call_token(frame, bound, &Args::default(), ExprId(u32::MAX), Via::Implicit);
                }
            }
        }
    }

    /// Keeps the arguments of a call to something external.
    pub fn write_arguments(&mut self, site: Site, args: &Args) {
        for (i, value) in args.positional.iter().enumerate() {
            self.write(Addr::Arg(site, i as u32), value);
        }
        for (name, value) in &args.keywords {
            self.write(Addr::Keyword(site, *name), value);
            let key = self.tokens.intern(Token::Str(*name));
            self.write(Addr::KeywordSpread(site), &Value::of(key));
        }
        if let Some(rest) = &args.rest {
            self.write(Addr::Spread(site), rest);
        }
        if args.other_keywords.is_some() {
            self.write(Addr::KeywordSpread(site), &Value::unknown());
        }
    }

    /// `super(...)` called like a function (JavaScript).
    pub fn call_super(&mut self, frame: &mut Frame<'p>, class: ClassRef, this: Tok, args: &Args, site: ExprId) -> Value {
        let symbol = self.symbols.intern("constructor");
        let found = self.member_after(frame, class, this, symbol, false, site);
        match found {
            Some(constructor) => {
                for callee in constructor.iter() {
                    self.call_token(frame, callee, args, site, Via::Call);
                }
            }
            None => {
                // A constructor from outside: its arguments are the settings of the object.
                if let Token::Object { site: made, .. } = *self.tokens.get(this) {
                    self.write_arguments(made, args);
                }
                self.hand_over(frame, args, site);
            }
        }
        Value::of(this)
    }
}
