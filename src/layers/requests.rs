//! Requests that are built anew for every call: `client.get(url).send()` written twice is the same request twice.

use super::machine::Machine;
use crate::ir::{ExprId, Span};
use crate::link::component::Target;
use crate::link::token::{CompId, Tok, Token};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Chains of calls are followed so far.
const STEPS: usize = 64;

/// What a request is made of: the object that the chain starts from, what is written of it, the method that sends it.
type Built = (Tok, String, crate::link::symbols::Symbol);

impl Machine<'_, '_, '_> {
    /// For a callee of a component that is a method of something built on the spot: the first one whose chain is
    /// written in the same way and starts from the same object.
    pub fn request(&self, comp: CompId, callee: Tok) -> Tok {
        if !self.is_built(callee) {
            return callee;
        }
        let known = self.requests.borrow().get(&comp).cloned();
        let known = known.unwrap_or_else(|| {
            let found = Rc::new(self.requests_of(comp));
            self.requests.borrow_mut().insert(comp, found.clone());
            found
        });
        known.get(&callee).copied().unwrap_or(callee)
    }

    fn is_built(&self, callee: Tok) -> bool {
        matches!(*self.view.token(callee), Token::Member { base, .. } if matches!(self.view.token(base), Token::Made { .. }))
    }

    fn requests_of(&self, comp: CompId) -> FxHashMap<Tok, Tok> {
        let mut first: FxHashMap<Built, (Tok, ExprId, usize)> = FxHashMap::default();
        let mut all: Vec<(Tok, Built)> = Vec::new();
        for call in self.view.all_calls(comp) {
            if let Target::External(_) = call.target
                && let Some((built, length)) = self.built_here(comp, call.callee)
            {
                let of = first.entry(built.clone()).or_insert((call.callee, call.expr, length));
                // Of the ways to one call, the one on which most is set.
                if of.1 == call.expr && length > of.2 {
                    (of.0, of.2) = (call.callee, length);
                }
                all.push((call.callee, built));
            }
        }
        all.into_iter().filter_map(|(callee, built)| Some((callee, first.get(&built)?.0))).collect()
    }

    fn built_here(&self, comp: CompId, callee: Tok) -> Option<(Built, usize)> {
        let Token::Member { base, name: sends } = *self.view.token(callee) else { return None };
        let Token::Made { site, .. } = *self.view.token(base) else { return None };
        if site.comp != comp {
            return None;
        }
        let mut at = base;
        let mut length = 0;
        for _ in 0..STEPS {
            length += 1;
            match *self.view.token(at) {
                // Only what was built here is built anew.
                Token::Made { callee, site } if site.comp == comp => match *self.view.token(callee) {
                    Token::Member { base, .. } => at = base,
                    _ => return None,
                },
                Token::Made { .. } => break,
                Token::Member { base, .. } => at = base,
                _ => break,
            }
        }
        let span = self.view.file(comp).exprs.get(site.expr.index())?.span;
        Some(((at, self.written_at(comp, span)?, sends), length))
    }

    /// What stands at a place, without the blanks.
    fn written_at(&self, comp: CompId, span: Span) -> Option<String> {
        let text = self.texts.get(self.view.func(comp).file as usize)?;
        let text = text.get(span.start as usize..span.end as usize)?;
        Some(text.chars().filter(|c| !c.is_whitespace()).collect())
    }
}
