//! Arguments for which link has several values (`stop = a() if tries >= 0 else b()`): which of them holds is worked
//! out by running the function in which the call stands, and those around it.

use super::builders::STEPS;
use super::calls::Given;
use super::machine::{End, Machine};
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::*;
use crate::link::token::*;
use std::rc::Rc;

/// Functions within functions are run so far out.
const AROUND: u32 = 4;

/// A call that is waited for, and what it was given on each path that came there.
pub type Watched = ((CompId, ExprId), Vec<Given>);

impl<'p> Machine<'p, '_, '_> {
    /// The argument of a call, if link has several values for it and the code decides for one.
    pub(super) fn decided_argument(&mut self, site: Site, name: &str, at: Option<usize>) -> Option<Val> {
        let file = self.view.file(site.comp);
        if file.language == Language::Rust {
            // Values that are built there are worked out where they are built.
            return None;
        }
        let ExprKind::Call { args, .. } = &file.exprs.get(site.expr.index())?.kind else { return None };
        let mut positional = 0;
        let found = args.iter().find_map(|arg| match *arg {
            Arg::Keyword(keyword, e) => (file.name(keyword) == name).then_some(e),
            Arg::Positional(e) => {
                positional += 1;
                (at == Some(positional - 1)).then_some(e)
            }
            _ => None,
        })?;
        let slot = (site, found);
        if let Some(known) = self.decided_arguments.get(&slot) {
            return known.clone();
        }
        // Whoever asks for it while it is worked out gets what link knows.
        self.decided_arguments.insert(slot, None);
        let value = self.aside(|machine| {
            let state = machine.at_start(site.comp, AROUND)?;
            if machine.is_made_inside(site.comp, found) {
                machine.watched_argument(site, found, state)
            } else {
                let results = machine.eval(found, state, &mut Exits::default());
                machine.the_one(results.into_iter().map(|(_, value)| value))
            }
        });
        self.decided_arguments.insert(slot, value.clone());
        value
    }

    /// A component at its start, with what the functions around it left in their variables.
    fn at_start(&mut self, comp: CompId, around: u32) -> Option<State> {
        let mut state = State::at(comp, self.now);
        if let Some(parent) = self.view.solver.comps[comp.0 as usize].key.parent
            && self.view.func(parent).id != MODULE
        {
            let outer = self.at_start(parent, around.checked_sub(1)?)?;
            state.heap = outer.heap.clone();
            let ends = self.body(parent, outer);
            let ends = ends.into_iter().filter(|(_, end)| matches!(end, End::Return(_)));
            let owner = Tok(u32::MAX - parent.0);
            let mut left: Option<Vec<(VarId, Val)>> = None;
            for (mut end, _) in ends {
                let vars: Vec<(VarId, Val)> = end.env().iter().map(|(var, value)| (*var, value.clone())).collect();
                left = Some(match left {
                    None => vars,
                    Some(before) => before.into_iter().filter(|known| vars.contains(known)).collect(),
                });
            }
            let vars = left?.into_iter().filter(|(_, value)| *value != Val::Unknown);
            state.heap.extend(vars.map(|(var, value)| ((owner, Rc::from(format!("var {}", var.0))), value)));
        }
        self.bind_from_link(comp, &mut state);
        Some(state)
    }

    /// Whether an expression asks for a variable that its function gives a value.
    fn is_made_inside(&self, comp: CompId, e: ExprId) -> bool {
        let file = self.view.file(comp);
        let function = self.view.function(comp);
        let own = self.view.func(comp).id;
        let mut params = Vec::new();
        function.params.iter().for_each(|p| super::relevant::bound_vars(file, p.pattern, &mut params));
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if let ExprKind::Var(var) = file.expr(e).kind
                && file.var(var).owner == own
                && !params.contains(&var)
            {
                return true;
            }
            super::relevant::children(file, e, &mut stack);
        }
        false
    }

    /// Runs a function up to a call in it, and takes what it is given there.
    fn watched_argument(&mut self, site: Site, argument: ExprId, state: State) -> Option<Val> {
        let before = self.watched.replace(((site.comp, site.expr), Vec::new()));
        self.body(site.comp, state);
        let (_, seen) = std::mem::replace(&mut self.watched, before)?;
        let file = self.view.file(site.comp);
        let ExprKind::Call { args, .. } = &file.expr(site.expr).kind else { return None };
        let mut at = 0;
        let mut of = None;
        for arg in args {
            match *arg {
                Arg::Keyword(name, e) if e == argument => of = Some((Some(file.name(name)), 0)),
                Arg::Positional(e) if e == argument => of = Some((None, at)),
                _ => {}
            }
            at += usize::from(matches!(arg, Arg::Positional(_)));
        }
        let (name, at) = of?;
        self.the_one(seen.iter().map(|given| {
            match name {
                Some(name) => given.keywords.iter().find(|(n, _)| &**n == name).map(|(_, v)| v.clone()),
                None => given.positional.get(at).cloned(),
            }
            .unwrap_or(Val::Unknown)
        }))
    }

    /// What all paths agree on.
    fn the_one(&self, mut values: impl Iterator<Item = Val>) -> Option<Val> {
        let first = values.next()?;
        let is_known =
            matches!(first, Val::Tok(_) | Val::Num(_) | Val::Bool(_) | Val::Null | Val::Text(_) | Val::List(_));
        (is_known && values.all(|v| v == first)).then_some(first)
    }

    /// What several policies joined by an operator are, as link made it.
    pub(super) fn combined(&self, comp: CompId, e: ExprId, left: &Val, right: &Val) -> Option<Val> {
        let is_policy = |value: &Val| matches!(value, Val::Tok(tok) if matches!(self.view.token(*tok), Token::Made { .. } | Token::Combined { .. } | Token::External(_)));
        let made = self.view.solver.tokens.find(&Token::Combined { site: Site { comp, expr: e } })?;
        (is_policy(left) && is_policy(right)).then_some(Val::Tok(made))
    }

    /// Runs something beside the run that goes on: a function in which nothing fails.
    pub(super) fn aside<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let plan = super::machine::Plan {
            key: None,
            outcome: super::machine::Outcome::Value(Val::Unknown),
            unit: Rc::default(),
        };
        let plan = std::mem::replace(&mut self.plan, plan);
        let flags = (self.reads_header, self.by_status, self.decided, self.clock_read, self.cut);
        let (looked, deep) = (self.looked.get(), self.deep);
        let (endless, steps) = (self.endless.len(), self.steps);
        let consumers = std::mem::take(&mut self.consumers);
        let mattering = self.mattering.take();
        let facts = std::mem::take(&mut self.facts);
        let given = self.given.take();
        let fewest = std::mem::take(&mut self.fewest);
        self.steps = STEPS;
        let result = run(self);
        self.steps = steps;
        self.fewest = fewest;
        self.given = given;
        self.facts = facts;
        self.mattering.replace(mattering);
        self.consumers = consumers;
        self.endless.truncate(endless);
        self.deep = deep;
        self.looked.set(looked);
        (self.reads_header, self.by_status, self.decided, self.clock_read, self.cut) = flags;
        self.plan = plan;
        result
    }
}
