//! Signals that are raised after some time (JavaScript): a loop that asks `signal.aborted` ends by the clock then.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::token::Token;

impl Machine<'_, '_, '_> {
    /// Whether a test asks a signal whether it is over, and a timer raises it.
    pub(super) fn is_over_by_time(&mut self, test: ExprId, state: &State) -> bool {
        let ir = self.ir(state);
        let ExprKind::Attr { object, name, .. } = ir.expr(test).kind else { return false };
        if ir.language != Language::JavaScript || ir.name(name) != "aborted" {
            return false;
        }
        if let Some(Val::Tok(tok)) = self.pure(object, state)
            && let Token::Made { callee, .. } = *self.view.token(tok)
            && self.view.known(callee).is_some_and(|known| known.callable.props.contains_key("seconds"))
        {
            return true;
        }
        // `controller.signal`, or a variable that was given it.
        let signal = match ir.expr(object).kind {
            ExprKind::Var(var) => given_once(ir, var).unwrap_or(object),
            _ => object,
        };
        let ExprKind::Attr { object: controller, name, .. } = ir.expr(signal).kind else { return false };
        ir.name(name) == "signal" && ir.exprs.iter().any(|e| aborts_later(ir, &e.kind, controller))
    }
}

/// What a variable is made of, where it is given a value once.
fn given_once(ir: &File, var: VarId) -> Option<ExprId> {
    let mut found = ir.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Assign { targets, value: Some(value), .. } => {
            let binds = |target: &PatId| matches!(*ir.pattern(*target), Pattern::Bind(v) if v == var);
            targets.iter().any(binds).then_some(*value)
        }
        _ => None,
    });
    found.next().filter(|_| found.next().is_none())
}

/// `setTimeout(() => controller.abort(), after)`
fn aborts_later(ir: &File, call: &ExprKind, controller: ExprId) -> bool {
    let ExprKind::Call { callee, args, .. } = call else { return false };
    let is_timer = matches!(ir.expr(*callee).kind, ExprKind::Free(name) if ir.name(name) == "setTimeout");
    let Some(Arg::Positional(callback)) = args.first().filter(|_| is_timer) else { return false };
    let ExprKind::Closure(function) = ir.expr(*callback).kind else { return false };
    let span = ir.function(function).span;
    ir.exprs.iter().any(|e| {
        let ExprKind::Call { callee, .. } = &e.kind else { return false };
        let ExprKind::Attr { object, name, .. } = ir.expr(*callee).kind else { return false };
        let inside = span.start <= e.span.start && e.span.end <= span.end;
        inside && ir.name(name) == "abort" && super::queues::is_same_place(ir, object, controller)
    })
}
