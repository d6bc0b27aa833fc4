//! `Option` and `Result` on a path: what their methods make of an outcome, with closures run where they run.

use super::calls::Given;
use super::machine::Machine;
use super::state::{Exits, State};
use super::val::{Error, ErrorClass, Val};
use crate::ir::ExprId;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::known::Known;
use crate::link::token::{Site, Tok, Token};
use std::rc::Rc;

/// What an `Option` or `Result` is.
enum Side {
    /// `Ok`, `Some`.
    Good(Val),
    /// `Err`.
    Bad(Rc<Error>),
    /// `None`, or an `Err` of which nothing is known.
    Empty,
}

/// What a library's method does after which an outcome is what it was.
const KEPT: &str = "kept";
/// Methods that call what they are handed where all is well.
const ON_SUCCESS: [&str; 8] = ["map", "and_then", "inspect", "is_some_and", "is_ok_and", "filter", "map_or", "then"];
/// Methods that call what they are handed where all is not well.
const ON_FAILURE: [&str; 8] =
    ["or_else", "unwrap_or_else", "map_err", "ok_or_else", "inspect_err", "is_err_and", KEPT, "is_none_or"];

impl<'p> Machine<'p, '_, '_> {
    fn side(&self, on: &Val) -> Option<Side> {
        Some(match on {
            Val::Good(inner) => Side::Good((**inner).clone()),
            Val::Fail(e) => Side::Bad(e.clone()),
            Val::Null => Side::Empty,
            // A value that a formula or link gave without what is around it.
            Val::Num(_) | Val::Text(_) | Val::Bool(_) | Val::Error(_) | Val::Answer(_) => Side::Good(on.clone()),
            _ => return None,
        })
    }

    /// Whether a method leaves the closure alone that it is handed.
    pub fn passes_over(&self, on: &Val, name: &str) -> bool {
        let name = self.view.solver.catalogue.same_as(name);
        match on {
            Val::Good(_) => ON_FAILURE.contains(&name) && name != "is_none_or",
            Val::Fail(_) | Val::Null => ON_SUCCESS.contains(&name),
            _ => false,
        }
    }

    /// A method of an `Option` or `Result`; the path is handed back if it is none.
    #[allow(clippy::too_many_arguments)]
    pub fn outcome_call(
        &mut self,
        e: ExprId,
        on: &Val,
        name: &str,
        given: &Given,
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> Option<State> {
        let Some(side) = self.side(on) else { return Some(state) };
        let name = self.view.solver.catalogue.same_as(name);
        let first = given.positional.first().cloned().unwrap_or(Val::Unknown);
        let second = given.positional.get(1).cloned().unwrap_or(Val::Unknown);
        let is_good = matches!(side, Side::Good(_));
        let failed = |side: &Side| match side {
            Side::Bad(e) => Val::Error(e.clone()),
            _ => Val::Unknown,
        };
        match name {
            "is_ok" | "is_some" => out.push((state, Val::Bool(is_good))),
            "is_err" | "is_none" => out.push((state, Val::Bool(!is_good))),
            "is_some_and" | "is_ok_and" => match side {
                Side::Good(v) => out.extend(self.applied(e, &first, v, state, exits)),
                _ => out.push((state, Val::Bool(false))),
            },
            "is_none_or" => match side {
                Side::Good(v) => out.extend(self.applied(e, &first, v, state, exits)),
                _ => out.push((state, Val::Bool(true))),
            },
            "is_err_and" => match side {
                Side::Bad(error) => out.extend(self.applied(e, &first, Val::Error(error), state, exits)),
                _ => out.push((state, Val::Bool(false))),
            },
            "unwrap" | "expect" => match side {
                Side::Good(v) => out.push((state, v)),
                Side::Bad(error) => exits.raises.push((state, error)),
                // What the surroundings set where the program runs, or it would not run.
                Side::Empty => out.push((state, Val::Unknown)),
            },
            "unwrap_or" => out.push((state, if let Side::Good(v) = side { v } else { first })),
            "unwrap_or_default" => out.push((state, if let Side::Good(v) = side { v } else { Val::Unknown })),
            "unwrap_or_else" => match side {
                Side::Good(v) => out.push((state, v)),
                side => {
                    let value = failed(&side);
                    out.extend(self.applied(e, &first, value, state, exits));
                }
            },
            "map_or" => match side {
                Side::Good(v) => out.extend(self.applied(e, &second, v, state, exits)),
                _ => out.push((state, first)),
            },
            "map_or_else" => match side {
                Side::Good(v) => out.extend(self.applied(e, &second, v, state, exits)),
                side => {
                    let value = failed(&side);
                    out.extend(self.applied(e, &first, value, state, exits));
                }
            },
            "map" => match side {
                Side::Good(v) => {
                    let made = self.applied(e, &first, v, state, exits);
                    out.extend(made.into_iter().map(|(s, v)| (s, Val::Good(Box::new(v)))));
                }
                _ => out.push((state, on.clone())),
            },
            "and_then" => match side {
                Side::Good(v) => out.extend(self.applied(e, &first, v, state, exits)),
                _ => out.push((state, on.clone())),
            },
            "inspect" | "inspect_err" => {
                let runs = match side {
                    Side::Good(v) => (name != "inspect_err").then_some(v),
                    Side::Bad(error) => (name == "inspect_err").then_some(Val::Error(error)),
                    Side::Empty => None,
                };
                match runs {
                    Some(v) => {
                        let after = self.applied(e, &first, v, state, exits);
                        out.extend(after.into_iter().map(|(s, _)| (s, on.clone())));
                    }
                    None => out.push((state, on.clone())),
                }
            }
            "filter" => match side {
                Side::Good(v) => {
                    for (state, kept) in self.applied(e, &first, v, state, exits) {
                        let value = match self.truth(&kept) {
                            Some(true) => on.clone(),
                            Some(false) => Val::Null,
                            None => Val::Unknown,
                        };
                        out.push((state, value));
                    }
                }
                _ => out.push((state, on.clone())),
            },
            "ok" => out.push((state, if is_good { on.clone() } else { Val::Null })),
            "err" => out.push((
                state,
                match side {
                    Side::Bad(error) => Val::Good(Box::new(Val::Error(error))),
                    _ => Val::Null,
                },
            )),
            "unwrap_err" | "expect_err" | "into_err" => out.push((state, failed(&side))),
            "map_err" | "or_else" => match side {
                Side::Good(_) => out.push((state, on.clone())),
                Side::Empty if name == "map_err" => out.push((state, Val::Unknown)),
                side => {
                    let value = failed(&side);
                    for (state, made) in self.applied(e, &first, value, state, exits) {
                        let made = match (&side, name) {
                            (Side::Bad(old), "map_err") => Val::Fail(self.error_from(&made, Some(old), &state)),
                            _ => made,
                        };
                        out.push((state, made));
                    }
                }
            },
            "or" => out.push((state, if is_good { on.clone() } else { first })),
            "and" => out.push((state, if is_good { first } else { on.clone() })),
            "ok_or" => match side {
                Side::Empty => {
                    let error = self.error_from(&first, None, &state);
                    out.push((state, Val::Fail(error)));
                }
                _ => out.push((state, on.clone())),
            },
            "ok_or_else" => match side {
                Side::Empty => {
                    for (state, made) in self.applied(e, &first, Val::Unknown, state, exits) {
                        let error = self.error_from(&made, None, &state);
                        out.push((state, Val::Fail(error)));
                    }
                }
                _ => out.push((state, on.clone())),
            },
            KEPT => match side {
                Side::Empty => out.push((state, Val::Unknown)),
                _ => out.push((state, on.clone())),
            },
            // The first item of a stream that could not be asked for.
            "next" | "try_next" if matches!(side, Side::Bad(_)) => {
                let item = if name == "next" { Val::Good(Box::new(on.clone())) } else { on.clone() };
                out.push((state, item));
            }
            "flatten" => out.push((
                state,
                match side {
                    Side::Good(inner @ (Val::Good(_) | Val::Fail(_) | Val::Null)) => inner,
                    _ => on.clone(),
                },
            )),
            "as_ref" | "as_mut" | "as_deref" | "as_deref_mut" | "cloned" | "copied" | "clone" | "to_owned" | "take"
            | "transpose" | "into_future"
                if !matches!(on, Val::Text(_) | Val::Num(_)) || name != "take" =>
            {
                out.push((state, on.clone()));
            }
            _ => return Some(state),
        }
        None
    }

    /// Calls a closure, function or constructor that a method of the language was handed.
    pub fn applied(
        &mut self,
        e: ExprId,
        callee: &Val,
        value: Val,
        state: State,
        exits: &mut Exits,
    ) -> Vec<(State, Val)> {
        let Val::Tok(tok) = callee else { return vec![(state, Val::Unknown)] };
        match *self.view.token(*tok) {
            Token::Class { .. } | Token::Variant { .. } => {
                let site = Site { comp: self.comp(&state), expr: e };
                let made = self.view.solver.made_by_site.get(&site).copied();
                let mut state = state;
                if let Some(made) = made {
                    self.put_part(&mut state, made, "0", value.clone());
                }
                vec![(state, made.map_or(value, Val::Tok))]
            }
            Token::External(_) => {
                let value = self.converted_by(*tok, &value);
                vec![(state, value)]
            }
            _ => self.call_closure(callee, vec![value], state, exits),
        }
    }

    /// What a function of a package makes of one value: a wrapper of the language, an error of the catalogue, else
    /// what it was.
    fn converted_by(&mut self, tok: Tok, value: &Val) -> Val {
        let path = self.view.path(tok);
        if let Some(made) = self.native(crate::ir::Language::Rust, &path, std::slice::from_ref(value)) {
            return made;
        }
        let Some(known) = self.view.known(tok) else { return value.clone() };
        self.looked.set(self.looked.get() || matches!(value, Val::Error(_)));
        if let Val::Error(old) = value
            && known.is_constructor
        {
            let class = known.class.and_then(|c| c.path.first()).map_or("", String::as_str);
            let fields = vec![(Rc::from("0"), value.clone())];
            return Val::Error(Rc::new(Error { class: ErrorClass::Known(Rc::from(class)), fields, ..(**old).clone() }));
        }
        if let Some(made) = self.wrapped_error(&known, value, None) {
            return made;
        }
        if let Some(formula) = &known.callable.value {
            let mut scope = self.scope_of(tok, None);
            if let Val::Error(e) = value {
                scope.error = Some(e.clone());
            }
            self.given = Some((tok, Given { positional: vec![value.clone()], ..Given::default() }));
            scope.call = Some(tok);
            let made = self.formula(formula, &scope);
            self.given = None;
            return made.unwrap_or(Val::Unknown);
        }
        value.clone()
    }

    /// The error that a function of a package puts around one it is handed (Rust): `Error::permanent(e)`.
    pub(super) fn wrapped_error(&self, known: &Known, value: &Val, token: Option<Tok>) -> Option<Val> {
        let class = known.callable.returns.as_deref().filter(|_| !known.is_constructor)?;
        let Val::Error(old) = value else { return None };
        if !self.view.solver.catalogue.is_subclass(class, "std::error::Error") {
            return None;
        }
        let fields = vec![(Rc::from("0"), value.clone())];
        let class = ErrorClass::Known(Rc::from(class));
        Some(Val::Error(Rc::new(Error { class, fields, token, ..(**old).clone() })))
    }

    /// The error that a value is, made while another one was looked at.
    pub fn error_from(&self, made: &Val, old: Option<&Rc<Error>>, state: &State) -> Rc<Error> {
        let tok = match made {
            Val::Error(e) | Val::Fail(e) => return e.clone(),
            // A new error that takes over what the old one says.
            Val::Tok(tok) => {
                self.looked.set(true);
                *tok
            }
            // A tuple: what it says is in its parts.
            Val::List(parts) => {
                let inside = parts.iter().find_map(|part| match part {
                    Val::Error(e) => Some(e.clone()),
                    _ => None,
                });
                let from = inside.as_ref().or(old).map_or_else(|| self.unknown_error(), |e| (**e).clone());
                self.looked.set(true);
                let fields = parts.iter().enumerate().map(|(i, v)| (Rc::from(i.to_string()), v.clone())).collect();
                return Rc::new(Error { class: ErrorClass::Unknown, fields, token: None, ..from });
            }
            _ => return old.cloned().unwrap_or_else(|| Rc::new(self.unknown_error())),
        };
        let class = match *self.view.token(tok) {
            Token::Object { class, .. } | Token::Instance { class } | Token::Variant { class, .. } => {
                match self.view.token(class) {
                    Token::External(_) => ErrorClass::Known(self.view.path(class)),
                    _ => ErrorClass::Own(class),
                }
            }
            Token::Made { callee, .. } => match self.view.known(callee) {
                Some(known) if known.is_constructor => ErrorClass::Known(self.view.path(callee)),
                _ => return old.cloned().unwrap_or_else(|| Rc::new(self.unknown_error())),
            },
            _ => ErrorClass::Unknown,
        };
        let mut fields: Vec<(Rc<str>, Val)> =
            state.heap.iter().filter(|((t, _), _)| *t == tok).map(|((_, n), v)| (n.clone(), v.clone())).collect();
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        // What it holds says what it goes back to.
        let inside = fields.iter().find_map(|(_, v)| match v {
            Val::Error(e) => Some(e.clone()),
            _ => None,
        });
        let from = inside.as_ref().or(old);
        Rc::new(Error {
            class,
            status: from.and_then(|e| e.status),
            fields,
            token: Some(tok),
            injected: from.is_some_and(|e| e.injected),
            class_of_failure: from.and_then(|e| e.class_of_failure),
            inherits: Default::default(),
        })
    }

    /// A method of the language's own types; the path is handed back if it is none.
    #[allow(clippy::too_many_arguments)]
    pub fn rust_call(
        &mut self,
        e: ExprId,
        object: Option<ExprId>,
        on: &Val,
        name: &str,
        records: &[CallRecord],
        given: &Given,
        state: State,
        out: &mut Vec<(State, Val)>,
        exits: &mut Exits,
    ) -> Option<State> {
        let own = records.iter().any(|r| matches!(r.target, Target::Comp(_)) && r.via == Via::Call);
        let known = records.iter().any(|r| self.view.known(r.callee).is_some());
        let name = self.view.solver.catalogue.same_as(name);
        if own {
            return Some(state);
        }
        let state = self.search(e, on, name, given, state, out, exits)?;
        let state = self.iterator_call(object, on, name, given, state, out, exits)?;
        let state = match on {
            // An answer's and an error's own methods come first.
            Val::Answer(_) | Val::Error(_) if known || !ON_SUCCESS.contains(&name) => state,
            Val::Num(_) | Val::Text(_) | Val::Bool(_) if !self.is_outcome_method(name) => state,
            _ => self.outcome_call(e, on, name, given, state, out, exits)?,
        };
        if known {
            return Some(state);
        }
        match (on, name) {
            (Val::Tok(_) | Val::Unknown, "get_or_init") => {
                let first = given.positional.first().cloned().unwrap_or(Val::Unknown);
                out.extend(self.call_closure(&first, Vec::new(), state, exits));
            }
            (
                Val::Tok(_) | Val::Many(_) | Val::List(_) | Val::Iter(_) | Val::Error(_) | Val::Answer(_),
                "clone" | "to_owned" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "into_owned" | "cloned"
                | "copied" | "by_ref" | "as_deref" | "lock" | "read" | "write" | "deref" | "into_inner" | "unwrap"
                | "expect" | "into",
            ) => out.push((state, on.clone())),
            _ => return Some(state),
        }
        None
    }

    /// Methods that plain values do not have: they are an option's or a result's.
    fn is_outcome_method(&self, name: &str) -> bool {
        ON_SUCCESS.contains(&name)
            || ON_FAILURE.contains(&name)
            || matches!(
                name,
                "is_some"
                    | "is_none"
                    | "is_ok"
                    | "is_err"
                    | "unwrap"
                    | "expect"
                    | "unwrap_or"
                    | "unwrap_or_default"
                    | "map_or_else"
                    | "ok"
                    | "ok_or"
                    | "or"
            )
    }
}
