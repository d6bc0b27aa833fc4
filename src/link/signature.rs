//! What stays of a context when a function has too many of them: which callables it is handed, by their code and by
//! what those were handed in turn, and where objects were made, whoever asked for them.

use super::component::{CompKey, THIS};
use super::solver::Solver;
use super::token::*;
use crate::ir::ExprId;

/// Callables that were handed other callables are looked into so deep.
const NESTED: usize = 6;
/// And a signature names at most so many things.
const LONGEST: usize = 24;

/// One thing that a context says, without who asked for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Trait {
    /// The parameter that the following is about.
    Param(u32),
    /// Code that is handed.
    Code(FuncRef),
    /// Where an object was made.
    Made(FuncRef, ExprId),
    /// Anything else.
    Other(Tok),
}

impl Solver<'_> {
    /// The signature of a context; nothing if no callable is handed.
    pub(super) fn signature(&self, key: &CompKey) -> Option<Vec<Trait>> {
        let mut traits = Vec::new();
        let mut calls = false;
        for &(param, token) in &key.context {
            traits.push(Trait::Param(param));
            match self.code_of(token) {
                Some(code) if param != THIS => {
                    calls = true;
                    self.handed(code, &mut traits);
                }
                _ => traits.push(self.origin(token)),
            }
        }
        calls.then_some(traits)
    }

    /// Code, and the code that was handed to what it was made in.
    fn handed(&self, code: (FuncRef, CompId), traits: &mut Vec<Trait>) {
        let mut open = vec![(code, 0)];
        while let Some(((func, env), depth)) = open.pop() {
            traits.push(Trait::Code(func));
            if depth == NESTED || traits.len() >= LONGEST {
                continue;
            }
            let mut around = Some(env);
            while let Some(comp) = around {
                let key = &self.comps[comp.0 as usize].key;
                let handed = key.context.iter().filter_map(|&(_, token)| self.code_of(token));
                open.extend(handed.map(|code| (code, depth + 1)));
                around = key.parent;
            }
        }
    }

    fn code_of(&self, token: Tok) -> Option<(FuncRef, CompId)> {
        match *self.tokens.get(token) {
            Token::Function { func, env } => Some((func, env)),
            Token::Bound { func, .. } => match *self.tokens.get(func) {
                Token::Function { func, env } => Some((func, env)),
                _ => None,
            },
            _ => None,
        }
    }

    fn origin(&self, token: Tok) -> Trait {
        match *self.tokens.get(token) {
            Token::Object { site, .. } | Token::Container { site, .. } | Token::Made { site, .. } => {
                Trait::Made(self.comps[site.comp.0 as usize].key.func, site.expr)
            }
            _ => Trait::Other(token),
        }
    }
}
