//! Deadlines: functions of packages that cut off what they are handed after some time.

use super::compose::Composer;
use super::model::{Count, Failure, WaitKind, WaitRun, Waits};
use super::part::Part;
use super::variant::{VARIANTS, by_failure, worst_of};
use crate::ir::{Arg, CallKind, ExprId, ExprKind, File, Language, ParamKind, Pattern, Span, Stmt, VarId};
use crate::layers::limit::TimeLimit;
use crate::layers::machine::Outcome;
use crate::layers::val::{Error, ErrorClass, Val};
use crate::link::component::Target;
use crate::link::token::{CompId, Tok};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A limit in time around a call.
pub struct Deadline<'p> {
    /// Seconds, if known.
    pub seconds: Option<f64>,
    /// The error that says that time is up.
    pub raises: Option<&'p str>,
    /// What waits for the first of several futures goes on in another way then.
    pub races: bool,
    /// It goes on from turn to turn of the loop around: what is waited for was begun before.
    pub lasts: bool,
}

/// Futures of which the first one to be ready decides.
pub struct Race {
    /// All of it.
    span: Span,
    /// The futures, and what made them if that is somewhere else.
    futures: Vec<(ExprId, Option<ExprId>)>,
}

/// What a file waits for that is made somewhere else.
#[derive(Default)]
pub struct Waited {
    /// What is raced.
    races: Vec<Race>,
    /// What variables hold that are given a value once.
    values: FxHashMap<VarId, ExprId>,
}

/// What a file waits for.
pub type Races = Rc<Waited>;

impl Waited {
    /// What made a future that is kept in a variable.
    fn made(&self, file: &File, e: ExprId) -> Option<ExprId> {
        match file.expr(e).kind {
            ExprKind::Var(var) => self.values.get(&var).copied(),
            _ => None,
        }
    }
}

impl<'p> Composer<'p, '_, '_> {
    /// The deadline that calling something puts around what it is handed.
    pub(super) fn deadline_of(&mut self, callee: Tok, made: Tok) -> Option<Deadline<'p>> {
        let known = self.view.known(callee)?;
        let formula = known.callable.deadline.as_ref()?;
        let scope = self.machine.scope_of(callee, Some(made));
        let seconds = match self.machine.time_limit(Some(formula), &scope) {
            TimeLimit::Seconds(seconds) => Some(seconds),
            TimeLimit::Unknown if self.view.path(callee).contains("::") => None,
            TimeLimit::Unknown | TimeLimit::None => return None,
        };
        let raises = known.callable.may_raise.first().map(String::as_str);
        Some(Deadline { seconds, raises, races: false, lasts: false })
    }

    /// Deadlines around an expression in the function that holds it, innermost first, and whether it is a part of
    /// something that is started there and left alone.
    pub(super) fn deadlines(&mut self, at: CompId, expr: ExprId) -> (Vec<Deadline<'p>>, bool) {
        let file = self.view.file(at);
        let Some(inner) = file.exprs.get(expr.index()).map(|e| e.span) else { return (Vec::new(), false) };
        if file.language != Language::Rust {
            return (Vec::new(), false);
        }
        let mut found: Vec<(u32, Deadline<'p>)> = Vec::new();
        let waited = self.races_of(at);
        let is_around = |outer: Span| outer.start <= inner.start && inner.end <= outer.end;
        // `let work = send(…); timeout(limit, work).await`: nothing runs before somebody waits for it.
        let is_handed = |call: ExprId| {
            let ExprKind::Call { args, .. } = &file.expr(call).kind else { return false };
            args.iter().any(|arg| waited.made(file, arg.value()).is_some_and(|made| is_around(file.expr(made).span)))
        };
        // What is started and left alone: no deadline around that ends it.
        let mut started: Option<u32> = None;
        for call in self.view.all_calls(at) {
            let Some(outer) = file.exprs.get(call.expr.index()).map(|e| e.span) else { continue };
            if call.expr == expr || !(is_around(outer) || is_handed(call.expr)) {
                continue;
            }
            let alone = match call.target {
                Target::Comp(target) => self.leaves_alone(target, at, call.expr, inner),
                _ => self.is_left_alone(at, call.expr, call.callee),
            };
            if alone {
                let length = outer.end.abs_diff(outer.start.min(inner.start));
                started = Some(started.map_or(length, |known| known.min(length)));
            }
            let Target::External(made) = call.target else { continue };
            if let Some(deadline) = self.deadline_of(call.callee, made) {
                found.push((outer.end.abs_diff(outer.start.min(inner.start)), deadline));
            }
        }
        for race in &waited.races {
            if race.span.start > inner.start || race.span.end < inner.end {
                continue;
            }
            let holds = |future: &(ExprId, Option<ExprId>)| {
                let span = file.expr(future.0).span;
                span.start <= inner.start && inner.end <= span.end
            };
            if !race.futures.iter().any(holds) {
                continue;
            }
            for &(other, made) in race.futures.iter().filter(|e| !holds(e)) {
                if let Some(seconds) = self.sleeps(at, made.unwrap_or(other)) {
                    let length = race.span.end - race.span.start;
                    let lasts = made.is_some_and(|made| file.expr(made).span.end <= race.span.start);
                    found.push((length, Deadline { seconds: Some(seconds), raises: None, races: true, lasts }));
                }
            }
        }
        found.sort_by_key(|(length, _)| *length);
        found.retain(|(length, _)| started.is_none_or(|started| *length < started));
        (found.into_iter().map(|(_, deadline)| deadline).collect(), started.is_some())
    }

    /// Limits in time around the loops that hold a call, in its own function: `async with timeout(30): while True: …`.
    pub(super) fn limits_of_loops(&mut self, at: CompId, expr: ExprId) -> Vec<Deadline<'p>> {
        let file = self.view.file(at);
        let Some(inner) = file.exprs.get(expr.index()).map(|e| e.span) else { return Vec::new() };
        let within = |inner: Span, outer: Span| outer.start <= inner.start && inner.end <= outer.end;
        let around = |stmt: &Stmt, span: Span| matches!(stmt, Stmt::Loop { .. } | Stmt::ForEach { .. }).then_some(span);
        let all = || file.stmts.iter().zip(file.stmt_spans.iter().copied());
        let loops: Vec<Span> =
            all().filter_map(|(stmt, span)| around(stmt, span)).filter(|span| within(inner, *span)).collect();
        let mut found = Vec::new();
        for (stmt, span) in all() {
            let Stmt::With { items, .. } = stmt else { continue };
            // One that is set anew each turn is that of an attempt.
            let outside = within(inner, span)
                && loops.iter().any(|inside| within(*inside, span))
                && !loops.iter().any(|outer| within(span, *outer));
            if !outside {
                continue;
            }
            for &(item, _) in items {
                for call in self.view.calls(at, item) {
                    let Target::External(made) = call.target else { continue };
                    let raises = self.view.known(call.callee).is_some_and(|k| !k.callable.may_raise.is_empty());
                    if let Some(deadline) = self.deadline_of(call.callee, made) {
                        found.push(Deadline { races: !raises, lasts: true, ..deadline });
                    }
                }
            }
        }
        found
    }

    /// Whether a call starts what it is handed, and nobody has what it gives.
    pub(super) fn is_left_alone(&self, at: CompId, call: ExprId, callee: Tok) -> bool {
        let starts =
            |callee: Tok| self.view.known(callee).is_some_and(|k| k.callable.calls.iter().any(|c| c.how == "later"));
        starts(callee) && super::in_place::is_statement(self.view.file(at), call)
    }

    /// Whether a function of the program does so with the argument that holds something.
    fn leaves_alone(&self, target: CompId, at: CompId, call: ExprId, inner: Span) -> bool {
        let file = self.view.file(at);
        let ExprKind::Call { args, .. } = &file.expr(call).kind else { return false };
        let holds = |arg: &Arg| {
            let span = file.expr(arg.value()).span;
            span.start <= inner.start && inner.end <= span.end
        };
        let Some(position) = args.iter().position(holds) else { return false };
        let (function, own) = (self.view.function(target), self.view.file(target));
        let receivers = function.params.iter().take_while(|p| p.kind == ParamKind::Receiver).count();
        let Some(param) = function.params.get(position + receivers) else { return false };
        let Pattern::Bind(var) = *own.pattern(param.pattern) else { return false };
        self.view.all_calls(target).iter().any(|record| {
            let is_param = |arg: &Arg| matches!(own.expr(arg.value()).kind, ExprKind::Var(v) if v == var);
            matches!(&own.expr(record.expr).kind, ExprKind::Call { args, .. } if args.iter().any(is_param))
                && self.is_left_alone(target, record.expr, record.callee)
        })
    }

    /// The races of a component's file: `match` statements on a macro call over futures.
    fn races_of(&mut self, at: CompId) -> Races {
        let key = self.view.func(at).file;
        if let Some(known) = self.races.get(&key) {
            return known.clone();
        }
        let file = self.view.file(at);
        let mut values: FxHashMap<VarId, ExprId> = FxHashMap::default();
        let mut again: Vec<VarId> = Vec::new();
        let mut races = Vec::new();
        for stmt in &file.stmts {
            match stmt {
                Stmt::Assign { targets, value: Some(value), .. } => {
                    if let [target] = targets.as_slice()
                        && let Pattern::Bind(var) = *file.pattern(*target)
                    {
                        again.extend(values.insert(var, *value).map(|_| var));
                    }
                }
                Stmt::Match { subject, .. } => {
                    if let ExprKind::Call { args, kind: CallKind::Macro, .. } = &file.expr(*subject).kind {
                        races.push((file.expr(*subject).span, args));
                    }
                }
                _ => {}
            }
        }
        let value_of = |e: ExprId| match file.expr(e).kind {
            ExprKind::Var(var) => values.get(&var).copied(),
            _ => None,
        };
        let future = |arg: &Arg| value_of(arg.value()).map(|future| (future, value_of(future)));
        let races =
            races.into_iter().map(|(span, args)| Race { span, futures: args.iter().filter_map(future).collect() });
        let races = races.collect();
        again.into_iter().for_each(|var| _ = values.remove(&var));
        let races: Races = Rc::new(Waited { races, values });
        self.races.insert(key, races.clone());
        races
    }

    /// How long an expression waits, if that is all that it does.
    fn sleeps(&mut self, at: CompId, e: ExprId) -> Option<f64> {
        let calls = self.view.calls(at, e);
        let (callee, made, formula) = calls.iter().find_map(|call| {
            let Target::External(made) = call.target else { return None };
            let known = self.view.known(call.callee)?;
            Some((call.callee, made, known.callable.sleep.as_ref()?))
        })?;
        let scope = self.machine.scope_of(callee, Some(made));
        self.machine.formula_num(formula, &scope).map(|n| n.hi).filter(|s| s.is_finite())
    }

    /// Cuts a chain off after a time: so many attempts fit into it, and what hangs ends with it.
    pub(super) fn cut_off(&self, part: &mut Part, deadline: &Deadline) {
        if part.detached {
            return;
        }
        let limit = deadline.seconds;
        let elapsed = Outcome::Raise(Rc::new(Error {
            class: deadline.raises.map_or(ErrorClass::Unknown, |c| ErrorClass::Known(Rc::from(c))),
            status: None,
            fields: Vec::new(),
            token: None,
            injected: true,
            class_of_failure: Some(Failure::Timeout as u8),
            inherits: Default::default(),
        }));
        // An attempt that hangs takes as long as it may.
        let hangs = part.call.timeout.filter(|t| *t > 0.0);
        let mut each: Vec<f64> = VARIANTS
            .iter()
            .map(|variant| hangs.filter(|_| variant.failure == Failure::Timeout).unwrap_or(0.0))
            .collect();
        // What all of it takes at most, if that is known.
        let mut longest = hangs.unwrap_or(f64::INFINITY);
        for layer in part.layers.iter_mut().rev() {
            if layer.counts.iter().all(|c| *c == Count::ONE) {
                continue;
            }
            for (i, count) in layer.counts.iter_mut().enumerate() {
                if *count == Count::ONE {
                    continue;
                }
                if VARIANTS[i].failure == Failure::Timeout {
                    longest = lasts(*count, longest, &layer.layer.waits);
                }
                let fits = match limit {
                    Some(limit) => started_within(*count, &layer.layer.waits, limit, each[i]),
                    // What never comes back by itself is cut off in its first attempt, whenever that is.
                    None if each[i].is_infinite() => Count::ONE,
                    None => TimeLimit::Unknown.cut(*count, &layer.layer.waits),
                };
                if fits != *count && !deadline.races && !part.outcomes[i].contains(&elapsed) {
                    part.outcomes[i].push(elapsed.clone());
                }
                *count = fits;
                if let Count::Exact(n) | Count::Time(Some(n)) = fits {
                    each[i] *= n as f64;
                }
            }
            layer.layer.attempts = worst_of(&layer.counts);
            layer.layer.by_failure = by_failure(&layer.counts);
            layer.layer.limit = match (layer.layer.limit, limit) {
                (Some(old), Some(new)) => Some(old.min(new)),
                (old, new) => old.or(new),
            };
        }
        for (variant, outcomes) in VARIANTS.iter().zip(&mut part.outcomes) {
            let hangs = variant.failure == Failure::Timeout && limit.is_none_or(|limit| longest >= limit);
            if !deadline.races && (hangs || outcomes.is_empty()) {
                *outcomes = vec![elapsed.clone()];
            }
        }
        let shorter = match limit {
            Some(limit) => part.call.timeout.is_none_or(|t| t > limit),
            None => part.call.timeout.is_some_and(f64::is_infinite),
        };
        if shorter {
            let mut call = (*part.call).clone();
            call.timeout = limit;
            call.timeout_written = true;
            part.call = Rc::new(call);
        }
    }

    /// The outcomes of what is cut off, as whoever set the deadline sees them.
    pub(super) fn seen_from_outside(&self, part: &mut Part, deadline: &Deadline) {
        for outcomes in &mut part.outcomes {
            for outcome in outcomes {
                *outcome = match outcome {
                    Outcome::Raise(e) if is_elapsed(e, deadline) => continue,
                    Outcome::Raise(e) => Outcome::Value(Val::Good(Box::new(Val::Fail(e.clone())))),
                    Outcome::Value(Val::Unknown) => continue,
                    Outcome::Value(v) => Outcome::Value(Val::Good(Box::new(v.clone()))),
                };
            }
        }
    }
}

fn is_elapsed(error: &Error, deadline: &Deadline) -> bool {
    matches!((&error.class, deadline.raises), (ErrorClass::Known(class), Some(own)) if **class == *own)
}

/// How long so many attempts take at most, if each takes so long.
fn lasts(attempts: Count, each: f64, waits: &Waits) -> f64 {
    let (Count::Exact(n) | Count::Time(Some(n))) = attempts else { return f64::INFINITY };
    if waits.kind == WaitKind::Unknown {
        return f64::INFINITY;
    }
    n as f64 * each + waits.runs.iter().map(|run| run.longest * run.times as f64).sum::<f64>()
}

/// The attempts that start before a limit, if every one fails after so long and waits are the shortest.
fn started_within(attempts: Count, waits: &Waits, limit: f64, each: f64) -> Count {
    let mut elapsed = 0.0;
    let mut made: u64 = 1;
    let at_once = [WaitRun { shortest: 0.0, longest: 0.0, random: false, times: 1 }];
    let runs = if waits.runs.is_empty() && each > 0.0 { &at_once[..] } else { &waits.runs[..] };
    for (i, run) in runs.iter().enumerate() {
        let last = i + 1 == runs.len();
        let step = run.shortest.max(0.0) + each;
        if step <= 0.0 {
            if last {
                return if let Count::Exact(n) = attempts { Count::Exact(n) } else { Count::Time(None) };
            }
            made += run.times;
            continue;
        }
        let left: f64 = limit - elapsed;
        let fitting = ((left / step).ceil() - 1.0).max(0.0) as u64;
        let fitting = if last { fitting } else { fitting.min(run.times) };
        made += fitting;
        elapsed += fitting as f64 * step;
        if !last && fitting < run.times {
            break;
        }
    }
    match attempts {
        Count::Exact(n) if n <= made || runs.is_empty() => Count::Exact(n),
        _ if runs.is_empty() => Count::Time(None),
        _ if made == 1 => Count::ONE,
        _ => Count::Time(Some(made)),
    }
}
