//! Calls of libraries as the catalogue describes them: values, errors they make, waits.

use super::calls::Given;
use super::machine::{Machine, Outcome};
use super::state::{Happening, State};
use super::val::{Answer, Inherits, Num, Val};
use crate::chains::variant::VARIANTS;
use crate::ir::*;
use crate::link::component::{CallRecord, Target};
use crate::link::known::Known;
use crate::link::token::*;
use std::rc::Rc;

/// An answer of a class with a status: what fails with it is what it fails for.
pub(super) fn answer_of(class: Rc<str>, status: u16) -> Val {
    let class_of_failure = VARIANTS.iter().find(|v| v.status == Some(status)).map(|v| v.failure as u8);
    Val::Answer(Rc::new(Answer { class, status, class_of_failure }))
}

impl<'p> Machine<'p, '_, '_> {
    /// What a method reads off the clock that is called on a time read off it before: how long ago that was.
    pub(super) fn time_since(
        &mut self,
        e: ExprId,
        on: &Val,
        records: &[CallRecord],
        given: &Given,
        state: &mut State,
    ) -> Option<Val> {
        let Val::Num(start) = on else { return None };
        let reads = |r: &CallRecord| self.view.known(r.callee).is_some_and(|k| k.callable.value.is_some());
        if !start.clock || !records.iter().any(reads) {
            return None;
        }
        match self.external_call(records, &Val::Unknown, given, state, e)? {
            Outcome::Value(Val::Num(now)) if now.clock => Some(Val::Num(now.combine(*start, |now, start| now - start))),
            _ => None,
        }
    }

    /// The function of the unit that a timer starts, and after how long: the recursion goes on through it.
    pub(super) fn timed(&mut self, records: &[CallRecord], given: &Given, state: &mut State, e: ExprId) -> Option<Val> {
        let callee = records.iter().find(|r| matches!(r.target, Target::External(_)))?.callee;
        let known = self.view.known(callee)?;
        let after = known.callable.after.as_ref()?;
        let callback = given.positional.iter().find(|v| {
            let Val::Tok(tok) = v else { return false };
            let Token::Function { func, env } = *self.view.token(*tok) else { return false };
            self.view.component_of(func, env).is_some_and(|comp| self.plan.unit.contains(&comp))
        })?;
        let Target::External(made) = records.iter().find(|r| matches!(r.target, Target::External(_)))?.target else {
            return None;
        };
        self.now = state.clock;
        let scope = self.scope_of(callee, Some(made));
        self.given = Some((made, given.clone()));
        self.sleep(e, after, &scope, state);
        self.given = None;
        Some(callback.clone())
    }

    /// Something that runs by and by (`create_task(client.get(url))`): waiting for it gives what that gives.
    pub(super) fn started(&self, records: &[CallRecord], given: &Given, state: &State) -> Option<Val> {
        if self.ir(state).language != Language::Python {
            return None;
        }
        let callee = records.iter().find(|r| matches!(r.target, Target::External(_)))?.callee;
        let callable = self.view.known(callee)?.callable;
        let [calls] = callable.calls.as_slice() else { return None };
        let at = callable.params.iter().position(|param| *param == calls.callable)?;
        let value = given.positional.get(at).filter(|_| calls.how == "later" && callable.layer.is_none())?;
        matches!(value, Val::Answer(_) | Val::With(..) | Val::Good(_)).then(|| value.clone())
    }

    /// Whether something is a class of answers, or of what else carries a status.
    pub(super) fn makes_answers(&self, callee: &Val) -> bool {
        let Val::Tok(tok) = callee else { return false };
        let carries = |known: Known| known.class.is_some_and(|class| !class.status_attributes.is_empty());
        self.view.known(*tok).is_some_and(|known| known.is_constructor && carries(known))
    }

    /// An answer that the program makes itself, of a status that this path knows: `new Response(body, { status })`.
    fn made_answer(&mut self, known: &Known<'p>, given: &Given, state: &State) -> Option<Val> {
        let class = known.class.filter(|_| known.is_constructor)?;
        let name = class.status_attributes.first()?;
        let options = known.callable.options.as_ref()?;
        let at = known.callable.params.iter().position(|p| p == options)?;
        let status = self.attribute_on(state, &given.positional.get(at)?.clone(), name).as_exact()? as u16;
        Some(answer_of(Rc::from(class.path.first()?.as_str()), status))
    }

    /// Calls something external whose effect is known: waits, numbers, errors.
    pub fn external_call(
        &mut self,
        records: &[CallRecord],
        callee: &Val,
        given: &Given,
        state: &mut State,
        e: ExprId,
    ) -> Option<Outcome> {
        let language = self.ir(state).language;
        if let Val::Tok(tok) = callee
            && let Token::External(symbol) = self.view.token(*tok)
        {
            let path = self.view.text(*symbol);
            if path == "globals:Object.assign" && self.assigned_object(given, state) {
                return given.positional.first().cloned().map(Outcome::Value);
            }
            if language == Language::Rust && matches!(path, "Err" | "Result::Err" | "std::result::Result::Err") {
                let first = given.positional.first().unwrap_or(&Val::Unknown);
                return Some(Outcome::Value(Val::Fail(self.error_from(first, None, state))));
            }
            if let Some(value) = self.native(language, path, &given.positional) {
                return Some(Outcome::Value(value));
            }
        }
        let mut candidates: Vec<(Tok, Tok)> = records
            .iter()
            .filter_map(|r| if let Target::External(made) = r.target { Some((r.callee, made)) } else { None })
            .collect();
        if let Val::Tok(tok) = callee
            && candidates.is_empty()
            && matches!(self.view.token(*tok), Token::External(_))
        {
            candidates.push((*tok, *tok));
        }
        for (called, made) in candidates {
            let Some(known) = self.view.known(called) else { continue };
            self.now = state.clock;
            let mut scope = self.scope_of(called, Some(made));
            scope.error = state.handling.last().cloned();
            self.given = Some((made, given.clone()));
            if let Some(sleep) = &known.callable.sleep {
                self.sleep(e, sleep, &scope, state);
                self.given = None;
                return Some(Outcome::Value(Val::Null));
            }
            if let Some(after) = &known.callable.after {
                // A timer whose callback is not ours (it settles a promise) is a wait.
                let ours =
                    given.positional.iter().any(|v| matches!(v, Val::Tok(t) if self.view.solver.is_callable(*t)));
                if !ours {
                    self.sleep(e, after, &scope, state);
                }
                self.given = None;
                return Some(Outcome::Value(Val::Unknown));
            }
            if language == Language::Rust
                && let Some(error) = given.positional.first().and_then(|v| self.wrapped_error(&known, v, Some(made)))
            {
                self.given = None;
                return Some(Outcome::Value(error));
            }
            if let Some(value) = &known.callable.value {
                let value = self.formula(value, &scope);
                self.given = None;
                if let Some(Val::Num(n)) = &value
                    && n.clock
                {
                    return Some(Outcome::Value(self.clock(state)));
                }
                return Some(Outcome::Value(value.unwrap_or(Val::Unknown)));
            }
            if let Some(answer) = self.made_answer(&known, given, state) {
                self.given = None;
                return Some(Outcome::Value(answer));
            }
            let spared = known.callable.raises_unless.as_ref().map(|f| self.formula_truth(f, &scope));
            self.given = None;
            if let Some(raises) = known.callable.raises.as_ref().filter(|_| spared != Some(Some(true))) {
                let handled = state.handling.last();
                let inherits = self.inherits(handled);
                self.may_be_spared = spared == Some(None);
                let error = Rc::new(super::val::Error {
                    class: super::val::ErrorClass::Known(Rc::from(raises.as_str())),
                    status: None,
                    fields: Vec::new(),
                    token: Some(made),
                    injected: handled.is_some_and(|e| e.injected),
                    class_of_failure: handled.and_then(|e| e.class_of_failure),
                    inherits,
                });
                return Some(Outcome::Raise(error));
            }
            if known.callable.outbound.is_some() {
                // Another outbound call: it succeeds.
                let answers = known.callable.outbound.as_ref().and_then(|outbound| outbound.answers.as_ref());
                let value = answers.map_or(Val::Unknown, |class| {
                    Val::Answer(Rc::new(Answer {
                        class: Rc::from(class.as_str()),
                        status: 200,
                        class_of_failure: None,
                    }))
                });
                let good = language == Language::Rust;
                return Some(Outcome::Value(if good { Val::Good(Box::new(value)) } else { value }));
            }
            if let Some(deadline) = &known.callable.deadline
                && self.idles_within(&known, e, state)
            {
                self.given = Some((made, given.clone()));
                self.sleep(e, deadline, &scope, state);
                self.given = None;
                return Some(Outcome::Value(Val::Unknown));
            }
            if language == Language::Rust && known.callable.deadline.is_some() {
                return Some(Outcome::Value(self.in_time(&known, given)));
            }
            let handed = given.positional.iter().chain(given.keywords.iter().map(|k| &k.1));
            let failed = handed.into_iter().find_map(|value| match value {
                Val::Fail(_) => Some(value.clone()),
                Val::List(items) => items.iter().find(|v| matches!(v, Val::Fail(_))).cloned(),
                _ => None,
            });
            if let Some(Val::Fail(error)) = failed {
                // A group of tasks fails as one when it is left.
                let group = known.class.is_some_and(|c| c.new.concurrency.as_deref() == Some("gather"));
                if group && !known.is_constructor && language == Language::Python {
                    return Some(Outcome::Raise(error));
                }
                self.given = Some((made, given.clone()));
                let kept = known.callable.keeps_errors.as_ref().and_then(|f| self.formula(f, &scope));
                self.given = None;
                let kept = kept.unwrap_or(Val::Bool(false));
                let list = |values: Vec<Val>| Val::List(Rc::new(values));
                return Some(Outcome::Value(match (&kept, self.truth(&kept)) {
                    (Val::Text(what), _) if **what == *"tasks" => list(vec![Val::Fail(error)]),
                    (Val::Text(_), _) => list(vec![list(vec![Val::Fail(error)]), list(Vec::new())]),
                    (_, Some(true)) if language == Language::Python => list(vec![Val::Error(error)]),
                    (_, Some(true)) => Val::Unknown,
                    _ => Val::Fail(error),
                }));
            }
            let is_error = known.class.is_some_and(|c| {
                known.is_constructor
                    && self
                        .view
                        .solver
                        .catalogue
                        .is_subclass(c.path.first().map_or("", String::as_str), base_of_errors(language))
            });
            if is_error {
                let error = self.made_error(made, &known, given, state);
                return Some(Outcome::Value(Val::Error(Rc::new(error))));
            }
            return Some(Outcome::Value(Val::Tok(made)));
        }
        None
    }

    /// An error that the code makes from a package's class, with its arguments as attributes.
    fn made_error(
        &self,
        made: Tok,
        known: &crate::link::known::Known<'p>,
        given: &Given,
        state: &State,
    ) -> super::val::Error {
        let class = known.class.and_then(|c| c.path.first()).map_or("", String::as_str);
        let mut fields: Vec<(Rc<str>, Val)> = given.keywords.clone();
        for (name, value) in known.callable.params.iter().zip(&given.positional) {
            fields.push((Rc::from(name.as_str()), value.clone()));
        }
        // The status that it was given is the status that it carries.
        let status = known.class.and_then(|c| {
            let named = |(n, _): &&(Rc<str>, Val)| c.status_attributes.iter().any(|a| **a == **n);
            let given = fields.iter().find(named).and_then(|(_, v)| v.as_exact()).map(|s| s as u16);
            given.or_else(|| c.statuses.first().copied())
        });
        let held = given.positional.iter().find_map(|v| match v {
            Val::Error(e) => Some(e),
            _ => None,
        });
        let handled = state.handling.last().or(held);
        let mut inherits = self.inherits(handled);
        if let (None, Some(held)) = (status, held) {
            // The status is that of what it is made of.
            match (inherits, held.inherits) {
                (Inherits::Class, Inherits::Nothing) if self.is_the_failure(held) => {
                    inherits = Inherits::ClassAndStatus;
                }
                (Inherits::Class, of_held) if of_held != Inherits::Nothing => inherits = of_held,
                _ => self.looked.set(self.looked.get() || held.status.is_some()),
            }
        }
        super::val::Error {
            class: super::val::ErrorClass::Known(Rc::from(class)),
            status: status.or(held.and_then(|e| e.status)),
            fields,
            token: Some(made),
            injected: handled.is_some_and(|e| e.injected),
            class_of_failure: handled.and_then(|e| e.class_of_failure),
            inherits,
        }
    }

    fn sleep(
        &mut self,
        e: ExprId,
        formula: &crate::catalogue::Formula,
        scope: &super::formula::Scope<'p>,
        state: &mut State,
    ) {
        let place = state.helper.unwrap_or_else(|| self.view.call_place(self.comp(state), e));
        let wait = self.formula(formula, scope).and_then(|v| v.as_num());
        let known = wait.filter(|n| n.lo.is_finite());
        let n = known.unwrap_or(Num::exact(0.0));
        let lo = n.lo.max(0.0);
        let slots = state.slots.clone();
        state.clock += lo;
        state.trace.push(Happening::Sleep {
            lo,
            hi: n.hi.max(lo),
            random: n.random,
            asked: n.asked,
            unknown: known.is_none(),
            place,
            slots,
        });
    }
}

/// What all errors of a language come from.
fn base_of_errors(language: Language) -> &'static str {
    match language {
        Language::Rust => "std::error::Error",
        _ => "builtins.BaseException",
    }
}
