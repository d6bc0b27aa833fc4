//! Expressions as values.
//!
//! Postfix forms (calls, methods, fields, `?`, `.await`, operators) nest to the left without end in real
//! code, so their spine is unrolled; everything else recurses behind the depth guard. Control flow inside
//! an expression becomes a block that leaves its value in a temporary.

use super::lowerer::{Dest, Lowerer};
use super::operators::{assign_op, binary, op_span};
use super::spans::join;
use crate::ir::*;
use syn::{Expr, RangeLimits, UnOp};

impl Lowerer {
    /// An expression.
    pub fn expr(&mut self, expr: &Expr) -> ExprId {
        if !self.enter() {
            return self.unknown(Vec::new(), Span::default());
        }
        let mut spine: Vec<&Expr> = Vec::new();
        let mut base = expr;
        loop {
            let inner = match base {
                Expr::MethodCall(e) => &e.receiver,
                Expr::Field(e) => &e.base,
                Expr::Await(e) => &e.base,
                Expr::Try(e) => &e.expr,
                Expr::Call(e) => &e.func,
                Expr::Index(e) => &e.expr,
                Expr::Cast(e) => &e.expr,
                Expr::Binary(e) if assign_op(&e.op).is_none() => &e.left,
                _ => break,
            };
            spine.push(base);
            base = inner;
        }
        let mut value = self.base(base);
        for outer in spine.into_iter().rev() {
            value = self.postfix(value, outer);
        }
        self.leave();
        value
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<ExprId> {
        exprs.into_iter().map(|e| self.expr(e)).collect()
    }

    fn args<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<Arg> {
        exprs.into_iter().map(|e| Arg::Positional(self.expr(e))).collect()
    }

    /// Adds one link of a spine to what stands before it.
    fn postfix(&mut self, value: ExprId, outer: &Expr) -> ExprId {
        let before = self.span_of(value);
        match outer {
            Expr::MethodCall(e) => {
                let (name, name_span) = (self.ident(&e.method), self.at(e.method.span()));
                let callee = self.attr(value, name, name_span);
                let args = self.args(&e.args);
                let span = join(before, self.at(e.paren_token.span.close()));
                let kind = ExprKind::Call { callee, args, kind: CallKind::Plain, optional: false };
                let call = self.b.expr(kind, span);
                self.type_args(call, e.turbofish.as_ref());
                call
            }
            Expr::Call(e) => {
                let args = self.args(&e.args);
                let span = join(before, self.at(e.paren_token.span.close()));
                let kind = ExprKind::Call { callee: value, args, kind: CallKind::Plain, optional: false };
                let call = self.b.expr(kind, span);
                if let Expr::Path(path) = &*e.func {
                    let written = path.path.segments.iter().rev().find_map(|s| match &s.arguments {
                        syn::PathArguments::AngleBracketed(args) => Some(args),
                        _ => None,
                    });
                    self.type_args(call, written);
                }
                call
            }
            Expr::Field(e) => {
                let (name, name_span) = self.member(&e.member);
                self.attr(value, name, name_span)
            }
            Expr::Await(e) => {
                let span = join(before, self.at(e.await_token.span));
                self.b.expr(ExprKind::Await(value), span)
            }
            Expr::Try(e) => {
                let span = join(before, self.at(e.question_token.spans[0]));
                self.b.expr(ExprKind::Propagate(value), span)
            }
            Expr::Index(e) => {
                let span = join(before, self.at(e.bracket_token.span.close()));
                let kind = match &*e.index {
                    Expr::Range(range) => {
                        let bounds = self.exprs(range.start.iter().chain(&range.end).map(|b| &**b));
                        ExprKind::Slice { object: value, bounds }
                    }
                    index => ExprKind::Index { object: value, index: self.expr(index) },
                };
                self.b.expr(kind, span)
            }
            Expr::Cast(e) => {
                let ty = self.ty(&e.ty);
                self.b.expr(ExprKind::Typed(value, ty), before)
            }
            Expr::Binary(e) => {
                let right = self.expr(&e.right);
                let span = join(before, self.span_of(right));
                self.b.expr(binary(&e.op, value, right), span)
            }
            _ => value,
        }
    }

    fn type_args(&mut self, call: ExprId, written: Option<&syn::AngleBracketedGenericArguments>) {
        if let Some(written) = written {
            for (position, value) in self.const_args(written) {
                let name = self.b.name(&format!("#const{position}"));
                if let ExprKind::Call { args, .. } = &mut self.b.file_mut().exprs[call.index()].kind {
                    args.push(Arg::Keyword(name, value));
                }
            }
            let types = self.arguments(written);
            if !types.is_empty() {
                self.b.type_args(call, types);
            }
        }
    }

    /// What a spine begins with.
    fn base(&mut self, expr: &Expr) -> ExprId {
        match expr {
            Expr::Path(e) => self.value_path(e.qself.as_ref(), &e.path),
            Expr::Lit(e) => self.literal(&e.lit),
            Expr::Paren(e) => {
                let span = self.at(e.paren_token.span.join());
                self.widened(&e.expr, span)
            }
            Expr::Group(e) => self.expr(&e.expr),
            Expr::Reference(e) => {
                let start = self.at(e.and_token.spans[0]);
                self.widened(&e.expr, start)
            }
            Expr::RawAddr(e) => {
                let start = self.at(e.and_token.spans[0]);
                self.widened(&e.expr, start)
            }
            Expr::Unary(e) => self.unary(e),
            Expr::Closure(e) => self.closure(e),
            Expr::Async(e) => self.async_block(e),
            Expr::Macro(e) => self.macro_value(&e.mac),
            Expr::Struct(e) => self.struct_literal(e),
            Expr::Tuple(e) if e.elems.is_empty() => {
                let span = self.at(e.paren_token.span.join());
                self.b.expr(ExprKind::Literal(Literal::Null), span)
            }
            Expr::Tuple(e) => {
                let args = self.args(&e.elems);
                let span = self.at(e.paren_token.span.join());
                self.b.expr(ExprKind::Seq(SeqKind::Tuple, args), span)
            }
            Expr::Array(e) => {
                let args = self.args(&e.elems);
                let span = self.at(e.bracket_token.span.join());
                self.b.expr(ExprKind::Seq(SeqKind::List, args), span)
            }
            Expr::Repeat(e) => {
                let span = self.at(e.bracket_token.span.join());
                self.repeated(&e.expr, &e.len, span)
            }
            Expr::Range(e) => self.range_expr(e),
            Expr::Let(e) => {
                let subject = self.expr(&e.expr);
                let pattern = self.pattern(&e.pat);
                let span = join(self.at(e.let_token.span), self.span_of(subject));
                self.b.expr(ExprKind::Matches { subject, pattern, guard: None }, span)
            }
            Expr::Yield(e) => {
                let value = e.expr.as_ref().map(|v| self.expr(v));
                let span = self.at(e.yield_token.span);
                self.b.file_mut().functions[self.function.index()].is_generator = true;
                self.b.expr(ExprKind::Yield(value), span)
            }
            Expr::Infer(e) => {
                let span = self.at(e.underscore_token.spans[0]);
                self.unknown(Vec::new(), span)
            }
            Expr::Verbatim(_) => self.unknown(Vec::new(), Span::default()),
            control => self.control_value(control),
        }
    }

    /// An expression whose place includes what was dropped around it: parentheses, `&`, `*`.
    fn widened(&mut self, inner: &Expr, around: Span) -> ExprId {
        let value = self.expr(inner);
        let inside = self.span_of(value);
        if around.start <= inside.start {
            let end = inside.end.max(around.end);
            self.b.file_mut().exprs[value.index()].span = Span { start: around.start, end };
        }
        value
    }

    fn unary(&mut self, e: &syn::ExprUnary) -> ExprId {
        let (op, token) = match e.op {
            UnOp::Not(t) => (UnaryOp::Not, t.spans[0]),
            UnOp::Neg(t) => (UnaryOp::Neg, t.spans[0]),
            UnOp::Deref(t) => {
                let start = self.at(t.spans[0]);
                return self.widened(&e.expr, start);
            }
            _ => return self.expr(&e.expr),
        };
        let start = self.at(token);
        let value = self.expr(&e.expr);
        let span = join(start, self.span_of(value));
        self.b.expr(ExprKind::Unary(op, value), span)
    }

    /// `[value; count]`: like a list of one, multiplied.
    pub fn repeated(&mut self, value: &Expr, count: &Expr, span: Span) -> ExprId {
        let args = self.args([value]);
        let list = self.b.expr(ExprKind::Seq(SeqKind::List, args), span);
        let count = self.expr(count);
        self.b.expr(ExprKind::Binary(BinaryOp::Mul, list, count), span)
    }

    fn range_expr(&mut self, e: &syn::ExprRange) -> ExprId {
        let start = e.start.as_ref().map(|v| self.expr(v));
        let end = e.end.as_ref().map(|v| self.expr(v));
        let (dots, inclusive) = match e.limits {
            RangeLimits::HalfOpen(t) => (t.spans[0], false),
            RangeLimits::Closed(t) => (t.spans[0], true),
        };
        let mut span = self.at(dots);
        if let Some(start) = start {
            span = join(self.span_of(start), span);
        }
        if let Some(end) = end {
            span = join(span, self.span_of(end));
        }
        self.b.expr(ExprKind::Range { start, end, inclusive }, span)
    }

    fn struct_literal(&mut self, e: &syn::ExprStruct) -> ExprId {
        let path = self.type_path_expr(e.qself.as_ref(), &e.path);
        let mut entries = Vec::new();
        for field in &e.fields {
            let (name, span) = self.member(&field.member);
            let key = self.b.expr(ExprKind::Literal(Literal::Str(name)), span);
            let value = self.expr(&field.expr);
            entries.push(Entry::Pair(key, value));
        }
        if let Some(rest) = &e.rest {
            let base = match default_call(rest) {
                // `..Default::default()` can only be this type's.
                Some(span) => {
                    let object = self.type_path_expr(e.qself.as_ref(), &e.path);
                    self.default_of(object, span)
                }
                None => self.expr(rest),
            };
            entries.push(Entry::Spread(base));
        }
        let span = join(self.span_of(path), self.at(e.brace_token.span.close()));
        self.b.expr(ExprKind::Struct { path, entries }, span)
    }

    /// `Type::default()` for a `Default::default()` whose type is known.
    pub fn default_of(&mut self, object: ExprId, token: proc_macro2::Span) -> ExprId {
        let (name, span) = (self.b.name("default"), self.at(token));
        self.b.file_mut().exprs[object.index()].span = span;
        let callee = self.attr(object, name, span);
        self.b.expr(ExprKind::Call { callee, args: Vec::new(), kind: CallKind::Plain, optional: false }, span)
    }

    /// A statement-like expression used as a value.
    fn control_value(&mut self, expr: &Expr) -> ExprId {
        let (name, span) = self.control_head(expr);
        let temp = self.temp(name);
        let mut stmts = Vec::new();
        self.lower_into(expr, Dest::Assign(temp), &mut stmts);
        self.block_value(stmts, temp, span)
    }

    /// Statements that leave their value in `temp`, as an expression.
    pub fn block_value(&mut self, stmts: Vec<StmtId>, temp: VarId, span: Span) -> ExprId {
        let result = self.was_assigned(temp).then(|| self.read(temp, span));
        let block = self.b.block(stmts);
        self.b.expr(ExprKind::Block { block, result }, span)
    }

    fn control_head(&self, expr: &Expr) -> (&'static str, Span) {
        match expr {
            Expr::If(e) => ("if", self.at(e.if_token.span)),
            Expr::Match(e) => ("match", self.range(e.match_token.span, e.brace_token.span.close())),
            Expr::Loop(e) => ("loop", self.range(e.loop_token.span, e.body.brace_token.span.close())),
            Expr::While(e) => ("while", self.range(e.while_token.span, e.body.brace_token.span.close())),
            Expr::ForLoop(e) => ("for", self.range(e.for_token.span, e.body.brace_token.span.close())),
            Expr::Block(e) => ("block", self.at(e.block.brace_token.span.join())),
            Expr::Unsafe(e) => ("unsafe", self.range(e.unsafe_token.span, e.block.brace_token.span.close())),
            Expr::Const(e) => ("const", self.range(e.const_token.span, e.block.brace_token.span.close())),
            Expr::TryBlock(e) => ("try", self.range(e.try_token.span, e.block.brace_token.span.close())),
            Expr::Return(e) => ("return", self.at(e.return_token.span)),
            Expr::Break(e) => ("break", self.at(e.break_token.span)),
            Expr::Continue(e) => ("continue", self.at(e.continue_token.span)),
            Expr::Assign(e) => ("assign", self.at(e.eq_token.spans[0])),
            Expr::Binary(e) => ("assign", op_span(&e.op).map_or_else(Span::default, |s| self.at(s))),
            _ => ("value", Span::default()),
        }
    }
}

/// The place of a `Default::default()`, without arguments.
pub(super) fn default_call(expr: &Expr) -> Option<proc_macro2::Span> {
    let Expr::Call(call) = expr else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let segments = &path.path.segments;
    let is_default = call.args.is_empty()
        && path.qself.is_none()
        && segments.len() == 2
        && segments[0].ident == "Default"
        && segments[1].ident == "default";
    is_default.then(|| segments[1].ident.span())
}
