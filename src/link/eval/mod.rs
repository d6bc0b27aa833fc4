//! Runs one component: its statements in order, with strong updates for its own variables, joins at
//! branches, and every value that leaves it written to the store.

mod args;
mod attr;
mod builtins;
mod call;
mod class;
mod comprehension;
mod construct;
mod container;
mod elements;
mod env;
mod expr;
mod external;
mod family;
mod flow;
mod javascript;
mod manager;
mod module;
mod narrow;
mod operators;
pub mod order;
mod pattern;
pub mod protocol;
pub mod rust;
mod stmt;
mod types;

pub use args::Args;
pub use env::{Env, Path, Slot};

use super::component::THIS;
use super::solver::Solver;
use super::store::Addr;
use super::token::*;
use crate::ir::*;
use crate::link::symbols::Symbol;
use flow::Exit;
use rustc_hash::FxHashMap;

/// More values of a type than these are not told apart where nobody is seen to hand one over.
const FEW: usize = 4;

/// One execution of a component.
pub struct Frame<'p> {
    /// The component.
    pub comp: CompId,
    /// Its file's index.
    pub file: u32,
    /// Its file.
    pub ir: &'p File,
    /// Its function.
    pub func: FunctionId,
    /// Variables, and elements of its own containers.
    pub env: Env,
    /// It runs although nobody is seen to call it: what it is given is not known.
    pub guessed: bool,
    /// Whether control is still there.
    pub live: bool,
    /// Captured variables written since they were last made visible.
    pub dirty: Vec<VarId>,
    /// Loops and labelled blocks around this point: what flows to their end.
    pub exits: Vec<Exit>,
    /// `try` statements around this point, and what was raised in them.
    pub tries: Vec<(env::Mark, Vec<Path>)>,
    /// What is being assigned is made of the old value.
    pub counting: bool,
    /// Control is only there if a manager swallowed what was raised.
    pub doubtful: bool,
    /// Loops around this point: label, variable that takes the value of a `break`.
    pub loops: Vec<(Option<Name>, Option<VarId>)>,
    /// What this component itself has written to elements of its containers, in this run or before.
    pub own: FxHashMap<(Tok, Symbol), Value>,
}

impl<'p> Frame<'p> {
    fn new(comp: CompId, file: u32, ir: &'p File, func: FunctionId) -> Self {
        Self {
            comp,
            file,
            ir,
            func,
            env: Env::default(),
            guessed: false,
            live: true,
            dirty: Vec::new(),
            exits: Vec::new(),
            tries: Vec::new(),
            counting: false,
            doubtful: false,
            loops: Vec::new(),
            own: FxHashMap::default(),
        }
    }
}

impl<'p> Solver<'p> {
    /// Runs a component once.
    pub fn run(&mut self, comp: CompId) {
        let key = self.comps[comp.0 as usize].key.clone();
        self.comps[comp.0 as usize].calls.clear();
        let own = std::mem::take(&mut self.comps[comp.0 as usize].own);
        let ir: &'p File = &self.files[key.func.file as usize];
        let function = ir.function(key.func.id);
        let mut frame = Frame::new(comp, key.func.file, ir, key.func.id);
        frame.own = own;
        self.bind_parameters(&mut frame, function, &key.context);
        self.block(&mut frame, function.body);
        self.flush(&mut frame);
        if frame.live
            && !frame.doubtful
            && function.kind != FunctionKind::Module
            && function.kind != FunctionKind::ClassBody
        {
            self.write(Addr::Return(comp), &Value::of(Tok::NULL));
        }
        let component = &mut self.comps[comp.0 as usize];
        component.own = frame.own;
        component.calls.sort_unstable();
        component.calls.dedup();
    }

    fn bind_parameters(&mut self, frame: &mut Frame<'p>, function: &'p Function, context: &[(u32, Tok)]) {
        for (i, param) in function.params.iter().enumerate() {
            let i = i as u32;
            let mut value = self.store.read(Addr::Param(frame.comp, i), frame.comp);
            if let Some(&(_, token)) = context.iter().find(|(at, _)| *at == i) {
                value = Value::of(token);
            }
            if value.contains(Tok::MISSING) {
                value = value.filter(|t| t != Tok::MISSING);
                let default = self.parameter_default(frame, function, i);
                value.join(&default);
            }
            if param.kind == ParamKind::Receiver && value.is_top() {
                value = self.own_instance(frame, function);
            }
            if frame.ir.language == Language::Rust {
                let func = FuncRef { file: frame.file, id: frame.func };
                if param.kind == ParamKind::Receiver && !self.called.contains(&func) && self.types_count() {
                    // Nobody is seen to call the method: what values of the type others make is not known.
                    value = self.self_instances(frame, frame.file, frame.func);
                    if value.len() > FEW {
                        value = value.iter().map(|t| self.tokens.declared(t)).collect();
                    }
                    self.write(Addr::Param(frame.comp, i), &value);
                    frame.guessed = true;
                }
                self.expect(frame, &value, param.declared, frame.file, frame.func);
            }
            if let Some(injected) = param.injected {
                // Of what a decorator hands in, only what the catalogue describes is of interest.
                let handed = self.eval(frame, injected);
                value.join(&handed.filter(|t| self.known_class(t).is_some()));
            }
            match param.kind {
                ParamKind::VarArgs => value = self.rest_token(frame.comp, i, ContainerKind::Tuple),
                ParamKind::KwArgs => value = self.rest_token(frame.comp, i, ContainerKind::Dict),
                _ => value = self.with_declared(frame, value, param.declared),
            }
            if param.default.is_some()
                && (self.defaulted.contains(&(frame.comp, i)) || value.is_empty() && self.is_past_calls())
            {
                // It stays, since what comes later may come from a call of itself.
                self.defaulted.insert((frame.comp, i));
                let default = self.parameter_default(frame, function, i);
                value.join(&default);
                if self.is_switch(&default) {
                    // Nobody is seen to give it; who calls from outside may turn it on.
                    value.insert(Tok::UNKNOWN);
                }
            }
            if param.is_field
                && let Some(name) = param.name
            {
                let field = self.symbol(frame.file, name);
                for this in self.this_value(frame).iter().collect::<Vec<_>>() {
                    self.set_property(frame, this, field, &value, ExprId(u32::MAX));
                }
            }
            self.bind(frame, param.pattern, &value, None);
        }
    }

    /// A receiver that may be too many things: some instance of the method's own class.
    fn own_instance(&mut self, frame: &Frame<'p>, function: &Function) -> Value {
        let class = function.class.map(|id| ClassRef { file: frame.file, id });
        match class.and_then(|class| self.class_token(class, frame.comp)) {
            Some(class) if function.binding == Binding::Class => Value::of(class),
            Some(class) => Value::of(self.tokens.intern(Token::Instance { class })),
            None => Value::unknown(),
        }
    }

    fn rest_token(&mut self, comp: CompId, param: u32, kind: ContainerKind) -> Value {
        Value::of(self.tokens.intern(Token::Rest { comp, param, kind }))
    }

    fn parameter_default(&mut self, frame: &mut Frame<'p>, function: &'p Function, param: u32) -> Value {
        let Some(default) = function.params[param as usize].default else { return Value::unknown() };
        if frame.ir.language == Language::Python {
            let Some(parent) = self.comps[frame.comp.0 as usize].key.parent else { return Value::unknown() };
            return self.store.read(Addr::Default(parent, frame.func.0, param), frame.comp);
        }
        self.eval(frame, default)
    }

    /// The receiver of this execution.
    pub fn this_value(&mut self, frame: &Frame<'p>) -> Value {
        let comp = self.this_component(frame.comp);
        if let Some(&(_, token)) = self.comps[comp.0 as usize].key.context.iter().find(|(at, _)| *at == THIS) {
            return Value::of(token);
        }
        let function = self.function(self.comps[comp.0 as usize].key.func);
        if function.params.first().is_some_and(|p| p.kind == ParamKind::Receiver) {
            return self.store.read(Addr::Param(comp, 0), frame.comp);
        }
        self.store.read(Addr::This(comp), frame.comp)
    }

    /// The component whose receiver `this` means: arrows and initialisers share the one around them.
    fn this_component(&self, comp: CompId) -> CompId {
        let mut at = comp;
        loop {
            let key = &self.comps[at.0 as usize].key;
            let function = self.function(key.func);
            let own = !matches!(function.kind, FunctionKind::Arrow | FunctionKind::AsyncBlock | FunctionKind::Macro);
            match key.parent {
                Some(parent) if !own => at = parent,
                _ => return at,
            }
        }
    }

    /// Makes captured variables visible to other functions.
    pub fn flush(&mut self, frame: &mut Frame<'p>) {
        if frame.dirty.is_empty() {
            return;
        }
        let mut dirty = std::mem::take(&mut frame.dirty);
        dirty.sort_unstable();
        dirty.dedup();
        for var in dirty {
            if let Some(value) = frame.env.var(var) {
                let value = value.clone();
                self.write(Addr::Var(frame.comp, var), &value);
            }
        }
    }

    /// The component, seen from `comp`, that owns a variable.
    pub fn owner(&self, comp: CompId, file: u32, owner: FunctionId) -> Option<CompId> {
        let mut at = comp;
        loop {
            let key = &self.comps[at.0 as usize].key;
            if key.func.id == owner && key.func.file == file {
                return Some(at);
            }
            at = key.parent?;
        }
    }

    /// Reads a variable.
    pub fn read_var(&mut self, frame: &mut Frame<'p>, var: VarId) -> Value {
        let declaration = frame.ir.var(var);
        if declaration.owner == frame.func {
            let local = frame.env.var(var);
            if !declaration.captured || !self.index[frame.file as usize].foreign_writes.contains(&var) {
                if let Some(value) = local {
                    return value.clone();
                }
                if !declaration.captured {
                    return Value::empty();
                }
            }
            let mut value = local.cloned().unwrap_or_default();
            value.join(&self.store.read(Addr::Var(frame.comp, var), frame.comp));
            return value;
        }
        match self.owner(frame.comp, frame.file, declaration.owner) {
            Some(owner) => self.store.read(Addr::Var(owner, var), frame.comp),
            None => Value::unknown(),
        }
    }

    /// Writes a variable.
    pub fn write_var(&mut self, frame: &mut Frame<'p>, var: VarId, value: Value) {
        let declaration = frame.ir.var(var);
        if declaration.owner == frame.func {
            if declaration.captured {
                if self.index[frame.file as usize].foreign_writes.contains(&var) {
                    self.write(Addr::Var(frame.comp, var), &value);
                } else if frame.dirty.last() != Some(&var) {
                    frame.dirty.push(var);
                }
            }
            frame.env.set(Slot::Var(var), value);
        } else if let Some(owner) = self.owner(frame.comp, frame.file, declaration.owner) {
            self.write(Addr::Var(owner, var), &value);
        }
    }
}
