//! What a counter starts with: a variable that is given one number and is only counted up or down from there.

use super::relevant::{bound_vars, mentions};
use crate::ir::*;

/// The number that a variable is first given, if everything else that it is given is made of itself.
pub fn start_of(file: &File, var: VarId) -> Option<f64> {
    let mut starts: Vec<ExprId> = Vec::new();
    let mut assigned = |target: PatId, value: Option<ExprId>, counts: bool| -> bool {
        let mut bound = Vec::new();
        bound_vars(file, target, &mut bound);
        if !bound.contains(&var) || counts {
            return true;
        }
        match (file.pattern(target), value) {
            (Pattern::Bind(_), Some(value)) => {
                if !mentions(file, value, |v| v == var) {
                    starts.push(value);
                }
                true
            }
            // Declared, and given something later.
            (Pattern::Bind(_), None) => true,
            _ => false,
        }
    };
    for stmt in &file.stmts {
        let fits = match stmt {
            Stmt::Assign { targets, value, op, .. } => targets.iter().all(|&t| assigned(t, *value, op.is_some())),
            Stmt::ForEach { target, .. } => !binds(file, *target, var),
            Stmt::With { items, .. } => items.iter().all(|(_, p)| p.is_none_or(|p| !binds(file, p, var))),
            _ => true,
        };
        if !fits {
            return None;
        }
    }
    for expr in &file.exprs {
        if let ExprKind::Assign { target, value, op } = &expr.kind
            && !assigned(*target, Some(*value), op.is_some())
        {
            return None;
        }
    }
    let parameter = |f: &Function| f.params.iter().any(|p| binds(file, p.pattern, var));
    if file.functions.iter().any(parameter) {
        return None;
    }
    // Where it is set back, it is set back to where it starts.
    let (first, others) = starts.split_first()?;
    let start = number(file, *first)?;
    others.iter().all(|e| number(file, *e) == Some(start)).then_some(start)
}

fn number(file: &File, e: ExprId) -> Option<f64> {
    match &file.expr(e).kind {
        ExprKind::Literal(Literal::Int(n)) => Some(*n as f64),
        ExprKind::Literal(Literal::Float(x)) => Some(*x),
        ExprKind::Unary(UnaryOp::Neg, inner) => match &file.expr(*inner).kind {
            ExprKind::Literal(Literal::Int(n)) => Some(-(*n as f64)),
            _ => None,
        },
        _ => None,
    }
}

fn binds(file: &File, pattern: PatId, var: VarId) -> bool {
    let mut bound = Vec::new();
    bound_vars(file, pattern, &mut bound);
    bound.contains(&var)
}
