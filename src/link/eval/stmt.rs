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
                self.eval(frame, *e);
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
                if declared.is_some() {
                    self.note_declared(frame, &result, *declared);
                    result = self.with_declared(frame, result, *declared);
                }
                for &target in targets {
                    self.bind(frame, target, &result, Some(*value));
                }
            }
            Stmt::Return(e) => {
                let value = e.map_or(Value::of(Tok::NULL), |e| self.eval(frame, e));
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
                self.loop_stmt(frame, *label, *otherwise, &mut |solver, frame| {
                    solver.bind(frame, *target, &elements, None);
                    solver.block(frame, *body);
                    Turn::MayEnd
                });
            }
            Stmt::Loop { before, body, update, after, otherwise, label, .. } => {
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
            }
            Stmt::Try { body, handlers, otherwise, finally } => {
                self.try_stmt(frame, *body, handlers, *otherwise, *finally);
            }
            Stmt::With { items, body, .. } => self.with_stmt(frame, items, *body),
            Stmt::Match { subject, arms, is_switch } => self.match_stmt(frame, *subject, arms, *is_switch),
            Stmt::Break(label, value) => {
                if let Some(e) = value {
                    self.eval(frame, *e);
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
                    self.write_var(frame, *target, value);
                }
            }
            Stmt::Import { module, imported, target, .. } => {
                let value = self.import(frame, module, imported);
                if let Some(target) = target {
                    self.write_var(frame, *target, value);
                }
            }
            Stmt::Export(export) => self.export(frame, export),
            Stmt::Module { name, target, path, inline } => {
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
