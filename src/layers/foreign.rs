//! Methods that the program's traits give to errors of packages (Rust): `impl Retryable for SdkError<E>`. Generic code
//! that takes any such error runs the one that the failure at hand has.

use super::calls::Given;
use super::machine::{End, Machine};
use super::state::{Exits, State};
use super::val::{ErrorClass, Val};
use crate::ir::ExprId;
use crate::link::impls::TypeTarget;
use crate::link::token::{CompId, FuncRef, Token};

impl Machine<'_, '_, '_> {
    /// The method that the program gives to a package's error, if the package has none of that name.
    pub(super) fn foreign_method(&self, on: &Val, name: &str) -> Option<CompId> {
        let Val::Error(error) = on else { return None };
        let ErrorClass::Known(path) = &error.class else { return None };
        let solver = self.view.solver;
        if solver.catalogue.method(path, name).is_some() {
            return None;
        }
        let symbol = solver.symbols.find(name)?;
        let is_of = |target: &TypeTarget| match target {
            TypeTarget::External(taken) => {
                solver.catalogue.name(taken) == solver.catalogue.name(path) || solver.catalogue.is_subclass(path, taken)
            }
            _ => false,
        };
        solver.modules.impls.foreign(symbol).filter(|block| is_of(&block.target)).find_map(|block| {
            let file = &solver.files[block.class.file as usize];
            let methods = &solver.class(block.class).methods;
            let id = methods.iter().find(|(method, _)| file.name(*method) == name)?.1;
            let func = FuncRef { file: block.class.file, id };
            self.view.component_of(func, self.view.module(func.file)?)
        })
    }

    /// The method that an error of the program has, for code that does not say what it is of (`.when(|e| e.is_temporary())`).
    pub(super) fn method_of_error(&self, on: &Val, name: &str) -> Option<CompId> {
        let Val::Error(error) = on else { return None };
        let ErrorClass::Own(class) = error.class else { return None };
        let solver = self.view.solver;
        let symbol = solver.symbols.find(name)?;
        let Token::Class { class, env } = *self.view.token(class) else { return None };
        let members = solver.modules.impls.members(class, symbol);
        let func = members.iter().find_map(|m| Some(FuncRef { file: m.holder.file, id: m.function? }))?;
        let module = || self.view.component_of(func, self.view.module(func.file)?);
        self.view.component_of(func, env).or_else(module)
    }

    /// Runs such a method in place.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn run_foreign(
        &mut self,
        e: ExprId,
        target: CompId,
        on: &Val,
        given: Given,
        mut state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) {
        let slots = state.slots.clone();
        let helper = state.helper;
        state.helper = helper.or_else(|| Some(self.view.call_place(self.comp(&state), e)));
        for (mut after, end) in self.enter(target, Some(on.clone()), given, state) {
            after.slots = slots.clone();
            after.helper = helper;
            match end {
                End::Return(value) => out.push((after, value)),
                End::Raise(error) if error.is_never() => exits.raises.push((after, error)),
                End::Raise(error) => out.push((after, Val::Fail(error))),
            }
        }
    }
}
