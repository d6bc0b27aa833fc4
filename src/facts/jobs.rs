//! Jobs with several steps (counting.md, 4): what a queue's retry begins anew, step by step.

use super::effects::is_what_is_sent;
use super::ground::{Deeds, Ground};
use super::guards::{Guard, guard_of, stores_between};
use super::length::length;
use super::regions::Region;
use super::words;
use crate::chains::Failure;
use crate::chains::compose::Composer;
use crate::chains::part::{Part, PartLayer};
use crate::chains::variant::VARIANTS;
use crate::chains::{Count, Job, JobStep, LayerKind};
use crate::ir::*;
use crate::layers::relevant::children;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::token::CompId;
use crate::source::Place;
use rustc_hash::FxHashSet;

/// Helpers are followed so deep.
const DEPTH: usize = 12;
/// A job has at most so many steps.
const STEPS: usize = 64;
/// Statements nest at most so deep.
const NESTING: usize = 120;

/// The jobs that a layer runs again.
pub fn jobs<'p, 's, 'v>(ground: &Ground<'p, 's, 'v>, composer: &Composer<'p, 's, 'v>, regions: &[Region]) -> Vec<Job> {
    let mut list: Vec<Job> = Vec::new();
    let mut seen: FxHashSet<(Place, CompId)> = FxHashSet::default();
    for region in regions.iter().filter(|r| r.layer.kind.is_job()) {
        if !seen.insert((region.layer.place, region.comp)) {
            continue;
        }
        let mut steps = Steps { ground, composer, open: Vec::new(), layers: layer_places(regions) };
        let found = steps.of_function(region.comp, 0);
        let function = ground.view.function(region.comp);
        let job = Job {
            function: ground.view.name(region.comp),
            place: ground.view.place(region.comp, function.name_span),
            layer: region.layer.clone(),
            steps: finish(found),
        };
        // The same function under the same layer, in another context: the one with more to lose counts.
        match list.iter_mut().find(|j| j.place == job.place && j.layer.place == job.layer.place) {
            Some(old) if weight(&job.steps) > weight(&old.steps) => *old = job,
            Some(_) => {}
            None => list.push(job),
        }
    }
    list.sort_by(|a, b| (a.place, a.layer.place, &a.function).cmp(&(b.place, b.layer.place, &b.function)));
    list
}

fn layer_places(regions: &[Region]) -> FxHashSet<(u32, StmtId)> {
    regions.iter().filter_map(|r| Some((super::regions::written(&r.layer).file.0, r.turns?))).collect()
}

fn weight(steps: &[JobStep]) -> u64 {
    steps.iter().filter(|s| !s.guarded).fold(0, |sum, s| sum.saturating_add(s.worst.at_least().saturating_add(1)))
}

/// Storing a result is how a step is finished, no step of its own: writes at the end leave the list.
fn finish(mut steps: Vec<JobStep>) -> Vec<JobStep> {
    while steps.last().is_some_and(|s| s.effect.as_deref() == Some("write") && s.worst == Count::Exact(0)) {
        steps.pop();
    }
    steps
}

struct Steps<'g, 'c, 'p, 's, 'v> {
    ground: &'g Ground<'p, 's, 'v>,
    composer: &'c Composer<'p, 's, 'v>,
    /// Components being followed.
    open: Vec<CompId>,
    /// Loops that are layers.
    layers: FxHashSet<(u32, StmtId)>,
}

/// A step with where it stands in the function that is followed.
struct Found {
    step: JobStep,
    /// The call in that function.
    call: ExprId,
}

impl Steps<'_, '_, '_, '_, '_> {
    /// The steps of a component's function, in order.
    fn of_function(&mut self, comp: CompId, depth: usize) -> Vec<JobStep> {
        if depth > DEPTH || self.open.contains(&comp) {
            return Vec::new();
        }
        self.open.push(comp);
        let body = self.ground.view.function(comp).body;
        let mut found = Vec::new();
        self.block(comp, body, depth, 0, &mut found);
        self.open.pop();
        found.truncate(STEPS);
        self.guard(comp, &mut found);
        found.into_iter().map(|f| f.step).collect()
    }

    /// Marks the steps that a stored result or a claim keeps from being done over.
    fn guard(&self, comp: CompId, found: &mut [Found]) {
        let file = self.ground.file(comp);
        let guards: Vec<Guard> = found.iter().map(|f| guard_of(self.ground, comp, f.call)).collect();
        for i in 0..found.len() {
            let guarded = match guards[i] {
                Guard::None => false,
                Guard::Claim => true,
                Guard::Lookup(_) => {
                    // One look-up before several steps says that all are done, not each.
                    let shared = guards.iter().zip(found.iter()).filter(|(g, f)| {
                        **g == guards[i] && (f.call, f.step.place) != (found[i].call, found[i].step.place)
                    });
                    let alone = shared.count() == 0;
                    let from = file.expr(found[i].call).span.start;
                    let next = found.iter().map(|f| file.expr(f.call).span.start).filter(|s| *s > from).min();
                    alone && stores_between(self.ground, comp, from, next.unwrap_or(u32::MAX))
                }
            };
            found[i].step.guarded |= guarded;
        }
    }

    fn block(&mut self, comp: CompId, block: BlockId, depth: usize, nesting: usize, out: &mut Vec<Found>) -> bool {
        if nesting > NESTING {
            return false;
        }
        let file = self.ground.file(comp);
        let list = file.block(block);
        for (i, &stmt) in list.iter().enumerate() {
            let nesting = nesting + 1;
            match file.stmt(stmt) {
                Stmt::Expr(e) | Stmt::Assert(e) | Stmt::Break(_, Some(e)) => self.expr(comp, *e, depth, nesting, out),
                Stmt::Assign { value, .. } => self.maybe(comp, *value, depth, nesting, out),
                Stmt::Return(value) => {
                    self.maybe(comp, *value, depth, nesting, out);
                    return true;
                }
                Stmt::Raise { error, .. } => {
                    self.maybe(comp, *error, depth, nesting, out);
                    return true;
                }
                Stmt::If { test, then, otherwise } => {
                    self.expr(comp, *test, depth, nesting, out);
                    let (mut a, mut b) = (Vec::new(), Vec::new());
                    let a_leaves = self.block(comp, *then, depth, nesting, &mut a);
                    let b_leaves = otherwise.is_some_and(|o| self.block(comp, o, depth, nesting, &mut b));
                    // What leaves excludes the rest: the heavier way counts.
                    if (a_leaves && !a.is_empty()) || (b_leaves && !b.is_empty()) {
                        let rest_of = if a_leaves { &mut b } else { &mut a };
                        let left = self.rest(comp, &list[i + 1..], depth, nesting, rest_of);
                        out.extend(heavier(a, b));
                        return left;
                    }
                    out.extend(heavier(a, b));
                    if a_leaves && b_leaves {
                        return true;
                    }
                }
                Stmt::ForEach { iter, body, .. } => {
                    self.expr(comp, *iter, depth, nesting, out);
                    let mut turn = Vec::new();
                    self.block(comp, *body, depth, nesting, &mut turn);
                    let times = self.turns(comp, stmt, *iter);
                    repeat(turn, times, out);
                }
                Stmt::Loop { before, body, update, after, .. } => {
                    let mut turn = Vec::new();
                    self.maybe(comp, *before, depth, nesting, &mut turn);
                    self.block(comp, *body, depth, nesting, &mut turn);
                    if let Some(update) = update {
                        self.block(comp, *update, depth, nesting, &mut turn);
                    }
                    self.maybe(comp, *after, depth, nesting, &mut turn);
                    let is_layer = self.layers.contains(&(self.ground.view.func(comp).file, stmt));
                    repeat(turn, if is_layer { Times::Once } else { Times::Many }, out);
                }
                Stmt::Try { body, handlers, otherwise, finally } => {
                    let mut main = Vec::new();
                    let left = self.block(comp, *body, depth, nesting, &mut main);
                    if let Some(block) = otherwise {
                        self.block(comp, *block, depth, nesting, &mut main);
                    }
                    // A handler does the work another way; only where the body has none it is a step.
                    if main.is_empty() {
                        for handler in handlers {
                            let mut other = Vec::new();
                            self.block(comp, handler.body, depth, nesting, &mut other);
                            main = heavier(main, other);
                        }
                    }
                    out.extend(main);
                    if let Some(block) = finally {
                        self.block(comp, *block, depth, nesting, out);
                    }
                    if left && handlers.is_empty() {
                        return true;
                    }
                }
                Stmt::With { items, body, .. } => {
                    for (e, _) in items {
                        self.expr(comp, *e, depth, nesting, out);
                    }
                    if self.block(comp, *body, depth, nesting, out) {
                        return true;
                    }
                }
                Stmt::Match { subject, arms, .. } => {
                    self.expr(comp, *subject, depth, nesting, out);
                    let mut best = Vec::new();
                    for arm in arms {
                        let mut way = Vec::new();
                        self.block(comp, arm.body, depth, nesting, &mut way);
                        best = heavier(best, way);
                    }
                    out.extend(best);
                }
                Stmt::Block(block, _) => {
                    if self.block(comp, *block, depth, nesting, out) {
                        return true;
                    }
                }
                Stmt::Continue(_) | Stmt::Break(_, None) => return true,
                _ => {}
            }
        }
        false
    }

    /// The statements after one that may leave.
    fn rest(&mut self, comp: CompId, list: &[StmtId], depth: usize, nesting: usize, out: &mut Vec<Found>) -> bool {
        let file = self.ground.file(comp);
        for &stmt in list {
            // Each on its own: the list is the end of a block.
            match file.stmt(stmt) {
                Stmt::Return(value) => {
                    self.maybe(comp, *value, depth, nesting, out);
                    return true;
                }
                Stmt::Expr(e) => self.expr(comp, *e, depth, nesting, out),
                Stmt::Assign { value, .. } => self.maybe(comp, *value, depth, nesting, out),
                Stmt::If { test, then, otherwise } => {
                    self.expr(comp, *test, depth, nesting, out);
                    let (mut a, mut b) = (Vec::new(), Vec::new());
                    self.block(comp, *then, depth, nesting + 1, &mut a);
                    if let Some(otherwise) = otherwise {
                        self.block(comp, *otherwise, depth, nesting + 1, &mut b);
                    }
                    out.extend(heavier(a, b));
                }
                Stmt::Try { body, .. } | Stmt::With { body, .. } | Stmt::Block(body, _) => {
                    self.block(comp, *body, depth, nesting + 1, out);
                }
                Stmt::ForEach { iter, body, .. } => {
                    let mut turn = Vec::new();
                    self.block(comp, *body, depth, nesting + 1, &mut turn);
                    let times = self.turns(comp, stmt, *iter);
                    repeat(turn, times, out);
                }
                _ => {}
            }
        }
        false
    }

    fn maybe(&mut self, comp: CompId, e: Option<ExprId>, depth: usize, nesting: usize, out: &mut Vec<Found>) {
        if let Some(e) = e {
            self.expr(comp, e, depth, nesting, out);
        }
    }

    /// The steps of an expression, inner calls before outer ones.
    fn expr(&mut self, comp: CompId, e: ExprId, depth: usize, nesting: usize, out: &mut Vec<Found>) {
        let file = self.ground.file(comp);
        let mut stack = vec![(e, false)];
        while let Some((e, done)) = stack.pop() {
            if done {
                if matches!(file.expr(e).kind, ExprKind::Call { .. }) {
                    self.call(comp, e, depth, out);
                }
                continue;
            }
            match &file.expr(e).kind {
                ExprKind::Block { block, result } => {
                    self.block(comp, *block, depth, nesting + 1, out);
                    stack.extend(result.map(|r| (r, false)));
                }
                ExprKind::Conditional { test, then, otherwise } => {
                    self.expr(comp, *test, depth, nesting + 1, out);
                    let (mut a, mut b) = (Vec::new(), Vec::new());
                    if nesting < NESTING {
                        self.expr(comp, *then, depth, nesting + 1, &mut a);
                        self.expr(comp, *otherwise, depth, nesting + 1, &mut b);
                    }
                    out.extend(heavier(a, b));
                }
                ExprKind::Comprehension { clauses, element, key, .. } => {
                    let mut turn = Vec::new();
                    for part in key.iter().chain([element]) {
                        if nesting < NESTING {
                            self.expr(comp, *part, depth, nesting + 1, &mut turn);
                        }
                    }
                    let times = clauses.first().map_or(Times::Many, |c| self.length(comp, c.iter));
                    repeat(turn, times, out);
                }
                _ => {
                    stack.push((e, true));
                    let mut parts = Vec::new();
                    children(file, e, &mut parts);
                    stack.extend(parts.into_iter().rev().map(|p| (p, false)));
                }
            }
        }
    }

    fn call(&mut self, comp: CompId, e: ExprId, depth: usize, out: &mut Vec<Found>) {
        let ground = self.ground;
        let records = ground.view.calls(comp, e);
        let place = ground.view.call_place(comp, e);
        let mut direct = Deeds::default();
        let mut own: Option<CallRecord> = None;
        let mut sends = false;
        for record in records {
            match record.target {
                Target::Comp(target) if record.via != Via::Decorate && !ground.is_elsewhere(comp, record) => {
                    let deeds = ground.of_comp(target);
                    if deeds.any(Deeds::SENDS.and(Deeds::EFFECTS)) && own.is_none() {
                        own = Some(*record);
                    }
                }
                Target::External(_) => {
                    direct = direct.and(ground.direct(comp, record));
                    sends |= self.composer.outbound(record.callee).is_some();
                }
                _ => {}
            }
        }
        let effect = direct.effect().map(str::to_string);
        let what = self.what(comp, e);
        if direct.any(Deeds::MEMO) || (own.is_some() && words::is_memo(ground.callee_text(comp, e))) {
            if own.is_some() || effect.is_some() {
                let worst =
                    own.and_then(|r| worst_below(self.ground, self.composer, comp, e, &r)).unwrap_or(Count::Exact(0));
                out.push(Found { step: JobStep { place, what, worst, guarded: true, effect: None }, call: e });
            }
            return;
        }
        if sends {
            let worst = records
                .iter()
                .find(|r| matches!(r.target, Target::External(_)))
                .and_then(|r| worst_below(self.ground, self.composer, comp, e, r));
            let worst = worst.unwrap_or(Count::ONE);
            let mut effect = effect;
            // `client.send(new PublishCommand(…))` is one step.
            while let Some(made) = out.pop_if(|last| is_what_is_sent(ground, Some((comp, e)), comp, last.call)) {
                effect = effect.or(made.step.effect);
            }
            out.push(Found { step: JobStep { place, what, worst, guarded: false, effect }, call: e });
            return;
        }
        let Some(record) = own else {
            if let Some(effect) = effect {
                let step = JobStep { place, what, worst: Count::Exact(0), guarded: false, effect: Some(effect) };
                out.push(Found { step, call: e });
            }
            return;
        };
        let Target::Comp(target) = record.target else { return };
        let inner = self.of_function(target, depth + 1);
        let worst = worst_below(self.ground, self.composer, comp, e, &record);
        match inner.len() {
            0 => {
                // Its steps are in what it calls in circles, or beyond the depth.
                if let Some(worst) = worst {
                    out.push(Found { step: JobStep { place, what, worst, guarded: false, effect: None }, call: e });
                }
            }
            1 => {
                let step =
                    inner.into_iter().next().map(|s| JobStep { place, what, worst: worst.unwrap_or(s.worst), ..s });
                out.extend(step.map(|step| Found { step, call: e }));
            }
            _ => {
                let alone: Count = inner.iter().map(|s| s.worst).reduce(Count::larger).unwrap_or(Count::ONE);
                let layered = worst.is_some_and(|w| w.larger(alone) != alone);
                if layered {
                    // A layer around several steps: to the job they are one.
                    let effect = inner.iter().find_map(|s| s.effect.clone());
                    let guarded = inner.iter().all(|s| s.guarded);
                    let worst = worst.unwrap_or(alone);
                    out.push(Found { step: JobStep { place, what, worst, guarded, effect }, call: e });
                } else {
                    out.extend(inner.into_iter().map(|step| Found { step, call: e }));
                }
            }
        }
    }

    fn turns(&mut self, comp: CompId, stmt: StmtId, iter: ExprId) -> Times {
        if self.layers.contains(&(self.ground.view.func(comp).file, stmt)) {
            return Times::Once;
        }
        self.length(comp, iter)
    }

    /// How many elements something has that is gone over.
    fn length(&mut self, comp: CompId, iter: ExprId) -> Times {
        match length(self.ground, comp, iter) {
            Some(n) => Times::Exactly(n),
            None => Times::Many,
        }
    }

    fn what(&self, comp: CompId, e: ExprId) -> String {
        let text = self.ground.callee_text(comp, e);
        let flat: String = text.split_whitespace().collect();
        if flat.chars().count() > 60 { flat.chars().take(59).collect::<String>() + "…" } else { flat }
    }
}

/// The chains of a component that begin with a call.
pub fn parts_at<'c>(
    ground: &Ground,
    composer: &'c Composer,
    comp: CompId,
    e: ExprId,
    record: &CallRecord,
) -> Vec<&'c Part> {
    let Some(key) = composer.machine.key_of(comp, e, record) else { return Vec::new() };
    let same = |other: &(CompId, ExprId)| {
        *other == (comp, e)
            || ground
                .view
                .calls(other.0, other.1)
                .iter()
                .any(|r| composer.machine.key_of(other.0, other.1, r).is_some_and(|k| k == key))
    };
    composer.parts[comp.0 as usize].iter().filter(|p| p.path.first().is_some_and(&same)).collect()
}

/// The largest product of the layers from a call downwards, by its worst class of failure.
pub fn worst_below(
    ground: &Ground,
    composer: &Composer,
    comp: CompId,
    e: ExprId,
    record: &CallRecord,
) -> Option<Count> {
    parts_at(ground, composer, comp, e, record).into_iter().map(product).reduce(Count::larger)
}

/// The product of a chain's layers for failures that may pass: a refused request is none that a crowd makes worse.
fn passing(part: &Part) -> Count {
    VARIANTS
        .iter()
        .enumerate()
        .filter(|(_, variant)| !matches!(variant.failure, Failure::Permanent | Failure::Answer))
        .map(|(i, _)| Count::product(part.layers.iter().map(|l| l.counts[i])))
        .reduce(Count::larger)
        .unwrap_or(Count::ONE)
}

/// What one element comes to: a function that calls itself with what it has found does not do the element over.
pub fn passing_below(part: &Part) -> Count {
    let calls_itself =
        |l: &PartLayer| l.stands.own && l.layer.kind == LayerKind::Recursion && l.stands.below + 1 == part.path.len();
    if !part.layers.iter().any(calls_itself) {
        return passing(part);
    }
    let layers = part.layers.iter().filter(|l| !calls_itself(l)).cloned().collect();
    passing(&Part { layers, ..part.clone() })
}

/// The product of a chain's layers, by its worst class of failure.
pub fn product(part: &Part) -> Count {
    (0..VARIANTS.len())
        .map(|i| Count::product(part.layers.iter().map(|l| l.counts[i])))
        .reduce(Count::larger)
        .unwrap_or(Count::ONE)
}

enum Times {
    Once,
    Exactly(u64),
    Many,
}

/// The steps of a loop's turns, one after the other. Of an unknown number of turns two stand for all, the first
/// for those that are finished.
fn repeat(turn: Vec<Found>, times: Times, out: &mut Vec<Found>) {
    match times {
        Times::Once | Times::Exactly(1) => out.extend(turn),
        Times::Exactly(0) => {}
        Times::Exactly(n) => {
            for _ in 0..n.min(STEPS as u64) {
                out.extend(turn.iter().map(Found::again));
            }
        }
        Times::Many => {
            out.extend(turn.iter().map(|f| {
                let mut first = f.again();
                if f.step.worst != Count::Exact(0) {
                    first.step.worst = Count::Unknown(f.step.worst.at_least());
                }
                first
            }));
            out.extend(turn);
        }
    }
}

impl Found {
    fn again(&self) -> Found {
        Found { step: self.step.clone(), call: self.call }
    }
}

/// The way with more to lose.
fn heavier(a: Vec<Found>, b: Vec<Found>) -> Vec<Found> {
    let weigh = |list: &[Found]| (list.iter().fold(0u64, |s, f| s.saturating_add(f.step.worst.at_least())), list.len());
    if weigh(&b) > weigh(&a) { b } else { a }
}
