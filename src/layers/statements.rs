//! Blocks and their statements; paths that go on alike are merged.

use super::for_each::ForEach;
use super::loops::WhileLoop;
use super::machine::{Callee, DEEP, Machine};
use super::paths::PATHS;
use super::state::{Exits, State};
use super::val::{Error, ErrorClass, Val};
use crate::ir::*;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// `let answer;` in a loop's body: each turn begins with nothing in it.
    fn declared_empty(&mut self, targets: &[PatId], state: &mut State) {
        let ir = self.ir(state);
        if ir.language != Language::JavaScript {
            return;
        }
        let running = self.view.func(self.comp(state)).id;
        for &target in targets {
            let Pattern::Bind(var) = *ir.pattern(target) else { continue };
            let declared = ir.var(var);
            if declared.owner == running && running != MODULE && !declared.captured {
                self.write_var(state, var, Val::Null);
            }
        }
    }

    /// Runs a block from some states.
    pub fn block(&mut self, states: Vec<State>, block: BlockId, exits: &mut Exits) -> Vec<State> {
        if self.deep >= DEEP {
            self.cut = true;
            return states;
        }
        self.deep += 1;
        let ends = self.statements(states, block, exits);
        self.deep -= 1;
        ends
    }

    fn statements(&mut self, mut states: Vec<State>, block: BlockId, exits: &mut Exits) -> Vec<State> {
        let Some(first) = states.first() else { return states };
        let ir = self.ir(first);
        for &stmt in ir.block(block) {
            let mut next = Vec::with_capacity(states.len());
            for state in states {
                if self.steps == 0 {
                    self.cut = true;
                    next.push(state);
                    continue;
                }
                self.steps -= 1;
                self.stmt(state, stmt, &mut next, exits);
            }
            if next.len() > 1 {
                self.forget_after(&mut next, stmt);
                self.forget_dead(&mut next);
            }
            states = self.merge(next);
            if states.is_empty() {
                break;
            }
        }
        states
    }

    /// Drops paths that will go on like another one: the one that called more often stays.
    pub fn merge(&mut self, mut states: Vec<State>) -> Vec<State> {
        let paths = states.drain(..).map(|state| (state, ())).collect();
        states.extend(self.settle_paths(paths, PATHS).into_iter().map(|(state, ())| state));
        states
    }

    fn stmt(&mut self, state: State, id: StmtId, next: &mut Vec<State>, exits: &mut Exits) {
        let ir = self.ir(&state);
        match ir.stmt(id) {
            Stmt::Expr(e) => next.extend(self.eval(*e, state, exits).into_iter().map(|(s, _)| s)),
            Stmt::Assert(test) => {
                for (state, value) in self.eval_test(*test, state, exits) {
                    match self.truth(&value) {
                        Some(false) => {
                            let error = self.failed_assertion(&state);
                            exits.raises.push((state, error));
                        }
                        _ => next.push(state),
                    }
                }
            }
            Stmt::Assign { targets, value, op, .. } => {
                let Some(value) = value else {
                    let mut state = state;
                    self.declared_empty(targets, &mut state);
                    next.push(state);
                    return;
                };
                for (mut state, mut result) in self.eval(*value, state, exits) {
                    if let Some(op) = op
                        && let Some(&target) = targets.first()
                    {
                        let old = self.read_target(&state, target);
                        result = self.augmented(*op, &old, &result);
                    }
                    for &target in targets {
                        if op.is_none()
                            && let Some(list) = self.new_list(target, *value, &state)
                        {
                            result = list;
                        }
                        self.bind_counted(&mut state, target, Some(*value), *op, &result);
                    }
                    next.push(state);
                }
            }
            Stmt::Return(value) => match value {
                None => exits.returns.push((state, Val::Null)),
                // A generator that is handed back has not run yet: what it raises, no handler here sees.
                Some(e) if self.hands_back_generator(*e, &state) => {
                    let mut inner = Exits::default();
                    let results = self.eval(*e, state, &mut inner);
                    exits.returns.extend(results);
                    let raises = std::mem::take(&mut inner.raises);
                    for (state, error) in raises {
                        match error.is_never() {
                            true => exits.raises.push((state, error)),
                            false => exits.returns.push((state, Val::Fail(error))),
                        }
                    }
                    pass_on(inner, exits);
                }
                Some(e) => {
                    let results = self.eval(*e, state, exits);
                    exits.returns.extend(results);
                }
            },
            Stmt::Raise { error, .. } => self.raise(state, *error, exits),
            Stmt::If { test, then, otherwise } => {
                for (state, value) in self.eval_test(*test, state, exits) {
                    self.branch(state, *test, &value, *then, *otherwise, next, exits);
                }
            }
            Stmt::ForEach { target, iter, body, otherwise, label, header, over_keys, .. } => {
                for (state, value) in self.eval(*iter, state, exits) {
                    let each = ForEach {
                        target: *target,
                        body: *body,
                        otherwise: *otherwise,
                        label: *label,
                        header: *header,
                        keys: *over_keys,
                    };
                    self.for_each(state, &value, &each, next, exits);
                }
            }
            Stmt::Loop { before, body, update, after, otherwise, label, result: _, header } => {
                let parts = WhileLoop {
                    before: *before,
                    body: *body,
                    update: *update,
                    after: *after,
                    otherwise: *otherwise,
                    label: *label,
                    header: *header,
                };
                self.while_loop(state, &parts, next, exits);
            }
            Stmt::Try { body, handlers, otherwise, finally } => {
                self.try_stmt(state, *body, handlers, *otherwise, *finally, next, exits);
            }
            Stmt::With { items, body, .. } => self.with_stmt(state, items, *body, next, exits),
            Stmt::Match { subject, arms, is_switch } => {
                for (state, value) in self.eval(*subject, state, exits) {
                    if value == Val::Unknown {
                        self.note_guess(&state, *subject);
                    }
                    self.match_stmt(state, &value, arms, *is_switch, next, exits);
                }
            }
            Stmt::Break(label, value) => match value {
                Some(e) => {
                    for (state, _) in self.eval(*e, state, exits) {
                        exits.breaks.push((state, *label));
                    }
                }
                None => exits.breaks.push((state, *label)),
            },
            Stmt::Continue(label) => exits.continues.push((state, *label)),
            Stmt::Block(block, label) => {
                let mut inner = Exits::default();
                let ends = self.block(vec![state], *block, &mut inner);
                next.extend(ends);
                if label.is_some() {
                    let (own, others) = inner.breaks.into_iter().partition(|(_, l)| l == label);
                    inner.breaks = others;
                    next.extend(Vec::from_iter::<Vec<(State, Option<Name>)>>(own).into_iter().map(|(s, _)| s));
                }
                pass_on(inner, exits);
            }
            Stmt::Function { function, target } => {
                let mut state = state;
                if let Some(target) = target {
                    let value = self.closure_value(&state, *function);
                    self.write_var(&mut state, *target, value);
                }
                next.push(state);
            }
            Stmt::Class { .. } | Stmt::Import { .. } | Stmt::Export(_) | Stmt::Module { .. } | Stmt::Delete(_) => {
                next.push(state)
            }
        }
    }

    fn raise(&mut self, state: State, error: Option<ExprId>, exits: &mut Exits) {
        match error {
            None => {
                let error = state.handling.last().cloned();
                let error = error.unwrap_or_else(|| Rc::new(self.unknown_error()));
                exits.raises.push((state, error));
            }
            Some(e) => {
                for (state, value) in self.eval(e, state, exits) {
                    let error = self.error_of(&value, &state);
                    exits.raises.push((state, error));
                }
            }
        }
    }

    /// What an assertion raises that does not hold.
    fn failed_assertion(&self, state: &State) -> Rc<Error> {
        let error = self.unknown_error();
        Rc::new(match self.ir(state).language {
            Language::Python => Error { class: ErrorClass::Known("builtins.AssertionError".into()), ..error },
            _ => error,
        })
    }

    /// Whether an expression is a call of the failing callee, and that is a generator of the program.
    fn hands_back_generator(&self, e: ExprId, state: &State) -> bool {
        let Some(Callee::Comp(target)) = self.plan.key.as_ref().map(|key| key.target) else { return false };
        let comp = self.comp(state);
        self.view.function(target).is_generator
            && !self.view.function(comp).is_generator
            && matches!(self.ir(state).expr(e).kind, ExprKind::Call { .. })
            && self.view.targets(comp, e).any(|(called, _)| called == target)
    }
}

/// Hands ways out on to the block around.
pub fn pass_on(from: Exits, to: &mut Exits) {
    to.returns.extend(from.returns);
    to.raises.extend(from.raises);
    to.breaks.extend(from.breaks);
    to.continues.extend(from.continues);
}
