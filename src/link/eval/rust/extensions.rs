//! Methods that traits of other crates give to values, where a file brings such a trait in.

use super::super::Frame;
use crate::ir::*;
use crate::link::modules::rust::Item;
use crate::link::solver::Solver;
use crate::link::symbols::Symbol;
use crate::link::token::*;
use std::sync::Arc;

/// A trait of another crate whose methods other values have.
pub struct Extension {
    path: String,
    extends: String,
}

impl<'p> Solver<'p> {
    /// A member of a value that the program does not describe: a trait's in scope, else the value's own.
    pub(super) fn outside_member(&mut self, frame: &mut Frame<'p>, token: Tok, name: Symbol) -> Value {
        let own = self.member(token, name);
        let known = |solver: &Self| own.single().is_some_and(|t| solver.known(t).is_some());
        let extensions = self.extensions_in(frame);
        if extensions.is_empty() || known(self) {
            return own;
        }
        let text = self.symbols.text(name);
        let found = extensions.iter().find(|e| {
            let fits = match e.extends.as_str() {
                "callable" => self.is_callable(token),
                "any" | "future" => true,
                class => self
                    .known_class(token)
                    .is_some_and(|(_, c)| c.path.first().is_some_and(|own| self.catalogue.is_subclass(own, class))),
            };
            fits && self.catalogue.method(&e.path, text).is_some()
        });
        match found {
            Some(extension) => {
                let path = self.symbols.intern(&extension.path);
                let func = self.tokens.intern(Token::External(path));
                let base = self.tokens.intern(Token::Bound { func, this: token });
                self.member(base, name)
            }
            None => own,
        }
    }

    /// The extension traits that a file imports.
    fn extensions_in(&mut self, frame: &Frame<'p>) -> Arc<Vec<Extension>> {
        if let Some(found) = self.found.extensions.get(&frame.file) {
            return found.clone();
        }
        let mut found: Vec<Extension> = Vec::new();
        for stmt in &frame.ir.stmts {
            let Stmt::Import { module, imported, .. } = stmt else { continue };
            let items = self.names(|n| n.path(frame.file, MODULE, frame.ir.name(module.path)));
            for item in &items {
                let Item::External(path) = item else { continue };
                for class in self.catalogue.extensions(path) {
                    let inside = |p: &&String| match imported {
                        Imported::Star => p.strip_prefix(&**path).is_some_and(|rest| rest.starts_with("::")),
                        _ => p.as_str() == &**path,
                    };
                    if let (Some(_), Some(extends)) = (class.path.iter().find(inside), &class.extends)
                        && let Some(name) = class.path.first()
                    {
                        found.push(Extension { path: name.clone(), extends: extends.clone() });
                    }
                }
            }
        }
        let found = Arc::new(found);
        self.found.extensions.insert(frame.file, found.clone());
        found
    }
}
