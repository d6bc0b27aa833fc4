//! `with`: what managers bind, what leaving them calls, and methods that the language calls by itself.

use super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    pub(super) fn with_stmt(&mut self, frame: &mut Frame<'p>, items: &'p [(ExprId, Option<PatId>)], body: BlockId) {
        let mut managers = Vec::new();
        for (expr, pattern) in items {
            let manager = self.eval(frame, *expr);
            let entered = self.enter(frame, &manager, *expr);
            if let Some(pattern) = pattern {
                self.bind(frame, *pattern, &entered, None);
            }
            managers.push((manager, *expr));
        }
        let mark = frame.env.mark();
        self.block(frame, body);
        if !frame.live {
            // A manager may swallow what was raised: what follows may be reached.
            let at_failure = frame.env.history(mark);
            frame.env.back(mark);
            frame.env.apply(at_failure);
            frame.live = true;
            frame.doubtful = true;
        }
        frame.env.close();
        for (manager, expr) in managers.iter().rev() {
            self.leave_manager(frame, manager, *expr);
        }
    }

    /// What `with manager as x` binds.
    pub(super) fn enter(&mut self, frame: &mut Frame<'p>, manager: &Value, site: ExprId) -> Value {
        let mut entered = Value::empty();
        for token in manager.iter() {
            match *self.tokens.get(token) {
                Token::Object { .. } | Token::Instance { .. } => {
                    let mut found = false;
                    for name in ["__enter__", "__aenter__"] {
                        if let Some(value) = self.call_special(frame, &Value::of(token), name, Args::default(), site) {
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

    pub(super) fn leave_manager(&mut self, frame: &mut Frame<'p>, manager: &Value, site: ExprId) {
        for name in ["__exit__", "__aexit__"] {
            self.call_special(frame, manager, name, Args::default(), site);
        }
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
        let objects = |t: Tok| matches!(self.tokens.get(t), Token::Object { .. } | Token::Instance { .. });
        if frame.is_javascript() || !on.iter().any(objects) {
            return None;
        }
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

    /// What a test calls on the objects it tests (`__bool__`, `__len__`).
    pub(super) fn call_truth(&mut self, frame: &mut Frame<'p>, value: &Value, site: ExprId) {
        for token in value.iter() {
            if !matches!(self.tokens.get(token), Token::Object { .. } | Token::Instance { .. }) {
                continue;
            }
            let on = Value::of(token);
            if self.call_special(frame, &on, "__bool__", Args::default(), site).is_none() {
                self.call_special(frame, &on, "__len__", Args::default(), site);
            }
        }
    }

    /// A raised value; Python makes an instance of a raised class.
    pub(super) fn raised(&mut self, frame: &mut Frame<'p>, e: ExprId) {
        let value = self.eval(frame, e);
        if frame.ir.language != Language::Python {
            return;
        }
        for token in value.iter() {
            if let Token::Class { .. } = self.tokens.get(token) {
                self.flush(frame);
                self.call_token(frame, token, &Args::default(), e, Via::Implicit);
            }
        }
    }
}
