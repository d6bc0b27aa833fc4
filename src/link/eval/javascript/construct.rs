//! `new`: instances of classes and of plain functions, bound ones, and proxies.

use super::super::Frame;
use crate::ir::*;
use crate::link::component::Via;
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

/// Where interfaces keep the objects of classes that name them.
pub(super) const IMPLEMENTERS: &str = "#implementers";

impl<'p> Solver<'p> {
    /// `new callee(…)`
    pub(super) fn construct(&mut self, frame: &mut Frame<'p>, callee: Tok, args: &Args, site: ExprId) -> Value {
        match *self.tokens.get(callee) {
            Token::Function { .. } => self.construct_function(frame, callee, args, site),
            Token::Bound { func, .. } => self.construct(frame, func, args, site),
            Token::Wrapped { inner, .. } => self.construct(frame, inner, args, site),
            Token::Partial { site: made, func } => {
                let mut all = Args::default();
                for i in 0.. {
                    let value = self.store.read(Addr::Arg(made, i), frame.comp);
                    if value.is_empty() {
                        break;
                    }
                    all.positional.push(value);
                }
                all.positional.extend(args.positional.iter().cloned());
                all.rest = args.rest.clone();
                self.construct(frame, func, &all, site)
            }
            Token::External(path) => {
                let path = self.symbols.text(path).to_string();
                let found = match path.strip_prefix("globals:") {
                    Some(name) => self.construct_global(frame, callee, name, args, site),
                    None => None,
                };
                match found {
                    Some(value) => value,
                    None if path.ends_with(':') => {
                        let class = self.external(&format!("{path}default"));
                        class.single().map(|t| self.construct(frame, t, args, site)).unwrap_or_default()
                    }
                    None => self.call_external(frame, callee, args, site, Via::Call),
                }
            }
            Token::Made { .. } => match self.trap(frame, callee, "construct") {
                Some((trap, target)) => {
                    let list = self.made_container(frame, site, 6, ContainerKind::List);
                    for (i, value) in args.positional.iter().enumerate() {
                        let key = self.symbols.intern(&i.to_string());
                        self.set_key(list, key, value);
                    }
                    let passed = Self::with(vec![target, Value::of(list), Value::of(callee)]);
                    self.call_all_implicitly(frame, &trap, &passed, site)
                }
                None => self.call_external(frame, callee, args, site, Via::Call),
            },
            Token::Member { .. } => self.call_external(frame, callee, args, site, Via::Call),
            _ => self.call_token(frame, callee, args, site, Via::Call),
        }
    }

    /// `new` of a class: its fields, then its own constructor or the nearest inherited one.
    pub(in crate::link::eval) fn construct_class(
        &mut self,
        frame: &mut Frame<'p>,
        class: Tok,
        order: &[Tok],
        args: &Args,
        site: ExprId,
        via: Via,
    ) -> Value {
        let Some(object) = self.allocate(frame, &Value::of(class), site).single() else { return Value::unknown() };
        self.note_implementer(frame, order, object);
        self.run_field_initialisers(frame, order, object);
        let name = self.symbols.intern("constructor");
        let found = order.iter().find_map(|&c| self.own_member(frame, c, name, false));
        let Some(constructors) = found else {
            // One from outside: the arguments are the settings of the object.
            let place = self.site(frame, site);
            self.write_arguments(place, args);
            if self.external_base(class).is_some() {
                self.hand_over(frame, args, site);
            }
            return Value::of(object);
        };
        let mut returned = Value::empty();
        for constructor in constructors.iter() {
            let bound = self.tokens.intern(Token::Bound { func: constructor, this: object });
            returned.join(&self.call_token(frame, bound, args, site, via));
        }
        self.constructed(object, &returned)
    }

    /// `new` of a function: its `prototype` is what the instance inherits from.
    fn construct_function(&mut self, frame: &mut Frame<'p>, function: Tok, args: &Args, site: ExprId) -> Value {
        let place = self.site(frame, site);
        let object = self.tokens.intern(Token::Object { site: place, class: function });
        self.made_by_site.insert(place, object);
        self.write(Addr::Instances(function), &Value::of(object));
        let bound = self.tokens.intern(Token::Bound { func: function, this: object });
        let returned = self.call_token(frame, bound, args, site, Via::Call);
        self.constructed(object, &returned)
    }

    /// What `new` gives: the object, unless the constructor returns another.
    pub(in crate::link::eval) fn constructed(&mut self, object: Tok, returned: &Value) -> Value {
        let others = returned.filter(|t| {
            t != object
                && matches!(
                    self.tokens.get(t),
                    Token::Object { .. }
                        | Token::Instance { .. }
                        | Token::Container { .. }
                        | Token::Function { .. }
                        | Token::Made { .. }
                )
        });
        let always = !others.is_empty() && others.len() == returned.len();
        let mut result = others;
        if !always {
            result.insert(object);
        }
        result
    }

    /// Methods under computed names (`[KEY]() {}`) are found by what the name holds too.
    pub(in crate::link::eval) fn name_computed(&mut self, frame: &mut Frame<'p>, class: Tok, declared: &'p Class) {
        for &(name, id) in &declared.methods {
            let Some(text) = frame.ir.name(name).strip_prefix('[').and_then(|t| t.strip_suffix(']')) else { continue };
            let Some(var) = variable_around(frame.ir, declared.parent, text) else { continue };
            let key = self.read_var(frame, var);
            let (Some(keys), Some((file, _, env))) = (self.key_names(&key), self.body_of(class)) else { continue };
            let function = Value::of(self.tokens.intern(Token::Function { func: FuncRef { file, id }, env }));
            let is_static = frame.ir.function(id).binding == Binding::Static;
            let holder = if is_static { class } else { self.prototype(class) };
            for key in keys {
                self.write(Addr::Field(holder, key), &function);
            }
        }
    }

    /// Interfaces that a new object's classes implement know of it.
    fn note_implementer(&mut self, frame: &mut Frame<'p>, order: &[Tok], object: Tok) {
        for &class in order {
            let Token::Class { class, env } = *self.tokens.get(class) else { continue };
            for &implemented in &self.class(class).implements {
                for interface in self.named_types(frame, implemented, class.file, env).iter() {
                    let bases = self.class_order(frame, interface);
                    for &base in bases.iter() {
                        self.note(base, IMPLEMENTERS, &Value::of(object));
                    }
                }
            }
        }
    }

    /// A component that is a class is made, then rendered.
    pub(in crate::link::eval) fn render(&mut self, frame: &mut Frame<'p>, components: &Value, site: ExprId) {
        for component in components.iter() {
            if let Some(render) = self.symbol_method(frame, component, "render", site) {
                self.call_all_implicitly(frame, &render, &Args::default(), site);
            }
        }
    }

    /// `new Proxy(target, handler)`
    pub(super) fn new_proxy(&mut self, frame: &mut Frame<'p>, callee: Tok, args: &Args, site: ExprId) -> Value {
        let place = self.site(frame, site);
        let made = self.tokens.intern(Token::Made { site: place, callee });
        self.note(made, "#target", &Self::at(args, 0));
        self.note(made, "#handler", &Self::at(args, 1));
        self.proxies.insert(made);
        Value::of(made)
    }

    /// A trap of a proxy, and the proxy's target; none if the token is no proxy or has no such trap.
    fn trap(&mut self, frame: &mut Frame<'p>, proxy: Tok, name: &str) -> Option<(Value, Value)> {
        if !self.proxies.contains(&proxy) {
            return None;
        }
        let target = self.noted(frame, proxy, "#target");
        let handlers = self.noted(frame, proxy, "#handler");
        let name = self.symbols.intern(name);
        let mut trap = Value::empty();
        for handler in handlers.iter() {
            trap.join(&self.look_up(frame, handler, name, handler, ExprId(u32::MAX), 0).unwrap_or_default());
        }
        if trap.is_empty() { None } else { Some((trap, target)) }
    }

    /// What stands behind a proxy, and behind proxies of proxies.
    fn proxied(&mut self, frame: &Frame<'p>, proxy: Tok) -> Value {
        let mut seen = vec![proxy];
        let mut at = 0;
        let mut targets = Value::empty();
        while let Some(&proxy) = seen.get(at) {
            at += 1;
            for target in self.noted(frame, proxy, "#target").iter() {
                if !self.proxies.contains(&target) {
                    targets.insert(target);
                } else if !seen.contains(&target) {
                    seen.push(target);
                }
            }
        }
        targets
    }

    /// A property read through a proxy; none if the token is no proxy.
    pub(super) fn trapped(&mut self, frame: &mut Frame<'p>, proxy: Tok, name: Symbol, site: ExprId) -> Option<Value> {
        if !self.proxies.contains(&proxy) {
            return None;
        }
        if let Some((trap, target)) = self.trap(frame, proxy, "get") {
            let key = Value::of(self.tokens.intern(Token::Str(name)));
            let passed = Self::with(vec![target, key, Value::of(proxy)]);
            return Some(self.call_all_implicitly(frame, &trap, &passed, site));
        }
        let target = self.proxied(frame, proxy);
        Some(self.attribute(frame, &target, name, site))
    }

    /// Calls a proxy; none if the token is no proxy.
    pub(super) fn call_proxy(&mut self, frame: &mut Frame<'p>, proxy: Tok, args: &Args, site: ExprId) -> Option<Value> {
        if !self.proxies.contains(&proxy) {
            return None;
        }
        if let Some((trap, target)) = self.trap(frame, proxy, "apply") {
            let list = self.made_container(frame, site, 6, ContainerKind::List);
            for (i, value) in args.positional.iter().enumerate() {
                let key = self.symbols.intern(&i.to_string());
                self.set_key(list, key, value);
            }
            let passed = Self::with(vec![target, Value::of(Tok::NULL), Value::of(list)]);
            return Some(self.call_all_implicitly(frame, &trap, &passed, site));
        }
        let targets = self.proxied(frame, proxy);
        let mut result = Value::empty();
        for target in targets.iter() {
            result.join(&self.call_token(frame, target, args, site, Via::Call));
        }
        Some(result)
    }

    fn call_all_implicitly(&mut self, frame: &mut Frame<'p>, callees: &Value, args: &Args, site: ExprId) -> Value {
        let mut result = Value::empty();
        for callee in callees.iter() {
            result.join(&self.call_token(frame, callee, args, site, Via::Implicit));
        }
        result
    }
}

/// The variable that a name means in a function.
fn variable_around(ir: &File, function: FunctionId, name: &str) -> Option<VarId> {
    let mut at = Some(function);
    while let Some(owner) = at {
        let found = ir.vars.iter().position(|v| v.owner == owner && ir.name(v.name) == name);
        if let Some(found) = found {
            return Some(VarId(found as u32));
        }
        at = ir.function(owner).parent;
    }
    None
}
