//! Functions and classes: definition, decoration, construction, class order.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::{CompKey, Target, Via};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// Wrappers from outside around one function; further ones are left out.
const WRAPPERS: usize = 32;

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
        self.note_defined(func, frame.comp);
        let mut value = match frame.ir.language {
            Language::JavaScript => self.decorate_function(frame, Value::of(token), function),
            _ => self.decorate(frame, Value::of(token), &function.decorators),
        };
        if frame.ir.language == Language::Python && value.single() != Some(token) {
            value = self.rebound(frame, value, function);
        }
        if value.single() != Some(token) && !value.is_empty() {
            self.decorated.insert(token, value.clone());
        }
        value
    }

    /// What `@classmethod`, `@staticmethod` and `@property` make of what the decorators below them returned.
    fn rebound(&mut self, frame: &Frame<'p>, value: Value, function: &Function) -> Value {
        let name = match function.binding {
            Binding::Class => "builtins.classmethod",
            Binding::Static => "builtins.staticmethod",
            Binding::Getter => "builtins.property",
            _ => return value,
        };
        let Some(by) = self.external(name).single() else { return value };
        let site = Site { comp: frame.comp, expr: ExprId(u32::MAX) };
        let mut result = Value::empty();
        for inner in value.iter() {
            let bound = self.is_callable(inner) && self.binding_of(inner) != function.binding;
            result.insert(if bound { self.tokens.intern(Token::Wrapped { by, inner, site }) } else { inner });
        }
        result
    }

    fn decorate(&mut self, frame: &mut Frame<'p>, value: Value, decorators: &[ExprId]) -> Value {
        let evaluated: Vec<(ExprId, Value)> = decorators.iter().map(|&d| (d, self.eval(frame, d))).collect();
        let mut value = value;
        for (site, decorator) in evaluated.iter().rev() {
            if value.iter().any(|t| self.wrappers(t) > WRAPPERS) {
                break;
            }
            value = self.apply_decorator(frame, decorator, &value, *site);
        }
        value
    }

    pub(super) fn apply_decorator(
        &mut self,
        frame: &mut Frame<'p>,
        decorator: &Value,
        value: &Value,
        site: ExprId,
    ) -> Value {
        let mut result = Value::empty();
        for token in decorator.iter() {
            let kind = *self.tokens.get(token);
            match kind {
                Token::Unknown | Token::Top | Token::Null | Token::Missing => {
                    result.join(value);
                }
                Token::Member { base, name } if self.is_container(base) || self.symbols.text(name) == "register" => {
                    // `@HANDLERS.append`, `@send.register`
                    let args = Args { positional: vec![value.clone()], ..Args::default() };
                    result.join(&self.call_token(frame, token, &args, site, Via::Decorate));
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
                Token::Generator(_) => {
                    // The call of a `contextmanager`: also a decorator.
                    let place = self.site(frame, site);
                    for inner in value.iter() {
                        result.insert(self.tokens.intern(Token::Wrapped { by: token, inner, site: place }));
                    }
                }
                Token::Object { .. } | Token::Instance { .. } if self.decorates_from_outside(frame, token) => {
                    let place = self.site(frame, site);
                    for inner in value.iter() {
                        result.insert(self.tokens.intern(Token::Wrapped { by: token, inner, site: place }));
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

    /// An object whose `__call__` comes from outside (`ContextDecorator`).
    fn decorates_from_outside(&mut self, frame: &mut Frame<'p>, token: Tok) -> bool {
        let (Token::Object { class, .. } | Token::Instance { class }) = *self.tokens.get(token) else { return false };
        let call = self.symbols.intern("__call__");
        self.class_attribute_of(frame, token, call).is_none()
            && self.external_base(class).is_some()
            && self.known(token).is_none()
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
        if let Some(init) = class.field_init {
            // Runs with the first instance; without one, as what nobody calls.
            self.note_defined(FuncRef { file: frame.file, id: init }, frame.comp);
        }
        match frame.ir.language {
            Language::JavaScript => self.name_computed(frame, token, class),
            Language::Python => self.call_init_subclass(frame, token, class.bases.first().copied()),
            Language::Rust => {}
        }
        let mut result = Value::of(token);
        // A decorator of the program may replace the class; one from outside does not.
        for &decorator in class.decorators.iter().rev() {
            let value = self.eval(frame, decorator);
            for callee in value.iter() {
                if frame.is_javascript() {
                    if self.is_callable(callee) {
                        result = self.decorate_class(frame, callee, &result, decorator);
                    }
                    self.note_processor(frame, callee, token);
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

    /// A new class is told to its bases.
    fn call_init_subclass(&mut self, frame: &mut Frame<'p>, token: Tok, site: Option<ExprId>) {
        let (Some(name), Some(site)) = (self.symbols.find("__init_subclass__"), site) else { return };
        let order = self.class_order(frame, token);
        let found = order.iter().skip(1).find_map(|&c| self.own_attribute(frame, c, name));
        for callee in found.iter().flat_map(Value::iter) {
            let bound = self.tokens.intern(Token::Bound { func: callee, this: token });
            self.call_token(frame, bound, &Args::default(), site, Via::Implicit);
        }
    }

    /// The token of a class, seen from a component inside or beside it.
    pub fn class_token(&mut self, class: ClassRef, from: CompId) -> Option<Tok> {
        let parent = self.class(class).parent;
        let env = self.owner(from, class.file, parent)?;
        Some(self.tokens.intern(Token::Class { class, env }))
    }

    /// The component of a class's body.
    pub fn body_of(&mut self, token: Tok) -> Option<(u32, FunctionId, CompId)> {
        let Token::Class { class, env } = *self.tokens.get(token) else { return None };
        let body = self.class(class).body;
        if let Some(&comp) = self.bodies.get(&token) {
            return Some((class.file, body, comp));
        }
        let func = FuncRef { file: class.file, id: body };
        let depth = self.comps[env.0 as usize].depth;
        let comp = self.component(CompKey { func, parent: Some(env), context: Box::default() }, depth);
        self.bodies.insert(token, comp);
        Some((class.file, body, comp))
    }

    /// Evaluates an expression of another component's scope, for its value only.
    pub fn eval_in(&mut self, frame: &mut Frame<'p>, comp: CompId, file: u32, e: ExprId) -> Value {
        if self.level >= self.deepest {
            return Value::unknown();
        }
        self.level += 1;
        let value = self.eval_kind_in(frame, comp, file, e);
        self.level -= 1;
        value
    }

    fn eval_kind_in(&mut self, frame: &mut Frame<'p>, comp: CompId, file: u32, e: ExprId) -> Value {
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
}
