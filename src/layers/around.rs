//! `around('…')` in formulas: the object whose `with` block, or whose decorated function, a call stands in.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::component::Target;
use crate::link::token::*;

/// Functions nest at most so deep.
const DEPTH: usize = 16;

impl<'p> Machine<'p, '_, '_> {
    /// The nearest object of the catalogue's class (or result of its function) with this path around the call that made
    /// a value.
    pub(super) fn around(&mut self, path: &str, made: Tok) -> Option<Val> {
        let site = match *self.view.token(made) {
            Token::Made { site, .. } | Token::Wrapped { site, .. } => site,
            _ => return None,
        };
        let span = self.view.file(site.comp).exprs.get(site.expr.index())?.span;
        let mut comp = site.comp;
        for _ in 0..DEPTH {
            if let Some(found) = self.with_block(path, comp, span) {
                return Some(found);
            }
            let outer = self.defined_in(comp)?;
            let decorators = &self.view.function(comp).decorators;
            if let Some(found) = decorators.iter().find_map(|&decorator| self.object_at(path, outer, decorator)) {
                return Some(found);
            }
            comp = outer;
        }
        None
    }

    /// The manager of the innermost `with` block of a component around a place.
    fn with_block(&mut self, path: &str, comp: CompId, place: Span) -> Option<Val> {
        let file = self.view.file(comp);
        let mut blocks: Vec<(Span, &Vec<(ExprId, Option<PatId>)>)> = Vec::new();
        for (stmt, span) in file.stmts.iter().zip(&file.stmt_spans) {
            if let Stmt::With { items, .. } = stmt
                && span.start <= place.start
                && place.end <= span.end
            {
                blocks.push((*span, items));
            }
        }
        blocks.sort_by_key(|(span, _)| span.end - span.start);
        let mut items = blocks.into_iter().flat_map(|(_, items)| items);
        items.find_map(|(item, _)| self.object_at(path, comp, *item))
    }

    /// The component that a component's function was defined in.
    fn defined_in(&self, comp: CompId) -> Option<CompId> {
        let key = &self.view.solver.comps.get(comp.0 as usize)?.key;
        if key.func.id == MODULE {
            return None;
        }
        key.parent.or_else(|| self.view.module(key.func.file))
    }

    /// What an expression makes, if it is of this path: a call, or a variable that holds its result.
    fn object_at(&mut self, path: &str, comp: CompId, expr: ExprId) -> Option<Val> {
        let called = self.view.calls(comp, expr).iter().find_map(|call| match call.target {
            Target::External(made) if self.is_of_path(call.callee, path) => Some(made),
            _ => None,
        });
        if let Some(made) = called {
            return Some(Val::Tok(made));
        }
        let mut state = State::at(comp, 0.0);
        self.bind_from_link(comp, &mut state);
        let held = self.pure(expr, &state)?;
        let Val::Tok(tok) = held else { return None };
        let Token::Made { callee, .. } = *self.view.token(tok) else { return None };
        self.is_of_path(callee, path).then_some(held)
    }

    /// Whether a callee is the catalogue's class or function with this path, by any of its paths.
    fn is_of_path(&self, callee: Tok, path: &str) -> bool {
        let Token::External(symbol) = *self.view.token(callee) else { return false };
        let text = self.view.text(symbol);
        let catalogue = self.view.solver.catalogue;
        let name = |path: &str| {
            let class = catalogue.class(path).and_then(|c| c.1.path.first());
            class.or_else(|| catalogue.function(path).and_then(|f| f.1.path.first()))
        };
        text == path || name(path).is_some_and(|wanted| name(text) == Some(wanted))
    }
}
