//! Statements.

use super::{Env, Frame, join_env};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// Loop bodies are run until nothing changes, at most so often.
const TURNS: usize = 3;

impl<'p> Solver<'p> {
    /// Runs a block.
    pub fn block(&mut self, frame: &mut Frame<'p>, block: BlockId) {
        let ir = frame.ir;
        for &stmt in ir.block(block) {
            if !frame.live {
                break;
            }
            self.stmt(frame, ir.stmt(stmt));
        }
    }

    fn stmt(&mut self, frame: &mut Frame<'p>, stmt: &'p Stmt) {
        match stmt {
            Stmt::Expr(e) | Stmt::Assert(e) => {
                self.eval(frame, *e);
            }
            Stmt::Assign { targets, value, op, declared } => {
                let Some(value) = value else { return };
                let mut result = self.eval(frame, *value);
                if let Some(op) = op {
                    let old = targets.first().map(|&t| self.read_pattern(frame, t)).unwrap_or_default();
                    result = self.augmented(frame, *op, &old, &result, *value);
                }
                if declared.is_some() {
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
                    self.eval(frame, *e);
                }
                frame.live = false;
            }
            Stmt::If { test, then, otherwise } => self.if_stmt(frame, *test, *then, *otherwise),
            Stmt::ForEach { target, iter, body, otherwise, over_keys, label, .. } => {
                let iterated = self.eval(frame, *iter);
                let elements =
                    if *over_keys { self.keys_of(frame, &iterated) } else { self.iterate(frame, &iterated, *iter) };
                self.loop_stmt(frame, *label, *otherwise, &mut |solver, frame| {
                    solver.bind(frame, *target, &elements, None);
                    solver.block(frame, *body);
                });
            }
            Stmt::Loop { before, body, update, after, otherwise, label, .. } => {
                self.loop_stmt(frame, *label, *otherwise, &mut |solver, frame| {
                    if let Some(test) = before {
                        solver.eval(frame, *test);
                    }
                    solver.block(frame, *body);
                    frame.live = true;
                    if let Some(update) = update {
                        solver.block(frame, *update);
                    }
                    if let Some(test) = after {
                        solver.eval(frame, *test);
                    }
                });
            }
            Stmt::Try { body, handlers, otherwise, finally } => {
                self.try_stmt(frame, *body, handlers, *otherwise, *finally);
            }
            Stmt::With { items, body, .. } => {
                let mut managers = Vec::new();
                for (expr, pattern) in items {
                    let manager = self.eval(frame, *expr);
                    let entered = self.enter(frame, &manager, *expr);
                    if let Some(pattern) = pattern {
                        self.bind(frame, *pattern, &entered, None);
                    }
                    managers.push((manager, *expr));
                }
                self.block(frame, *body);
                for (manager, expr) in managers.iter().rev() {
                    for name in ["__exit__", "__aexit__"] {
                        self.call_special(frame, manager, name, Args::default(), *expr);
                    }
                }
            }
            Stmt::Match { subject, arms, is_switch } => self.match_stmt(frame, *subject, arms, *is_switch),
            Stmt::Break(label, value) => {
                if let Some(e) = value {
                    self.eval(frame, *e);
                }
                let env = frame.env.clone();
                let exit = match label {
                    Some(label) => frame.exits.iter_mut().rev().find(|(l, _)| l.as_ref() == Some(label)),
                    None => frame.exits.last_mut(),
                };
                if let Some((_, slot)) = exit {
                    match slot {
                        Some(old) => join_env(old, &env),
                        None => *slot = Some(env),
                    }
                }
                frame.live = false;
            }
            Stmt::Continue(_) => frame.live = false,
            Stmt::Function { function, target } => {
                let value = self.define(frame, *function);
                let Some(target) = target else { return };
                // A setter shares its getter's name and must not hide it.
                let keeps = frame.ir.function(*function).binding == Binding::Setter;
                if !keeps || frame.env.get(target).is_none_or(Value::is_empty) {
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
            Stmt::Block(block, label) => {
                if label.is_some() {
                    frame.exits.push((*label, None));
                }
                self.block(frame, *block);
                if label.is_some()
                    && let Some((_, Some(env))) = frame.exits.pop()
                {
                    self.merge(frame, Some(env));
                }
            }
            Stmt::Delete(_) => {}
        }
    }

    /// Joins another way of getting here.
    fn merge(&mut self, frame: &mut Frame<'p>, other: Option<Env>) {
        let Some(other) = other else { return };
        if frame.live {
            join_env(&mut frame.env, &other);
        } else {
            frame.env = other;
            frame.live = true;
        }
    }

    fn if_stmt(&mut self, frame: &mut Frame<'p>, test: ExprId, then: BlockId, otherwise: Option<BlockId>) {
        let truth = self.test(frame, test);
        if truth == Some(true) {
            self.block(frame, then);
            return;
        }
        if truth == Some(false) {
            if let Some(otherwise) = otherwise {
                self.block(frame, otherwise);
            }
            return;
        }
        let before = frame.env.clone();
        self.narrow(frame, test, true);
        self.block(frame, then);
        let after_then = frame.live.then(|| std::mem::take(&mut frame.env));
        frame.env = before;
        frame.live = true;
        self.narrow(frame, test, false);
        if let Some(otherwise) = otherwise {
            self.block(frame, otherwise);
        }
        self.merge(frame, after_then);
    }

    /// Drops from a tested variable what the outcome of the test rules out.
    fn narrow(&mut self, frame: &mut Frame<'p>, test: ExprId, outcome: bool) {
        let (operand, null) = match frame.ir.expr(test).kind {
            ExprKind::Compare(CompareOp::Is | CompareOp::Eq, a, b) if self.is_null(frame, b) => (a, outcome),
            ExprKind::Compare(CompareOp::IsNot | CompareOp::NotEq, a, b) if self.is_null(frame, b) => (a, !outcome),
            ExprKind::Unary(UnaryOp::Not, a) => return self.narrow(frame, a, !outcome),
            ExprKind::Var(_) => (test, !outcome),
            _ => return,
        };
        let ExprKind::Var(var) = frame.ir.expr(operand).kind else { return };
        if let Some(value) = frame.env.get(&var)
            && value.len() > 1
        {
            let narrowed = value.filter(|t| (t == Tok::NULL) == null || t == Tok::UNKNOWN);
            if !narrowed.is_empty() && !null {
                frame.env.insert(var, narrowed);
            }
        }
    }

    fn is_null(&self, frame: &Frame<'p>, e: ExprId) -> bool {
        matches!(frame.ir.expr(e).kind, ExprKind::Literal(Literal::Null))
    }

    fn loop_stmt(
        &mut self,
        frame: &mut Frame<'p>,
        label: Option<Name>,
        otherwise: Option<BlockId>,
        turn: &mut dyn FnMut(&mut Self, &mut Frame<'p>),
    ) {
        frame.exits.push((label, None));
        let mut before = frame.env.clone();
        for _ in 0..TURNS {
            turn(self, frame);
            frame.live = true;
            let mut joined = before.clone();
            join_env(&mut joined, &frame.env);
            frame.env = joined;
            if frame.env == before {
                break;
            }
            before = frame.env.clone();
        }
        let exit = frame.exits.pop().and_then(|(_, env)| env);
        if let Some(otherwise) = otherwise {
            self.block(frame, otherwise);
        }
        self.merge(frame, exit);
    }

    fn try_stmt(
        &mut self,
        frame: &mut Frame<'p>,
        body: BlockId,
        handlers: &'p [Handler],
        otherwise: Option<BlockId>,
        finally: Option<BlockId>,
    ) {
        let before = frame.env.clone();
        self.block(frame, body);
        let mut at_failure = before;
        join_env(&mut at_failure, &frame.env);
        if frame.live
            && let Some(otherwise) = otherwise
        {
            self.block(frame, otherwise);
        }
        let mut after = frame.live.then(|| std::mem::take(&mut frame.env));
        for handler in handlers {
            frame.env = at_failure.clone();
            frame.live = true;
            let types = handler.types.map(|e| self.eval(frame, e));
            if let Some(binding) = handler.binding {
                let caught = types.map_or(Value::unknown(), |types| self.instances_of_types(frame, &types));
                self.bind(frame, binding, &caught, None);
            }
            self.block(frame, handler.body);
            if frame.live {
                match &mut after {
                    Some(env) => join_env(env, &frame.env),
                    None => after = Some(std::mem::take(&mut frame.env)),
                }
            }
        }
        let ended = after.is_none();
        frame.env = after.unwrap_or(at_failure);
        frame.live = true;
        if let Some(finally) = finally {
            self.block(frame, finally);
        }
        if ended {
            frame.live = false;
        }
    }

    fn match_stmt(&mut self, frame: &mut Frame<'p>, subject: ExprId, arms: &'p [Arm], is_switch: bool) {
        let value = self.eval(frame, subject);
        let before = frame.env.clone();
        let mut after: Option<Env> = None;
        let mut falling: Option<Env> = None;
        let mut exhaustive = false;
        if is_switch {
            frame.exits.push((None, None));
        }
        for arm in arms {
            frame.env = before.clone();
            frame.live = true;
            if let Some(env) = falling.take() {
                join_env(&mut frame.env, &env);
            }
            self.bind(frame, arm.pattern, &value, None);
            if let Some(guard) = arm.guard {
                self.eval(frame, guard);
            }
            let pattern = frame.ir.pattern(arm.pattern);
            exhaustive |= arm.guard.is_none()
                && matches!(pattern, Pattern::Ignore | Pattern::Bind(_) | Pattern::Otherwise);
            self.block(frame, arm.body);
            if !frame.live {
                continue;
            }
            if arm.falls_through {
                falling = Some(frame.env.clone());
            }
            match &mut after {
                Some(env) => join_env(env, &frame.env),
                None => after = Some(frame.env.clone()),
            }
        }
        let exit = if is_switch { frame.exits.pop().and_then(|(_, env)| env) } else { None };
        if !exhaustive && frame.ir.language != Language::Rust {
            match &mut after {
                Some(env) => join_env(env, &before),
                None => after = Some(before),
            }
        }
        frame.live = after.is_some();
        if let Some(env) = after {
            frame.env = env;
        }
        self.merge(frame, exit);
    }

    /// What `with manager as x` binds.
    fn enter(&mut self, frame: &mut Frame<'p>, manager: &Value, site: ExprId) -> Value {
        let mut entered = Value::empty();
        for token in manager.iter() {
            match *self.tokens.get(token) {
                Token::Object { .. } | Token::Instance { .. } => {
                    let mut found = false;
                    for name in ["__enter__", "__aenter__"] {
                        if let Some(value) =
                            self.call_special(frame, &Value::of(token), name, Args::default(), site)
                        {
                            entered.join(&value);
                            found = true;
                        }
                    }
                    if !found {
                        entered.insert(token);
                    }
                }
                Token::Generator(comp) => {
                    let value = self.store.read(Addr::Yield(comp), frame.comp);
                    entered.join(&value);
                }
                _ => {
                    entered.insert(token);
                }
            }
        }
        entered
    }

    /// Calls a method that the language calls by itself; none if no token has it.
    pub fn call_special(
        &mut self,
        frame: &mut Frame<'p>,
        on: &Value,
        name: &str,
        args: Args,
        site: ExprId,
    ) -> Option<Value> {
        let symbol = self.symbols.find(name)?;
        let mut result: Option<Value> = None;
        for token in on.iter() {
            if !matches!(self.tokens.get(token), Token::Object { .. } | Token::Instance { .. }) {
                continue;
            }
            let Some(method) = self.class_attribute_of(frame, token, symbol) else { continue };
            for callee in method.iter() {
                let value = self.call_token(frame, callee, &args, site, Via::Implicit);
                result.get_or_insert_with(Value::empty).join(&value);
            }
        }
        result
    }
}
