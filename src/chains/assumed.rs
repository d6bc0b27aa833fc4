//! Clients that are known by their declared type only. Where another way to the same call brings one that the
//! program makes, that is the client: nothing is to be said of the settings of one that nobody made.

use super::compose::Composer;
use crate::ir::ExprId;
use crate::link::component::Target;
use crate::link::token::*;
use rustc_hash::FxHashSet;

/// Chains of calls are followed so far.
const STEPS: usize = 64;

impl Composer<'_, '_, '_> {
    /// Whether a call's client is known by its type only, and the program makes one for the same call.
    pub(super) fn is_only_assumed(&mut self, comp: CompId, e: ExprId, callee: Tok) -> bool {
        if self.is_made(callee) != Some(false) {
            return false;
        }
        let func = self.view.func(comp);
        self.with_made_clients().contains(&(func, e))
    }

    /// Calls whose clients the program makes.
    fn with_made_clients(&mut self) -> &FxHashSet<(FuncRef, ExprId)> {
        if self.clients_made.is_none() {
            let mut found = FxHashSet::default();
            for c in 0..self.view.solver.comps.len() {
                let comp = CompId(c as u32);
                if !self.reaching[c] {
                    continue;
                }
                for call in self.view.all_calls(comp) {
                    if matches!(call.target, Target::External(_))
                        && self.is_made(call.callee) == Some(true)
                        && self.outbound(call.callee).is_some()
                    {
                        found.insert((self.view.func(comp), call.expr));
                    }
                }
            }
            self.clients_made = Some(found);
        }
        self.clients_made.get_or_insert_default()
    }

    /// Whether a method's client was made by a call of the program, or is known by its type only; none: neither.
    fn is_made(&self, callee: Tok) -> Option<bool> {
        let Token::Member { base, .. } = *self.view.token(callee) else { return None };
        let mut at = base;
        for _ in 0..STEPS {
            match *self.view.token(at) {
                Token::Made { callee, .. } => match *self.view.token(callee) {
                    Token::Member { base, .. } => at = base,
                    Token::External(_) => return Some(true),
                    _ => return None,
                },
                Token::Member { base, .. } => at = base,
                Token::Instance { class } => {
                    return matches!(self.view.token(class), Token::External(_)).then_some(false);
                }
                _ => return None,
            }
        }
        None
    }
}
