//! Branches: one is taken, or several where the test is not known.

use super::machine::Machine;
use super::state::{Exits, State};
use super::statements::pass_on;
use super::val::Val;
use crate::ir::*;
use std::rc::Rc;

impl<'p> Machine<'p, '_, '_> {
    /// Takes one branch, or both.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn branch(
        &mut self,
        state: State,
        test: ExprId,
        value: &Val,
        then: BlockId,
        otherwise: Option<BlockId>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        let truth = self.truth(value);
        let truth = truth.filter(|&outcome| !self.is_gate(&state, test, outcome, then, otherwise));
        let mut state = state;
        state.timed |= std::mem::take(&mut self.clock_read);
        if truth.is_none() {
            self.either_branch(state, test, then, otherwise, next, exits);
            return;
        }
        let block = if truth == Some(true) { Some(then) } else { otherwise };
        self.assume(&mut state, test, truth == Some(true));
        match block {
            Some(block) => next.extend(self.block(vec![state], block, exits)),
            None => next.push(state),
        }
    }

    /// Takes both branches. Where neither does anything that matters (a line that is logged above some level), the test
    /// does not matter either.
    fn either_branch(
        &mut self,
        before: State,
        test: ExprId,
        then: BlockId,
        otherwise: Option<BlockId>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        let left =
            |exits: &Exits| exits.returns.len() + exits.raises.len() + exits.breaks.len() + exits.continues.len();
        let (first, leaving) = (next.len(), left(exits));
        let mut idle = true;
        let mut state = before.clone();
        self.note_open(&mut state, test);
        self.note_guess(&state, test);
        for (outcome, block) in [(true, Some(then)), (false, otherwise)] {
            let mut taken = state.clone();
            self.assume(&mut taken, test, outcome);
            let Some(block) = block else {
                next.push(taken);
                continue;
            };
            let ends = self.block(vec![taken.clone()], block, exits);
            let unchanged = |end: &State| end.trace.len() == taken.trace.len() && end.same_future(&taken);
            idle &= matches!(&ends[..], [end] if unchanged(end) && end.clock == taken.clock);
            next.extend(ends);
        }
        if idle && left(exits) == leaving {
            next.truncate(first);
            next.push(State { timed: state.timed, ..before });
        }
    }

    /// The value tests after the two sides of a comparison depended on an unknown number.
    pub(super) fn note_open(&mut self, state: &mut State, test: ExprId) {
        let ir = self.ir(state);
        let mut at = test;
        loop {
            match &ir.expr(at).kind {
                ExprKind::Unary(UnaryOp::Not, e) => at = *e,
                ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                    self.note_open(state, *a);
                    at = *b;
                }
                ExprKind::Compare(CompareOp::Lt | CompareOp::LtEq | CompareOp::Gt | CompareOp::GtEq, a, b) => {
                    if self.asks_the_time(state, *a, *b) || self.asks_for_more(state, *a, *b) {
                        return;
                    }
                    let left = self.pure(*a, state);
                    let right = self.pure(*b, state);
                    let clock = |v: &Option<Val>| v.as_ref().and_then(Val::as_num).is_some_and(|n| n.clock);
                    if clock(&left) || clock(&right) {
                        state.timed = true;
                    }
                    let number = |v: &Option<Val>| v.as_ref().is_some_and(|v| v.as_num().is_some());
                    if number(&left) != number(&right) {
                        let unknown = if number(&left) { *b } else { *a };
                        if let ExprKind::Attr { object, name, .. } = ir.expr(unknown).kind
                            && ir.name(name) == "length"
                            && super::queues::is_worked_off(ir, object)
                        {
                            // Whether anything waits there at all.
                            return;
                        }
                        let span = ir.expr(unknown).span;
                        state.open = Some(Rc::from(format!(
                            "@{}:{}:{}",
                            self.view.func(self.comp(state)).file,
                            span.start,
                            span.end
                        )));
                    }
                    return;
                }
                // `left == 0`, `!left`, where nobody knows what it started with.
                ExprKind::Compare(CompareOp::Eq | CompareOp::NotEq | CompareOp::Is | CompareOp::IsNot, a, b) => {
                    for side in [*a, *b] {
                        self.note_counted(state, side);
                    }
                    return;
                }
                _ => {
                    self.note_counted(state, at);
                    state.timed |= self.is_over_by_time(at, state);
                    return;
                }
            }
        }
    }

    fn note_counted(&self, state: &mut State, e: ExprId) {
        if self.is_counted(state, e) {
            let span = self.ir(state).expr(e).span;
            let file = self.view.func(self.comp(state)).file;
            state.open = Some(Rc::from(format!("@{file}:{}:{}", span.start, span.end)));
        }
    }

    pub(super) fn match_stmt(
        &mut self,
        state: State,
        value: &Val,
        arms: &'p [Arm],
        is_switch: bool,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        if let Some(cases) = self.cases(&state, value, arms) {
            for value in cases {
                self.match_stmt(state.clone(), &value, arms, is_switch, next, exits);
            }
            return;
        }
        let mut inner = Exits::default();
        let mut open = vec![state];
        let mut falling: Vec<State> = Vec::new();
        // `default` is tried last wherever it stands.
        let is_default = |arm: &Arm, ir: &File| matches!(ir.pattern(arm.pattern), Pattern::Otherwise);
        let ir = match open.first() {
            Some(state) => self.ir(state),
            None => return,
        };
        let ordered: Vec<&Arm> =
            arms.iter().filter(|a| !is_default(a, ir)).chain(arms.iter().filter(|a| is_default(a, ir))).collect();
        for arm in ordered {
            let mut rest = Vec::new();
            let mut taken = std::mem::take(&mut falling);
            for state in open {
                let mut bound = state.clone();
                let matched = self.matches_pattern(&mut bound, arm.pattern, value);
                if matched.is_none() {
                    self.note_guess_of(value);
                }
                match matched {
                    Some(false) => rest.push(state),
                    _ => {
                        let guarded = match arm.guard {
                            None => vec![(bound, matched)],
                            Some(guard) => self
                                .eval(guard, bound, &mut inner)
                                .into_iter()
                                .map(|(mut s, v)| {
                                    let truth = self.truth(&v);
                                    s.timed |= std::mem::take(&mut self.clock_read);
                                    if truth.is_none() {
                                        self.note_open(&mut s, guard);
                                        self.note_guess(&s, guard);
                                    }
                                    (s, if truth == Some(true) { matched } else { truth })
                                })
                                .collect(),
                        };
                        for (bound, holds) in guarded {
                            // What a guard did and found out (that time decides) goes for the other arms, too.
                            if holds != Some(true) {
                                rest.push(bound.clone());
                            }
                            if holds != Some(false) {
                                taken.push(bound);
                            }
                        }
                    }
                }
            }
            let ends = self.block(taken, arm.body, &mut inner);
            if arm.falls_through {
                falling = ends;
            } else {
                next.extend(ends);
            }
            open = rest;
            if open.is_empty() && falling.is_empty() {
                break;
            }
        }
        next.extend(falling);
        // Rust's matches are exhaustive: what fits no arm cannot happen.
        if ir.language != Language::Rust {
            next.extend(open);
        }
        if is_switch {
            let breaks = std::mem::take(&mut inner.breaks);
            for (state, label) in breaks {
                match label {
                    None => next.push(state),
                    Some(_) => inner.breaks.push((state, label)),
                }
            }
        }
        pass_on(inner, exits);
    }

    /// What an outcome that is not known may be, where its arms tell one side apart further: which side it is must not
    /// change from arm to arm.
    fn cases(&self, state: &State, value: &Val, arms: &[Arm]) -> Option<[Val; 2]> {
        let ir = self.ir(state);
        if ir.language != Language::Rust || *value != Val::Unknown || arms.iter().all(|arm| arm.guard.is_none()) {
            return None;
        }
        let good = || Val::Good(Box::new(Val::Unknown));
        arms.iter().find_map(|arm| {
            let mut at = arm.pattern;
            while let Pattern::As(inner, _) = ir.pattern(at) {
                at = *inner;
            }
            let Pattern::Variant { path, .. } = ir.pattern(at) else { return None };
            let ExprKind::Free(name) = ir.expr(*path).kind else { return None };
            match ir.name(name) {
                "Ok" | "Err" => Some([good(), Val::Fail(Rc::new(self.unknown_error()))]),
                "Some" => Some([good(), Val::Null]),
                _ => None,
            }
        })
    }
}
