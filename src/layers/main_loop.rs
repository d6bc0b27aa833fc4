//! Loops of programs that live: each turn comes by something new and works on it. What fails is dropped with it, and no
//! request is sent again.

use super::events::turns_of;
use super::machine::{CalleeKey, End, Machine, Outcome};
use super::relevant::{LoopFacts, bound_vars, children, mentions};
use crate::ir::*;
use crate::link::component::Target;
use crate::link::token::CompId;
use crate::source::Place;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl Machine<'_, '_, '_> {
    /// Whether a loop without a bound goes on after a success as well, and its call is about what each turn came by.
    pub(super) fn is_main_loop(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        unit: &Rc<FxHashSet<CompId>>,
        failed: &Outcome,
        place: Place,
    ) -> bool {
        let success = self.success(comp, key, unit, self.success_of(comp, failed));
        let goes_on = success.endless.iter().any(|(p, _)| *p == place)
            || success.ends.iter().any(|(state, _)| turns_of(state, place) > 1)
            || (!success.ends.is_empty() && success.ends.iter().all(|(_, end)| is_never(end)));
        goes_on && unit.iter().chain([&comp]).any(|&c| self.is_about_new(c, place))
    }

    /// Whether a function starts over for ever after a success just as well: `work().catch(log); setTimeout(again, 5000)`.
    pub(super) fn starts_over_anyway(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        unit: &Rc<FxHashSet<CompId>>,
        failed: &Outcome,
    ) -> bool {
        let success = self.success(comp, key, unit, self.success_of(comp, failed));
        !success.exhausted
            && !success.endless.is_empty()
            && success.ends.iter().any(|(state, _)| state.calls() > 1)
            && success.ends.iter().all(|(state, end)| is_never(end) || state.calls() == 0)
    }

    /// Whether a function that calls itself takes, each time, the next job out of a queue, and its call is about that.
    pub(super) fn pumps(&self, comp: CompId, unit: &FxHashSet<CompId>) -> bool {
        unit.iter().chain([&comp]).any(|&c| {
            let file = self.view.file(c);
            let taken = LoopFacts::taken(file, self.view.function(c).body);
            !taken.is_empty()
                && self
                    .view
                    .all_calls(c)
                    .iter()
                    .any(|call| self.fails(c, call.expr, call) && mentions(file, call.expr, |var| taken.contains(&var)))
        })
    }

    /// Whether a function that calls itself tells itself, each time, something that the call before gave: the next page.
    pub(super) fn turns_pages(&self, comp: CompId, unit: &FxHashSet<CompId>) -> bool {
        let mut again = unit.iter().chain([&comp]).flat_map(|&c| {
            self.view
                .all_calls(c)
                .iter()
                .filter(|r| matches!(r.target, Target::Comp(t) if unit.contains(&t)))
                .map(move |r| (c, r.expr))
        });
        again.any(|(c, call)| {
            let file = self.view.file(c);
            let ExprKind::Call { args, .. } = &file.expr(call).kind else { return false };
            let given = self.given_by_the_call(c);
            args.iter().any(|arg| mentions(file, arg.value(), |var| given.contains(&var)))
        })
    }

    /// Variables of a function that hold what the failing call gave, or something made of it.
    fn given_by_the_call(&self, comp: CompId) -> FxHashSet<VarId> {
        let file = self.view.file(comp);
        let function = self.view.func(comp).id;
        let calls: FxHashSet<ExprId> =
            self.view.all_calls(comp).iter().filter(|r| self.fails(comp, r.expr, r)).map(|r| r.expr).collect();
        let mut given = FxHashSet::default();
        loop {
            let before = given.len();
            for stmt in &file.stmts {
                let Stmt::Assign { targets, value: Some(value), .. } = stmt else { continue };
                let (mut parts, mut of_the_call) = (vec![*value], false);
                while let Some(e) = parts.pop() {
                    of_the_call |= calls.contains(&e);
                    children(file, e, &mut parts);
                }
                if of_the_call || mentions(file, *value, |var| given.contains(&var)) {
                    let mut bound = Vec::new();
                    targets.iter().for_each(|target| bound_vars(file, *target, &mut bound));
                    given.extend(bound.into_iter().filter(|var| file.var(*var).owner == function));
                }
            }
            if given.len() == before {
                return given;
            }
        }
    }

    /// Whether the failing call of a loop is told something that the turn came by of itself.
    fn is_about_new(&self, comp: CompId, place: Place) -> bool {
        let file = self.view.file(comp);
        let found = file.stmts.iter().zip(&file.stmt_spans).find_map(|(stmt, span)| match stmt {
            Stmt::Loop { body, header, .. } if self.view.place(comp, *header) == place => Some((*body, *span)),
            _ => None,
        });
        let Some((body, span)) = found else { return false };
        let fresh = LoopFacts::fresh(file, body);
        if fresh.is_empty() {
            return false;
        }
        self.view.all_calls(comp).iter().any(|call| {
            let at = file.expr(call.expr).span;
            let ExprKind::Call { args, .. } = &file.expr(call.expr).kind else { return false };
            let within = span.start <= at.start && at.end <= span.end;
            within
                && self.fails(comp, call.expr, call)
                && args.iter().any(|arg| mentions(file, arg.value(), |var| fresh.contains(&var)))
        })
    }
}

fn is_never(end: &End) -> bool {
    matches!(end, End::Raise(error) if error.is_never())
}
