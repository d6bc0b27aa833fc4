//! `?` on the failure of a package (Rust): where the function declares an error of the program that is made from it by
//! `From`, what that makes is passed on.

use super::calls::Given;
use super::machine::{End, Machine};
use super::state::State;
use super::val::{Error, ErrorClass, Val};
use crate::ir::{ClassKind, FunctionId, Type, TypeId};
use crate::link::modules::rust::Item;
use crate::link::token::{ClassRef, CompId, FuncRef, Tok, Token};
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// A failure as the running function passes it on.
    pub fn passed_on(&mut self, error: Rc<Error>, state: State) -> Vec<(State, Rc<Error>)> {
        let Some(from) = self.from_of(&error, &state) else { return vec![(state, error)] };
        self.looked.set(true);
        let comp = self.comp(&state);
        let Some(target) = self.view.component_of(from, comp) else { return vec![(state, error)] };
        self.converted_error(target, &error, state)
    }

    /// What a function makes of an error.
    pub(super) fn converted_error(&mut self, by: CompId, error: &Rc<Error>, state: State) -> Vec<(State, Rc<Error>)> {
        let given = Given { positional: vec![Val::Error(error.clone())], ..Given::default() };
        let ends = self.enter(by, None, given, state);
        let made = ends.into_iter().map(|(state, end)| match end {
            End::Return(value) => {
                let made = self.error_from(&value, Some(error), &state);
                (state, made)
            }
            End::Raise(raised) => (state, raised),
        });
        made.collect()
    }

    /// Whether a variant of the program's enum is what holds a package's failure that was made into the enum by way of
    /// `#[from]`, which no code shows: the one that declares to hold it. None: no variant does, or several do.
    pub(super) fn is_made_into(&self, error: &Error, class: Tok, variant: &str) -> Option<bool> {
        let ErrorClass::Known(path) = &error.class else { return None };
        let Token::Class { class, .. } = *self.view.token(class) else { return None };
        let solver = self.view.solver;
        let (declared, file) = (solver.class(class), &solver.files[class.file as usize]);
        let mut holding = declared.fields.iter().filter_map(|field| {
            let (of, _) = file.name(field.name).split_once('.')?;
            let Type::Ref(e) = file.types[field.declared?.index()] else { return None };
            let items = solver.names(|names| names.of_expr(class.file, declared.parent, e));
            let holds = items.iter().any(|item| match item {
                Item::External(taken) => solver.catalogue.is_subclass(path, solver.catalogue.name(taken)),
                _ => false,
            });
            holds.then_some(of)
        });
        let of = holding.next()?;
        holding.next().is_none().then_some(of == variant)
    }

    /// The function that makes the declared error of the running function from a package's.
    fn from_of(&self, error: &Error, state: &State) -> Option<FuncRef> {
        let ErrorClass::Known(path) = &error.class else { return None };
        let func = self.view.func(self.comp(state));
        let returns = self.view.solver.function(func).returns?;
        let class = self.declared_error(func.file, func.id, returns)?;
        let solver = self.view.solver;
        let name = solver.symbols.find("from")?;
        let members = solver.modules.impls.of_trait(class, name, |t| solver.symbols.text(t.name) == "From");
        members.iter().find_map(|member| {
            let from = FuncRef { file: member.holder.file, id: member.function? };
            let taken = solver.function(from).params.first()?.declared?;
            let Type::Ref(e) = solver.files[from.file as usize].types[taken.index()] else { return None };
            let items = solver.names(|names| names.of_expr(from.file, from.id, e));
            let takes = items.iter().any(|item| match item {
                Item::External(taken) => solver.catalogue.name(taken) == solver.catalogue.name(path),
                _ => false,
            });
            takes.then_some(from)
        })
    }

    /// The error of the program in a declared `Result`, also behind an alias of it.
    fn declared_error(&self, file: u32, scope: FunctionId, ty: TypeId) -> Option<ClassRef> {
        let solver = self.view.solver;
        let named = |file: u32, scope: FunctionId, ty: TypeId| {
            let Type::Ref(e) = solver.files[file as usize].types[ty.index()] else { return None };
            let items = solver.names(|names| names.of_expr(file, scope, e));
            items.iter().find_map(|item| if let Item::Class(class) = item { Some(*class) } else { None })
        };
        let of = &solver.files[file as usize].types[ty.index()];
        if let Type::Apply { args, .. } = of
            && let Some(&error) = args.get(1)
        {
            return named(file, scope, error);
        }
        let base = match of {
            Type::Apply { base, .. } => *base,
            _ => ty,
        };
        let alias = named(file, scope, base)?;
        let declared = solver.class(alias);
        if declared.kind != ClassKind::Alias {
            return None;
        }
        match &solver.files[alias.file as usize].types[declared.target?.index()] {
            Type::Apply { args, .. } => named(alias.file, declared.parent, *args.get(1)?),
            _ => None,
        }
    }
}
