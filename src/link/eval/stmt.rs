//! Statements.

use super::flow::{Leave, Test, Turn};
use super::{Args, Frame};
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Runs a block.
    pub fn block(&mut self, frame: &mut Frame<'p>, block: BlockId) {
        if self.level >= self.deepest {
            self.too_deep = true;
            return;
        }
        self.level += 1;
        let ir = frame.ir;
        for &stmt in ir.block(block) {
            if !frame.live {
                break;
            }
            frame.doubtful = false;
            self.stmt(frame, ir.stmt(stmt));
        }
        self.level -= 1;
    }

    fn stmt(&mut self, frame: &mut Frame<'p>, stmt: &'p Stmt) {
        match stmt {
            Stmt::Expr(e) => {
                let value = self.eval(frame, *e);
                if frame.ir.language == Language::Rust {
                    self.drop_unused(frame, &value, *e);
                }
            }
            Stmt::Assert(e) => {
                self.test(frame, *e);
                self.narrow(frame, *e, true);
            }
            Stmt::Assign { targets, value, op, declared } => {
                let Some(value) = value else { return };
                let mut result = self.eval(frame, *value);
                if let Some(op) = op {
                    let old = targets.first().map(|&t| self.read_pattern(frame, t)).unwrap_or_default();
                    result = self.augmented(frame, *op, &old, &result, *value);
                }
                if frame.ir.language == Language::Rust {
                    self.expect(frame, &result, *declared, frame.file, frame.func);
                }
                if declared.is_some() {
                    self.note_declared(frame, &result, *declared);
                    if !self.is_given_later(frame, &result, targets) {
                        result = self.with_declared(frame, result, *declared);
                    }
                }
                frame.counting = op.is_some() || targets.first().is_some_and(|&t| counts(frame.ir, t, *value));
                for &target in targets {
                    self.bind(frame, target, &result, Some(*value));
                    if frame.ir.language == Language::Rust {
                        self.drop_bound(frame, target, &result, *value);
                    }
                }
                frame.counting = false;
            }
            Stmt::Return(e) => {
                let value = e.map_or(Value::of(Tok::NULL), |e| self.eval(frame, e));
                if frame.ir.language == Language::Rust {
                    self.expect(frame, &value, frame.ir.function(frame.func).returns, frame.file, frame.func);
                }
                if let (Some(e), true) = (e, frame.is_javascript()) {
                    self.awaited_outside(frame, &value, *e);
                }
                self.flush(frame);
                self.write(Addr::Return(frame.comp), &value);
                frame.live = false;
            }
            Stmt::Raise { error, cause } => {
                for e in [error, cause].into_iter().flatten() {
                    self.raised(frame, *e);
                }
                self.flush(frame);
                frame.raise();
            }
            Stmt::If { test, then, otherwise } => self.if_stmt(frame, *test, *then, *otherwise),
            Stmt::ForEach { target, iter, body, otherwise, over_keys, label, .. } => {
                let iterated = self.eval(frame, *iter);
                let elements =
                    if *over_keys { self.keys_of(frame, &iterated) } else { self.iterate(frame, &iterated, *iter) };
                frame.loops.push((*label, None));
                self.loop_stmt(frame, *label, *otherwise, &mut |solver, frame| {
                    solver.bind(frame, *target, &elements, None);
                    solver.block(frame, *body);
                    Turn::MayEnd
                });
                frame.loops.pop();
            }
            Stmt::Loop { before, body, update, after, otherwise, label, result, .. } => {
                frame.loops.push((*label, *result));
                self.loop_stmt(frame, *label, *otherwise, &mut |solver, frame| {
                    let mut turn = if before.is_none() && after.is_none() { Turn::GoesOn } else { Turn::MayEnd };
                    if let Some(test) = before {
                        if solver.test(frame, *test) == Test::True {
                            turn = Turn::GoesOn;
                        }
                        solver.narrow(frame, *test, true);
                    }
                    solver.block(frame, *body);
                    frame.turn_over();
                    if let Some(update) = update {
                        solver.block(frame, *update);
                    }
                    if let Some(test) = after
                        && solver.test(frame, *test) == Test::True
                    {
                        turn = Turn::GoesOn;
                    }
                    turn
                });
                frame.loops.pop();
            }
            Stmt::Try { body, handlers, otherwise, finally } => {
                self.try_stmt(frame, *body, handlers, *otherwise, *finally);
            }
            Stmt::With { items, body, .. } => self.with_stmt(frame, items, *body),
            Stmt::Match { subject, arms, is_switch } => self.match_stmt(frame, *subject, arms, *is_switch),
            Stmt::Break(label, value) => {
                if let Some(e) = value {
                    let value = self.eval(frame, *e);
                    let around = frame.loops.iter().rev().find(|l| label.is_none() || l.0 == *label);
                    if let Some(&(_, Some(result))) = around {
                        self.write_var(frame, result, value);
                    }
                }
                frame.leave(*label, Leave::Break);
            }
            Stmt::Continue(label) => frame.leave(*label, Leave::Continue),
            Stmt::Function { function, target } => {
                let value = self.define(frame, *function);
                let Some(target) = target else { return };
                // A setter shares its getter's name and must not hide it.
                let keeps = frame.ir.function(*function).binding == Binding::Setter;
                if !keeps || frame.env.var(*target).is_none_or(Value::is_empty) {
                    self.write_var(frame, *target, value);
                }
            }
            Stmt::Class { class, target } => {
                let value = self.define_class(frame, *class);
                if let Some(target) = target {
                    self.keep_local(frame, *target, &value);
                    self.write_var(frame, *target, value);
                }
            }
            Stmt::Import { module, imported, target, .. } => {
                let value = self.import(frame, module, imported);
                if let Some(target) = target {
                    self.keep_local(frame, *target, &value);
                    self.write_var(frame, *target, value);
                }
            }
            Stmt::Export(export) => self.export(frame, export),
            Stmt::Module { inline: Some(body), .. } if self.rests(FuncRef { file: frame.file, id: *body }) => {}
            Stmt::Module { name, target, path, inline, .. } => {
                let value = self.child_module(frame, *name, *path, *inline);
                self.write_var(frame, *target, value);
            }
            Stmt::Block(block, label) => match label {
                Some(_) => self.labelled(frame, *label, &mut |solver, frame| solver.block(frame, *block)),
                None => self.block(frame, *block),
            },
            Stmt::Delete(patterns) => {
                for &pattern in patterns {
                    if let Pattern::Index { object, index } = frame.ir.pattern(pattern) {
                        let object = self.eval(frame, *object);
                        let args = Args { positional: vec![self.eval(frame, *index)], ..Args::default() };
                        self.call_special(frame, &object, "__delitem__", args, *index);
                    }
                }
            }
        }
    }
}

/// Whether an attribute is assigned something made of itself: `self.n = self.n + 1`.
pub(super) fn counts(ir: &File, target: PatId, value: ExprId) -> bool {
    let Pattern::Attr { object, name, .. } = ir.pattern(target) else { return false };
    let ExprKind::Binary(_, a, b) = ir.expr(value).kind else { return false };
    [a, b].into_iter().any(|side| match &ir.expr(side).kind {
        ExprKind::Attr { object: other, name: same, .. } => match (&ir.expr(*object).kind, &ir.expr(*other).kind) {
            (ExprKind::Var(x), ExprKind::Var(y)) => x == y && name == same,
            (ExprKind::This, ExprKind::This) => name == same,
            _ => false,
        },
        _ => false,
    })
}

impl<'p> Solver<'p> {
    /// Whether a variable or static field is declared with nothing, and is given something by the program: then its type
    /// says no more.
    fn is_given_later(&mut self, frame: &Frame<'p>, value: &Value, targets: &[PatId]) -> bool {
        let [target] = targets else { return false };
        let Pattern::Bind(var) = *frame.ir.pattern(*target) else { return false };
        if !frame.is_javascript() || value.single() != Some(Tok::NULL) {
            return false;
        }
        let here = Addr::Var(frame.comp, var);
        if self.store.get(here).cloned().is_some_and(|v| self.is_useful(&v)) {
            return true;
        }
        let Some(class) = frame.ir.classes.iter().position(|c| c.body == frame.func) else { return false };
        let class = ClassRef { file: frame.file, id: ClassId(class as u32) };
        let Some(env) = self.comps[frame.comp.0 as usize].key.parent else { return false };
        let name = self.symbol(frame.file, frame.ir.var(var).name);
        let field = self.tokens.find(&Token::Class { class, env }).map(|class| Addr::Field(class, name));
        field.is_some_and(|field| self.store.get(field).cloned().is_some_and(|v| self.is_useful(&v)))
    }

    /// Classes and modules that a function has for itself: its handlers ask for them by name, whatever stands before.
    fn keep_local(&mut self, frame: &Frame<'p>, target: VarId, value: &Value) {
        if frame.func != MODULE && frame.ir.var(target).owner == frame.func {
            self.write(Addr::Var(frame.comp, target), value);
        }
    }
}
