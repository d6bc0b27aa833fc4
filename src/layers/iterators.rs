//! Iterators (Rust): sequences that are worked out element by element, with their adaptors, and strategies of
//! packages that are iterated for their waits.

use super::calls::Given;
use super::items::Items;
use super::machine::Machine;
use super::state::{Exits, State};
use super::val::Val;
use crate::ir::ExprId;
use crate::link::token::{CompId, Tok, Token};
use std::rc::Rc;

/// An iterator and how far it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Iter {
    source: Source,
    /// Elements taken so far.
    at: u32,
    /// So many more, if that is limited.
    left: Option<u32>,
    steps: Vec<Step>,
    /// Whatever its closure gives is an element.
    always: bool,
    /// Where it was made, if a closure gives its elements.
    made: Option<(CompId, ExprId)>,
}

#[derive(Clone, PartialEq, Debug)]
enum Source {
    /// Known elements.
    List(Rc<Vec<Val>>),
    /// The first elements of more than anybody takes; the last one stands for all after it.
    Endless(Rc<Vec<Val>>),
    /// Numbers.
    Range(i64, Option<i64>, i64),
    /// The same for ever.
    Repeat(Val),
    /// A closure that gives each, or `None`.
    Calls(Val),
    /// A first element, and a closure that makes each next one.
    Successors(Val, Val),
    /// An object of a package whose elements its catalogue entry describes.
    Made(Tok),
}

#[derive(Clone, PartialEq, Debug)]
enum Step {
    Map(Val),
    Enumerate,
}

/// Elements that are worked out one by one; the last one stands for all after it.
const SHOWN: u32 = 48;
/// Longer sequences are not written out.
const LONGEST: u32 = 4_096;

/// What comes next.
pub enum Next {
    /// An element.
    Item(Val),
    /// Nothing.
    End,
    /// Nobody knows.
    Unknown,
}

impl Iter {
    /// Over known elements.
    pub fn of_list(list: Rc<Vec<Val>>) -> Self {
        Self { source: Source::List(list), at: 0, left: None, steps: Vec::new(), always: false, made: None }
    }

    /// Over more elements than anybody takes.
    pub fn endless(list: Rc<Vec<Val>>) -> Self {
        Self { source: Source::Endless(list), ..Self::of_list(Rc::default()) }
    }

    /// The same, with the place at which it was made.
    pub fn made_at(&self, comp: CompId, e: ExprId) -> Self {
        Self { made: Some((comp, e)), ..self.clone() }
    }

    /// Whether its elements are numbers, always the same, or what a closure gives that takes nothing.
    pub fn is_plain(&self) -> bool {
        self.steps.is_empty()
            && match &self.source {
                Source::Range(..) | Source::Repeat(_) | Source::Calls(_) => true,
                Source::List(list) => list.iter().all(|v| matches!(v, Val::Num(_))),
                Source::Endless(_) | Source::Successors(..) | Source::Made(_) => false,
            }
    }
}

impl<'p> Machine<'p, '_, '_> {
    /// Whether nothing is known that would end an iterator, beyond the closure that it calls.
    pub fn is_endless(&mut self, iter: &Iter) -> bool {
        self.length(iter).is_none()
    }

    /// A value as an iterator, if it is known what it goes over.
    pub fn iterator_of(&mut self, value: &Val) -> Option<Iter> {
        let source = match value {
            Val::Iter(iter) => return Some((**iter).clone()),
            Val::List(list) => Source::List(list.clone()),
            Val::Range(from, to, step) => Source::Range(*from, *to, *step),
            Val::Tok(tok) if self.is_strategy(*tok) => Source::Made(*tok),
            Val::Tok(_) => Source::List(Rc::new(self.elements(value)?)),
            _ => return None,
        };
        Some(Iter { source, at: 0, left: None, steps: Vec::new(), always: false, made: None })
    }

    fn is_strategy(&self, tok: Tok) -> bool {
        matches!(self.view.token(tok), Token::Made { .. })
            && self.view.solver.known_class(tok).is_some_and(|(_, class)| {
                let name = class.path.first().map_or("", String::as_str);
                self.view.solver.catalogue.bases(name).any(|(_, c)| c.new.props.contains_key("item"))
            })
    }

    fn strategy(&mut self, tok: Tok, name: &str, n: f64) -> Option<Val> {
        let scope = super::formula::Scope { n, ..super::formula::Scope::default() };
        self.formula_field(&Val::Tok(tok), name, &scope)
    }

    /// How many elements are left; none: endless, or not known.
    fn length(&mut self, iter: &Iter) -> Option<u32> {
        let of_source = match &iter.source {
            Source::List(list) => Some((list.len() as u32).saturating_sub(iter.at)),
            Source::Range(from, to, step) => Items::Range(*from, *to, *step).len().map(|n| n.saturating_sub(iter.at)),
            Source::Made(tok) => self
                .strategy(*tok, "length", 1.0)
                .and_then(|v| v.as_exact())
                .filter(|n| n.is_finite())
                .map(|n| (n.max(0.0) as u32).saturating_sub(iter.at)),
            Source::Endless(_) | Source::Repeat(_) | Source::Calls(_) | Source::Successors(..) => None,
        };
        match (of_source, iter.left) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// What a loop goes over, written out; endless ones as far as their elements differ.
    pub fn written_out(&mut self, iter: &Iter) -> Option<Items> {
        if matches!(iter.source, Source::Calls(_)) {
            return None;
        }
        let length = self.length(iter);
        if length.is_some_and(|n| n > LONGEST) {
            return None;
        }
        if iter.steps.is_empty()
            && iter.at == 0
            && iter.left.is_none()
            && let Source::Range(from, to, step) = iter.source
        {
            return Some(Items::Range(from, to, step));
        }
        let mut list = Vec::new();
        for i in 0..length.unwrap_or(SHOWN) {
            let element = match list.len() as u32 {
                shown if shown > SHOWN && !matches!(iter.source, Source::List(_) | Source::Range(..)) => {
                    list.last().cloned().unwrap_or(Val::Unknown)
                }
                _ => {
                    let plain = self.plain(iter, i)?;
                    self.stepped(iter, i, plain)
                }
            };
            list.push(element);
        }
        Some(match length {
            Some(_) => Items::List(Rc::new(list)),
            None => Items::Endless(Rc::new(list)),
        })
    }

    fn plain(&mut self, iter: &Iter, i: u32) -> Option<Val> {
        let at = iter.at + i;
        match &iter.source {
            Source::List(list) => list.get(at as usize).cloned(),
            Source::Endless(list) => list.get(at as usize).or(list.last()).cloned(),
            Source::Range(from, _, step) => Some(Val::num((from + i64::from(at) * step) as f64)),
            Source::Repeat(value) => Some(value.clone()),
            Source::Made(tok) => Some(self.strategy(*tok, "item", f64::from(at) + 1.0).unwrap_or(Val::Null)),
            Source::Successors(first, closure) => {
                let mut value = first.clone();
                for _ in 0..at.min(SHOWN) {
                    value = match value {
                        Val::Good(inner) => self.call_value(closure, vec![*inner]),
                        Val::Null => return None,
                        value => self.call_value(closure, vec![value]),
                    };
                }
                match value {
                    Val::Good(inner) => Some(*inner),
                    Val::Null => None,
                    value => Some(value),
                }
            }
            Source::Calls(_) => None,
        }
    }

    fn stepped(&mut self, iter: &Iter, i: u32, mut value: Val) -> Val {
        for step in &iter.steps {
            value = match step {
                Step::Map(Val::Tok(tok)) if matches!(self.view.token(*tok), Token::External(_)) => {
                    let mut exits = Exits::default();
                    let state = State::outside(self.now);
                    self.applied(ExprId(u32::MAX), &Val::Tok(*tok), value, state, &mut exits)
                        .pop()
                        .map_or(Val::Unknown, |(_, v)| v)
                }
                Step::Map(f) => self.call_value(f, vec![value]),
                Step::Enumerate => Val::List(Rc::new(vec![Val::num(f64::from(iter.at + i)), value])),
            };
        }
        value
    }

    /// The next element of an iterator, on the paths that asking for it takes.
    pub fn next_of(&mut self, iter: &Iter, state: State, exits: &mut Exits) -> Vec<(State, Next, Iter)> {
        let mut after = iter.clone();
        if iter.left == Some(0) {
            return vec![(state, Next::End, after)];
        }
        if let Some(left) = &mut after.left {
            *left -= 1;
        }
        let endless = self.length(iter).is_none();
        if !endless || after.at < SHOWN {
            after.at += 1;
        }
        if let Source::Calls(closure) = &iter.source {
            let mut out = Vec::new();
            let results = match self.failing_closure(closure) {
                Some(outcome) => {
                    let mut state = state;
                    let here = iter.made.filter(|made| made.0 == self.comp(&state)).map_or(ExprId(0), |made| made.1);
                    self.happened(here, &mut state);
                    vec![(state, outcome)]
                }
                None => self.call_closure(closure, Vec::new(), state, exits),
            };
            for (state, value) in results {
                let next = match value {
                    value if iter.always => Next::Item(self.stepped(iter, 0, value)),
                    Val::Null => Next::End,
                    Val::Good(inner) => Next::Item(self.stepped(iter, 0, *inner)),
                    Val::Unknown => Next::Unknown,
                    value => Next::Item(self.stepped(iter, 0, value)),
                };
                out.push((state, next, after.clone()));
            }
            return out;
        }
        if self.length(iter) == Some(0) {
            return vec![(state, Next::End, iter.clone())];
        }
        if let Source::Made(tok) = iter.source
            && iter.left.is_none()
            && let Some(Val::Unknown) = self.strategy(tok, "length", 1.0)
        {
            let mut state = state;
            state.open.get_or_insert_with(|| Rc::from("the number of waits is not known"));
            let more = self.plain(iter, 0).map_or(Next::Unknown, |value| Next::Item(self.stepped(iter, 0, value)));
            return vec![(state.clone(), Next::End, iter.clone()), (state, more, after)];
        }
        let next = match self.plain(iter, 0) {
            Some(value) => Next::Item(self.stepped(iter, 0, value)),
            None => Next::End,
        };
        vec![(state, next, after)]
    }

    /// A method of an iterator; the path is handed back if it is none.
    pub fn iterator_call(
        &mut self,
        object: Option<ExprId>,
        on: &Val,
        name: &str,
        given: &Given,
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> Option<State> {
        let known = matches!(
            name,
            "map"
                | "take"
                | "skip"
                | "enumerate"
                | "chain"
                | "next"
                | "rev"
                | "iter"
                | "into_iter"
                | "by_ref"
                | "cloned"
                | "copied"
                | "boxed"
                | "peekable"
                | "fuse"
                | "cycle"
                | "collect"
                | "clone"
                | "inspect"
        );
        if !known || !matches!(on, Val::List(_) | Val::Range(..) | Val::Iter(_) | Val::Tok(_)) {
            return Some(state);
        }
        // A list of elsewhere (a constant), as far as it is known.
        if let Val::Tok(tok) = on
            && matches!(self.view.token(*tok), Token::Container { .. })
            && matches!(name, "iter" | "into_iter")
            && let Some(list) = self.elements(on)
        {
            let list = list.into_iter().map(|v| self.settle(v)).collect();
            out.push((state, Val::List(Rc::new(list))));
            return None;
        }
        // A strategy's own adaptors are its catalogue entry's.
        if let Val::Tok(tok) = on
            && (!self.is_strategy(*tok) || (name != "next" && name != "enumerate"))
        {
            return Some(state);
        }
        let Some(mut iter) = self.iterator_of(on) else { return Some(state) };
        let first = given.positional.first().cloned().unwrap_or(Val::Unknown);
        match name {
            "next" => {
                for (mut state, next, after) in self.next_of(&iter, state, exits) {
                    if let Some(object) = object {
                        self.write_back(object, Val::Iter(Rc::new(after)), &mut state);
                    }
                    out.push((
                        state,
                        match next {
                            Next::Item(value) => Val::Good(Box::new(value)),
                            Next::End => Val::Null,
                            Next::Unknown => Val::Unknown,
                        },
                    ));
                }
                return None;
            }
            "map" => iter.steps.push(Step::Map(first)),
            "enumerate" => iter.steps.push(Step::Enumerate),
            "take" => match first.as_exact() {
                Some(n) => {
                    let n = n.clamp(0.0, f64::from(u32::MAX)) as u32;
                    iter.left = Some(iter.left.map_or(n, |left| left.min(n)));
                }
                None => {
                    out.push((state, Val::Unknown));
                    return None;
                }
            },
            "skip" => match first.as_exact() {
                Some(n) => {
                    let n = n.clamp(0.0, f64::from(LONGEST)) as u32;
                    iter.at += n;
                    iter.left = iter.left.map(|left| left.saturating_sub(n));
                }
                None => {
                    out.push((state, Val::Unknown));
                    return None;
                }
            },
            "chain" | "rev" | "cycle" | "collect" => {
                let value = self.joined(&iter, name, &first);
                out.push((state, value));
                return None;
            }
            _ => {}
        }
        // What is all known stays a plain sequence.
        let plain = matches!(iter.source, Source::List(_) | Source::Range(..)) && self.length(&iter).is_some();
        let value = match (plain, if plain { self.written_out(&iter) } else { None }) {
            (true, Some(Items::List(list))) => Val::List(list),
            (true, Some(Items::Range(from, to, step))) => Val::Range(from, to, step),
            _ => Val::Iter(Rc::new(iter)),
        };
        out.push((state, value));
        None
    }

    fn joined(&mut self, iter: &Iter, name: &str, other: &Val) -> Val {
        let Some(items) = self.written_out(iter) else { return Val::Unknown };
        let Some(n) = items.len().filter(|n| *n <= LONGEST) else { return Val::Unknown };
        let mut list: Vec<Val> = (0..n).map(|i| items.at(i)).collect();
        match name {
            "collect" => Val::List(Rc::new(list)),
            "rev" => {
                list.reverse();
                Val::List(Rc::new(list))
            }
            "chain" => {
                let more = self.iterator_of(other).and_then(|other| self.written_out(&other));
                match more.map(|m| (m.len().filter(|n| *n <= LONGEST), m)) {
                    Some((Some(n), more)) => {
                        list.extend((0..n).map(|i| more.at(i)));
                        Val::List(Rc::new(list))
                    }
                    _ => Val::Unknown,
                }
            }
            // What goes round for ever: any of them, for ever.
            _ => {
                let any = list.first().cloned().unwrap_or(Val::Unknown);
                let value = if list.iter().all(|v| *v == any) { any } else { Val::Unknown };
                Val::Iter(Rc::new(Iter {
                    source: Source::Repeat(value),
                    at: 0,
                    left: None,
                    steps: Vec::new(),
                    always: false,
                    made: None,
                }))
            }
        }
    }

    /// Iterators that functions of the standard library make.
    pub fn iterator_made(&self, name: &str, args: &[Val]) -> Option<Val> {
        let first = args.first().cloned().unwrap_or(Val::Unknown);
        let iter = |source, left| {
            Val::Iter(Rc::new(Iter { source, at: 0, left, steps: Vec::new(), always: false, made: None }))
        };
        Some(match name {
            "empty" => Val::List(Rc::new(Vec::new())),
            "once" => Val::List(Rc::new(vec![first])),
            "repeat" => iter(Source::Repeat(first), None),
            "repeat_n" => {
                let n = args.get(1).and_then(Val::as_exact)?;
                iter(Source::Repeat(first), Some(n.clamp(0.0, f64::from(u32::MAX)) as u32))
            }
            "successors" => {
                let next = args.get(1).cloned().unwrap_or(Val::Unknown);
                iter(Source::Successors(first, next), None)
            }
            "from_fn" | "repeat_with" => {
                let source = Source::Calls(first);
                let always = name == "repeat_with";
                Val::Iter(Rc::new(Iter { source, at: 0, left: None, steps: Vec::new(), always, made: None }))
            }
            _ => return None,
        })
    }

    /// The closure that an iterator calls.
    pub fn calls_of(value: &Val) -> bool {
        matches!(value, Val::Iter(iter) if matches!(iter.source, Source::Calls(_))
            || iter.steps.iter().any(|s| matches!(s, Step::Map(_))))
    }
}
