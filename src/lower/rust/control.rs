//! Statements and statement-like expressions: `if`, `match`, loops, blocks, jumps, assignments.
//!
//! Each is lowered towards a destination, so that a `match` at the end of a function returns from its arms
//! and `let x = match …` assigns in them; there is no temporary where none is needed.

use super::lowerer::{Dest, Lowerer, Target};
use super::operators::assign_op;
use super::spans::join;
use crate::ir::*;
use syn::{Block, Expr, Lifetime, Pat};

impl Lowerer {
    /// Lowers an expression to statements and sends its value to `dest`.
    pub fn lower_into(&mut self, expr: &Expr, dest: Dest, out: &mut Vec<StmtId>) {
        if !self.enter() {
            let unknown = self.unknown(Vec::new(), Span::default());
            return self.finish(dest, unknown, out);
        }
        self.lower_inside(expr, dest, out);
        self.leave();
    }

    fn lower_inside(&mut self, expr: &Expr, dest: Dest, out: &mut Vec<StmtId>) {
        match expr {
            Expr::Paren(e) => self.lower_into(&e.expr, dest, out),
            Expr::Group(e) => self.lower_into(&e.expr, dest, out),
            Expr::If(e) => self.if_into(e, dest, out),
            Expr::Match(e) => self.match_into(e, dest, out),
            Expr::Block(e) => match &e.label {
                Some(label) => self.labelled(&label.name, &e.block, dest, out),
                None => self.block_into(&e.block, dest, out),
            },
            Expr::Unsafe(e) => self.block_into(&e.block, dest, out),
            Expr::Const(e) => self.block_into(&e.block, dest, out),
            Expr::TryBlock(e) => self.block_into(&e.block, dest, out),
            Expr::Loop(e) => self.loop_into(e, dest, out),
            Expr::While(e) => self.while_into(e, out),
            Expr::ForLoop(e) => self.for_into(e, out),
            Expr::Return(e) => self.return_into(e, out),
            Expr::Break(e) => self.break_into(e, out),
            Expr::Continue(e) => {
                let label = e.label.as_ref().map(|l| self.label(l));
                let span = self.at(e.continue_token.span);
                self.push(out, Stmt::Continue(label), span);
            }
            Expr::Assign(e) => self.assignment(e, out),
            Expr::Binary(e) if assign_op(&e.op).is_some() => {
                let value = self.expr(&e.right);
                let target = self.target(&e.left);
                let start = self.pattern_span(target, value);
                let op = assign_op(&e.op).map(AssignOp::Binary);
                let stmt = Stmt::Assign { targets: vec![target], value: Some(value), op, declared: None };
                self.push(out, stmt, start);
            }
            Expr::Macro(e) => self.macro_into(&e.mac, dest, out),
            plain => {
                let value = self.expr(plain);
                self.finish(dest, value, out);
            }
        }
    }

    fn label(&mut self, lifetime: &Lifetime) -> Label {
        self.ident(&lifetime.ident)
    }

    /// Where an assignment to a pattern stands, as far as the pattern's place is known.
    fn pattern_span(&self, target: PatId, value: ExprId) -> Span {
        let value = self.span_of(value);
        let start = match self.b.file().pattern(target) {
            Pattern::Attr { object, .. } | Pattern::Index { object, .. } | Pattern::Deref(object) => {
                self.span_of(*object)
            }
            _ => value,
        };
        join(start, value)
    }

    fn assignment(&mut self, e: &syn::ExprAssign, out: &mut Vec<StmtId>) {
        if is_control(&e.right)
            && let Expr::Path(left) = &*e.left
            && left.path.get_ident().is_some()
        {
            let target = self.target(&e.left);
            if let Pattern::Bind(var) = *self.b.file().pattern(target) {
                return self.lower_into(&e.right, Dest::Assign(var), out);
            }
        }
        let value = self.expr(&e.right);
        let target = self.target(&e.left);
        let span = self.pattern_span(target, value);
        let stmt = Stmt::Assign { targets: vec![target], value: Some(value), op: None, declared: None };
        self.push(out, stmt, span);
    }

    fn return_into(&mut self, e: &syn::ExprReturn, out: &mut Vec<StmtId>) {
        let token = self.at(e.return_token.span);
        match e.expr.as_deref() {
            Some(value) if is_control(value) => {
                self.lower_into(value, Dest::Return, out);
                // Where the value is `()` nothing above has left the function.
                self.push(out, Stmt::Return(None), token);
            }
            Some(value) => {
                let value = self.expr(value);
                let span = join(token, self.span_of(value));
                self.push(out, Stmt::Return(Some(value)), span);
            }
            None => self.push(out, Stmt::Return(None), token),
        }
    }

    fn break_into(&mut self, e: &syn::ExprBreak, out: &mut Vec<StmtId>) {
        let span = self.at(e.break_token.span);
        let label = e.label.as_ref().map(|l| self.label(l));
        let place = self.targets.iter().rposition(|t| if label.is_some() { t.label == label } else { t.is_loop });
        let Some(place) = place else {
            let value = e.expr.as_ref().map(|v| self.expr(v));
            return self.push(out, Stmt::Break(label, value), span);
        };
        if self.targets[place].is_loop {
            let value = e.expr.as_ref().map(|v| self.expr(v));
            self.targets[place].valued |= value.is_some();
            let span = value.map_or(span, |v| join(span, self.span_of(v)));
            return self.push(out, Stmt::Break(label, value), span);
        }
        let dest = self.targets[place].dest;
        if let Some(value) = &e.expr {
            self.lower_into(value, dest, out);
            if dest == Dest::Return && !is_control(value) {
                return;
            }
        }
        self.push(out, Stmt::Break(label, None), span);
    }

    fn if_into(&mut self, e: &syn::ExprIf, dest: Dest, out: &mut Vec<StmtId>) {
        let start = self.at(e.if_token.span);
        let mut end = self.at(e.then_branch.brace_token.span.close());
        // Without `else` the value is `()`.
        let inner = if e.else_branch.is_some() { dest } else { Dest::Discard };
        let (test, then) = self.scoped(|l| {
            let test = l.expr(&e.cond);
            (test, l.block(&e.then_branch, inner))
        });
        let otherwise = e.else_branch.as_ref().map(|(_, otherwise)| {
            let mut stmts = Vec::new();
            self.lower_into(otherwise, dest, &mut stmts);
            if let Some(last) = stmts.last() {
                end = join(end, self.b.file().stmt_spans[last.index()]);
            }
            self.b.block(stmts)
        });
        self.push(out, Stmt::If { test, then, otherwise }, join(start, end));
    }

    fn match_into(&mut self, e: &syn::ExprMatch, dest: Dest, out: &mut Vec<StmtId>) {
        let subject = self.expr(&e.expr);
        let mut arms = Vec::new();
        for arm in &e.arms {
            let start = self.pat_start(&arm.pat);
            let arrow = self.at(arm.fat_arrow_token.spans[0]);
            let span = if start == Span::default() { arrow } else { join(start, arrow) };
            arms.push(self.scoped(|l| {
                let pattern = l.pattern(&arm.pat);
                let guard = match &arm.pat {
                    Pat::Guard(p) => Some(l.expr(&p.guard)),
                    _ => None,
                };
                let mut stmts = Vec::new();
                l.lower_into(&arm.body, dest, &mut stmts);
                let body = l.b.block(stmts);
                Arm { pattern, guard, body, falls_through: false, span }
            }));
        }
        let span = self.range(e.match_token.span, e.brace_token.span.close());
        self.push(out, Stmt::Match { subject, arms, is_switch: false }, span);
    }

    fn labelled(&mut self, label: &Lifetime, block: &Block, dest: Dest, out: &mut Vec<StmtId>) {
        let label = self.label(label);
        self.targets.push(Target { label: Some(label), is_loop: false, dest, valued: false });
        let body = self.block(block, dest);
        self.targets.pop();
        let span = self.at(block.brace_token.span.join());
        self.push(out, Stmt::Block(body, Some(label)), span);
    }

    fn loop_body(&mut self, label: Option<&syn::Label>, body: &Block) -> (Option<Label>, BlockId, bool) {
        let label = label.map(|l| self.label(&l.name));
        self.targets.push(Target { label, is_loop: true, dest: Dest::Discard, valued: false });
        let body = self.block(body, Dest::Discard);
        let valued = self.targets.pop().is_some_and(|t| t.valued);
        (label, body, valued)
    }

    fn loop_into(&mut self, e: &syn::ExprLoop, dest: Dest, out: &mut Vec<StmtId>) {
        let header = self.at(e.loop_token.span);
        let span = self.range(e.loop_token.span, e.body.brace_token.span.close());
        let (label, body, valued) = self.loop_body(e.label.as_ref(), &e.body);
        let result = match dest {
            _ if !valued => None,
            Dest::Discard => None,
            Dest::Return => Some(self.temp("loop")),
            Dest::Assign(var) => Some(var),
        };
        let stmt = Stmt::Loop { before: None, body, update: None, after: None, otherwise: None, label, result, header };
        self.push(out, stmt, span);
        if let Some(var) = result {
            self.note_assigned(var);
            if dest == Dest::Return {
                let value = self.read(var, span);
                self.push(out, Stmt::Return(Some(value)), span);
            }
        }
    }

    fn while_into(&mut self, e: &syn::ExprWhile, out: &mut Vec<StmtId>) {
        let span = self.range(e.while_token.span, e.body.brace_token.span.close());
        let token = self.at(e.while_token.span);
        let (test, (label, body, _)) = self.scoped(|l| {
            let test = l.expr(&e.cond);
            (test, l.loop_body(e.label.as_ref(), &e.body))
        });
        let header = join(token, self.span_of(test));
        let stmt = Stmt::Loop {
            before: Some(test),
            body,
            update: None,
            after: None,
            otherwise: None,
            label,
            result: None,
            header,
        };
        self.push(out, stmt, span);
    }

    fn for_into(&mut self, e: &syn::ExprForLoop, out: &mut Vec<StmtId>) {
        let span = self.range(e.for_token.span, e.body.brace_token.span.close());
        let iter = self.expr(&e.expr);
        let header = join(self.at(e.for_token.span), self.span_of(iter));
        let (target, (label, body, _)) = self.scoped(|l| {
            let target = l.pattern(&e.pat);
            (target, l.loop_body(e.label.as_ref(), &e.body))
        });
        let stmt =
            Stmt::ForEach { target, iter, body, otherwise: None, is_async: false, over_keys: false, label, header };
        self.push(out, stmt, span);
    }
}

/// Whether an expression is lowered to statements.
pub(super) fn is_control(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(e) => is_control(&e.expr),
        Expr::Group(e) => is_control(&e.expr),
        Expr::If(_)
        | Expr::Match(_)
        | Expr::Block(_)
        | Expr::Unsafe(_)
        | Expr::Const(_)
        | Expr::TryBlock(_)
        | Expr::Loop(_) => true,
        _ => false,
    }
}
