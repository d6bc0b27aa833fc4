//! Functions that count what they do (Rust): closures with a counter of the function around them, functions that count up
//! a parameter or a field. How often they are called decides what their caller does, so they are run as a part of it.

use super::compose::Composer;
use super::part::Part;
use super::variant::VARIANTS;
use crate::catalogue::Formula;
use crate::ir::*;
use crate::layers::machine::{Callee, CalleeKey, Outcome, Plan};
use crate::layers::policy::Policy;
use crate::layers::val::Val;
use crate::link::component::{Target, Via};
use crate::link::token::*;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// So many functions that count may be run as a part of one.
const MOST: usize = 6;
/// A closure handed to a library is called so often to see whether it stops by itself.
const CALLS: u64 = 64;

/// Where counters of one file are written, and which names of fields are compared where.
#[derive(Default)]
pub struct Counters {
    vars: Vec<(Span, VarId)>,
    /// Those that are written through.
    through: Vec<(Span, VarId)>,
    fields: Vec<(Span, Name)>,
    compared: Vec<(Span, Name)>,
    /// Variables that are compared with something.
    decided: FxHashSet<VarId>,
}

impl Counters {
    fn of(file: &File) -> Self {
        let mut found = Counters::default();
        if file.language != Language::Rust {
            return found;
        }
        for (stmt, span) in file.stmts.iter().zip(&file.stmt_spans) {
            let Stmt::Assign { targets, op: Some(_), .. } = stmt else { continue };
            for &target in targets {
                match file.pattern(target) {
                    Pattern::Bind(var) => found.vars.push((*span, *var)),
                    Pattern::Deref(e) => match file.expr(*e).kind {
                        ExprKind::Var(var) => found.through.push((*span, var)),
                        _ => found.place(file, *e, *span),
                    },
                    Pattern::Attr { name, .. } => found.fields.push((*span, *name)),
                    _ => {}
                }
            }
        }
        for e in &file.exprs {
            match &e.kind {
                ExprKind::Call { callee, .. } => {
                    if let ExprKind::Attr { object, name, .. } = file.expr(*callee).kind
                        && matches!(file.name(name), "fetch_add" | "fetch_sub" | "set")
                    {
                        found.place(file, object, e.span);
                    }
                }
                ExprKind::Compare(_, a, b) => {
                    for side in [a, b] {
                        // `n.load(…) < 3` compares `n`.
                        let mut at = *side;
                        if let ExprKind::Call { callee, .. } = file.expr(at).kind
                            && let ExprKind::Attr { object, name, .. } = file.expr(callee).kind
                            && matches!(file.name(name), "load" | "get")
                        {
                            at = object;
                        }
                        match file.expr(at).kind {
                            ExprKind::Attr { name, .. } => found.compared.push((e.span, name)),
                            ExprKind::Var(var) => {
                                found.decided.insert(var);
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn place(&mut self, file: &File, e: ExprId, span: Span) {
        match file.expr(e).kind {
            ExprKind::Var(var) => self.vars.push((span, var)),
            ExprKind::Attr { name, .. } => self.fields.push((span, name)),
            _ => {}
        }
    }
}

fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

impl<'p> Composer<'p, '_, '_> {
    fn counters(&mut self, comp: CompId) -> Rc<Counters> {
        let file = self.view.func(comp).file;
        let view = self.view;
        self.counters.entry(file).or_insert_with(|| Rc::new(Counters::of(view.file(comp)))).clone()
    }

    /// A unit with the functions that it calls and that count something for it.
    pub(super) fn with_counting(&mut self, comp: CompId, unit: &Rc<FxHashSet<CompId>>) -> Rc<FxHashSet<CompId>> {
        if self.view.file(comp).language != Language::Rust {
            return unit.clone();
        }
        let mut all = (**unit).clone();
        let mut pending = vec![comp];
        while let Some(at) = pending.pop() {
            let targets: Vec<(CompId, ExprId)> = self
                .view
                .all_calls(at)
                .iter()
                .filter(|call| call.via == Via::Call)
                .filter_map(
                    |call| if let Target::Comp(target) = call.target { Some((target, call.expr)) } else { None },
                )
                .filter(|(target, _)| self.reaching[target.0 as usize] && !all.contains(target))
                .collect();
            for (target, call) in targets {
                if all.len() < MOST && self.counts_for(target, at, call) && all.insert(target) {
                    pending.push(target);
                }
            }
        }
        if all.len() == unit.len() { unit.clone() } else { Rc::new(all) }
    }

    /// Whether a function counts something that its caller looks at.
    fn counts_for(&mut self, target: CompId, caller: CompId, call: ExprId) -> bool {
        if self.counts_around(target) {
            return true;
        }
        let (function, file, other) = (self.view.function(target), self.view.file(target), self.view.file(caller));
        let (span, around) = (function.span, self.view.function(caller).span);
        let (counters, callers) = (self.counters(target), self.counters(caller));
        let lent = |e: ExprId| matches!(other.expr(e).kind, ExprKind::Var(v) if callers.decided.contains(&v));
        let is_param = |var: VarId| {
            function.params.iter().any(|p| matches!(file.pattern(p.pattern), Pattern::Bind(v) if *v == var))
        };
        if let ExprKind::Call { args, .. } = &other.expr(call).kind
            && args.iter().any(|a| lent(a.value()))
            && counters.through.iter().any(|(at, var)| within(*at, span) && is_param(*var))
        {
            return true;
        }
        let is_compared =
            |name: &str| callers.compared.iter().any(|(at, n)| within(*at, around) && other.name(*n) == name);
        counters.fields.iter().any(|(at, name)| within(*at, span) && is_compared(file.name(*name)))
    }

    /// Whether a closure counts in a variable of a function around it, which is compared with something.
    fn counts_around(&mut self, target: CompId) -> bool {
        let counters = self.counters(target);
        let (func, file) = (self.view.func(target).id, self.view.file(target));
        let function = self.view.function(target);
        let captured = |var: VarId| {
            let owner = file.var(var).owner;
            let outer = file.function(owner).span;
            owner != func && owner != MODULE && within(function.span, outer) && outer != function.span
        };
        function.kind == FunctionKind::Anonymous
            && counters.vars.iter().chain(&counters.through).any(|(at, var)| {
                within(*at, function.span) && captured(*var) && self.decides_inside(*var, &counters, file)
            })
    }

    /// Whether a counter is compared, by itself or by what it is copied to (`let tries = n`).
    fn decides_inside(&self, var: VarId, counters: &Counters, file: &File) -> bool {
        counters.decided.contains(&var)
            || file.stmts.iter().any(|stmt| match stmt {
                Stmt::Assign { targets, value: Some(value), op: None, .. } => {
                    matches!(file.expr(*value).kind, ExprKind::Var(v) if v == var)
                        && targets
                            .iter()
                            .any(|t| matches!(file.pattern(*t), Pattern::Bind(v) if counters.decided.contains(v)))
                }
                _ => false,
            })
    }

    /// For a closure that a library calls again and again: after how many calls it fails in a way that is not tried
    /// again, for each variant of the failure.
    pub(super) fn stops_by_itself(
        &mut self,
        part: &Part,
        target: CompId,
        policy: &Policy<'p>,
    ) -> Option<Vec<Option<u64>>> {
        if !self.counts_around(target) {
            return None;
        }
        let mut unit: FxHashSet<CompId> = [target].into_iter().collect();
        let mut path = part.path.iter();
        // What is called in an `async` block is called by the function that the block stands in.
        let (at, expr, record) = loop {
            let &(at, expr) = path.next()?;
            unit.insert(at);
            let record = self.view.calls(at, expr).iter().find(|r| match r.target {
                Target::Comp(called) => self.reaching[called.0 as usize],
                Target::External(_) => self.outbound(r.callee).is_some(),
                Target::Unresolved => false,
            })?;
            let is_block = |called: CompId| self.view.function(called).kind == FunctionKind::AsyncBlock;
            if !matches!(record.target, Target::Comp(called) if is_block(called)) {
                break (at, expr, record);
            }
        };
        let key = self.machine.key_of(at, expr, record)?;
        let inner = self.inner_parts(&key, at, expr).into_iter().find(|inner| inner.sink == part.sink)?;
        let unit = Rc::new(unit);
        let stops = (0..VARIANTS.len()).map(|i| {
            let outcome = inner.outcomes[i].first()?.clone();
            self.calls_until_final(target, &key, outcome, &unit, policy)
        });
        Some(stops.collect())
    }

    fn calls_until_final(
        &mut self,
        target: CompId,
        key: &CalleeKey,
        outcome: Outcome,
        unit: &Rc<FxHashSet<CompId>>,
        policy: &Policy<'p>,
    ) -> Option<u64> {
        let mut before = None;
        for call in 1..=CALLS {
            let plan = Plan { key: Some(key.clone()), outcome: outcome.clone(), unit: unit.clone() };
            let (state, ends) = self.machine.run_again(target, plan, before.take())?;
            let scope = self.machine.policy_scope(policy);
            let again = ends.iter().any(|end| self.machine.retried(policy, end, &scope) != Some(false));
            if !again {
                return Some(call);
            }
            before = Some(state);
        }
        None
    }

    /// For a predicate that counts what it is asked (`.when(|e| { n += 1; n < 3 })`): the failure after which it says no,
    /// for each variant.
    pub(super) fn stopped_by_predicate(&mut self, part: &Part, policy: &Policy<'p>) -> Option<Vec<Option<u64>>> {
        let mut pending = vec![policy.layer.on_error.as_ref()?];
        let mut asked = None;
        while let Some(formula) = pending.pop() {
            match formula {
                Formula::Call(name, args) if name == "call" => asked = asked.or(args.first()),
                Formula::Call(_, list) => pending.extend(list),
                Formula::Not(inner) => pending.push(inner),
                Formula::Binary(_, a, b) => pending.extend([&**a, &**b]),
                _ => {}
            }
        }
        let scope = self.machine.policy_scope(policy);
        let Some(Val::Tok(tok)) = self.machine.formula(asked?, &scope) else { return None };
        let Token::Function { func, env } = *self.view.token(tok) else { return None };
        let predicate = self.view.component_of(func, env)?;
        if self.view.file(predicate).language != Language::Rust || !self.counts_around(predicate) {
            return None;
        }
        let stops = part.outcomes.iter().map(|ends| match ends.first()? {
            Outcome::Raise(error) => {
                let mut before = None;
                (1..=CALLS).find(|_| match self.machine.ask_again(predicate, error, before.take()) {
                    Some((state, yes)) => {
                        before = Some(state);
                        !yes
                    }
                    None => false,
                })
            }
            Outcome::Value(_) => None,
        });
        Some(stops.collect())
    }

    /// The component that a key calls, if it is handed to something.
    pub(super) fn handed(key: &CalleeKey) -> Option<CompId> {
        match key.target {
            Callee::Comp(target) if key.handed_to.is_some() => Some(target),
            _ => None,
        }
    }
}
