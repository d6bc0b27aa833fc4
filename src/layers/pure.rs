//! Expressions without calls or effects.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// The value of an expression without calls or effects; none if it has any.
    pub fn pure(&mut self, e: ExprId, state: &State) -> Option<Val> {
        let ir = self.ir(state);
        Some(match &ir.expr(e).kind {
            ExprKind::Var(var) => {
                let value = self.read_var(state, *var);
                self.settle(value)
            }
            ExprKind::Free(name) => self.free(state, ir.name(*name)),
            ExprKind::This => self.this(state),
            ExprKind::Literal(literal) => match literal {
                Literal::Null => Val::Null,
                Literal::Bool(b) => Val::Bool(*b),
                Literal::Int(n) => Val::num(*n as f64),
                Literal::Float(x) => Val::num(*x),
                Literal::Str(name) => Val::text(ir.name(*name)),
                Literal::Other => Val::Unknown,
            },
            ExprKind::Template(parts) => {
                let mut text = String::new();
                for &part in parts {
                    match self.pure(part, state)? {
                        Val::Text(t) => text.push_str(&t),
                        _ => return Some(Val::Unknown),
                    }
                }
                Val::text(&text)
            }
            ExprKind::Attr { object, name, .. } => {
                if ir.language == Language::Rust
                    && let Some(value) = self.constant_of_type(state, e, *object, ir.name(*name))
                {
                    return Some(value);
                }
                if let Some(&(getter, _)) = self.getters(state, e).first() {
                    // One that gives a constant need not be run.
                    let value = self.view.read(Addr::Return(getter));
                    return matches!(value, Val::Bool(_) | Val::Num(_) | Val::Text(_)).then_some(value);
                }
                let value = self.pure(*object, state)?;
                if value == Val::Null && super::missing::is_skipped(ir, e) {
                    return Some(Val::Null);
                }
                match self.attribute_on(state, &value, ir.name(*name)) {
                    Val::Unknown => self.constant_by_path(state, e).unwrap_or(Val::Unknown),
                    value => value,
                }
            }
            ExprKind::Index { object, index } => {
                let object = self.pure(*object, state)?;
                let index = self.pure(*index, state)?;
                self.index(state, &object, &index)
            }
            ExprKind::Unary(op, a) if *op != UnaryOp::Delete => {
                let value = self.pure(*a, state)?;
                self.unary(*op, &value)
            }
            ExprKind::Binary(op, a, b) => {
                let left = self.pure(*a, state)?;
                let right = self.pure(*b, state)?;
                self.binary(*op, &left, &right)
            }
            ExprKind::Compare(op, a, b) => {
                let left = self.pure(*a, state)?;
                let right = self.pure(*b, state)?;
                let value = match self.may_be_earlier(state, (*a, &left), (*b, &right)) {
                    true => None,
                    false => self.compare(*op, &left, &right).or_else(|| self.said_before(state, *op, *a, *b)),
                };
                value.map_or(Val::Unknown, Val::Bool)
            }
            ExprKind::And(a, b) => {
                let left = self.pure(*a, state)?;
                match self.truth(&left) {
                    Some(false) => left,
                    Some(true) => self.pure(*b, state)?,
                    None => match self.pure(*b, state)? {
                        right if self.truth(&right) == Some(false) => right,
                        _ => Val::Unknown,
                    },
                }
            }
            ExprKind::Or(a, b) => {
                let left = self.pure(*a, state)?;
                match self.truth(&left) {
                    Some(true) => left,
                    Some(false) => self.pure(*b, state)?,
                    None if matches!(left, Val::Tok(tok) if self.view.solver.is_environment(tok)) => {
                        super::switches::unless_a_switch(self.pure(*b, state)?)
                    }
                    None => match self.pure(*b, state)? {
                        right if self.truth(&right) == Some(true) && matches!(right, Val::Bool(_)) => right,
                        // `error.body?.message || error.message`
                        right if super::wording::are_of_one(&left, &right) => right,
                        _ => Val::Unknown,
                    },
                }
            }
            ExprKind::Coalesce(a, b) => match self.pure(*a, state)? {
                Val::Null => self.pure(*b, state)?,
                Val::Unknown if self.is_left_out(*a, state) => self.pure(*b, state)?,
                Val::Tok(tok) if self.view.solver.is_environment(tok) => {
                    super::switches::unless_a_switch(self.pure(*b, state)?)
                }
                value => value,
            },
            ExprKind::Conditional { test, then, otherwise } => {
                let value = self.pure(*test, state)?;
                match self.truth(&value) {
                    Some(true) => self.pure(*then, state)?,
                    Some(false) => self.pure(*otherwise, state)?,
                    None => return None,
                }
            }
            ExprKind::InstanceOf(a, b) => {
                let value = self.pure(*a, state)?;
                let types = self.pure(*b, state)?;
                self.instance_of(&value, &types).map_or(Val::Unknown, Val::Bool)
            }
            ExprKind::Seq(_, args) => {
                let mut list = Vec::new();
                for arg in args {
                    match arg {
                        Arg::Positional(e) => list.push(self.pure(*e, state)?),
                        Arg::Spread(e) if matches!(ir.expr(*e).kind, ExprKind::Comprehension { .. }) => return None,
                        _ => {
                            if let Arg::Spread(e) = arg
                                && let Some(value) = self.pure(*e, state)
                                && let Some(items) = self.iterated(&value)
                                && let Some(n) = items.len().filter(|n| *n <= 4_096)
                            {
                                list.extend((0..n).map(|i| items.at(i)));
                                continue;
                            }
                            return if self.has_effects(state, arg.value()) {
                                None
                            } else {
                                Some(self.of_link(state, e))
                            };
                        }
                    }
                }
                Val::List(Rc::new(list))
            }
            ExprKind::Dict(entries) => {
                for entry in entries {
                    let parts = match *entry {
                        Entry::Pair(k, v) => vec![k, v],
                        Entry::Spread(e) => vec![e],
                        Entry::Getter(..) => Vec::new(),
                    };
                    for part in parts {
                        self.pure(part, state)?;
                    }
                }
                self.of_link(state, e)
            }
            ExprKind::Range { start, end, inclusive } => {
                let lo = match start {
                    Some(e) => self.pure(*e, state)?.as_exact(),
                    None => Some(0.0),
                };
                let hi = match end {
                    Some(e) => self.pure(*e, state)?.as_exact(),
                    None => Some(f64::INFINITY),
                };
                match (lo, hi) {
                    // Between numbers that are not whole there is nothing to count: chance is asked for one of them.
                    (Some(lo), Some(hi)) if lo.fract() != 0.0 || (hi.is_finite() && hi.fract() != 0.0) => {
                        Val::Dict(Rc::new(vec![(Rc::from("start"), Val::num(lo)), (Rc::from("end"), Val::num(hi))]))
                    }
                    (Some(lo), Some(hi)) => {
                        let hi = hi.is_finite().then_some(hi as i64 + i64::from(*inclusive));
                        Val::Range(lo as i64, hi, 1)
                    }
                    _ => Val::Unknown,
                }
            }
            ExprKind::Closure(function) if ir.function(*function).kind != FunctionKind::AsyncBlock => {
                self.closure_value(state, *function)
            }
            ExprKind::Typed(inner, _) => self.pure(*inner, state)?,
            ExprKind::Slice { object, bounds } => {
                let value = self.pure(*object, state)?;
                for &bound in bounds {
                    self.pure(bound, state)?;
                }
                if bounds.is_empty() { value } else { Val::Unknown }
            }
            ExprKind::Super(_) => self.this(state),
            ExprKind::Import(_) | ExprKind::Class(_) => Val::Unknown,
            _ => return None,
        })
    }

    fn has_effects(&mut self, state: &State, e: ExprId) -> bool {
        self.pure(e, state).is_none()
    }

    /// What link made of a container at this expression.
    pub fn of_link(&self, state: &State, e: ExprId) -> Val {
        let site = Site { comp: self.comp(state), expr: e };
        for kind in [ContainerKind::Dict, ContainerKind::List, ContainerKind::Tuple, ContainerKind::Set] {
            if let Some(tok) = self.view.solver.tokens.find(&Token::Container { site, kind }) {
                return Val::Tok(tok);
            }
        }
        Val::Unknown
    }
}
