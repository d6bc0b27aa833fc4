//! Constants that a type has (Rust): `Self::MAX_RETRIES`, `Client::ATTEMPTS`, those of a trait's implementation.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::{ClassKind, ExprId, ExprKind, FunctionId, Language, MODULE, ParamKind};
use crate::link::component::CompKey;
use crate::link::impls::TypeTarget;
use crate::link::modules::rust::Item;
use crate::link::store::Addr;
use crate::link::token::*;

impl Machine<'_, '_, '_> {
    /// The constant of a type that a path names.
    pub fn constant_of_type(&self, state: &State, e: ExprId, object: ExprId, name: &str) -> Option<Val> {
        if !name.starts_with(|c: char| c.is_ascii_uppercase() || c == '#') {
            return None;
        }
        let comp = self.comp(state);
        let key = (comp, e);
        if let Some(known) = self.constants.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find_constant(comp, object, name);
        self.constants.borrow_mut().insert(key, found.clone());
        found
    }

    /// A constant of a package that is named by its whole path (`package::Type::NAME`), without an import.
    pub(super) fn constant_by_path(&mut self, state: &State, e: ExprId) -> Option<Val> {
        if self.ir(state).language != Language::Rust {
            return None;
        }
        let path = self.path_text(e, state)?;
        let (_, constant) = self.view.solver.catalogue.value(&path)?;
        let formula = constant.value.clone()?;
        self.formula(&formula, &super::formula::Scope::default())
    }

    fn find_constant(&self, comp: CompId, object: ExprId, name: &str) -> Option<Val> {
        let symbol = self.view.solver.symbols.find(name)?;
        let class = self.type_named(comp, object)?;
        if name.starts_with('#') {
            // What the type is written with.
            return self.view.field(self.type_token(class)?, name);
        }
        if let Some(variant) = self.variant_named(class, symbol) {
            return Some(variant);
        }
        let modules = self.view.solver.modules;
        let members = modules.impls.members(class, symbol);
        members.iter().filter(|m| m.function.is_none()).find_map(|member| {
            let declared = self.view.solver.class(member.holder);
            let env = self.scope(member.holder.file, declared.parent)?;
            let func = FuncRef { file: member.holder.file, id: declared.body };
            let body =
                self.view.solver.find_component(&CompKey { func, parent: Some(env), context: Box::default() })?;
            match self.view.read(Addr::Var(body, member.var)) {
                Val::Unknown => None,
                value => Some(value),
            }
        })
    }

    /// `Self::Busy`, `crate::Error::Busy`: a variant, by whatever path.
    fn variant_named(&self, class: ClassRef, name: crate::link::symbols::Symbol) -> Option<Val> {
        let declared = self.view.solver.class(class);
        if declared.kind != ClassKind::Enum {
            return None;
        }
        let env = self.scope(class.file, declared.parent)?;
        let class = self.view.solver.tokens.find(&Token::Class { class, env })?;
        self.view.solver.tokens.find(&Token::Variant { class, name }).map(Val::Tok)
    }

    /// The type that the front of a path names.
    fn type_named(&self, comp: CompId, object: ExprId) -> Option<ClassRef> {
        let func = self.view.func(comp);
        let file = self.view.file(comp);
        if let ExprKind::Free(name) = file.expr(object).kind
            && file.name(name) == "Self"
        {
            return self.self_type_of(comp);
        }
        let items = self.view.solver.names(|names| names.of_expr(func.file, func.id, object));
        items.iter().find_map(|item| match item {
            Item::Class(class) => match self.view.solver.modules.impls.alias(*class) {
                Some(TypeTarget::Class(target)) => Some(*target),
                _ => Some(*class),
            },
            _ => None,
        })
    }

    fn type_token(&self, class: ClassRef) -> Option<Tok> {
        let env = self.scope(class.file, self.view.solver.class(class).parent)?;
        self.view.solver.tokens.find(&Token::Class { class, env })
    }

    /// What `Self` is in a method.
    pub(super) fn self_type_token(&self, comp: CompId) -> Option<Tok> {
        self.type_token(self.self_type_of(comp)?)
    }

    fn self_type_of(&self, comp: CompId) -> Option<ClassRef> {
        let func = self.view.func(comp);
        let around = self.view.solver.class_around(func.file, func.id)?;
        if let Some(TypeTarget::Class(target)) = self.view.solver.modules.impls.target(around) {
            return Some(*target);
        }
        if self.view.solver.class(around).kind != ClassKind::Trait {
            return Some(around);
        }
        // In a trait: the type of the receiver.
        let mut at = comp;
        loop {
            let function = self.view.function(at);
            let key = &self.view.solver.comps[at.0 as usize].key;
            if function.params.first().is_some_and(|p| p.kind == ParamKind::Receiver) {
                let told_apart = key.context.iter().find(|(param, _)| *param == 0).map(|(_, tok)| *tok);
                let stored = || self.view.solver.store.get(Addr::Param(at, 0)).and_then(|v| v.single());
                return match *self.view.token(told_apart.or_else(stored)?) {
                    Token::Object { class, .. } | Token::Instance { class } | Token::Variant { class, .. } => {
                        match *self.view.token(class) {
                            Token::Class { class, .. } => Some(class),
                            _ => None,
                        }
                    }
                    Token::Class { class, .. } => Some(class),
                    _ => None,
                };
            }
            at = key.parent.filter(|_| function.class.is_none())?;
        }
    }

    /// The component of a scope, without contexts.
    fn scope(&self, file: u32, func: FunctionId) -> Option<CompId> {
        let ir = self.view.solver.files.get(file as usize)?;
        let mut chain = vec![func];
        while let Some(parent) = ir.function(*chain.last()?).parent {
            chain.push(parent);
        }
        let mut comp = None;
        while let Some(id) = chain.pop() {
            if id == MODULE {
                comp = self.view.module(file);
                continue;
            }
            let key = CompKey { func: FuncRef { file, id }, parent: comp, context: Box::default() };
            comp = Some(self.view.solver.find_component(&key)?);
        }
        comp
    }
}
