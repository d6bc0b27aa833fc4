//! One unit under one fault: runs it, and reads the layers off what happened: how often the failing callee
//! was executed in each loop, recursion or row of calls, with the waits between.

use super::about::only_for_items;
use super::asked::Question;
use super::events::{Event, events_all, events_of, from_the_first_level, turns_of};
use super::indifferent::Shortest;
use super::machine::{CalleeKey, End, Machine, NEVER, Outcome, Plan};
use super::policy::{no_waits, push_run};
use super::state::{Happening, Slot, State};
use super::val::Val;
use crate::chains::{Count, LayerKind, WaitKind, WaitRun, Waits};
use crate::ir::{ExprId, Language};
use crate::link::component::{CallRecord, Target, Via};
use crate::link::token::CompId;
use crate::source::Place;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A layer that the code itself is.
#[derive(Clone, Debug)]
pub struct OwnLayer {
    /// The loop's header, the recursive call, or the second of several calls.
    pub place: Place,
    /// Loop or recursion.
    pub kind: LayerKind,
    /// Executions.
    pub count: Count,
    /// Waits between them.
    pub waits: Waits,
    /// Why the count is not known.
    pub reason: Option<String>,
    /// It looked at a status.
    pub by_status: bool,
    /// The handler that lets it go on.
    pub decides: Option<Place>,
    /// No loop: the call stands there once more.
    pub in_a_row: bool,
}

/// What one unit makes of one outcome of one callee.
#[derive(Clone, Debug, Default)]
pub struct UnitResult {
    /// Layers around the callee, outermost first.
    pub layers: Vec<OwnLayer>,
    /// How the unit can end, for who calls it.
    pub outcomes: Vec<Outcome>,
    /// The same, with what its errors have from the failure.
    pub ends: Vec<Outcome>,
    /// The callee was executed at all.
    pub reached: bool,
    /// The work was cut.
    pub cut: bool,
    /// It was left where it stood, for want of steps.
    pub exhausted: bool,
    /// What failed was looked into: another failure may end otherwise.
    pub looked: bool,
    /// What the failure was asked: another one with the same answers ends alike.
    pub asked: Rc<[Question]>,
    /// It was not run: it is what another failure came to, with this one in its place.
    pub inferred: bool,
    /// The first call expression executed.
    pub site: Option<(CompId, ExprId)>,
}

/// Whether nothing is known of what a call gave, but that it gave something.
fn is_open(value: &Val) -> bool {
    match value {
        Val::Good(inner) => is_open(inner),
        value => *value == Val::Unknown,
    }
}

impl<'p> Machine<'p, '_, '_> {
    /// Runs a unit from `comp` with a failing callee.
    pub fn unit(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        outcome: &Outcome,
        unit: &Rc<FxHashSet<CompId>>,
    ) -> UnitResult {
        self.looked.set(false);
        self.asked.borrow_mut().clear();
        let result = self.unit_under(comp, key, outcome, unit);
        UnitResult { looked: self.looked.get(), asked: Rc::from(self.asked.take()), ..result }
    }

    fn unit_under(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        outcome: &Outcome,
        unit: &Rc<FxHashSet<CompId>>,
    ) -> UnitResult {
        self.cut = false;
        let language = self.view.file(comp).language;
        let plan = Plan { key: Some(key.clone()), outcome: outcome.clone(), unit: unit.clone() };
        let mut ends = self.run(comp, plan.clone());
        // What stays is let go where nobody can say what a test of it comes to.
        let let_go = self.guessed && super::guesses::stays(outcome);
        if let_go {
            self.fewest = true;
            ends = self.run(comp, plan.clone());
            self.fewest = false;
        }
        let exhausted = self.steps == 0;
        let guessed = self.guessed;
        let endless = self.endless.clone();
        let (reads_header, by_status, cut, decided) = (self.reads_header, self.by_status, self.cut, self.decided);
        let deciders = std::mem::take(&mut self.deciders);
        let mut result = UnitResult { cut, exhausted, ..UnitResult::default() };
        // What ends the unit on the paths on which the callee was executed.
        for (state, end) in &ends {
            if state.calls() == 0 {
                continue;
            }
            result.reached = true;
            let outcome = match end {
                // A failure that is handed back as a value: a rejected promise, an `Err`.
                End::Return(Val::Fail(error)) => Outcome::Raise(error.clone()),
                End::Return(value) => Outcome::Value(self.packed(state, value, &result.outcomes)),
                End::Raise(error) if error.class_of_failure == Some(NEVER) => continue,
                End::Raise(error) => Outcome::Raise(error.clone()),
            };
            if !result.outcomes.contains(&outcome) && result.outcomes.len() < 12 {
                result.outcomes.push(outcome);
            }
        }
        let is_endless = |end: &End| matches!(end, End::Raise(e) if e.class_of_failure == Some(NEVER));
        let ranked = |(s, end): &&(State, End)| (is_endless(end) && s.calls() > 0, s.calls());
        let worst = match let_go {
            true => ends.iter().filter(|(s, _)| s.calls() > 0).min_by_key(ranked),
            false => ends.iter().max_by_key(ranked),
        };
        let Some((state, end)) = worst else { return result };
        let trace = state.trace.to_vec();
        let events = from_the_first_level(events_of(&trace));
        result.site = events.first().map(|e| e.site);
        let never = is_endless(end);
        let mut places: Vec<Place> = Vec::new();
        for event in &events {
            for slot in event.slots.iter() {
                if !places.contains(&slot.place) {
                    places.push(slot.place);
                }
            }
        }
        let retries = events.len() > 1 || (never && !events.is_empty());
        if !retries {
            return result;
        }
        let mut layers = Vec::new();
        self.row_places.clear();
        self.decompose(&events, 0, &trace, &mut layers);
        if matches!(outcome, Outcome::Value(value) if is_open(value)) {
            // As far as anybody knows, the first call went well: what is called once more after it repeats no failure.
            self.row_places.clear();
        }
        // Loops that a failure leaves as well, if nobody knows what decides.
        // (Of paths that go on alike, the longest was kept; where the loop has no end, it is the shortest that tells.)
        let shortest = match never && !guessed && language == Language::Rust {
            true => self.shortest(comp, plan),
            false => Shortest { ends: ends.clone(), endless: endless.clone() },
        };
        let left: Vec<Place> = places
            .iter()
            .copied()
            .filter(|&place| {
                shortest.ends.iter().any(|(s, end)| {
                    matches!(end, End::Return(value) if !matches!(value, Val::Fail(_)))
                        && s.calls() > 0
                        && turns_of(s, place) == 1
                        && !self.ran_out(s, place)
                })
            })
            .collect();
        let mut real = self.retry_loops(comp, key, unit, (&places, result.site), outcome, &left);
        if never && !guessed && language == Language::Rust && self.goes_on_alike(comp, key, unit, outcome, &shortest) {
            real.clear();
        }
        real.retain(|&place| {
            !endless.iter().any(|(p, _)| *p == place) || !self.is_main_loop(comp, key, unit, outcome, place)
        });
        let counted = if state.timed { self.without_time(comp, key, unit, outcome) } else { Vec::new() };
        for layer in &mut layers {
            let timed = endless.iter().any(|(place, timed)| *place == layer.place && *timed);
            if never && endless.iter().any(|(place, _)| *place == layer.place) {
                layer.count = if timed { Count::Time(None) } else { Count::Unbounded };
            } else if state.timed
                && let Count::Exact(n) = layer.count
                && !counted.contains(&(layer.place, layer.count))
            {
                layer.count = Count::Time(Some(n));
            }
            if let (Count::Exact(n), Some(why)) = (layer.count, &state.open) {
                layer.count = Count::Unknown(n.min(1));
                layer.reason = Some(self.why(why));
            }
            if let (Count::Exact(n) | Count::Time(Some(n)), true) = (layer.count, exhausted) {
                layer.count = Count::Unknown(n);
                layer.reason = Some("there are too many ways to go on to follow them all".to_string());
            }
            layer.waits.reads_retry_after = reads_header;
            layer.by_status = by_status;
            // One further out lets nothing go round in it.
            let inside = |slots: &[Slot]| slots.iter().any(|slot| slot.place == layer.place);
            let own = deciders.iter().rev().find(|(_, slots)| inside(slots));
            layer.decides = own.map(|(place, _)| *place).or(decided);
        }
        if never && layers.iter().all(|l| !endless.iter().any(|(p, _)| *p == l.place)) {
            // It went around once in a loop that never ends.
            for (place, timed) in &endless {
                if places.contains(place) && !layers.iter().any(|l| l.place == *place) {
                    let count = if *timed { Count::Time(None) } else { Count::Unbounded };
                    let mut layer = OwnLayer {
                        place: *place,
                        kind: LayerKind::Loop,
                        count,
                        waits: self.waits_of(&trace, *place, &events),
                        reason: None,
                        by_status,
                        decides: decided,
                        in_a_row: false,
                    };
                    layer.waits.reads_retry_after = reads_header;
                    layers.insert(0, layer);
                    break;
                }
            }
        }
        layers.retain(|l| real.contains(&l.place) || l.kind == LayerKind::Recursion);
        let unasked = matches!(outcome, Outcome::Value(_)) && !by_status;
        if layers.iter().any(|l| l.kind == LayerKind::Recursion)
            && (self.pumps(comp, unit)
                || self.starts_over_anyway(comp, key, unit, outcome)
                || (unasked && self.turns_pages(comp, unit)))
        {
            layers.retain(|l| l.kind != LayerKind::Recursion);
        }
        result.layers = layers;
        result
    }

    /// The layers whose counts stay the same if time stands still: what bounds those is not time.
    fn without_time(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        unit: &Rc<FxHashSet<CompId>>,
        outcome: &Outcome,
    ) -> Vec<(Place, Count)> {
        let saved = (self.reads_header, self.by_status, self.decided);
        self.frozen = true;
        let plan = Plan { key: Some(key.clone()), outcome: outcome.clone(), unit: unit.clone() };
        let ends = self.run(comp, plan);
        self.frozen = false;
        (self.reads_header, self.by_status, self.decided) = saved;
        let mut layers = Vec::new();
        if let Some((state, _)) = ends.iter().max_by_key(|(s, _)| s.calls()) {
            let trace = state.trace.to_vec();
            self.decompose(&events_of(&trace), 0, &trace, &mut layers);
            self.row_places.clear();
        }
        let endless = std::mem::take(&mut self.endless);
        layers
            .into_iter()
            .filter(|l| !endless.iter().any(|(place, _)| *place == l.place))
            .map(|l| (l.place, l.count))
            .collect()
    }

    pub(super) fn why(&self, why: &str) -> String {
        let Some(spot) = why.strip_prefix('@') else { return why.to_string() };
        let numbers: Vec<usize> = spot.split(':').filter_map(|n| n.parse().ok()).collect();
        let text = match numbers[..] {
            [file, start, end] => self.texts.get(file).and_then(|text| text.get(start..end)).unwrap_or(""),
            _ => "",
        };
        let line = text.lines().next().unwrap_or("").trim();
        if line.is_empty() {
            "the count is not known".to_string()
        } else {
            format!("the value of `{line}` is not known")
        }
    }

    /// The loops that are left when the call succeeds: only those repeat it because it fails.
    fn retry_loops(
        &mut self,
        comp: CompId,
        key: &CalleeKey,
        unit: &Rc<FxHashSet<CompId>>,
        (places, first): (&[Place], Option<(CompId, ExprId)>),
        failed: &Outcome,
        left: &[Place],
    ) -> Vec<Place> {
        let rust = self.view.file(comp).language == Language::Rust;
        let success = self.success(comp, key, unit, self.success_of(comp, failed));
        let (ends, endless) = (&success.ends, &success.endless);
        if success.exhausted {
            // Paths that were left where they stood do not say how a success ends.
            return Vec::new();
        }
        // A path that passes the first of several calls by does not say whether the others come after its success.
        let alike = |state: &State| events_of(&state.trace.to_vec()).first().map(|e| e.site) == first;
        let any = !ends.iter().any(|(state, _)| alike(state));
        let is_one = |state: &State| (any || alike(state)) && events_of(&state.trace.to_vec()).len() == 1;
        // Hanging without another call is no repetition.
        let repeats = !endless.is_empty();
        // A loop that goes on after a success, and that is left after a failure, is none that repeats failures.
        let indifferent: Vec<Place> =
            left.iter().copied().filter(|&place| endless.iter().any(|(p, _)| *p == place) && rust).collect();
        let places: Vec<Place> = places.iter().copied().filter(|p| !indifferent.contains(p)).collect();
        let places = &places[..];
        // Something that is given up for what the answer says is no proof that one call would do.
        let gives_up = |end: &End| matches!(end, End::Raise(_) | End::Return(Val::Fail(_)));
        let mut goes_well = ends.iter().filter(|(state, end)| state.calls() > 0 && !gives_up(end));
        let well = goes_well.next().is_some();
        let never = |end: &End| (well && gives_up(end)) || (repeats && matches!(end, End::Raise(e) if e.is_never()));
        // Where one success is enough for one execution, every other one is because of a failure.
        let settles = ends.iter().any(|(state, end)| {
            // (A path that goes on for ever without another call settles as well.)
            !never(end) && is_one(state) && !places.iter().any(|&place| self.ran_out_for_chance(state, place))
        });
        if settles {
            return places.iter().copied().chain(self.row_places.drain(..)).collect();
        }
        let mut real: Vec<Place> = places
            .iter()
            .copied()
            .filter(|&place| {
                ends.iter().any(|(state, end)| {
                    !never(end) && turns_of(state, place) == 1 && !self.ran_out_for_chance(state, place)
                })
            })
            .collect();
        // Calls in a row, outside of any loop.
        if ends.iter().any(|(state, end)| !never(end) && is_one(state)) {
            for (state, _) in ends {
                let trace = state.trace.to_vec();
                real.extend(events_all(&trace).iter().map(|e| self.view.call_place(e.site.0, e.site.1)));
            }
            real.append(&mut self.row_places);
        }
        real
    }

    /// What the call gives where it does not fail as it did.
    pub(super) fn success_of(&self, comp: CompId, failed: &Outcome) -> Val {
        let rust = self.view.file(comp).language == Language::Rust;
        match failed {
            Outcome::Value(Val::Answer(a)) => {
                Val::Answer(Rc::new(super::val::Answer { status: 200, class_of_failure: None, ..(**a).clone() }))
            }
            Outcome::Value(Val::Good(inner)) => match &**inner {
                Val::Answer(a) => Val::Good(Box::new(Val::Answer(Rc::new(super::val::Answer {
                    status: 200,
                    class_of_failure: None,
                    ..(**a).clone()
                })))),
                _ => Val::Good(Box::new(Val::Unknown)),
            },
            _ if rust => Val::Good(Box::new(Val::Unknown)),
            Outcome::Value(Val::Bool(false) | Val::Null) => Val::Bool(true),
            _ => Val::Unknown,
        }
    }

    /// Whether a loop of this path ended only because nobody knows how long it goes on.
    fn ran_out(&self, state: &State, place: Place) -> bool {
        state.ran_out.contains(&place)
    }

    /// Whether it did, and would have done the same work once more: what each turn does for an element of its own is not
    /// done again in the next one.
    fn ran_out_for_chance(&self, state: &State, place: Place) -> bool {
        self.ran_out(state, place) && !only_for_items(state, place)
    }

    pub(super) fn decompose(
        &mut self,
        events: &[Event],
        depth: usize,
        trace: &[Happening],
        layers: &mut Vec<OwnLayer>,
    ) {
        if events.len() < 2 {
            return;
        }
        let deepest = events.iter().map(|e| e.slots.len()).max().unwrap_or(0);
        if depth > deepest {
            return;
        }
        let (first, before) = (layers.len(), self.row_places.len());
        let total = events.len() as u64;
        // Groups: events of the same turn belong together; an event outside of loops stands alone.
        let mut groups: Vec<(Option<Slot>, Vec<usize>)> = Vec::new();
        for (i, event) in events.iter().enumerate() {
            let slot = event.slots.get(depth).copied();
            match groups.last_mut() {
                Some((last, list)) if slot.is_some() && *last == slot => list.push(i),
                _ => groups.push((slot, vec![i])),
            }
        }
        // A function that is to start over later, whatever comes of the call that it makes next, repeats no failure.
        let level = |at: usize| groups[at].0.filter(|s: &Slot| s.recursion).map(|s| s.turn);
        let upwards = groups.len() > 1
            && (1..groups.len()).all(|i| level(i - 1).is_some_and(|inner| level(i).is_some_and(|outer| inner > outer)));
        if upwards && self.starts_over_later() {
            return;
        }
        if groups.len() > 1 {
            let anchor = groups.iter().filter_map(|(s, _)| *s).next_back();
            let (place, kind) = match anchor {
                Some(slot) if slot.recursion => (slot.place, LayerKind::Recursion),
                Some(slot) => (slot.place, LayerKind::Loop),
                None => {
                    let second = &events[groups[1].1[0]];
                    let place = self.view.call_place(second.site.0, second.site.1);
                    self.row_places.push(place);
                    (place, LayerKind::Loop)
                }
            };
            let bounds: Vec<(usize, usize)> =
                groups.iter().map(|(_, list)| (events[list[0]].at, events[list[list.len() - 1]].at)).collect();
            let waits = self.waits_between(trace, &bounds, place);
            layers.push(OwnLayer {
                place,
                kind,
                count: Count::Exact(groups.len() as u64),
                waits,
                reason: None,
                by_status: false,
                decides: None,
                in_a_row: anchor.is_none(),
            });
        }
        let largest = groups.into_iter().max_by_key(|(_, list)| list.len());
        if let Some((slot, list)) = largest
            && (slot.is_some() || depth < deepest)
        {
            let inner: Vec<Event> = list.into_iter().map(|i| events[i].clone()).collect();
            self.decompose(&inner, depth + 1, trace, layers);
        }
        // Where turns differ in what they do, no product is what happens: one layer makes all attempts.
        let product = Count::product(layers[first..].iter().map(|l| l.count));
        if product != Count::Exact(total)
            && let Some(outermost) = layers.get(first)
        {
            let place = outermost.place;
            let bounds: Vec<(usize, usize)> = events.iter().map(|e| (e.at, e.at)).collect();
            let waits = self.waits_between(trace, &bounds, place);
            layers.truncate(first + 1);
            self.row_places.truncate((before + 1).min(self.row_places.len()));
            if let Some(outermost) = layers.last_mut() {
                outermost.count = Count::Exact(total);
                outermost.waits = waits;
            }
        }
    }

    /// Whether what calls itself in circles does so by way of something that runs it later: a timer.
    fn starts_over_later(&self) -> bool {
        let is_later = |by: &CallRecord| {
            matches!(by.target, Target::External(_))
                && self.view.known(by.callee).is_some_and(|k| k.callable.calls.iter().any(|c| c.how == "later"))
        };
        self.plan.unit.iter().any(|&comp| {
            let handed = |r: &&CallRecord| {
                r.via == Via::Handed && matches!(r.target, Target::Comp(t) if self.plan.unit.contains(&t))
            };
            let mut handed = self.view.all_calls(comp).iter().filter(handed);
            handed.any(|r| self.view.calls(comp, r.expr).iter().any(is_later))
        })
    }

    fn waits_of(&self, trace: &[Happening], place: Place, events: &[Event]) -> Waits {
        let bounds: Vec<(usize, usize)> = events.iter().map(|e| (e.at, e.at)).collect();
        self.waits_between(trace, &bounds, place)
    }

    fn waits_between(&self, trace: &[Happening], bounds: &[(usize, usize)], place: Place) -> Waits {
        let mut waits = Waits { chosen: true, ..no_waits() };
        let mut unknown = false;
        let between = |from: usize, to: usize, waits: &mut Waits, unknown: &mut bool| {
            let (mut lo, mut hi, mut random, mut slept) = (0.0, 0.0, false, false);
            for happening in &trace[from..to] {
                if let Happening::Sleep { lo: l, hi: h, random: r, unknown: u, place, .. } = happening {
                    lo += l;
                    hi += h;
                    random |= r;
                    *unknown |= u;
                    slept = true;
                    waits.place.get_or_insert(*place);
                }
            }
            (WaitRun { shortest: lo, longest: hi, random, times: 1 }, slept)
        };
        for pair in bounds.windows(2) {
            let (run, _) = between(pair[0].1, pair[1].0, &mut waits, &mut unknown);
            waits.jitter |= run.random;
            push_run(&mut waits.runs, run);
        }
        if let Some(&(_, last)) = bounds.last() {
            // In the same turn of whatever is around the loop: the next element's waits are its own.
            let around = |slots: &[Slot]| slots.iter().position(|s| s.place == place).map(|i| slots[..i].to_vec());
            let of_last = match trace.get(last) {
                Some(Happening::Call { slots, .. }) => around(slots),
                _ => None,
            };
            let later = trace.iter().skip(last).any(|h| match h {
                Happening::Sleep { slots, lo, hi, .. } if *lo > 0.0 || *hi > 0.0 => {
                    let around = around(slots);
                    around.is_some() && (of_last.is_none() || around == of_last)
                }
                _ => false,
            });
            waits.after_last = later;
            if bounds.len() == 1 {
                let (run, slept) = between(last, trace.len(), &mut waits, &mut unknown);
                if slept {
                    waits.jitter |= run.random;
                    push_run(&mut waits.runs, run);
                }
            }
        }
        waits.capped = waits.runs.last().is_none_or(|last| last.times > 1) || waits.runs.len() < 2;
        waits.kind = if unknown { WaitKind::Unknown } else { crate::timing::classify(&waits.runs) };
        waits
    }
}
