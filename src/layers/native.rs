//! What the languages themselves compute: `range`, `min`, `int`, `Math.pow`, `len`, conversions, outcome
//! methods (`unwrap_or`, `map_err`, `ok`). No packages: those are the catalogue's.

use super::items::Items;
use super::machine::Machine;
use super::val::{Num, Val};
use crate::ir::Language;
use crate::link::store::Addr;
use crate::link::token::{ContainerKind, Token};
use std::rc::Rc;

impl<'p> Machine<'p, '_, '_> {
    /// A builtin function of the language; none if it is none.
    pub fn native(&mut self, language: Language, path: &str, args: &[Val]) -> Option<Val> {
        let first = args.first().cloned().unwrap_or(Val::Unknown);
        match language {
            Language::Python => self.python(path.strip_prefix("builtins.")?, &first, args),
            Language::JavaScript => self.javascript(path.strip_prefix("globals:")?, &first, args),
            Language::Rust => self.rust(path, &first, args),
        }
    }

    fn python(&mut self, name: &str, first: &Val, args: &[Val]) -> Option<Val> {
        Some(match name {
            "range" => {
                let n = |i: usize| args.get(i).and_then(Val::as_exact);
                match args.len() {
                    1 => match n(0) {
                        Some(to) => Val::Range(0, Some(to as i64), 1),
                        None if first.as_num().is_some_and(|n| n.hi <= 0.0) => Val::Range(0, Some(0), 1),
                        None => Val::Unknown,
                    },
                    _ => match (n(0), n(1), if args.len() > 2 { n(2) } else { Some(1.0) }) {
                        (Some(from), Some(to), Some(step)) if step != 0.0 => {
                            Val::Range(from as i64, Some(to as i64), step as i64)
                        }
                        _ => Val::Unknown,
                    },
                }
            }
            "reversed" => match first {
                Val::Range(from, Some(to), 1) => Val::Range(to - 1, Some(from - 1), -1),
                _ => match self.elements(first) {
                    Some(mut items) => {
                        items.reverse();
                        Val::List(Rc::new(items))
                    }
                    None => Val::Unknown,
                },
            },
            "enumerate" => match self.iterated(first) {
                Some(items) => {
                    let start = args.get(1).and_then(Val::as_exact).unwrap_or(0.0);
                    match items.len() {
                        Some(len) if len <= 4_096 => Val::List(Rc::new(
                            (0..len)
                                .map(|i| Val::List(Rc::new(vec![Val::num(start + f64::from(i)), items.at(i)])))
                                .collect(),
                        )),
                        _ => Val::Unknown,
                    }
                }
                None => Val::Unknown,
            },
            "list" | "tuple" | "iter" | "sorted" | "set" | "frozenset" => match self.iterated(first) {
                Some(Items::List(list)) => Val::List(list),
                Some(Items::Range(..) | Items::Endless(_)) => first.clone(),
                None => first.clone(),
            },
            "int" | "float" => match first {
                Val::Text(t) => match t.trim().parse::<f64>() {
                    Ok(x) => Val::num(x),
                    Err(_) => Val::Unknown,
                },
                Val::Num(n) => {
                    Val::Num(if name == "int" { Num { lo: n.lo.trunc(), hi: n.hi.trunc(), ..*n } } else { *n })
                }
                Val::Bool(_) => first.as_num().map_or(Val::Unknown, Val::Num),
                _ => Val::Unknown,
            },
            "bool" => self.truth(first).map_or(Val::Unknown, Val::Bool),
            "str" | "repr" => match first {
                Val::Text(_) => first.clone(),
                Val::Error(error) => super::wording::text_of(error),
                _ => Val::Unknown,
            },
            "len" => match self.iterated(first).and_then(|i| i.len()) {
                Some(n) => Val::num(f64::from(n)),
                None => Val::Unknown,
            },
            "min" | "max" | "sum" => {
                let items = if args.len() == 1 { self.elements(first)? } else { args.to_vec() };
                self.fold(name, &items)
            }
            "abs" => first.as_num().map_or(Val::Unknown, |n| Val::Num(Num { lo: n.lo.abs(), hi: n.hi.abs(), ..n })),
            "round" => first.clone(),
            "pow" => {
                let second = args.get(1).cloned().unwrap_or(Val::Unknown);
                self.binary(crate::ir::BinaryOp::Pow, first, &second)
            }
            "isinstance" | "issubclass" => {
                let types = args.get(1).cloned().unwrap_or(Val::Unknown);
                self.instance_of(first, &types).map_or(Val::Unknown, Val::Bool)
            }
            "getattr" => {
                let Some(Val::Text(name)) = args.get(1) else { return Some(Val::Unknown) };
                let found = self.attribute(first, name);
                match (found, args.get(2)) {
                    (Val::Unknown | Val::Part(..) | Val::Null, Some(default)) if !matches!(first, Val::Tok(_)) => {
                        if matches!(first, Val::Error(_)) { default.clone() } else { Val::Unknown }
                    }
                    (found, _) => found,
                }
            }
            "hasattr" => {
                let Some(Val::Text(name)) = args.get(1) else { return Some(Val::Unknown) };
                match self.attribute(first, name) {
                    Val::Unknown | Val::Part(..) => Val::Unknown,
                    Val::Null => Val::Bool(false),
                    _ => Val::Bool(true),
                }
            }
            "any" | "all" => {
                let items = self.elements(first)?;
                let decides = name == "any";
                let mut result = Some(!decides);
                for item in items {
                    match self.truth(&item) {
                        Some(b) if b == decides => return Some(Val::Bool(decides)),
                        Some(_) => {}
                        None => result = None,
                    }
                }
                result.map_or(Val::Unknown, Val::Bool)
            }
            "zip" => {
                let lists: Option<Vec<Items>> = args.iter().map(|a| self.iterated(a)).collect();
                let shortest = lists.as_ref().and_then(|l| l.iter().filter_map(Items::len).min());
                match (lists, shortest) {
                    (Some(lists), Some(n)) if n <= 4_096 => Val::List(Rc::new(
                        (0..n).map(|i| Val::List(Rc::new(lists.iter().map(|l| l.at(i)).collect()))).collect(),
                    )),
                    _ => Val::Unknown,
                }
            }
            "map" => match args.get(1).and_then(|a| self.iterated(a)) {
                Some(items) if args.len() == 2 && items.len().is_some_and(|n| n <= 64) => {
                    let n = items.len().unwrap_or(0);
                    Val::List(Rc::new((0..n).map(|i| self.call_value(first, vec![items.at(i)])).collect()))
                }
                _ => Val::Unknown,
            },
            "print" | "id" | "callable" | "type" | "format" | "filter" | "dict" | "hash" => Val::Unknown,
            _ => return None,
        })
    }

    fn fold(&mut self, name: &str, items: &[Val]) -> Val {
        let f: fn(f64, f64) -> f64 = match name {
            "min" => f64::min,
            "max" => f64::max,
            _ => |a, b| a + b,
        };
        let numbers: Option<Vec<Num>> = items.iter().map(Val::as_num).collect();
        match numbers {
            Some(numbers) => numbers.into_iter().reduce(|a, b| a.combine(b, f)).map_or(Val::Unknown, Val::Num),
            None => {
                // An unknown number under a known cap or over a known floor is still a wait of some kind.
                let random = items.iter().any(|v| v.as_num().is_some_and(|n| n.random));
                let known = items.iter().filter_map(Val::as_exact).reduce(f);
                match (name, known) {
                    ("min", Some(cap)) => Val::Num(Num { lo: 0.0, hi: cap, random, clock: false, asked: false }),
                    _ if random => Val::Num(Num { lo: 0.0, hi: f64::INFINITY, random, clock: false, asked: false }),
                    _ => Val::Unknown,
                }
            }
        }
    }

    fn javascript(&mut self, name: &str, first: &Val, args: &[Val]) -> Option<Val> {
        Some(match name {
            "Number" | "parseInt" | "parseFloat" => match first {
                Val::Text(t) => t.trim().parse::<f64>().map_or(Val::Unknown, Val::num),
                Val::Null => Val::Unknown,
                other => other.clone(),
            },
            "Boolean" => self.truth(first).map_or(Val::Unknown, Val::Bool),
            "String" => match first {
                Val::Text(_) => first.clone(),
                Val::Error(error) => super::wording::text_of(error),
                _ => Val::Unknown,
            },
            "Math.min" => self.fold("min", args),
            "Math.max" => self.fold("max", args),
            "Math.pow" => {
                let second = args.get(1).cloned().unwrap_or(Val::Unknown);
                self.binary(crate::ir::BinaryOp::Pow, first, &second)
            }
            "Math.floor" | "Math.round" | "Math.ceil" | "Math.trunc" => match first.as_num() {
                Some(n) => Val::Num(Num { lo: n.lo.floor(), hi: n.hi.ceil(), ..n }),
                None => Val::Unknown,
            },
            "Math.abs" => {
                first.as_num().map_or(Val::Unknown, |n| Val::Num(Num { lo: n.lo.abs(), hi: n.hi.abs(), ..n }))
            }
            "Math.exp" | "Math.log" | "Math.sqrt" => Val::Unknown,
            "Number.isFinite" | "Number.isInteger" | "Number.isNaN" | "isNaN" | "isFinite" => match first.as_num() {
                Some(n) => Val::Bool(name.ends_with("isNaN") == n.lo.is_nan()),
                None => Val::Unknown,
            },
            "Array.isArray" => match first {
                Val::List(_) => Val::Bool(true),
                _ => Val::Unknown,
            },
            "Array" => match first.as_exact() {
                Some(n) if (0.0..=4_096.0).contains(&n) => Val::List(Rc::new(vec![Val::Null; n as usize])),
                _ => Val::Unknown,
            },
            "Array.from" => match self.attribute(first, "length").as_exact() {
                Some(n) if (0.0..=4_096.0).contains(&n) && !matches!(first, Val::List(_)) => {
                    Val::List(Rc::new(vec![Val::Null; n as usize]))
                }
                _ => first.clone(),
            },
            "Set" => Val::List(Rc::new(self.elements(first)?)),
            "Object.freeze" => first.clone(),
            "Promise.resolve" => first.clone(),
            "Promise.reject" => match first {
                Val::Error(e) => Val::Fail(e.clone()),
                _ => Val::Unknown,
            },
            "Promise.all" | "Promise.race" | "Promise.any" => match self.elements(first) {
                Some(items) => {
                    let failed = items.iter().find(|v| matches!(v, Val::Fail(_)));
                    failed.cloned().unwrap_or(Val::List(Rc::new(items)))
                }
                None => first.clone(),
            },
            "Promise.allSettled" => Val::Unknown,
            _ => return None,
        })
    }

    fn rust(&mut self, path: &str, first: &Val, args: &[Val]) -> Option<Val> {
        let mut ends = path.rsplit("::");
        let (name, of) = (ends.next().unwrap_or(""), ends.next().unwrap_or(""));
        // `once::Lazy::new` is a constructor of the language under another name.
        let same = format!("{of}::{name}");
        let (of, name) = self.view.solver.catalogue.same_as(&same).split_once("::").unwrap_or((of, name));
        let of_std = !path.contains("::") || path.starts_with("std::") || path.split("::").count() == 2;
        match (of, name) {
            (
                "Box" | "Arc" | "Rc" | "Pin" | "Mutex" | "RwLock" | "RefCell" | "Cell" | "Some" | "Reverse",
                "new" | "pin" | "from",
            ) => return Some(first.clone()),
            ("LazyLock" | "LazyCell", "new") => return Some(self.call_value(first, Vec::new())),
            ("future", "ready") => return Some(first.clone()),
            ("iter", _) => return self.iterator_made(name, args),
            ("String" | "PathBuf", "from") => return Some(first.clone()),
            ("cmp", "min" | "max") if of_std => return Some(self.fold(name, args)),
            _ => {}
        }
        Some(match path {
            "Ok" | "Some" => Val::Good(Box::new(first.clone())),
            "Err" => match first {
                Val::Error(e) => Val::Fail(e.clone()),
                other => Val::Fail(Rc::new(super::val::Error {
                    fields: Vec::new(),
                    token: if let Val::Tok(t) = other { Some(*t) } else { None },
                    ..self.unknown_error()
                })),
            },
            _ => return None,
        })
    }

    /// A method of a number, text, list or outcome; none if it is none.
    pub fn native_method(&mut self, language: Language, on: &Val, name: &str, args: &[Val]) -> Option<Val> {
        let first = args.first().cloned().unwrap_or(Val::Unknown);
        match on {
            Val::Headers => match name {
                "get" | "has" | "getlist" | "get_all" | "remove" => {
                    let Val::Text(header) = &first else { return Some(Val::Unknown) };
                    let default = args.get(1).cloned().unwrap_or(Val::Null);
                    Some(self.header(header, default))
                }
                _ => Some(Val::Unknown),
            },
            Val::Part(..) | Val::Error(_) | Val::Answer(_) => match name {
                // A mapping inside an error: `.get("Code", default)` is one more step.
                "get" => match &first {
                    Val::Text(key) => {
                        let found = self.attribute(on, key);
                        Some(match (found, args.get(1)) {
                            (Val::Null, Some(default)) => default.clone(),
                            (found, _) => found,
                        })
                    }
                    _ => Some(Val::Unknown),
                },
                "toString" | "to_string" | "__str__" if matches!(on, Val::Error(_)) => match on {
                    Val::Error(error) => Some(super::wording::text_of(error)),
                    _ => None,
                },
                _ if language == Language::Rust => {
                    self.said(on, name, args).or_else(|| self.outcome_method(on, name, args))
                }
                _ => match self.said(on, name, args) {
                    None | Some(Val::Unknown) => super::questions::asked(on, name, args).or(self.said(on, name, args)),
                    said => said,
                },
            },
            Val::Text(text) => Some(match name {
                "isdigit" | "isnumeric" => Val::Bool(!text.is_empty() && text.chars().all(|c| c.is_ascii_digit())),
                "strip" | "trim" | "to_string" | "toString" | "clone" => on.clone(),
                "lower" | "toLowerCase" | "to_lowercase" => Val::text(&text.to_lowercase()),
                "upper" | "toUpperCase" => Val::text(&text.to_uppercase()),
                "parse" => text.trim().parse::<f64>().map_or(Val::Unknown, |x| Val::Good(Box::new(Val::num(x)))),
                "startswith" | "startsWith" | "starts_with" => match &first {
                    Val::Text(p) => Val::Bool(text.starts_with(&**p)),
                    _ => Val::Unknown,
                },
                _ => Val::Unknown,
            }),
            Val::List(list) => Some(match name {
                "includes" | "contains" | "has" => self.contains(on, &first).map_or(Val::Unknown, Val::Bool),
                "len" | "length" => Val::num(list.len() as f64),
                "iter" | "into_iter" | "iter_mut" | "values" | "copied" | "cloned" | "copy" => on.clone(),
                "slice" if language == Language::JavaScript => {
                    let at = |i: usize, none: usize| match args.get(i) {
                        None | Some(Val::Null) => Some(none),
                        Some(n) => n.as_exact().map(|n| {
                            let n = if n < 0.0 { list.len() as f64 + n } else { n };
                            n.clamp(0.0, list.len() as f64) as usize
                        }),
                    };
                    match (at(0, 0), at(1, list.len())) {
                        (Some(from), Some(to)) => Val::List(Rc::new(list.get(from..to).unwrap_or_default().to_vec())),
                        _ => Val::Unknown,
                    }
                }
                "slice" => on.clone(),
                "at" if language == Language::JavaScript => match first.as_exact() {
                    Some(n) => {
                        let at = if n < 0.0 { list.len() as f64 + n } else { n };
                        if at < 0.0 { Val::Null } else { list.get(at as usize).cloned().unwrap_or(Val::Null) }
                    }
                    None => Val::Unknown,
                },
                "pop" | "shift" => Val::Unknown,
                "fill" => Val::List(Rc::new(vec![first.clone(); list.len()])),
                "keys" => Val::Range(0, Some(list.len() as i64), 1),
                "entries" => Val::List(Rc::new(
                    list.iter()
                        .enumerate()
                        .map(|(i, v)| Val::List(Rc::new(vec![Val::num(i as f64), v.clone()])))
                        .collect(),
                )),
                "index" | "indexOf" => Val::Unknown,
                "take" => match first.as_exact() {
                    Some(n) => Val::List(Rc::new(list.iter().take(n.max(0.0) as usize).cloned().collect())),
                    None => Val::Unknown,
                },
                _ => return None,
            }),
            Val::Range(from, to, step) => Some(match name {
                "rev" => match to {
                    Some(to) => Val::Range(to - 1, Some(from - 1), -step),
                    None => Val::Unknown,
                },
                "into_iter" | "iter" => on.clone(),
                "take" => match first.as_exact() {
                    Some(n) => {
                        let end = from + n as i64;
                        Val::Range(*from, Some(to.map_or(end, |t| t.min(end))), *step)
                    }
                    None => Val::Unknown,
                },
                "contains" => self.contains(on, &first).map_or(Val::Unknown, Val::Bool),
                _ => Val::Unknown,
            }),
            Val::Num(n) => Some(self.number_method(*n, name, args)),
            Val::Good(_) | Val::Fail(_) | Val::Null => self.outcome_method(on, name, args),
            Val::Tok(tok)
                if language == Language::Python
                    && matches!(name, "get" | "pop" | "setdefault")
                    && matches!(
                        self.view.token(*tok),
                        Token::Container { kind: ContainerKind::Dict, .. }
                            | Token::Rest { kind: ContainerKind::Dict, .. }
                    ) =>
            {
                let Val::Text(key) = &first else { return Some(Val::Unknown) };
                let default = args.get(1).cloned().unwrap_or(Val::Null);
                let more = self.may_hold_more(*tok);
                let open = more || self.view.solver.store.get(Addr::Element(*tok)).is_some();
                Some(match self.view.field(*tok, key) {
                    Some(value) if more => super::switches::unless_a_switch(self.settle(value)),
                    Some(value) => self.settle(value),
                    None if open => Val::Unknown,
                    None => default,
                })
            }
            Val::Tok(_) if matches!(name, "includes" | "has" | "contains" | "__contains__") => {
                let elements = self.elements(on)?;
                self.contains(&Val::List(Rc::new(elements)), &first).map_or(Some(Val::Unknown), |b| Some(Val::Bool(b)))
            }
            _ => None,
        }
    }

    fn number_method(&mut self, n: Num, name: &str, args: &[Val]) -> Val {
        let other = args.first().and_then(Val::as_num);
        let with = |f: fn(f64, f64) -> f64| other.map_or(Val::Unknown, |o| Val::Num(n.combine(o, f)));
        match name {
            "min" => with(f64::min),
            "max" => with(f64::max),
            "pow" | "powi" | "powf" | "saturating_pow" | "wrapping_pow" => with(f64::powf),
            "checked_pow" => match with(f64::powf) {
                Val::Unknown => Val::Unknown,
                v => Val::Good(Box::new(v)),
            },
            "saturating_mul" | "wrapping_mul" | "mul_f64" | "mul_f32" | "mul" => with(|a, b| a * b),
            "saturating_add" | "wrapping_add" | "add" => with(|a, b| a + b),
            "saturating_sub" | "duration_since" | "saturating_duration_since" => with(|a, b| (a - b).max(0.0)),
            "wrapping_sub" | "sub" => with(|a, b| a - b),
            "checked_sub" | "checked_duration_since" => match other {
                Some(o) => {
                    let d = n.combine(o, |a, b| a - b);
                    if d.hi < 0.0 { Val::Null } else { Val::Good(Box::new(Val::Num(d))) }
                }
                None => Val::Unknown,
            },
            "checked_add" | "checked_mul" => {
                match with(if name == "checked_add" { |a, b| a + b } else { |a, b| a * b }) {
                    Val::Unknown => Val::Unknown,
                    v => Val::Good(Box::new(v)),
                }
            }
            "clamp" => {
                let (lo, hi) = (other, args.get(1).and_then(Val::as_num));
                match (lo, hi) {
                    (Some(lo), Some(hi)) => Val::Num(n.combine(lo, f64::max).combine(hi, f64::min)),
                    _ => Val::Unknown,
                }
            }
            "clone" | "into" | "to_owned" | "as_ref" | "abs" | "round" | "floor" | "ceil" | "copied" | "cloned"
            | "as_secs_f64" | "as_secs" | "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "toFixed"
            | "total_seconds" => Val::Num(n),
            "as_millis" => Val::Num(n.combine(Num::exact(1000.0), |a, b| a * b)),
            _ => self.attribute(&Val::Num(n), name),
        }
    }

    /// Methods of outcomes and options.
    fn outcome_method(&mut self, on: &Val, name: &str, args: &[Val]) -> Option<Val> {
        let name = self.view.solver.catalogue.same_as(name);
        let first = args.first().cloned().unwrap_or(Val::Unknown);
        Some(match (on, name) {
            (Val::Good(_), "is_ok" | "is_some") | (Val::Fail(_), "is_err") | (Val::Null, "is_none") => Val::Bool(true),
            (Val::Good(_), "is_err" | "is_none") | (Val::Fail(_), "is_ok") | (Val::Null, "is_some") => Val::Bool(false),
            (Val::Good(v), "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else") => (**v).clone(),
            (Val::Null | Val::Fail(_), "unwrap_or") => first,
            (Val::Null | Val::Fail(_), "unwrap_or_else") => self.call_value(&first, vec![Val::Unknown]),
            (Val::Null | Val::Fail(_), "unwrap_or_default") => Val::Unknown,
            (
                Val::Good(_),
                "ok" | "as_ref" | "as_mut" | "map_err" | "or_else" | "cloned" | "copied" | "clone" | "or" | "ok_or"
                | "ok_or_else" | "inspect_err" | "kept",
            ) => on.clone(),
            (Val::Fail(_), "ok") => Val::Null,
            (Val::Fail(e), "err") => Val::Good(Box::new(Val::Error(e.clone()))),
            (Val::Good(_), "err") => Val::Null,
            (
                Val::Fail(_),
                "as_ref" | "as_mut" | "map" | "and_then" | "clone" | "inspect_err" | "kept" | "inspect" | "unwrap"
                | "expect",
            ) => on.clone(),
            (Val::Good(v), "map" | "and_then" | "inspect") => {
                let value = self.call_value(&first, vec![(**v).clone()]);
                match (name, value) {
                    ("and_then", value) => value,
                    ("inspect", _) => on.clone(),
                    (_, value) => Val::Good(Box::new(value)),
                }
            }
            (Val::Fail(e), "map_err" | "or_else" | "unwrap_or_else_err") => {
                let value = self.call_value(&first, vec![Val::Error(e.clone())]);
                match (name, value) {
                    ("map_err", Val::Error(new)) => Val::Fail(new),
                    ("map_err", Val::Tok(tok)) => {
                        self.looked.set(true);
                        let mut error = self.unknown_error();
                        if let crate::link::token::Token::Object { class, .. } = *self.view.token(tok) {
                            error.class = super::val::ErrorClass::Own(class);
                        }
                        error.token = Some(tok);
                        error.injected = e.injected;
                        error.class_of_failure = e.class_of_failure;
                        error.status = e.status;
                        Val::Fail(Rc::new(error))
                    }
                    ("map_err", _) => Val::Fail(e.clone()),
                    (_, value) => value,
                }
            }
            (Val::Null, "map" | "and_then" | "as_ref" | "cloned" | "copied") => Val::Null,
            (Val::Null, "ok_or" | "ok_or_else") => Val::Fail(Rc::new(self.unknown_error())),
            // The error of an outcome, looked at through it.
            (Val::Error(_) | Val::Answer(_) | Val::Part(..), _) => return None,
            _ => return None,
        })
    }
}

impl Machine<'_, '_, '_> {
    /// A method of an error's text: another failure's text says something else.
    fn said(&self, on: &Val, name: &str, args: &[Val]) -> Option<Val> {
        let said = super::wording::method(on, name, args)?;
        self.looked.set(true);
        Some(said)
    }
}
