//! Loops whose test nobody can evaluate: whether a turn follows because the call failed, or for all that is known.

use super::machine::Machine;
use super::state::State;
use crate::ir::*;

impl Machine<'_, '_, '_> {
    /// A loop may end here for all that is known. If the test says no more when the call fails, the failure is not why
    /// it goes on: after a success it may go on as well.
    pub fn ends_by_chance(&mut self, ended: &mut State, test: ExprId) {
        let Some(slot) = ended.slots.last().copied() else { return };
        if self.asks_result(ended, test, slot.body) {
            return;
        }
        if !self.fewest {
            self.by_chance.insert(slot.place);
        } else if self.by_chance.contains(&slot.place) {
            ended.ran_out.push(slot.place);
        }
    }

    /// Whether a test asks for what the failing call gave (`while (!answer)`): then the failure does decide.
    fn asks_result(&self, state: &State, test: ExprId, body: BlockId) -> bool {
        let ir = self.ir(state);
        let spans = ir.block(body).iter().filter_map(|s| ir.stmt_spans.get(s.index()));
        let Some(span) = spans.copied().reduce(|a, b| Span::new(a.start as usize, b.end as usize)) else {
            return false;
        };
        let inside = |s: Span| span.start <= s.start && s.end <= span.end;
        let mut mentioned = Vec::new();
        let mut pending = vec![test];
        while let Some(e) = pending.pop() {
            if let ExprKind::Var(var) = ir.expr(e).kind {
                mentioned.push(var);
            }
            super::relevant::children(ir, e, &mut pending);
        }
        let mut asked = Vec::new();
        let mut pending = vec![test];
        while let Some(e) = pending.pop() {
            match ir.expr(e).kind {
                ExprKind::Var(var) => asked.push(var),
                // A part of what came back says where to go on.
                ExprKind::Attr { .. } | ExprKind::Index { .. } => {}
                _ => super::relevant::children(ir, e, &mut pending),
            }
        }
        let given = |target: PatId, value: ExprId| {
            let mut bound = Vec::new();
            super::relevant::bound_vars(ir, target, &mut bound);
            let span = ir.expr(value).span;
            bound.iter().any(|v| asked.contains(v)) && self.holds_failing_call(state, span)
                || bound.iter().any(|v| mentioned.contains(v)) && keeps_failed(ir, span)
        };
        let by_stmt = ir.stmts.iter().zip(&ir.stmt_spans).filter(|(_, s)| inside(**s)).any(|(stmt, _)| match stmt {
            Stmt::Assign { targets, value: Some(value), .. } => targets.iter().any(|t| given(*t, *value)),
            _ => false,
        });
        by_stmt
            || ir.exprs.iter().filter(|e| inside(e.span)).any(|e| match e.kind {
                ExprKind::Assign { target, value, .. } => given(target, value),
                _ => false,
            })
    }

    fn holds_failing_call(&self, state: &State, span: Span) -> bool {
        let comp = self.comp(state);
        let calls = self.view.all_calls(comp).iter().filter(|record| {
            let at = self.view.file(comp).exprs.get(record.expr.index()).map(|e| e.span).unwrap_or_default();
            span.start <= at.start && at.end <= span.end
        });
        self.plan.key.as_ref().is_some_and(|key| {
            calls.into_iter().any(|record| self.key_of(comp, record.expr, record).as_ref() == Some(key))
        })
    }
}

/// Whether code picks out what failed: settled promises that were rejected, results that are errors.
fn keeps_failed(file: &File, span: Span) -> bool {
    let inside = file.exprs.iter().filter(|e| span.start <= e.span.start && e.span.end <= span.end);
    let settled = |e: ExprId| matches!(file.expr(e).kind, ExprKind::Literal(Literal::Str(s)) if matches!(file.name(s), "rejected" | "fulfilled"));
    inside.into_iter().any(|e| match &e.kind {
        ExprKind::Compare(_, a, b) => file.language == Language::JavaScript && (settled(*a) || settled(*b)),
        ExprKind::InstanceOf(..) => true,
        ExprKind::Call { callee, .. } if file.language == Language::Python => {
            matches!(file.expr(*callee).kind, ExprKind::Free(name) if file.name(name) == "isinstance")
        }
        _ => false,
    })
}
