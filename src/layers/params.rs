//! Parameters: bound to the arguments of a call, to what the link knows, or to their defaults.

use super::calls::Given;
use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::component::Target;
use crate::link::store::Addr;
use crate::link::token::*;
use std::rc::Rc;

/// Methods after which an `Option` is what it was.
const KEEPING: [&str; 6] = ["as_deref", "as_mut", "as_ref", "clone", "cloned", "copied"];
/// What a function was handed is asked of so many calls, and of a quarter as many with every function that hands it on.
const MANY: usize = 64;

impl Machine<'_, '_, '_> {
    pub(super) fn bind_given(&mut self, comp: CompId, receiver: Option<Val>, given: Given, state: &mut State) {
        let function = self.view.function(comp);
        let ir = self.view.file(comp);
        let mut positional = given.positional.into_iter();
        let mut receiver = receiver;
        for (i, param) in function.params.iter().enumerate() {
            let mut value = match param.kind {
                ParamKind::Receiver => receiver.take().or_else(|| positional.next()),
                ParamKind::PositionalOnly | ParamKind::Normal => positional.next(),
                ParamKind::VarArgs => Some(Val::List(Rc::new(positional.by_ref().collect()))),
                ParamKind::KwArgs | ParamKind::KeywordOnly => None,
            };
            if value.is_none()
                && let Some(name) = param.name
                && let Some((_, given)) = given.keywords.iter().find(|(n, _)| &**n == ir.name(name))
            {
                value = Some(given.clone());
            }
            let value = match value {
                Some(Val::Unknown) | None if param.kind != ParamKind::KwArgs => {
                    let missing = value.is_none() && !given.open;
                    self.param_from_link(comp, i as u32, missing, state)
                }
                Some(value) => value,
                None if given.open => Val::Unknown,
                None => {
                    let own = |name: &str| {
                        function
                            .params
                            .iter()
                            .any(|p| p.kind != ParamKind::PositionalOnly && p.name.is_some_and(|n| ir.name(n) == name))
                    };
                    let rest = given.keywords.iter().filter(|(name, _)| !own(name)).cloned().collect();
                    Val::Dict(Rc::new(rest))
                }
            };
            self.bind(state, param.pattern, &value);
        }
    }

    /// Binds all parameters to what link knows of them.
    pub fn bind_from_link(&mut self, comp: CompId, state: &mut State) {
        let function = self.view.function(comp);
        for (i, param) in function.params.iter().enumerate() {
            let value = match param.kind {
                ParamKind::VarArgs | ParamKind::KwArgs => {
                    let kind =
                        if param.kind == ParamKind::VarArgs { ContainerKind::Tuple } else { ContainerKind::Dict };
                    let rest = self.view.solver.tokens.find(&Token::Rest { comp, param: i as u32, kind });
                    match rest {
                        Some(tok) if kind == ContainerKind::Dict => {
                            let mut collected = Given::default();
                            self.spread_keywords(&Val::Tok(tok), &mut collected);
                            // What a call of itself hands on says nothing about the first call.
                            if self.view.all_calls(comp).iter().any(|c| c.target == Target::Comp(comp)) {
                                collected.keywords.retain(|(_, value)| *value != Val::Unknown);
                            }
                            if collected.open { Val::Tok(tok) } else { Val::Dict(Rc::new(collected.keywords)) }
                        }
                        Some(tok) => Val::Tok(tok),
                        None => Val::Unknown,
                    }
                }
                _ => self.param_from_link(comp, i as u32, false, state),
            };
            self.bind(state, param.pattern, &value);
        }
    }

    fn param_from_link(&mut self, comp: CompId, param: u32, missing: bool, state: &State) -> Val {
        let key = &self.view.solver.comps[comp.0 as usize].key;
        if let Some(&(_, tok)) = key.context.iter().find(|(at, _)| *at == param)
            && tok != Tok::MISSING
            && !missing
        {
            return self.view.val(&Value::of(tok));
        }
        let stored = self.view.solver.store.get(Addr::Param(comp, param));
        let known = stored.map_or(Val::Unknown, |v| self.view.val(&self.first_given(comp, v)));
        let known = match known {
            Val::Unknown if !missing => match self.from_outside(comp, param) {
                Val::Unknown if self.is_some_of(comp, param, 0) => Val::Good(Box::new(Val::Unknown)),
                known => known,
            },
            known => known,
        };
        let omitted = missing || stored.is_none_or(|v| v.contains(Tok::MISSING)) || self.view.only_calls_itself(comp);
        if !omitted {
            return known;
        }
        // Left out by some call: the default may hold; several numbers: the worst counts.
        let default = self.default_of(comp, param, state);
        // Whoever calls it from outside, or hands it something unknown, may set a flag; who leaves a number out takes ours.
        let given = stored.is_some_and(|v| v.iter().any(|t| t != Tok::MISSING));
        let open = !missing && known == Val::Unknown && (given || self.view.only_calls_itself(comp));
        let default = if open && matches!(default, Val::Bool(_)) { Val::Unknown } else { default };
        match (known.as_exact(), default.as_exact()) {
            (Some(a), Some(b)) if !missing => Val::num(a.max(b)),
            _ if missing || known == Val::Unknown => default,
            _ => known,
        }
    }

    /// What a function that comes back to itself is given, without the objects that it makes for that itself.
    fn first_given(&self, comp: CompId, value: &Value) -> Value {
        if self.view.file(comp).language != Language::JavaScript || !self.plan.unit.contains(&comp) {
            return value.clone();
        }
        let own = |t: Tok| match *self.view.token(t) {
            Token::Container { site, kind: ContainerKind::Dict } => self.plan.unit.contains(&site.comp),
            _ => false,
        };
        let others = value.filter(|t| !own(t));
        if others.iter().any(|t| matches!(self.view.token(t), Token::Container { .. })) {
            others
        } else {
            value.clone()
        }
    }

    /// What calls from outside of a circle hand to a function that comes back to itself: what it hands on to itself
    /// says nothing about the first call.
    fn from_outside(&mut self, comp: CompId, param: u32) -> Val {
        let rust = self.view.file(comp).language == Language::Rust;
        let recursive = self.plan.unit.len() > 1 || self.view.callers(comp).iter().any(|(c, _)| *c == comp);
        if !rust || !recursive || !self.plan.unit.contains(&comp) {
            return Val::Unknown;
        }
        let skipped = u32::from(self.view.function(comp).params.first().is_some_and(|p| p.kind == ParamKind::Receiver));
        let Some(at) = param.checked_sub(skipped) else { return Val::Unknown };
        let mut worst: Option<f64> = None;
        for &(caller, expr) in self.view.callers(comp) {
            if self.plan.unit.contains(&caller) {
                continue;
            }
            let ExprKind::Call { args, .. } = &self.view.file(caller).expr(expr).kind else { return Val::Unknown };
            let Some(arg) = args.get(at as usize).map(|a| a.value()) else { return Val::Unknown };
            let state = State::at(caller, 0.0);
            match self.pure(arg, &state).and_then(|v| v.as_exact()) {
                Some(n) => worst = Some(worst.map_or(n, |w| w.max(n))),
                None => return Val::Unknown,
            }
        }
        worst.map_or(Val::Unknown, Val::num)
    }

    /// Whether all calls hand a parameter `Some` of something that nobody knows (Rust).
    fn is_some_of(&self, comp: CompId, param: u32, depth: usize) -> bool {
        let callers = self.view.callers(comp);
        if self.view.file(comp).language != Language::Rust || callers.is_empty() || callers.len() > MANY >> (2 * depth)
        {
            return false;
        }
        let params = self.view.function(comp).params.len();
        callers.iter().filter(|(caller, _)| !self.view.is_stale(*caller)).all(|&(caller, call)| {
            let ir = self.view.file(caller);
            let ExprKind::Call { args, .. } = &ir.expr(call).kind else { return false };
            // A method's receiver stands before the arguments.
            let Some(skipped) = params.checked_sub(args.len()).filter(|n| *n < 2) else { return false };
            let arg = (param as usize).checked_sub(skipped).and_then(|at| args.get(at));
            let Some(Arg::Positional(e)) = arg else { return false };
            match ir.expr(as_given(ir, *e)).kind {
                ExprKind::Call { callee, .. } => {
                    matches!(ir.expr(callee).kind, ExprKind::Free(f) if ir.name(f) == "Some")
                }
                ExprKind::Var(var) if caller != comp => {
                    let of = &self.view.function(caller).params;
                    let at = of.iter().position(|p| matches!(ir.pattern(p.pattern), Pattern::Bind(v) if *v == var));
                    at.is_some_and(|at| self.is_some_of(caller, at as u32, depth + 1))
                }
                _ => false,
            }
        })
    }

    /// Whether an expression is a parameter that every call leaves out.
    pub(super) fn is_left_out(&self, e: ExprId, state: &State) -> bool {
        let (ir, comp) = (self.ir(state), self.comp(state));
        let ExprKind::Var(var) = ir.expr(e).kind else { return false };
        let is = |p: &Param| p.default.is_none() && matches!(ir.pattern(p.pattern), Pattern::Bind(v) if *v == var);
        let Some(param) = self.view.function(comp).params.iter().position(is) else { return false };
        let param = param as u32;
        let context = &self.view.solver.comps[comp.0 as usize].key.context;
        match context.iter().find(|(at, _)| *at == param) {
            Some(&(_, tok)) => tok == Tok::MISSING,
            None => {
                let stored = self.view.solver.store.get(Addr::Param(comp, param));
                stored.and_then(Value::single) == Some(Tok::MISSING)
            }
        }
    }

    fn default_of(&mut self, comp: CompId, param: u32, state: &State) -> Val {
        let function = self.view.function(comp);
        let Some(default) = function.params.get(param as usize).and_then(|p| p.default) else { return Val::Unknown };
        let ir = self.view.file(comp);
        if ir.language == Language::Python {
            let Some(parent) = self.view.solver.comps[comp.0 as usize].key.parent else { return Val::Unknown };
            let func = self.view.func(comp).id;
            return self.view.read(Addr::Default(parent, func.0, param));
        }
        self.pure(default, state).unwrap_or(Val::Unknown)
    }
}

/// An expression without what leaves an `Option` what it is.
fn as_given(ir: &File, e: ExprId) -> ExprId {
    let mut at = e;
    loop {
        at = match &ir.expr(at).kind {
            ExprKind::Typed(inner, _) => *inner,
            ExprKind::Call { callee, args, .. } if args.is_empty() => match ir.expr(*callee).kind {
                ExprKind::Attr { object, name, .. } if KEEPING.contains(&ir.name(name)) => object,
                _ => return at,
            },
            _ => return at,
        };
    }
}
