//! Abstract execution of one unit (a function with what it recurses into) while one callee fails for ever:
//! statements and loops. Tests evaluate to true, false or unknown (then both branches are taken), waits
//! move a virtual clock, and every execution of the failing callee is written down.

use super::about::{again, only_for_items};
use super::generator::Work;
use super::relevant::LoopFacts;
use super::state::{Exits, Slot, State};
use super::val::{Error, Num, Val};
use super::view::View;
use crate::ir::*;
use crate::link::token::*;
use crate::versions::Versions;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::cell::{Cell, RefCell};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// What the failing callee does.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// It raises (or, where the language fails by value, returns the failure).
    Raise(Rc<Error>),
    /// It returns this.
    Value(Val),
}

/// Identifies a callee as far as one fault goes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CalleeKey {
    /// The component, or the external callee.
    pub target: Callee,
    /// Decorators around it, outermost first.
    pub wrappers: Vec<Tok>,
    /// The external callee that was handed it.
    pub handed_to: Option<Tok>,
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Callee {
    /// A function of the program.
    Comp(CompId),
    /// Something external, by the callee's token.
    External(Tok),
}

/// What fails in a run, and what belongs to the unit.
#[derive(Clone)]
pub struct Plan {
    /// The failing callee.
    pub key: Option<CalleeKey>,
    /// What it does.
    pub outcome: Outcome,
    /// Components that are run in place, as parts of the unit.
    pub unit: Rc<FxHashSet<CompId>>,
}

/// At most so many paths are followed at once.
const PATHS: usize = 24;
/// A loop is followed for at most so many turns.
const TURNS: u32 = 2_000;
/// A loop whose end an unknown number decides is followed for so many turns.
const OPEN_TURNS: u32 = 8;
/// A run takes at most so many steps.
pub const STEPS: usize = 40_000;
/// The elements of an endless sequence are the same after so many.
const ENDLESS: u32 = 50;
/// Marks the error by which a path that never leaves a loop is ended.
pub const NEVER: u8 = u8::MAX;
/// So many managers of one `with` are followed.
const MANAGERS: usize = 16;
/// So many happenings are written down in a step.
const WRITTEN: usize = 8;
/// At most so much is written down for turns that are not run.
const MOST_REPEATED: usize = 100_000;
/// Functions are run in place at most so deep.
pub const INLINE: usize = 40;
/// A function that calls itself deeper than this is taken never to end.
pub const RECURSION: usize = 100;
/// Blocks and expressions are followed at most so deep, everything that is run in place counted: the stack must hold.
pub const DEEP: usize = 8_000;

/// The machine.
pub struct Machine<'p, 's, 'v> {
    /// The program.
    pub view: &'v View<'p, 's>,
    /// Package versions of the analysed tree.
    pub versions: &'v Versions,
    /// The function whose outbound call is looked at.
    pub here: Option<CompId>,
    /// What fails.
    pub plan: Plan,
    /// The virtual clock, for formulas.
    pub now: f64,
    /// Steps of a run.
    pub budget: usize,
    /// Steps that all runs since the caller set this to 0 took.
    pub used: usize,
    /// Steps left.
    pub steps: usize,
    /// A Retry-After header was read.
    pub reads_header: bool,
    /// A status was looked at.
    pub by_status: bool,
    /// A handler for all exceptions of the language caught the failure.
    pub caught_as_any: bool,
    /// Variables that may change something, of components that the run came to.
    pub mattering: RefCell<FxHashMap<CompId, Rc<FxHashSet<VarId>>>>,
    /// A failure is the value of an expression that nothing waited for yet.
    pub loose: bool,
    /// A loop did not end: its header.
    pub endless: Vec<(crate::source::Place, bool)>,
    /// Facts about loops, by file, body and failing callee.
    pub facts: FxHashMap<(u32, BlockId, Option<Callee>), Rc<LoopFacts>>,
    /// The work was cut.
    pub cut: bool,
    /// The files' texts.
    pub texts: &'v [std::sync::Arc<str>],
    /// Functions that fail before they return a promise.
    pub throws_at_once: FxHashSet<CompId>,
    /// Arguments of the external call being evaluated, as this path has them.
    pub given: Option<(Tok, super::calls::Given)>,
    /// The handler that caught the injected failure last.
    pub decided: Option<crate::source::Place>,
    /// The attempt that waits are being evaluated for, from 1.
    pub attempt: f64,
    /// How deep values are being settled.
    pub settling: u8,
    /// What tokens settled to since the outermost was asked for; none: nothing, or not done yet.
    pub settled: FxHashMap<Tok, Option<Val>>,
    /// Places of calls in a row.
    pub row_places: Vec<crate::source::Place>,
    /// A comparison looked at the clock since the last test that was decided.
    pub clock_read: bool,
    /// The clock stands still, to see whether time is what ends a loop.
    pub frozen: bool,
    /// Loops whose test nobody can evaluate even if the call fails.
    pub by_chance: FxHashSet<crate::source::Place>,
    /// Of paths that go on alike, the one with the fewest calls is kept, not the one with the most.
    pub fewest: bool,
    /// What runs at the yields of generators that are being run.
    pub consumers: Vec<super::generator::Consumer<'p>>,
    /// Blocks and expressions that are being evaluated.
    pub deep: usize,
    /// Outbound calls other than the failing one may fail, too.
    pub others_fail: bool,
    /// Callees that send what was built for them, as far as it was asked for: the first one of those that send the same.
    pub requests: RefCell<FxHashMap<CompId, Rc<FxHashMap<Tok, Tok>>>>,
    /// Constants of types, by where they are read.
    pub constants: RefCell<FxHashMap<(CompId, ExprId), Option<Val>>>,
    /// The failure at hand was looked into: another one may go another way.
    pub looked: Cell<bool>,
    /// Parameters that decide how a recursion goes on.
    pub deciding: FxHashMap<CompId, Option<Rc<FxHashSet<VarId>>>>,
}

/// How a run ended on one path.
#[derive(Clone, Debug)]
pub enum End {
    /// It returned.
    Return(Val),
    /// It raised.
    Raise(Rc<Error>),
}

impl<'p, 's, 'v> Machine<'p, 's, 'v> {
    /// A machine in which nothing fails.
    pub fn new(view: &'v View<'p, 's>, versions: &'v Versions, texts: &'v [std::sync::Arc<str>]) -> Self {
        Self {
            view,
            versions,
            here: None,
            plan: Plan { key: None, outcome: Outcome::Value(Val::Unknown), unit: Rc::default() },
            now: 0.0,
            budget: STEPS,
            used: 0,
            steps: STEPS,
            reads_header: false,
            by_status: false,
            caught_as_any: false,
            mattering: Default::default(),
            loose: false,
            endless: Vec::new(),
            facts: FxHashMap::default(),
            cut: false,
            texts,
            throws_at_once: FxHashSet::default(),
            given: None,
            decided: None,
            attempt: 1.0,
            settling: 0,
            settled: FxHashMap::default(),
            row_places: Vec::new(),
            clock_read: false,
            frozen: false,
            fewest: false,
            by_chance: FxHashSet::default(),
            consumers: Vec::new(),
            deep: 0,
            others_fail: false,
            requests: RefCell::default(),
            constants: RefCell::default(),
            looked: Cell::new(false),
            deciding: FxHashMap::default(),
        }
    }

    /// Runs a component from its start, with what link knows of its parameters.
    pub fn run(&mut self, comp: CompId, plan: Plan) -> Vec<(State, End)> {
        if self.plan.key != plan.key {
            self.mattering.borrow_mut().clear();
        }
        self.plan = plan;
        self.steps = self.budget;
        self.reads_header = false;
        self.by_status = false;
        self.caught_as_any = false;
        self.loose = false;
        self.decided = None;
        self.clock_read = false;
        self.consumers.clear();
        self.endless.clear();
        if !self.fewest && !self.frozen {
            self.by_chance.clear();
        }
        let mut state = State::at(comp, 0.0);
        self.bind_from_link(comp, &mut state);
        self.note_entry(comp, &mut state);
        let ends = self.body(comp, state);
        self.used += self.budget.saturating_sub(self.steps);
        ends
    }

    /// Runs the body of the running activation.
    pub fn body(&mut self, comp: CompId, state: State) -> Vec<(State, End)> {
        let function = self.view.function(comp);
        let mut exits = Exits::default();
        let ends = self.block(vec![state], function.body, &mut exits);
        let mut results: Vec<(State, End)> = Vec::new();
        results.extend(ends.into_iter().map(|s| (s, End::Return(Val::Null))));
        results.extend(exits.returns.into_iter().map(|(s, v)| (s, End::Return(v))));
        results.extend(exits.raises.into_iter().map(|(s, e)| (s, End::Raise(e))));
        results
    }

    /// The file of the running activation.
    pub fn ir(&self, state: &State) -> &'p File {
        self.view.file(self.comp(state))
    }

    /// The running component.
    pub fn comp(&self, state: &State) -> CompId {
        state.stack.last().map_or(CompId(0), |a| a.comp)
    }

    /// Runs a block from some states.
    pub fn block(&mut self, states: Vec<State>, block: BlockId, exits: &mut Exits) -> Vec<State> {
        if self.deep >= DEEP {
            self.cut = true;
            return states;
        }
        self.deep += 1;
        let ends = self.statements(states, block, exits);
        self.deep -= 1;
        ends
    }

    fn statements(&mut self, mut states: Vec<State>, block: BlockId, exits: &mut Exits) -> Vec<State> {
        let Some(first) = states.first() else { return states };
        let ir = self.ir(first);
        for &stmt in ir.block(block) {
            let mut next = Vec::with_capacity(states.len());
            for state in states {
                if self.steps == 0 {
                    self.cut = true;
                    next.push(state);
                    continue;
                }
                self.steps -= 1;
                if std::mem::take(&mut self.loose) {
                    self.looked.set(true);
                }
                self.stmt(state, stmt, &mut next, exits);
                if matches!(ir.stmt(stmt), Stmt::Expr(_) | Stmt::Return(_)) {
                    self.loose = false;
                }
            }
            states = self.merge(next);
            if states.is_empty() {
                break;
            }
        }
        states
    }

    /// Drops paths that will go on like another one: the one that called more often stays.
    pub fn merge(&mut self, mut states: Vec<State>) -> Vec<State> {
        if states.len() < 2 {
            return states;
        }
        let mut kept: Vec<State> = Vec::with_capacity(states.len());
        for state in states.drain(..) {
            match kept.iter_mut().find(|k| k.same_future(&state)) {
                Some(old) => {
                    let (new, kept) =
                        if self.fewest { (old.calls(), state.calls()) } else { (state.calls(), old.calls()) };
                    let more = new > kept || (new == kept && old.open.is_some());
                    let timed = old.timed || state.timed;
                    if more {
                        *old = state;
                    }
                    old.timed = timed;
                }
                None => kept.push(state),
            }
        }
        if kept.len() > PATHS {
            self.cut = true;
            if self.fewest {
                kept.sort_by_key(State::calls);
            } else {
                kept.sort_by_key(|s| std::cmp::Reverse(s.calls()));
            }
            kept.truncate(PATHS);
        }
        kept
    }

    fn stmt(&mut self, state: State, id: StmtId, next: &mut Vec<State>, exits: &mut Exits) {
        let ir = self.ir(&state);
        match ir.stmt(id) {
            Stmt::Expr(e) => next.extend(self.eval(*e, state, exits).into_iter().map(|(s, _)| s)),
            Stmt::Assert(e) => next.extend(self.eval(*e, state, exits).into_iter().map(|(s, _)| s)),
            Stmt::Assign { targets, value, op, .. } => {
                let Some(value) = value else {
                    next.push(state);
                    return;
                };
                for (mut state, mut result) in self.eval(*value, state, exits) {
                    if let Some(op) = op
                        && let Some(&target) = targets.first()
                    {
                        let old = self.read_target(&state, target);
                        result = self.augmented(*op, &old, &result);
                    }
                    for &target in targets {
                        self.bind(&mut state, target, &result);
                    }
                    next.push(state);
                }
            }
            Stmt::Return(value) => match value {
                None => exits.returns.push((state, Val::Null)),
                // A generator that is handed back has not run yet: what it raises, no handler here sees.
                Some(e) if self.hands_back_generator(*e, &state) => {
                    let mut inner = Exits::default();
                    let results = self.eval(*e, state, &mut inner);
                    exits.returns.extend(results);
                    let raises = std::mem::take(&mut inner.raises);
                    for (state, error) in raises {
                        match error.is_never() {
                            true => exits.raises.push((state, error)),
                            false => exits.returns.push((state, Val::Fail(error))),
                        }
                    }
                    pass_on(inner, exits);
                }
                Some(e) => {
                    let results = self.eval(*e, state, exits);
                    exits.returns.extend(results);
                }
            },
            Stmt::Raise { error, .. } => self.raise(state, *error, exits),
            Stmt::If { test, then, otherwise } => {
                for (state, value) in self.eval_test(*test, state, exits) {
                    self.branch(state, *test, &value, *then, *otherwise, next, exits);
                }
            }
            Stmt::ForEach { target, iter, body, otherwise, label, header, over_keys, .. } => {
                for (state, value) in self.eval(*iter, state, exits) {
                    let each = ForEach {
                        target: *target,
                        body: *body,
                        otherwise: *otherwise,
                        label: *label,
                        header: *header,
                        keys: *over_keys,
                    };
                    self.for_each(state, &value, &each, next, exits);
                }
            }
            Stmt::Loop { before, body, update, after, otherwise, label, result: _, header } => {
                let parts = WhileLoop {
                    before: *before,
                    body: *body,
                    update: *update,
                    after: *after,
                    otherwise: *otherwise,
                    label: *label,
                    header: *header,
                };
                self.while_loop(state, &parts, next, exits);
            }
            Stmt::Try { body, handlers, otherwise, finally } => {
                self.try_stmt(state, *body, handlers, *otherwise, *finally, next, exits);
            }
            Stmt::With { items, body, .. } => self.with_stmt(state, items, *body, next, exits),
            Stmt::Match { subject, arms, is_switch } => {
                for (state, value) in self.eval(*subject, state, exits) {
                    self.match_stmt(state, &value, arms, *is_switch, next, exits);
                }
            }
            Stmt::Break(label, value) => match value {
                Some(e) => {
                    for (state, _) in self.eval(*e, state, exits) {
                        exits.breaks.push((state, *label));
                    }
                }
                None => exits.breaks.push((state, *label)),
            },
            Stmt::Continue(label) => exits.continues.push((state, *label)),
            Stmt::Block(block, label) => {
                let mut inner = Exits::default();
                let ends = self.block(vec![state], *block, &mut inner);
                next.extend(ends);
                if label.is_some() {
                    let (own, others) = inner.breaks.into_iter().partition(|(_, l)| l == label);
                    inner.breaks = others;
                    next.extend(Vec::from_iter::<Vec<(State, Option<Name>)>>(own).into_iter().map(|(s, _)| s));
                }
                pass_on(inner, exits);
            }
            Stmt::Function { function, target } => {
                let mut state = state;
                if let Some(target) = target {
                    let value = self.closure_value(&state, *function);
                    self.write_var(&mut state, *target, value);
                }
                next.push(state);
            }
            Stmt::Class { .. } | Stmt::Import { .. } | Stmt::Export(_) | Stmt::Module { .. } | Stmt::Delete(_) => {
                next.push(state)
            }
        }
    }

    /// Takes one branch, or both.
    #[allow(clippy::too_many_arguments)]
    fn branch(
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
        let mut state = state;
        state.timed |= std::mem::take(&mut self.clock_read);
        if truth.is_none() {
            self.note_open(&mut state, test);
        }
        if truth != Some(false) {
            let mut taken = state.clone();
            self.assume(&mut taken, test, true);
            next.extend(self.block(vec![taken], then, exits));
        }
        if truth != Some(true) {
            self.assume(&mut state, test, false);
            match otherwise {
                Some(block) => next.extend(self.block(vec![state], block, exits)),
                None => next.push(state),
            }
        }
    }

    /// The value tests after the two sides of a comparison depended on an unknown number.
    fn note_open(&mut self, state: &mut State, test: ExprId) {
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
                    let left = self.pure(*a, state);
                    let right = self.pure(*b, state);
                    let clock = |v: &Option<Val>| v.as_ref().and_then(Val::as_num).is_some_and(|n| n.clock);
                    if clock(&left) || clock(&right) {
                        state.timed = true;
                    }
                    let number = |v: &Option<Val>| v.as_ref().is_some_and(|v| v.as_num().is_some());
                    if number(&left) != number(&right) {
                        let unknown = if number(&left) { *b } else { *a };
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
                _ => return,
            }
        }
    }

    fn raise(&mut self, state: State, error: Option<ExprId>, exits: &mut Exits) {
        match error {
            None => {
                let error = state.handling.last().cloned();
                let error = error.unwrap_or_else(|| Rc::new(self.unknown_error()));
                exits.raises.push((state, error));
            }
            Some(e) => {
                for (state, value) in self.eval(e, state, exits) {
                    let error = self.error_of(&value, &state);
                    exits.raises.push((state, error));
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn try_stmt(
        &mut self,
        state: State,
        body: BlockId,
        handlers: &'p [Handler],
        otherwise: Option<BlockId>,
        finally: Option<BlockId>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        let mut inner = Exits::default();
        let ends = self.block(vec![state], body, &mut inner);
        let mut out = Exits::default();
        let mut after = match otherwise {
            Some(block) => self.block(ends, block, &mut out),
            None => ends,
        };
        let raises = std::mem::take(&mut inner.raises);
        pass_on(inner, &mut out);
        for (state, error) in self.merge_raises(raises) {
            if error.is_never() {
                // Nothing comes after a path that never ends.
                exits.raises.push((state, error));
                continue;
            }
            self.handle(state, error, handlers, &mut after, &mut out);
        }
        let Some(finally) = finally else {
            next.extend(after);
            pass_on(out, exits);
            return;
        };
        next.extend(self.block(after, finally, exits));
        for (state, value) in out.returns {
            for state in self.block(vec![state], finally, exits) {
                exits.returns.push((state, value.clone()));
            }
        }
        for (state, error) in out.raises {
            if error.is_never() {
                exits.raises.push((state, error));
                continue;
            }
            for state in self.block(vec![state], finally, exits) {
                exits.raises.push((state, error.clone()));
            }
        }
        for (state, label) in out.breaks {
            let after = self.block(vec![state], finally, exits);
            exits.breaks.extend(after.into_iter().map(|s| (s, label)));
        }
        for (state, label) in out.continues {
            let after = self.block(vec![state], finally, exits);
            exits.continues.extend(after.into_iter().map(|s| (s, label)));
        }
    }

    fn merge_raises(&mut self, raises: Vec<(State, Rc<Error>)>) -> Vec<(State, Rc<Error>)> {
        let mut kept: Vec<(State, Rc<Error>)> = Vec::new();
        for (state, error) in raises {
            match kept.iter_mut().find(|(k, e)| *e == error && k.same_future(&state)) {
                Some(old) => {
                    if state.calls() > old.0.calls() {
                        *old = (state, error);
                    }
                }
                None => kept.push((state, error)),
            }
        }
        if kept.len() > PATHS {
            self.cut = true;
            kept.truncate(PATHS);
        }
        kept
    }

    fn handle(
        &mut self,
        state: State,
        error: Rc<Error>,
        handlers: &'p [Handler],
        after: &mut Vec<State>,
        out: &mut Exits,
    ) {
        let mut state = state;
        let depth = state.stack.len();
        let _ = depth;
        for handler in handlers {
            let matched = match handler.types {
                None => Some(true),
                Some(types) => {
                    let types = self.pure(types, &state).unwrap_or(Val::Unknown);
                    self.matches(&error, &types)
                }
            };
            if matched == Some(false) {
                continue;
            }
            if handler.binding.is_some_and(|binding| !self.is_bound_idle(self.comp(&state), binding)) {
                self.looked.set(true);
            }
            if error.injected {
                let place = self.view.place(self.comp(&state), handler.span);
                self.decided = Some(place);
            }
            let mut caught = state.clone();
            caught.handling.push(error.clone());
            if let Some(binding) = handler.binding {
                self.bind(&mut caught, binding, &Val::Error(error.clone()));
            }
            let mut inner = Exits::default();
            let mut ends = self.block(vec![caught], handler.body, &mut inner);
            for end in &mut ends {
                end.handling.pop();
            }
            after.extend(ends);
            for (state, _) in &mut inner.continues {
                state.handling.pop();
            }
            for (state, _) in &mut inner.breaks {
                state.handling.pop();
            }
            for (state, _) in &mut inner.raises {
                state.handling.pop();
            }
            for (state, _) in &mut inner.returns {
                state.handling.pop();
            }
            pass_on(inner, out);
            if matched == Some(true) {
                return;
            }
            // It may not match: then the next handler, or the caller, sees it.
            state.open = state.open.take();
        }
        out.raises.push((state, error));
    }

    /// `with`: managers are entered one after the other, each around those after it.
    pub fn with_stmt(
        &mut self,
        state: State,
        items: &'p [(ExprId, Option<PatId>)],
        body: BlockId,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        let Some(((expr, pattern), rest)) = items.split_first() else {
            next.extend(self.block(vec![state], body, exits));
            return;
        };
        // Managers beyond the first few are entered and do nothing.
        let rest = if rest.len() > MANAGERS { &rest[..MANAGERS] } else { rest };
        for (state, value) in self.eval(*expr, state, exits) {
            if let Val::Fail(error) = value {
                exits.raises.push((state, error));
                continue;
            }
            if let Val::Generator(pending) = &value {
                let work = Work::With { target: *pattern, rest, body };
                if let Some(ends) = self.consume(state.clone(), pending, work, next, exits) {
                    for (state, end) in ends {
                        match end {
                            End::Return(_) => next.push(state),
                            End::Raise(error) => exits.raises.push((state, error)),
                        }
                    }
                    continue;
                }
            }
            let entered = match &value {
                Val::Tok(tok) => ["__enter__", "__aenter__"]
                    .iter()
                    .find_map(|name| self.run_method(state.clone(), *tok, name, Vec::new())),
                _ => None,
            };
            let mut paths = Vec::new();
            match entered {
                Some(ends) => {
                    for (state, end) in ends {
                        match end {
                            End::Return(value) => paths.push((state, value)),
                            End::Raise(error) => exits.raises.push((state, error)),
                        }
                    }
                }
                None => {
                    let entered = self.entered(&state, &value, *expr);
                    paths.push((state, entered));
                }
            }
            for (mut state, entered) in paths {
                if let Some(pattern) = pattern {
                    self.bind(&mut state, *pattern, &entered);
                }
                self.managed(state, &value, rest, body, next, exits);
            }
        }
    }

    /// The body of a `with` under one manager that has been entered.
    fn managed(
        &mut self,
        state: State,
        manager: &Val,
        rest: &'p [(ExprId, Option<PatId>)],
        body: BlockId,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        let mut inner = Exits::default();
        let mut ends = Vec::new();
        self.with_stmt(state, rest, body, &mut ends, &mut inner);
        for state in ends {
            let mut after = Exits::default();
            if self.leave_manager(state.clone(), manager, None, next, &mut after) {
                pass_on(after, exits);
            } else {
                next.push(state);
            }
        }
        for (mut state, error) in std::mem::take(&mut inner.raises) {
            if error.is_never() {
                exits.raises.push((state, error));
                continue;
            }
            if matches!(manager, Val::Attempt | Val::Generator(_)) {
                self.looked.set(true);
            }
            if *manager == Val::Attempt {
                // The attempt keeps the error; the policy decides at the next turn.
                state.caught = Some(error);
                next.push(state);
                continue;
            }
            let mut after = Exits::default();
            if self.leave_manager(state.clone(), manager, Some(&error), next, &mut after) {
                self.looked.set(true);
                pass_on(after, exits);
                continue;
            }
            match self.suppressed(manager, &error) {
                Some(true) => next.push(state),
                None => {
                    next.push(state.clone());
                    inner.raises.push((state, error));
                }
                Some(false) => inner.raises.push((state, error)),
            }
        }
        pass_on(inner, exits);
    }

    fn match_stmt(
        &mut self,
        state: State,
        value: &Val,
        arms: &'p [Arm],
        is_switch: bool,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
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
                match matched {
                    Some(false) => rest.push(state),
                    _ => {
                        let guarded = match arm.guard {
                            None => vec![(bound, matched)],
                            Some(guard) => self
                                .eval(guard, bound, &mut inner)
                                .into_iter()
                                .map(|(s, v)| {
                                    let truth = self.truth(&v);
                                    (s, if truth == Some(true) { matched } else { truth })
                                })
                                .collect(),
                        };
                        let mut passes = false;
                        for (bound, holds) in guarded {
                            if holds != Some(false) {
                                taken.push(bound);
                            }
                            passes |= holds != Some(true);
                        }
                        if passes {
                            rest.push(state);
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

    /// Facts about a loop's body, worked out once.
    pub fn loop_facts(
        &mut self,
        state: &State,
        body: BlockId,
        tests: &[ExprId],
        target: Option<PatId>,
    ) -> Rc<LoopFacts> {
        let func = self.view.func(self.comp(state));
        let key = (func.file, body, self.plan.key.as_ref().map(|k| k.target));
        if let Some(facts) = self.facts.get(&key) {
            return facts.clone();
        }
        let runs = self.run_in_place(self.comp(state));
        let facts = Rc::new(LoopFacts::of(self.ir(state), body, tests, target, &runs));
        self.facts.insert(key, facts.clone());
        facts
    }

    fn for_each(&mut self, state: State, value: &Val, each: &ForEach, next: &mut Vec<State>, exits: &mut Exits) {
        let place = self.view.place(self.comp(&state), each.header);
        if let Some(pending) = self.generator_of(value) {
            let work = Work::Loop { target: each.target, body: each.body, label: each.label, place };
            if let Some(ends) = self.consume(state.clone(), &pending, work, next, exits) {
                for (state, end) in ends {
                    match end {
                        End::Return(_) => self.loop_end(state, each.otherwise, next, exits),
                        End::Raise(error) => exits.raises.push((state, error)),
                    }
                }
                return;
            }
        }
        let outer = state.slots.clone();
        let iterator = match value {
            Val::Tok(tok) => {
                ["__next__", "__anext__"].iter().find(|n| self.method_of(*tok, n).is_some()).map(|n| (*tok, *n))
            }
            _ => None,
        };
        let policy = self.policy_of_loop(value);
        let rust = self.ir(&state).language == Language::Rust;
        let lazy = if rust && policy.is_none() { self.iterator_of(value) } else { None };
        let written = lazy.as_ref().and_then(|iter| self.written_out(iter));
        let lazy = lazy.filter(|_| written.is_none());
        let items = if each.keys { None } else { written.or_else(|| self.iterated(value)) };
        let per_item = policy.is_none() && iterator.is_none() && items.as_ref().is_none_or(|i| !i.is_numeric());
        let facts = self.loop_facts(&state, each.body, &[], Some(each.target));
        let key: (Tok, Rc<str>) = (Tok(u32::MAX), Rc::from(format!("iterated {}", place.span.start)));
        let mut state = state;
        if let Some(iter) = &lazy {
            state.heap.insert(key.clone(), Val::Iter(Rc::new(iter.clone())));
        }
        let mut live = vec![state];
        let mut turn: u32 = 0;
        let mut seen: Vec<State> = Vec::new();
        loop {
            // Which turns there are: a known sequence ends; a policy decides; an unknown one may end or go on.
            let mut going = Vec::new();
            for mut state in std::mem::take(&mut live) {
                if let Some((tok, name)) = iterator {
                    // An iterator of the program: each turn asks it for the next element.
                    let Some(ends) = self.run_method(state.clone(), tok, name, Vec::new()) else {
                        state.slots = outer.clone();
                        state.ran_out.push(place);
                        self.loop_end(state, each.otherwise, next, exits);
                        continue;
                    };
                    for (mut state, end) in ends {
                        match end {
                            End::Return(value) => {
                                self.bind(&mut state, each.target, &value);
                                going.push(state);
                            }
                            End::Raise(error) if self.ends_iteration(&error) => {
                                state.slots = outer.clone();
                                self.loop_end(state, each.otherwise, next, exits);
                            }
                            End::Raise(error) => exits.raises.push((state, error)),
                        }
                    }
                    continue;
                }
                if lazy.is_some()
                    && let Some(Val::Iter(iter)) = state.heap.get(&key).cloned()
                {
                    for (mut state, step, after) in self.next_of(&iter, state, exits) {
                        match step {
                            super::iterators::Next::End => {
                                state.heap.remove(&key);
                                state.slots = outer.clone();
                                self.loop_end(state, each.otherwise, next, exits);
                            }
                            step => {
                                state.heap.insert(key.clone(), Val::Iter(Rc::new(after)));
                                let item = match step {
                                    super::iterators::Next::Item(value) => value,
                                    _ => Val::Unknown,
                                };
                                self.bind(&mut state, each.target, &item);
                                going.push(state);
                            }
                        }
                    }
                    continue;
                }
                if let Some(policy) = &policy {
                    match self.next_attempt(policy, &mut state, turn) {
                        Some(true) => going.push(state),
                        Some(false) => {
                            let error = state.caught.take();
                            match error {
                                Some(error) => {
                                    let end = self.policy_end(policy, &error);
                                    state.slots = outer.clone();
                                    match end {
                                        Some(error) => exits.raises.push((state, error)),
                                        None => self.loop_end(state, each.otherwise, next, exits),
                                    }
                                }
                                None => {
                                    state.slots = outer.clone();
                                    self.loop_end(state, each.otherwise, next, exits);
                                }
                            }
                        }
                        None => {
                            going.push(state);
                        }
                    }
                    continue;
                }
                match &items {
                    Some(items) if items.ends_at(turn) => {
                        state.slots = outer.clone();
                        self.loop_end(state, each.otherwise, next, exits);
                    }
                    Some(_) => going.push(state),
                    None => {
                        if turn > 0 {
                            let mut ended = state.clone();
                            ended.slots = outer.clone();
                            ended.ran_out.push(place);
                            self.loop_end(ended, each.otherwise, next, exits);
                        }
                        let mut state = state;
                        if turn > 0 && facts.repeats {
                            let what = format!("@{}:{}:{}", place.file.0, each.header.start, each.header.end);
                            state.open.get_or_insert_with(|| Rc::from(what));
                        }
                        if turn < 2 {
                            going.push(state);
                        }
                    }
                }
            }
            if going.is_empty() {
                break;
            }
            for state in &mut going {
                let item = match (&policy, &items) {
                    (Some(_), _) => Val::Attempt,
                    (None, Some(items)) => items.at(turn),
                    (None, None) => Val::Unknown,
                };
                if iterator.is_none() && lazy.is_none() {
                    self.bind(state, each.target, &item);
                }
                let mut slots = (*outer).clone();
                slots.push(Slot { place, turn, recursion: false, body: each.body, per_item });
                state.slots = Rc::new(slots);
            }
            // A turn that starts like an earlier one will go like it: the rest is known without running it.
            let total = items.as_ref().and_then(|i| i.len());
            if let Some(repeated) = going.iter().position(|s| seen.iter().any(|old| facts.same(old, s)))
                && turn > 1
                && let Some(total) = total
                && total > turn + 2
                && !facts.target_matters
            {
                let state = going.swap_remove(repeated);
                let skipped = total - turn - 1;
                let before = state.trace.len();
                let state = repeat_turns(state, place, turn, skipped);
                // Writing it down is work as well.
                self.steps = self.steps.saturating_sub((2 * state.trace.len() - before) / WRITTEN);
                turn = total - 1;
                going = vec![state];
                for state in &mut going {
                    let mut slots = (*outer).clone();
                    slots.push(Slot { place, turn, recursion: false, body: each.body, per_item });
                    state.slots = Rc::new(slots);
                }
            } else if (iterator.is_some()
                || lazy.is_some()
                || (matches!(items, Some(super::items::Items::Endless(_)))
                    && (!facts.target_matters || turn > ENDLESS)))
                && turn > 0
                && let Some(at) = going.iter().position(|s| seen.iter().any(|old| facts.same(old, s)))
            {
                let state = going.swap_remove(at);
                self.note_endless(place, &state);
                self.leave_endless(state, &outer, exits);
                if going.is_empty() {
                    break;
                }
            } else if policy.is_some()
                && turn > 0
                && let Some(at) = going.iter().position(|s| seen.iter().any(|old| facts.same(old, s)))
                && self.policy_is_endless(policy.as_ref(), &going[at])
            {
                let state = going.swap_remove(at);
                self.note_endless(place, &state);
                self.leave_endless(state, &outer, exits);
                if going.is_empty() {
                    break;
                }
            }
            seen.extend(going.iter().cloned());
            if seen.len() > 64 {
                seen.drain(..32);
            }
            let mut inner = Exits::default();
            let ends = self.block(going, each.body, &mut inner);
            live = self.turn_ends(ends, &mut inner, each.label, &outer, next);
            pass_on(inner, exits);
            if policy.is_some() {
                // A turn without a failure is the last one.
                let (failed, done): (Vec<State>, Vec<State>) = live.into_iter().partition(|s| s.caught.is_some());
                for mut state in done {
                    state.slots = outer.clone();
                    next.push(state);
                }
                live = failed;
            }
            turn += 1;
            if turn > TURNS || self.steps == 0 {
                for state in std::mem::take(&mut live) {
                    self.gives_up(place, state, &outer, exits);
                }
                break;
            }
        }
    }

    /// A loop never ends on a path; in a generator that is being run, the loop over it does not either.
    fn note_endless(&mut self, place: crate::source::Place, state: &State) {
        self.endless.push((place, state.timed));
        if let Some(around) = self.consumed_at(state) {
            self.endless.push((around, state.timed));
        }
    }

    /// Whether an error ends an iteration.
    fn ends_iteration(&mut self, error: &Rc<Error>) -> bool {
        self.looked.set(true);
        let ends = ["builtins.StopIteration", "builtins.StopAsyncIteration"];
        matches!(&error.class, super::val::ErrorClass::Known(class) if ends.contains(&&**class))
    }

    fn loop_end(&mut self, state: State, otherwise: Option<BlockId>, next: &mut Vec<State>, exits: &mut Exits) {
        match otherwise {
            Some(block) => next.extend(self.block(vec![state], block, exits)),
            None => next.push(state),
        }
    }

    /// Sorts the ways out of a turn: what goes on to the next turn is returned.
    pub fn turn_ends(
        &mut self,
        mut ends: Vec<State>,
        inner: &mut Exits,
        label: Option<Name>,
        outer: &Rc<Vec<Slot>>,
        next: &mut Vec<State>,
    ) -> Vec<State> {
        for (mut state, to) in std::mem::take(&mut inner.breaks) {
            if to.is_none() || to == label {
                state.slots = outer.clone();
                next.push(state);
            } else {
                state.slots = outer.clone();
                inner.breaks.push((state, to));
            }
        }
        for (state, to) in std::mem::take(&mut inner.continues) {
            if to.is_none() || to == label {
                ends.push(state);
            } else {
                inner.continues.push((state, to));
            }
        }
        for (state, _) in &mut inner.returns {
            state.slots = outer.clone();
        }
        for (state, _) in &mut inner.raises {
            state.slots = outer.clone();
        }
        self.merge(ends)
    }

    /// A path that never leaves a loop ends here; what it did counts.
    fn leave_endless(&mut self, mut state: State, outer: &Rc<Vec<Slot>>, exits: &mut Exits) {
        state.slots = outer.clone();
        exits.raises.push((state, self.never()));
    }

    /// A loop is left because it goes on for too long. It may have no end; if time for looking is up, nobody knows.
    fn gives_up(&mut self, place: crate::source::Place, state: State, outer: &Rc<Vec<Slot>>, exits: &mut Exits) {
        self.cut = true;
        if self.steps > 0 && !only_for_items(&state, place) {
            self.note_endless(place, &state);
        }
        self.leave_endless(state, outer, exits);
    }

    /// The error by which a path that never ends is ended.
    pub fn never(&self) -> Rc<Error> {
        Rc::new(Error { class_of_failure: Some(NEVER), ..self.unknown_error() })
    }

    fn while_loop(&mut self, state: State, parts: &WhileLoop, next: &mut Vec<State>, exits: &mut Exits) {
        let place = self.view.place(self.comp(&state), parts.header);
        let outer = state.slots.clone();
        let tests: Vec<ExprId> = parts.before.iter().chain(&parts.after).copied().collect();
        let facts = self.loop_facts(&state, parts.body, &tests, None);
        let per_item = !facts.of_item.is_empty();
        let mut live = vec![state];
        let mut turn: u32 = 0;
        let mut seen: Vec<State> = Vec::new();
        loop {
            let mut going = Vec::new();
            for mut state in std::mem::take(&mut live) {
                let mut slots = (*outer).clone();
                slots.push(Slot { place, turn, recursion: false, body: parts.body, per_item });
                state.slots = Rc::new(slots);
                match parts.before {
                    None => going.push(state),
                    Some(test) => self.loop_test(state, test, &outer, parts.otherwise, &mut going, next, exits),
                }
            }
            // Where a number that is not known decides, some turns say as much as many.
            if turn > OPEN_TURNS {
                going.retain(|s| s.open.is_none() || s.timed);
            }
            // A turn that starts exactly like an earlier one never ends.
            let mut fresh = Vec::new();
            for state in going {
                if let Some(old) = seen.iter().find(|old| facts.same(old, &state)) {
                    // Going around without another call is no retry, even for ever.
                    if again(old, &state, place) {
                        self.note_endless(place, &state);
                    }
                    self.leave_endless(state, &outer, exits);
                } else {
                    fresh.push(state);
                }
            }
            if fresh.is_empty() {
                break;
            }
            if let [state] = &fresh[..]
                && self.runs_away(turn, seen.last(), state, &facts, parts, &outer)
            {
                if seen.last().is_some_and(|old| again(old, state, place)) {
                    self.note_endless(place, state);
                }
                self.leave_endless(state.clone(), &outer, exits);
                break;
            }
            seen.extend(fresh.iter().cloned());
            if seen.len() > 96 {
                seen.drain(..48);
            }
            live = self.turn(fresh, parts, &outer, next, exits);
            turn += 1;
            if turn > TURNS || self.steps == 0 {
                for state in std::mem::take(&mut live) {
                    self.gives_up(place, state, &outer, exits);
                }
                break;
            }
        }
    }

    /// One turn of a loop whose test in front was passed: what goes on to the next one.
    pub fn turn(
        &mut self,
        fresh: Vec<State>,
        parts: &WhileLoop,
        outer: &Rc<Vec<Slot>>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) -> Vec<State> {
        let mut inner = Exits::default();
        let ends = self.block(fresh, parts.body, &mut inner);
        let mut ends = self.turn_ends(ends, &mut inner, parts.label, outer, next);
        pass_on(inner, exits);
        if let Some(update) = parts.update {
            ends = self.block(ends, update, exits);
        }
        let Some(test) = parts.after else { return ends };
        let mut live = Vec::new();
        for state in ends {
            self.loop_test(state, test, outer, parts.otherwise, &mut live, next, exits);
        }
        live
    }

    /// Whether an expression is a call of the failing callee, and that is a generator of the program.
    fn hands_back_generator(&self, e: ExprId, state: &State) -> bool {
        let Some(Callee::Comp(target)) = self.plan.key.as_ref().map(|key| key.target) else { return false };
        let comp = self.comp(state);
        self.view.function(target).is_generator
            && !self.view.function(comp).is_generator
            && matches!(self.ir(state).expr(e).kind, ExprKind::Call { .. })
            && self.view.targets(comp, e).any(|(called, _)| called == target)
    }

    /// Evaluates a loop's test: what goes around, and what is done.
    pub fn loop_test(
        &mut self,
        state: State,
        test: ExprId,
        outer: &Rc<Vec<Slot>>,
        otherwise: Option<BlockId>,
        going: &mut Vec<State>,
        next: &mut Vec<State>,
        exits: &mut Exits,
    ) {
        for (mut state, value) in self.eval_test(test, state, exits) {
            let truth = self.truth(&value);
            state.timed |= self.clock_read;
            if truth.is_none() {
                self.note_open(&mut state, test);
            }
            if truth != Some(true) {
                let mut ended = state.clone();
                if truth.is_none() {
                    self.ends_by_chance(&mut ended, test);
                }
                self.assume(&mut ended, test, false);
                ended.slots = outer.clone();
                self.loop_end(ended, otherwise, next, exits);
            }
            if truth != Some(false) {
                self.assume(&mut state, test, true);
                going.push(state);
            }
        }
        self.clock_read = false;
    }

    /// An error about which nothing is known.
    pub fn unknown_error(&self) -> Error {
        Error {
            class: super::val::ErrorClass::Unknown,
            status: None,
            fields: Vec::new(),
            token: None,
            injected: false,
            class_of_failure: None,
        }
    }

    /// The time of the virtual clock.
    pub fn clock(&self, state: &State) -> Val {
        let now = if self.frozen { 0.0 } else { state.clock };
        Val::Num(Num { clock: true, ..Num::exact(now) })
    }
}

struct ForEach {
    target: PatId,
    body: BlockId,
    otherwise: Option<BlockId>,
    label: Option<Name>,
    header: Span,
    keys: bool,
}

/// The parts of a loop with a test.
pub struct WhileLoop {
    /// The test before each turn.
    pub before: Option<ExprId>,
    body: BlockId,
    update: Option<BlockId>,
    after: Option<ExprId>,
    /// What runs when the test fails.
    pub otherwise: Option<BlockId>,
    label: Option<Name>,
    header: Span,
}

/// Hands ways out on to the block around.
pub fn pass_on(from: Exits, to: &mut Exits) {
    to.returns.extend(from.returns);
    to.raises.extend(from.raises);
    to.breaks.extend(from.breaks);
    to.continues.extend(from.continues);
}

/// A path on which the last turn happens `skipped` times more.
fn repeat_turns(mut state: State, place: crate::source::Place, turn: u32, skipped: u32) -> State {
    use super::state::Happening;
    let around = state.slots.len().saturating_sub(1);
    let outer = state.slots[..around].to_vec();
    let of_turn = |h: &Happening, turn: u32| {
        let slots = match h {
            Happening::Call { slots, .. } | Happening::Sleep { slots, .. } => slots,
        };
        slots.len() > around
            && slots[..around] == outer[..]
            && slots[around].place == place
            && slots[around].turn == turn
    };
    let last: Vec<Happening> = state.trace.to_vec().into_iter().filter(|h| of_turn(h, turn - 1)).collect();
    let limit = (MOST_REPEATED / last.len().max(1)) as u32;
    if skipped > limit {
        state.open.get_or_insert_with(|| Rc::from("there are too many turns to write them all down"));
    }
    for k in 0..skipped.min(limit) {
        for happening in &last {
            let mut copy = happening.clone();
            let slots = match &mut copy {
                Happening::Call { slots, .. } | Happening::Sleep { slots, .. } => slots,
            };
            let mut list = (**slots).clone();
            list[around].turn = turn + k;
            *slots = Rc::new(list);
            match &mut copy {
                Happening::Sleep { lo, .. } => state.clock += *lo,
                // For another element, it is other work.
                Happening::Call { work, about, .. } if about.iter().any(|(of, _)| *of == place) => {
                    let mut hasher = FxHasher::default();
                    (*work, turn + k).hash(&mut hasher);
                    *work = hasher.finish();
                }
                Happening::Call { .. } => {}
            }
            state.trace.push(copy);
        }
    }
    state
}
