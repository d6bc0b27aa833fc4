//! Decorators that cannot stand in themselves: the same method of a type twice on one path takes two objects, of which one
//! holds the other (Rust, where an object behind a trait may be any that the program makes).

use super::compose::Composer;
use super::part::Part;
use crate::ir::{Language, ParamKind};
use crate::link::token::*;

impl Composer<'_, '_, '_> {
    /// Whether a path goes through a method that it is in already, of a type of which the program makes one object.
    pub(super) fn is_in_itself(&mut self, comp: CompId, inner: &Part) -> bool {
        let function = self.view.function(comp);
        if self.view.file(comp).language != Language::Rust
            || function.params.first().is_none_or(|p| p.kind != ParamKind::Receiver)
        {
            return false;
        }
        let func = self.view.func(comp);
        let again = |&&(at, _): &&(CompId, _)| at != comp && self.view.func(at) == func;
        if inner.path.iter().find(again).is_none() {
            return false;
        }
        let Some(class) = self.view.solver.class_around(func.file, func.id) else { return false };
        let target = match self.view.solver.modules.impls.target(class) {
            Some(crate::link::impls::TypeTarget::Class(target)) => *target,
            _ => class,
        };
        self.objects_of(target) < 2
    }

    /// How many objects of a type the program makes.
    fn objects_of(&mut self, class: ClassRef) -> usize {
        let view = self.view;
        let made = self.made.get_or_insert_with(|| {
            let mut made: rustc_hash::FxHashMap<ClassRef, usize> = Default::default();
            for token in view.solver.tokens.all() {
                if let Token::Object { class, .. } = *view.token(token)
                    && let Token::Class { class, .. } = *view.token(class)
                {
                    *made.entry(class).or_default() += 1;
                }
            }
            made
        });
        made.get(&class).copied().unwrap_or(0)
    }
}
