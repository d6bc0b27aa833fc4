//! Items as values: modules, functions, types, constants, variants.

use super::super::Frame;
use crate::ir::*;
use crate::link::component::CompKey;
use crate::link::impls::TypeTarget;
use crate::link::modules::rust::{Item, Items, Names};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;
use std::sync::Arc;

/// What look-ups found before.
#[derive(Default)]
pub struct Found {
    vars: rustc_hash::FxHashMap<(u32, VarId), Arc<Items>>,
    heads: rustc_hash::FxHashMap<(u32, VarId), Arc<Option<Items>>>,
    free: rustc_hash::FxHashMap<(u32, FunctionId, Symbol), Arc<Items>>,
    members: rustc_hash::FxHashMap<(u32, FunctionId, Symbol), Arc<Items>>,
    types: rustc_hash::FxHashMap<(u32, ExprId), Arc<Items>>,
    pub(super) moved: rustc_hash::FxHashMap<u32, Arc<rustc_hash::FxHashSet<VarId>>>,
    pub(super) extensions: rustc_hash::FxHashMap<u32, Arc<Vec<super::extensions::Extension>>>,
}

impl<'p> Solver<'p> {
    /// Looks names up.
    pub fn names<T>(&self, look: impl FnOnce(&Names) -> T) -> T {
        let known = |path: &str| self.catalogue.describes(path);
        let names = Names {
            crates: &self.modules.rust,
            files: self.files,
            symbols: &self.symbols,
            known: &known,
            spent: Default::default(),
        };
        look(&names)
    }

    /// The component that runs the scope of a function, without context.
    pub(super) fn scope_component(&mut self, file: u32, func: FunctionId) -> Option<CompId> {
        let mut chain = vec![func];
        let ir: &'p File = &self.files[file as usize];
        while let Some(parent) = ir.function(*chain.last()?).parent {
            chain.push(parent);
        }
        let mut comp = None;
        while let Some(id) = chain.pop() {
            let key = CompKey { func: FuncRef { file, id }, parent: comp, context: Box::default() };
            comp = Some(self.component(key, 0));
        }
        comp
    }

    /// The component of a scope, as seen from code inside it, else the one without context.
    fn scope_from(&mut self, frame: &Frame<'p>, file: u32, func: FunctionId) -> Option<CompId> {
        if func == MODULE {
            return self.module_component(file);
        }
        match self.owner(frame.comp, file, func) {
            Some(comp) => Some(comp),
            None => self.scope_component(file, func),
        }
    }

    /// The component that a class was written in.
    pub(super) fn scope_of_class(&mut self, frame: &Frame<'p>, class: ClassRef) -> Option<CompId> {
        let parent = self.class(class).parent;
        self.scope_from(frame, class.file, parent)
    }

    /// The value of an item's variable; none if the variable is no item.
    pub(in crate::link::eval) fn rust_var(&mut self, frame: &Frame<'p>, var: VarId) -> Option<Value> {
        let file = frame.file;
        if self.modules.rust.decls(file, var).is_empty() {
            return None;
        }
        let items = self.items_of_var(file, var);
        Some(self.items_value(frame, &items))
    }

    fn items_of_var(&mut self, file: u32, var: VarId) -> Arc<Items> {
        if let Some(found) = self.found.vars.get(&(file, var)) {
            return found.clone();
        }
        let items = Arc::new(self.names(|n| n.of_var(file, var)));
        self.found.vars.insert((file, var), items.clone());
        items
    }

    /// What the first name of a longer path means, where a `use` hides a crate of that name.
    pub(super) fn rust_head(&mut self, frame: &Frame<'p>, var: VarId) -> Option<Value> {
        let file = frame.file;
        if self.modules.rust.decls(file, var).is_empty() {
            return None;
        }
        let found = match self.found.heads.get(&(file, var)) {
            Some(found) => found.clone(),
            None => {
                let found = Arc::new(self.names(|n| n.path_head(file, var)));
                self.found.heads.insert((file, var), found.clone());
                found
            }
        };
        match &*found {
            Some(items) => Some(self.items_value(frame, items)),
            None => self.rust_var(frame, var),
        }
    }

    /// A name that no scope declares.
    pub fn rust_name(&mut self, frame: &mut Frame<'p>, text: &str) -> Value {
        match text {
            "Self" => return self.self_type(frame),
            "None" => return Value::of(Tok::NULL),
            "crate" | "super" | "self" => {
                let items = self.names(|n| n.path(frame.file, frame.func, text));
                return self.items_value(frame, &items);
            }
            _ => {}
        }
        let Some(symbol) = self.symbols.find(text) else { return self.external(text) };
        let key = (frame.file, frame.func, symbol);
        let items = match self.found.free.get(&key) {
            Some(items) => items.clone(),
            None => {
                let items = Arc::new(self.names(|n| n.free(frame.file, frame.func, symbol)));
                self.found.free.insert(key, items.clone());
                items
            }
        };
        if items.is_empty() { self.external(text) } else { self.items_value(frame, &items) }
    }

    /// A `use`.
    pub(in crate::link::eval) fn rust_import(&mut self, frame: &mut Frame<'p>, module: &ModulePath) -> Value {
        let path = frame.ir.name(module.path);
        let items = self.names(|n| n.path(frame.file, frame.func, path));
        self.items_value(frame, &items)
    }

    /// Rust `mod name;`
    pub fn child_module(
        &mut self,
        frame: &mut Frame<'p>,
        name: Name,
        path: Option<Name>,
        inline: Option<FunctionId>,
    ) -> Value {
        let _ = (name, path);
        let Some(body) = inline else { return Value::empty() };
        match self.scope_from(frame, frame.file, body) {
            Some(comp) => Value::of(self.tokens.intern(Token::Inline(comp))),
            None => Value::unknown(),
        }
    }

    /// The values of some items.
    pub(super) fn items_value(&mut self, frame: &Frame<'p>, items: &Items) -> Value {
        let mut value = Value::empty();
        for item in items {
            value.join(&self.item_value(frame, item));
        }
        value
    }

    fn item_value(&mut self, frame: &Frame<'p>, item: &Item) -> Value {
        match item {
            Item::Module(node) => {
                let (file, func) = {
                    let node = self.modules.rust.node(*node);
                    (node.file, node.func)
                };
                if func == MODULE {
                    return Value::of(self.tokens.intern(Token::Module(file)));
                }
                match self.scope_from(frame, file, func) {
                    Some(comp) => Value::of(self.tokens.intern(Token::Inline(comp))),
                    None => Value::unknown(),
                }
            }
            Item::Function(func, var) => {
                let function = self.function(*func);
                let parent = function.parent.unwrap_or(MODULE);
                let Some(env) = self.scope_from(frame, func.file, parent) else { return Value::unknown() };
                if function.decorators.is_empty() {
                    return Value::of(self.tokens.intern(Token::Function { func: *func, env }));
                }
                self.store.read(Addr::Var(env, *var), frame.comp)
            }
            Item::Class(class) => self.class_value(frame, *class),
            Item::Constant(file, var) => {
                let owner = self.files[*file as usize].var(*var).owner;
                match self.scope_from(frame, *file, owner) {
                    Some(comp) => self.store.read(Addr::Var(comp, *var), frame.comp),
                    None => Value::unknown(),
                }
            }
            Item::Member(class, name) => {
                let class = self.class_value(frame, *class);
                let mut value = Value::empty();
                for token in class.iter() {
                    value.join(&self.associated(frame, token, *name));
                }
                value
            }
            Item::External(path) => match &**path {
                "std::option::Option::None" => Value::of(Tok::NULL),
                path => self.external(path),
            },
        }
    }

    /// A type; aliases are what they stand for.
    pub(super) fn class_value(&mut self, frame: &Frame<'p>, class: ClassRef) -> Value {
        let class = if self.class(class).kind == ClassKind::Alias {
            match self.modules.impls.alias(class) {
                Some(TypeTarget::Class(target)) => *target,
                Some(TypeTarget::External(path)) => {
                    let path = path.to_string();
                    return self.external(&path);
                }
                _ => class,
            }
        } else {
            class
        };
        let parent = self.class(class).parent;
        match self.scope_from(frame, class.file, parent) {
            Some(env) => Value::of(self.tokens.intern(Token::Class { class, env })),
            None => Value::unknown(),
        }
    }

    /// What a module of the program holds under a name.
    pub(super) fn rust_module_member(&mut self, frame: &Frame<'p>, file: u32, body: FunctionId, name: Symbol) -> Value {
        let key = (file, body, name);
        let items = match self.found.members.get(&key) {
            Some(items) => items.clone(),
            None => {
                let node = self.modules.rust.module(file, body);
                let items = self.names(|n| match node {
                    Some(_) if n.symbols.text(name) == "super" => n.path(file, body, "super"),
                    Some(node) => n.step(&Item::Module(node), name),
                    None => Items::new(),
                });
                let items = Arc::new(items);
                self.found.members.insert(key, items.clone());
                items
            }
        };
        if items.is_empty() { self.not_found() } else { self.items_value(frame, &items) }
    }

    /// What the path of a declared type means.
    pub(super) fn type_items(&mut self, file: u32, scope: FunctionId, e: ExprId) -> Arc<Items> {
        if let Some(found) = self.found.types.get(&(file, e)) {
            return found.clone();
        }
        let items = Arc::new(self.names(|n| n.of_expr(file, scope, e)));
        self.found.types.insert((file, e), items.clone());
        items
    }

    /// The impl block, type or trait whose body a function stands in.
    pub fn class_around(&self, file: u32, func: FunctionId) -> Option<ClassRef> {
        let ir = &self.files[file as usize];
        let mut at = Some(func);
        while let Some(id) = at {
            let function = ir.function(id);
            if let Some(class) = function.class {
                return Some(ClassRef { file, id: class });
            }
            if function.kind == FunctionKind::Module {
                return None;
            }
            at = function.parent;
        }
        None
    }

    /// `Self`
    pub(super) fn self_type(&mut self, frame: &Frame<'p>) -> Value {
        let Some(class) = self.class_around(frame.file, frame.func) else { return Value::unknown() };
        let declared = self.class(class);
        let by_receiver = match declared.kind {
            ClassKind::Impl => match self.modules.impls.target(class) {
                Some(TypeTarget::Class(target)) => return self.class_value(frame, *target),
                Some(TypeTarget::External(path)) => {
                    let path = path.to_string();
                    return self.external(&path);
                }
                _ => true,
            },
            ClassKind::Trait => true,
            _ => false,
        };
        // In traits and blanket impls: the type of the receiver.
        if by_receiver {
            let mut value = Value::empty();
            for token in self.receiver_of(frame).iter() {
                if let Token::Object { class, .. } | Token::Instance { class } | Token::Variant { class, .. } =
                    *self.tokens.get(token)
                {
                    value.insert(class);
                }
            }
            if !value.is_empty() {
                return value;
            }
        }
        if declared.kind == ClassKind::Impl { Value::unknown() } else { self.class_value(frame, class) }
    }

    /// The receiver of the method around this point.
    pub(super) fn receiver_of(&mut self, frame: &Frame<'p>) -> Value {
        let mut at = frame.comp;
        loop {
            let key = &self.comps[at.0 as usize].key;
            let (func, parent) = (key.func, key.parent);
            let function = self.function(func);
            if function.params.first().is_some_and(|p| p.kind == ParamKind::Receiver) {
                return self.store.read(Addr::Param(at, 0), frame.comp);
            }
            match parent {
                Some(parent) if function.class.is_none() => at = parent,
                _ => return Value::empty(),
            }
        }
    }
}
