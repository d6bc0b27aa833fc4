//! `Drop`: a value that a function makes or is given, keeps in a variable and does not pass on is dropped there.

use super::super::Frame;
use crate::ir::*;
use crate::link::component::Target;
use crate::link::solver::Solver;
use crate::link::token::*;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Wrappers around the expression that makes a value are looked through so far.
const DEPTH: usize = 8;

impl<'p> Solver<'p> {
    /// A value bound to a variable, or to nothing: what it drops at the end.
    pub(in crate::link::eval) fn drop_bound(
        &mut self,
        frame: &mut Frame<'p>,
        pattern: PatId,
        value: &Value,
        source: ExprId,
    ) {
        if !self.modules.impls.has_impls_of(&self.symbols, "Drop") {
            return;
        }
        match *frame.ir.pattern(pattern) {
            Pattern::Bind(var) => {
                let declaration = frame.ir.var(var);
                if declaration.owner != frame.func || declaration.captured || self.moved(frame).contains(&var) {
                    return;
                }
            }
            Pattern::Ignore if !matches!(frame.ir.expr(source).kind, ExprKind::Var(_)) => {}
            _ => return,
        }
        let owned = self.owned(frame, source, value, 0);
        self.drop_values(frame, &owned, source);
    }

    /// A value that a statement throws away.
    pub(in crate::link::eval) fn drop_unused(&mut self, frame: &mut Frame<'p>, value: &Value, source: ExprId) {
        if !self.modules.impls.has_impls_of(&self.symbols, "Drop")
            || matches!(frame.ir.expr(source).kind, ExprKind::Var(_))
        {
            return;
        }
        let owned = self.owned(frame, source, value, 0);
        self.drop_values(frame, &owned, source);
    }

    /// The values among those of an expression that it makes or hands on, not those it only refers to.
    fn owned(&self, frame: &Frame<'p>, e: ExprId, value: &Value, depth: usize) -> Value {
        if depth > DEPTH {
            return Value::empty();
        }
        let here = |t: Tok| match *self.tokens.get(t) {
            Token::Object { site, .. } | Token::Container { site, .. } => Some(site.comp),
            _ => None,
        };
        match &frame.ir.expr(e).kind {
            ExprKind::Struct { .. } | ExprKind::Seq(..) => value.filter(|t| here(t) == Some(frame.comp)),
            ExprKind::Var(var) => {
                let is_item = !self.modules.rust.decls(frame.file, *var).is_empty();
                if is_item || self.is_plain(frame, e, *var) {
                    value.filter(|t| here(t) == Some(frame.comp))
                } else {
                    Value::empty()
                }
            }
            ExprKind::Attr { .. } => {
                value.filter(|t| matches!(*self.tokens.get(t), Token::Object { site, .. } if site.expr == e))
            }
            ExprKind::Call { .. } => {
                let callees: Vec<CompId> = self.comps[frame.comp.0 as usize]
                    .calls
                    .iter()
                    .filter(|c| c.expr == e)
                    .filter_map(|c| if let Target::Comp(t) = c.target { Some(t) } else { None })
                    .collect();
                let fresh = |t: Tok| here(t).is_some_and(|comp| callees.contains(&comp));
                value.filter(|t| fresh(t) || matches!(*self.tokens.get(t), Token::Object { site, .. } if site.comp == frame.comp && site.expr == e))
            }
            ExprKind::Await(inner) | ExprKind::Propagate(inner) | ExprKind::Typed(inner, _) => {
                self.owned(frame, *inner, value, depth + 1)
            }
            _ => Value::empty(),
        }
    }

    /// Whether a variable is written without `&`, `*` or parentheses.
    fn is_plain(&self, frame: &Frame<'p>, e: ExprId, var: VarId) -> bool {
        let span = frame.ir.expr(e).span;
        let name = frame.ir.name(frame.ir.var(var).name);
        (span.end - span.start) as usize == name.len()
    }

    /// Variables of a file that are passed on by value somewhere.
    fn moved(&mut self, frame: &Frame<'p>) -> Arc<FxHashSet<VarId>> {
        if let Some(found) = self.found.moved.get(&frame.file) {
            return found.clone();
        }
        let ir = frame.ir;
        let mut moved = FxHashSet::default();
        let mut passed = |e: ExprId| {
            if let ExprKind::Var(var) = ir.expr(e).kind
                && self.is_plain(frame, e, var)
            {
                moved.insert(var);
            }
        };
        for expr in &ir.exprs {
            match &expr.kind {
                ExprKind::Call { args, kind, .. } if *kind != CallKind::Macro => {
                    args.iter().for_each(|a| passed(a.value()))
                }
                ExprKind::Struct { entries, .. } => {
                    for entry in entries {
                        match *entry {
                            Entry::Pair(_, value) | Entry::Spread(value) | Entry::Getter(_, value) => passed(value),
                        }
                    }
                }
                ExprKind::Seq(_, args) => args.iter().for_each(|a| passed(a.value())),
                ExprKind::Block { result: Some(e), .. } => passed(*e),
                _ => {}
            }
        }
        for stmt in &ir.stmts {
            match stmt {
                Stmt::Return(Some(e)) | Stmt::Break(_, Some(e)) | Stmt::Assign { value: Some(e), .. } => passed(*e),
                _ => {}
            }
        }
        let moved = Arc::new(moved);
        self.found.moved.insert(frame.file, moved.clone());
        moved
    }
}
