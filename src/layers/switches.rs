//! Switches: settings of the environment that decide whether a part of the program runs at all. As a number, what
//! stands in for one that is not set counts; as a gate, it is open for some and closed for others.

use super::machine::Machine;
use super::relevant::children;
use super::state::State;
use super::val::Val;
use crate::catalogue::Formula;
use crate::ir::*;
use crate::link::token::{CompId, Token};

/// The formula by which the catalogue says that a call asks for a setting.
const SETTING: &str = "setting";
/// Variables made of variables are followed so far.
const DEPTH: u32 = 3;

impl Machine<'_, '_, '_> {
    /// Whether a test shuts off, by a setting, what would run otherwise: its outcome leaves, or leaves out a block
    /// that does something else than work out a value.
    pub(super) fn is_gate(
        &self,
        state: &State,
        test: ExprId,
        outcome: bool,
        then: BlockId,
        otherwise: Option<BlockId>,
    ) -> bool {
        let ir = self.ir(state);
        let (taken, skipped) = if outcome { (Some(then), otherwise) } else { (otherwise, Some(then)) };
        let leaves = |block: BlockId| {
            let last = ir.block(block).last().map(|&stmt| ir.stmt(stmt));
            matches!(last, Some(Stmt::Return(_) | Stmt::Raise { .. } | Stmt::Continue(_) | Stmt::Break(..)))
        };
        let assigns = |block: BlockId| ir.block(block).iter().any(|&s| matches!(ir.stmt(s), Stmt::Assign { .. }));
        let shuts = match taken {
            Some(block) => leaves(block),
            None => skipped.is_some_and(|block| !assigns(block)),
        };
        shuts && self.asks_for_setting(self.comp(state), test, DEPTH)
    }

    /// What stands in for something unknown that may be there: a number counts as what it is, an empty list or a
    /// switch says only what is so if nothing is there.
    pub(super) fn unless_empty(&self, default: Val) -> Val {
        let empty = match &default {
            Val::List(list) => list.is_empty(),
            Val::Tok(tok) => {
                matches!(self.view.token(*tok), Token::Container { .. })
                    && self.elements(&default).is_some_and(|elements| elements.is_empty())
            }
            _ => false,
        };
        if empty { Val::Unknown } else { unless_a_switch(default) }
    }

    fn asks_for_setting(&self, comp: CompId, e: ExprId, depth: u32) -> bool {
        let known = self.gates.borrow().get(&(comp, e)).copied();
        if let Some(known) = known {
            return known;
        }
        let file = self.view.file(comp);
        let mut found = false;
        let mut stack = vec![e];
        while let Some(at) = stack.pop() {
            found = match file.expr(at).kind {
                ExprKind::Call { .. } => self.view.calls(comp, at).iter().any(|call| {
                    let value = self.view.known(call.callee).and_then(|known| known.callable.value.as_ref());
                    matches!(value, Some(Formula::Call(name, _)) if name == SETTING)
                }),
                ExprKind::Var(var) if depth > 0 => self.var_asks(comp, var, depth - 1),
                _ => false,
            };
            if found {
                break;
            }
            children(file, at, &mut stack);
        }
        self.gates.borrow_mut().insert((comp, e), found);
        found
    }

    fn var_asks(&self, comp: CompId, var: VarId, depth: u32) -> bool {
        let file = self.view.file(comp);
        let func = self.view.func(comp);
        let Some(owner) = self.view.solver.owner(comp, func.file, file.var(var).owner) else { return false };
        file.stmts.iter().any(|stmt| {
            let Stmt::Assign { targets, value: Some(value), .. } = stmt else { return false };
            let [target] = targets.as_slice() else { return false };
            matches!(file.pattern(*target), Pattern::Bind(v) if *v == var)
                && self.asks_for_setting(owner, *value, depth)
        })
    }
}

/// What stands in for a setting that the environment may have: a number counts as what it is; a switch that is off
/// unless somebody turns it on may be either.
pub(super) fn unless_a_switch(default: Val) -> Val {
    match default {
        Val::Bool(_) | Val::Null => Val::Unknown,
        Val::Text(text) if text.is_empty() => Val::Unknown,
        default => default,
    }
}
