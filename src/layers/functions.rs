//! The functions that formulas of the catalogue call.

use super::durations::seconds_of;
use super::formula::{Maybe, Scope};
use super::machine::Machine;
use super::val::{Error, ErrorClass, Num, Val};
use crate::catalogue::Formula;
use crate::link::token::*;
use crate::versions::Assumed;
use std::rc::Rc;

/// A callable that decides when to stop is asked about so many attempts.
const MOST_ASKED: u32 = 200;

impl<'p> Machine<'p, '_, '_> {
    fn numbers(&mut self, args: &[Formula], scope: &Scope<'p>) -> Option<Vec<Num>> {
        let mut numbers = Vec::new();
        for arg in args {
            match self.formula(arg, scope) {
                None | Some(Val::Null) => {}
                Some(Val::List(list)) => {
                    for item in list.iter() {
                        numbers.push(item.as_num()?);
                    }
                }
                Some(value) => numbers.push(value.as_num()?),
            }
        }
        Some(numbers)
    }

    pub(super) fn formula_call(&mut self, name: &str, args: &[Formula], scope: &Scope<'p>) -> Maybe {
        let arg = |i: usize| args.get(i).unwrap_or(&Formula::Null);
        match name {
            "if" => match self.formula_truth(arg(0), scope) {
                Some(true) => self.formula(arg(1), scope),
                Some(false) => self.formula(arg(2), scope),
                None => {
                    // Either may hold: the worse number counts.
                    let a = self.formula(arg(1), scope);
                    let b = self.formula(arg(2), scope);
                    match (a.as_ref().and_then(Val::as_num), b.as_ref().and_then(Val::as_num)) {
                        (Some(x), Some(y)) => Some(Val::Num(if x.hi >= y.hi { x } else { y })),
                        _ => Some(Val::Unknown),
                    }
                }
            },
            "missing" => Some(Val::Bool(self.formula(arg(0), scope).is_none())),
            "default" => args.iter().find_map(|f| self.formula(f, scope).filter(|v| *v != Val::Null)),
            "truthy" => Some(match self.formula(arg(0), scope) {
                None => Val::Bool(false),
                // A predicate that raises decides nothing.
                Some(Val::Fail(_)) => Val::Unknown,
                Some(value) => self.truth(&value).map_or(Val::Unknown, Val::Bool),
            }),
            "min" | "max" | "sum" => {
                let numbers = match self.numbers(args, scope) {
                    Some(numbers) => numbers,
                    None => return Some(Val::Unknown),
                };
                let f: fn(f64, f64) -> f64 = match name {
                    "min" => f64::min,
                    "max" => f64::max,
                    _ => |a, b| a + b,
                };
                numbers.into_iter().reduce(|a, b| a.combine(b, f)).map(Val::Num)
            }
            "clamp" => {
                let x = self.formula_num(arg(0), scope);
                let lo = self.formula_num(arg(1), scope).unwrap_or(Num::exact(0.0));
                let hi = self.formula_num(arg(2), scope).unwrap_or(Num::exact(f64::INFINITY));
                Some(x.map_or(Val::Unknown, |x| Val::Num(x.combine(hi, f64::min).combine(lo, f64::max))))
            }
            "floor" | "ceil" | "log" => {
                let x = self.formula_num(arg(0), scope);
                let f: fn(f64) -> f64 = match name {
                    "floor" => f64::floor,
                    "ceil" => f64::ceil,
                    _ => f64::ln,
                };
                Some(x.map_or(Val::Unknown, |x| Val::Num(Num { lo: f(x.lo), hi: f(x.hi), ..x })))
            }
            "number" => match self.formula(arg(0), scope)? {
                Val::Num(n) => Some(Val::Num(n)),
                Val::Text(t) => t.trim().parse::<f64>().ok().map(Val::num),
                Val::Unknown => Some(Val::Unknown),
                Val::Bool(b) => Some(Val::num(f64::from(u8::from(b)))),
                _ => None,
            },
            "uniform" => {
                let a = self.formula_num(arg(0), scope);
                let b = self.formula_num(arg(1), scope);
                Some(match (a, b) {
                    (Some(a), Some(b)) => {
                        let (lo, hi) = (a.lo.min(b.lo), a.hi.max(b.hi));
                        Val::Num(Num { lo, hi, random: lo < hi, clock: false, asked: a.asked || b.asked })
                    }
                    _ => Val::Unknown,
                })
            }
            "random" => Some(Val::Num(Num { lo: 0.0, hi: 1.0, random: true, clock: false, asked: false })),
            "jitter" => {
                let x = self.formula_num(arg(0), scope);
                let share = self.formula_num(arg(1), scope).and_then(Num::value);
                Some(match (x, share) {
                    (Some(x), Some(s)) => {
                        Val::Num(Num { lo: x.lo * (1.0 - s), hi: x.hi * (1.0 + s), random: s > 0.0, ..x })
                    }
                    _ => Val::Unknown,
                })
            }
            "at" => {
                let list = self.formula(arg(0), scope)?;
                let n = self.formula_num(arg(1), scope).and_then(Num::value).unwrap_or(1.0);
                match self.elements(&list) {
                    Some(items) => items.get((n.max(1.0) as usize) - 1).or(items.last()).cloned(),
                    None => Some(list),
                }
            }
            "first" | "last" | "len" => {
                let list = self.formula(arg(0), scope)?;
                let items = self.elements(&list);
                Some(match (name, items) {
                    ("first", Some(items)) => return items.first().cloned(),
                    ("last", Some(items)) => return items.last().cloned(),
                    ("len", Some(items)) => Val::num(items.len() as f64),
                    ("first" | "last", None) if !matches!(list, Val::Unknown) => return None,
                    _ if matches!(list, Val::Num(_) | Val::Bool(_) | Val::Null) => Val::Null,
                    _ => Val::Unknown,
                })
            }
            "has" => {
                let object = self.formula(arg(0), scope)?;
                let Some(Val::Text(key)) = self.formula(arg(1), scope) else { return Some(Val::Unknown) };
                Some(Val::Bool(self.formula_field(&object, &key, scope).is_some()))
            }
            "instance" => {
                let error = self.formula(arg(0), scope);
                let types = self.formula(arg(1), scope);
                Some(match (error, types) {
                    (None, _) => Val::Bool(false),
                    (Some(Val::Error(e)), Some(types)) => self.matches(&e, &types).map_or(Val::Unknown, Val::Bool),
                    _ => Val::Unknown,
                })
            }
            "status" => Some(match self.formula(arg(0), scope)? {
                Val::Error(e) => {
                    self.looked.set(true);
                    e.status.map_or(Val::Null, |s| Val::num(f64::from(s)))
                }
                Val::Answer(a) => Val::num(f64::from(a.status)),
                Val::Good(inner) => match *inner {
                    Val::Answer(a) => Val::num(f64::from(a.status)),
                    _ => Val::Unknown,
                },
                _ => Val::Unknown,
            }),
            "answer" => match (self.formula(arg(0), scope)?, self.formula(arg(1), scope)?.as_exact()) {
                (Val::Text(class), Some(status)) => Some(super::external::answer_of(class, status as u16)),
                _ => Some(Val::Unknown),
            },
            "status_in" => {
                let list = self.formula(arg(0), scope)?;
                let status = scope.failure.and_then(|(_, s)| s);
                Some(match status {
                    Some(s) => self.contains(&list, &Val::num(f64::from(s))).map_or(Val::Unknown, Val::Bool),
                    None => Val::Bool(false),
                })
            }
            "holds" | "any" | "all" => {
                let predicate = self.formula(arg(0), scope)?;
                let subject = self.formula(arg(1), scope);
                Some(self.holds(&predicate, subject, name == "all", scope).map_or(Val::Unknown, Val::Bool))
            }
            "call" => {
                let f = self.formula(arg(0), scope)?;
                let values: Vec<Val> =
                    args.iter().skip(1).map(|a| self.formula(a, scope).unwrap_or(Val::Null)).collect();
                Some(self.call_value(&f, values))
            }
            "call_method" => {
                let on = self.formula(arg(0), scope)?;
                let Some(Val::Text(name)) = self.formula(arg(1), scope) else { return Some(Val::Unknown) };
                let values = args.iter().skip(2).map(|a| self.formula(a, scope).unwrap_or(Val::Null)).collect();
                Some(self.call_method(&on, &name, values))
            }
            "object" => {
                let Some(Val::Text(class)) = self.formula(arg(0), scope) else { return Some(Val::Unknown) };
                Some(self.describe(class, scope))
            }
            // The first attempt after which a callable, told how many failed before and the rest, says no.
            "asked_while" => {
                let f = self.formula(arg(0), scope)?;
                for n in 1..=MOST_ASKED {
                    let scope = Scope { n: f64::from(n), ..scope.clone() };
                    let mut values = vec![Val::num(f64::from(n - 1))];
                    for formula in args.iter().skip(1) {
                        values.push(self.formula(formula, &scope).unwrap_or(Val::Unknown));
                    }
                    let answer = self.call_value(&f, values);
                    if self.truth(&answer) == Some(false) {
                        return Some(Val::num(f64::from(n)));
                    }
                }
                Some(Val::num(f64::INFINITY))
            }
            // The attempts after which a method of an object, asked each time what to do, gives nothing any more.
            "asked_again" => {
                let policy = self.formula(arg(0), scope)?;
                let Some(Val::Text(method)) = self.formula(arg(1), scope) else { return Some(Val::Unknown) };
                let values: Vec<Val> =
                    args.iter().skip(2).map(|a| self.formula(a, scope).unwrap_or(Val::Unknown)).collect();
                Some(self.asked_again(policy, &method, &values))
            }
            // The first attempt after which a callable says to stop.
            "until" => {
                let f = self.formula(arg(0), scope)?;
                let Some(Val::Text(class)) = self.formula(arg(1), scope) else { return Some(Val::Unknown) };
                for n in 1..=MOST_ASKED {
                    let scope = Scope { n: f64::from(n), ..scope.clone() };
                    let object = self.describe(class.clone(), &scope);
                    let answer = self.call_value(&f, vec![object]);
                    // Some answer with the wait beside it: `(stop, seconds)`.
                    let stop = self.elements(&answer).and_then(|parts| parts.first().cloned());
                    match self.truth(&stop.unwrap_or(answer)) {
                        Some(true) => return Some(Val::num(f64::from(n))),
                        Some(false) => {}
                        None => return Some(Val::Unknown),
                    }
                }
                Some(Val::num(f64::INFINITY))
            }
            // Whether callables raise when they are handed a value.
            "raises" => {
                let Some(list) = self.formula(arg(0), scope) else { return Some(Val::Bool(false)) };
                let value = self.formula(arg(1), scope).unwrap_or(Val::Null);
                let callables = self.elements(&list).unwrap_or_else(|| vec![list]);
                let raises = callables.iter().any(|f| matches!(self.call_value(f, vec![value.clone()]), Val::Fail(_)));
                Some(Val::Bool(raises))
            }
            "duration" => match self.formula(arg(0), scope)? {
                Val::Num(n) => Some(Val::Num(n.combine(Num::exact(1_000.0), |a, b| a / b))),
                Val::Text(text) => Some(seconds_of(&text).map_or(Val::Unknown, Val::num)),
                _ => Some(Val::Unknown),
            },
            "callable" => Some(match self.formula(arg(0), scope)? {
                Val::Tok(tok) => {
                    Val::Bool(self.view.solver.is_callable(tok) || self.view.field(tok, "__call__").is_some())
                }
                Val::Unknown | Val::Many(_) => Val::Unknown,
                _ => Val::Bool(false),
            }),
            "upper" => Some(match self.formula(arg(0), scope)? {
                Val::Text(t) => Val::text(&t.to_uppercase()),
                other => other,
            }),
            "count" => {
                let start = self.formula_num(arg(0), scope).and_then(Num::value)?;
                let step = self.formula_num(arg(1), scope).and_then(Num::value)?;
                Some(if step == 0.0 { Val::Unknown } else { Val::Range(start as i64, None, step as i64) })
            }
            "repeat" => {
                let item = self.formula(arg(0), scope).unwrap_or(Val::Null);
                Some(match self.formula(arg(1), scope) {
                    None | Some(Val::Null) => Val::Range(0, None, 1),
                    Some(times) => match times.as_exact() {
                        Some(n) if (0.0..=4_096.0).contains(&n) => Val::List(Rc::new(vec![item; n as usize])),
                        _ => Val::Unknown,
                    },
                })
            }
            "take" => {
                let list = self.formula(arg(0), scope)?;
                let n = self.formula_num(arg(1), scope).and_then(Num::value).filter(|n| (0.0..=4_096.0).contains(n));
                Some(match (self.iterated(&list), n) {
                    (Some(items), Some(n)) => {
                        let n = items.len().unwrap_or(u32::MAX).min(n as u32);
                        Val::List(Rc::new((0..n).map(|i| items.at(i)).collect()))
                    }
                    _ => Val::Unknown,
                })
            }
            "concat" => {
                let lists = self.formula(arg(0), scope)?;
                let mut all = Vec::new();
                for list in self.elements(&lists).unwrap_or_default() {
                    let Some(items) = self.iterated(&list) else { return Some(Val::Unknown) };
                    match items.len() {
                        Some(n) if n as usize + all.len() <= 4_096 => all.extend((0..n).map(|i| items.at(i))),
                        _ => return Some(Val::Unknown),
                    }
                }
                Some(Val::List(Rc::new(all)))
            }
            "is" => {
                let value = self.formula(arg(0), scope)?;
                let Some(Val::Text(path)) = self.formula(arg(1), scope) else { return Some(Val::Unknown) };
                Some(match value {
                    Val::Tok(tok) => {
                        let own = self.view.path(tok);
                        let catalogue = self.view.solver.catalogue;
                        let same = *own == *path
                            || catalogue.name(&own) == catalogue.name(&path)
                            || catalogue.function(&own).is_some_and(|(_, f)| f.path.iter().any(|p| **p == *path));
                        Val::Bool(same)
                    }
                    Val::Unknown => Val::Unknown,
                    _ => Val::Bool(false),
                })
            }
            "matches_prefix" => self.matches_prefix(args, scope),
            "starts_with" => {
                let text = self.formula(arg(0), scope)?;
                let prefix = self.formula(arg(1), scope)?;
                Some(match (text, prefix) {
                    (Val::Text(t), Val::Text(p)) => Val::Bool(t.starts_with(&*p)),
                    // One of several texts: what holds for each of them.
                    (Val::Many(several), Val::Text(p)) => {
                        let texts = several.iter().map(|tok| self.view.val(&Value::of(tok)));
                        let starts = texts.map(|t| if let Val::Text(t) = t { Some(t.starts_with(&*p)) } else { None });
                        let mut starts = starts.collect::<Vec<_>>();
                        starts.dedup();
                        if let [Some(starts)] = starts[..] { Val::Bool(starts) } else { Val::Unknown }
                    }
                    _ => Val::Unknown,
                })
            }
            "lower" => Some(match self.formula(arg(0), scope)? {
                Val::Text(t) => Val::text(&t.to_lowercase()),
                other => other,
            }),
            // Nothing is set where the code is read.
            "env" | "setting" => {
                let name = self.formula(arg(0), scope);
                let set = name.and_then(|name| if let Val::Text(name) = name { self.set_in_code(&name) } else { None });
                set.or_else(|| args.get(1).and_then(|f| self.formula(f, scope))).or(Some(Val::Null))
            }
            "around" => {
                let Some(Val::Text(path)) = self.formula(arg(0), scope) else { return None };
                self.around(&path, scope.call?)
            }
            "assigned" => {
                let Some(Val::Text(path)) = self.formula(arg(0), scope) else { return None };
                let below = args.get(1).map(|f| self.formula(f, scope));
                let (module, name) = match &below {
                    Some(Some(Val::Text(name))) => (&*path, &**name),
                    Some(_) => return None,
                    None => path.rsplit_once(['.', ':'])?,
                };
                let symbol = self.view.solver.symbols.find(module)?;
                let tok = self.view.solver.tokens.find(&Token::External(symbol))?;
                // A name that is looked up joins programs by itself.
                if below.is_some() { self.written(tok, name) } else { self.set_around(tok, name, scope) }
            }
            "version_at_least" => Some(Val::Bool(self.version_at_least(args, scope))),
            "clock" => Some(Val::Num(Num { clock: true, ..Num::exact(self.now) })),
            // The outcome of an attempt as a value, as a callback is handed it.
            "outcome" => match (&scope.error, &scope.result) {
                (Some(error), _) => Some(Val::Fail(error.clone())),
                (None, Some(result)) => Some(result.clone()),
                (None, None) => Some(Val::Unknown),
            },
            "raise" => match self.formula(arg(0), scope)? {
                Val::Text(path) => Some(Val::Fail(Rc::new(self.error_of_class(&path, scope)))),
                _ => Some(Val::Unknown),
            },
            "error_by_status" => {
                let Some(Val::Text(base)) = self.formula(arg(0), scope) else { return None };
                let status = self.formula(arg(1), scope)?;
                Some(self.error_by_status(&base, &status, scope))
            }
            "raise_error" => match self.formula(arg(0), scope)? {
                Val::Error(e) => Some(Val::Fail(e)),
                _ => Some(Val::Unknown),
            },
            "reraise" => scope.error.clone().map(Val::Fail).or_else(|| scope.result.clone()),
            "returns" => self.formula(arg(0), scope).or(Some(Val::Null)),
            "keys" => Some(Val::Unknown),
            _ => Some(Val::Unknown),
        }
    }

    /// How often an object's method says to go on, and once more: it may count in its object, or give the object to ask
    /// next.
    fn asked_again(&mut self, policy: Val, method: &str, args: &[Val]) -> Val {
        let mut asked = policy;
        let mut state = super::state::State::outside(self.now);
        let key = self.plan.key.take();
        let mut answer = Val::num(f64::INFINITY);
        for n in 1..=MOST_ASKED {
            let Val::Tok(tok) = asked else {
                answer = Val::Unknown;
                break;
            };
            let ends = self.run_method(state, tok, method, args.to_vec()).unwrap_or_default();
            let again = |end: &super::machine::End| match end {
                super::machine::End::Return(Val::Null) => Some(None),
                super::machine::End::Return(Val::Good(next)) => Some(Some((**next).clone())),
                _ => None,
            };
            // Of several ways the one that goes on counts.
            let known: Option<Vec<_>> = ends.into_iter().map(|(s, end)| again(&end).map(|next| (s, next))).collect();
            let Some(known) = known.filter(|k| !k.is_empty()) else {
                answer = Val::Unknown;
                break;
            };
            let Some((after, next)) = known.into_iter().find_map(|(s, next)| next.map(|next| (s, next))) else {
                answer = Val::num(f64::from(n));
                break;
            };
            state = after;
            let is_policy = |v: &Val| matches!(v, Val::Tok(t) if self.method_of(*t, method).is_some());
            asked = if is_policy(&next) { next } else { Val::Tok(tok) };
        }
        self.plan.key = key;
        answer
    }

    /// What a library hands to a callback.
    fn describe(&self, class: Rc<str>, scope: &Scope<'p>) -> Val {
        Val::Described(Rc::new(super::val::Described {
            class,
            n: scope.n,
            error: scope.error.clone(),
            result: scope.result.clone(),
        }))
    }

    /// What the program itself sets an environment variable to (`os.environ["N"] = "3"`).
    fn set_in_code(&self, name: &str) -> Maybe {
        let symbols = &self.view.solver.symbols;
        ["os.environ", "globals:process.env"].iter().find_map(|variables| {
            let variables = self.view.solver.tokens.find(&Token::External(symbols.find(variables)?))?;
            self.written(variables, name)
        })
    }

    /// The error that a library makes of a status: the class for it below a base, or the base.
    fn error_by_status(&self, base: &str, status: &Val, scope: &Scope<'p>) -> Val {
        let Some(status) = status.as_exact().map(|s| s as u16) else { return Val::Unknown };
        let class = self.view.solver.catalogue.class_for_status(base, status).unwrap_or(base);
        let variant = crate::chains::variant::VARIANTS.iter().find(|v| v.status == Some(status));
        let class_of_failure = variant.map(|v| v.failure as u8);
        let error = Error { status: Some(status), class_of_failure, ..self.error_of_class(class, scope) };
        Val::Error(Rc::new(error))
    }

    fn error_of_class(&self, path: &str, scope: &Scope<'p>) -> Error {
        Error {
            class: ErrorClass::Known(Rc::from(path)),
            status: None,
            fields: scope.error.iter().map(|e| (Rc::from("__cause__"), Val::Error(e.clone()))).collect(),
            token: None,
            injected: true,
            class_of_failure: scope.error.as_ref().and_then(|e| e.class_of_failure),
            inherits: Default::default(),
        }
    }

    fn matches_prefix(&mut self, args: &[Formula], scope: &Scope<'p>) -> Maybe {
        let calls = self.formula(args.first()?, scope)?;
        let Some(Val::Text(parameter)) = self.formula(args.get(1)?, scope) else { return None };
        let text = args.get(2).and_then(|f| self.formula(f, scope));
        let items = self.elements(&calls)?;
        let mut best: Option<(usize, Val)> = None;
        let mut possible = Vec::new();
        for call in items {
            let prefix = self.formula_field(&call, &parameter, scope);
            match (&prefix, &text) {
                (Some(Val::Text(p)), Some(Val::Text(t))) => {
                    if t.to_lowercase().starts_with(&p.to_lowercase())
                        && best.as_ref().is_none_or(|(len, _)| p.len() > *len)
                    {
                        best = Some((p.len(), call));
                    }
                }
                _ => possible.push(call),
            }
        }
        if let Some((_, call)) = best {
            return Some(call);
        }
        match possible.len() {
            0 => None,
            1 => possible.pop(),
            _ => Some(Val::Many(
                possible.iter().filter_map(|v| if let Val::Tok(t) = v { Some(*t) } else { None }).collect(),
            )),
        }
    }

    /// The function whose call is asked about; a transport is asked about for the client above it.
    pub(super) fn asking(&self, scope: &Scope<'p>) -> Option<CompId> {
        let receiver = if let Some(Val::Tok(t)) = scope.receiver { Some(t) } else { None };
        let made_in = |tok| match *self.view.token(tok) {
            Token::Made { site, .. } | Token::Object { site, .. } => Some(site.comp),
            _ => None,
        };
        [scope.call, scope.request, receiver].into_iter().flatten().find_map(made_in).or(self.here)
    }

    fn version_at_least(&mut self, args: &[Formula], scope: &Scope<'p>) -> bool {
        let Some(Val::Text(wanted)) = args.first().and_then(|f| self.formula(f, scope)) else { return true };
        let Some(entry) = scope.entry else { return true };
        let file = self.asking(scope).map(|comp| self.view.file(comp));
        let assumed = file.and_then(|file| self.versions.assumed_of(entry.library, file));
        assumed.unwrap_or_else(|| Assumed::of_catalogue(&entry.library.version)).is_at_least(&wanted)
    }
}
