//! Where the numbers of layers stand, and how they are written there.

use super::compose::Composer;
use super::model::*;
use crate::ir::{ExprId, ExprKind, FunctionKind, Language};
use crate::layers::formula::Scope;
use crate::layers::policy::Policy;
use crate::layers::val::Val;
use crate::link::token::*;
use crate::source::Place;
use std::rc::Rc;

/// What a client hands out is followed back over so many calls.
const DERIVED: usize = 16;

impl<'p> Composer<'p, '_, '_> {
    /// Where a policy's number is written: the place the catalogue names, else the decorator or call.
    pub(super) fn place_of(&mut self, policy: &Policy<'p>, error: Option<&Rc<crate::layers::val::Error>>) -> Place {
        let Some(at) = policy.layer.at.as_ref() else { return policy.place };
        let mut scope = self.machine.policy_scope(policy);
        scope.error = error.cloned();
        let asked = error.and_then(|e| e.token).and_then(|t| self.place_of_token(t));
        match self.machine.formula(at, &scope) {
            // A task that is a class: where it says so.
            Some(Val::Tok(tok)) if self.class_setting(tok, policy.layer.setting.as_deref()).is_some() => {
                self.class_setting(tok, policy.layer.setting.as_deref()).unwrap_or(policy.place)
            }
            Some(Val::Tok(tok)) => self.place_of_token(tok).unwrap_or(policy.place),
            // A number that the raised request to try again carries.
            Some(Val::Num(_)) if mentions_error(at) => asked.unwrap_or(policy.place),
            // A number that the receiver was given: where that was made.
            Some(Val::Num(_)) => self
                .holder_of(at, &scope)
                .or_else(|| {
                    matches!(at, crate::catalogue::Formula::Call(..)).then(|| self.given_at(at, &scope)).flatten()
                })
                .unwrap_or(policy.place),
            _ => policy.place,
        }
    }

    /// Where the first of several settings that is given is written (`default(attempts, self.options.attempts)`).
    fn given_at(&mut self, formula: &crate::catalogue::Formula, scope: &Scope<'p>) -> Option<Place> {
        let crate::catalogue::Formula::Call(_, args) = formula else { return None };
        let given = args.iter().find(|f| self.machine.formula(f, scope).is_some_and(|v| v != Val::Null))?;
        match given {
            // An argument of the call itself: the call is the place.
            crate::catalogue::Formula::Name(name)
                if !scope.entry.is_some_and(|e| e.callable.locals.contains_key(name)) =>
            {
                None
            }
            _ => self.written_place(given, scope).map(|(place, _)| place),
        }
    }

    /// Where the object was made that was given a setting.
    fn holder_of(&mut self, formula: &crate::catalogue::Formula, scope: &Scope<'p>) -> Option<Place> {
        use crate::catalogue::Formula;
        let Formula::Field(object, name) = formula else { return None };
        let Val::Tok(mut tok) = self.machine.formula(object, scope)? else { return None };
        for _ in 0..8 {
            let at = match *self.view.token(tok) {
                Token::Wrapped { by, .. } => by,
                _ => tok,
            };
            if self.written_in(at, name).is_some() {
                return self.place_of_token(at);
            }
            let Token::Made { callee, .. } = *self.view.token(tok) else { return None };
            if !self.view.known(callee)?.callable.derives {
                return None;
            }
            tok = self.view.solver.receiver(callee)?;
        }
        None
    }

    /// Where the class of a task gives a setting a value.
    fn class_setting(&self, tok: Tok, setting: Option<&str>) -> Option<Place> {
        let class = match *self.view.token(tok) {
            Token::Object { class, .. } | Token::Instance { class } => class,
            Token::Class { .. } => tok,
            _ => return None,
        };
        let order = self.view.solver.orders.get(&class)?;
        order.iter().find_map(|base| match *self.view.token(*base) {
            Token::Class { class, .. } => {
                let span = self.setting_of(class, setting)?;
                Some(Place { file: crate::source::FileId(class.file), span })
            }
            _ => None,
        })
    }

    pub(super) fn place_of_token(&self, tok: Tok) -> Option<Place> {
        match *self.view.token(tok) {
            Token::Made { site, .. }
            | Token::Object { site, .. }
            | Token::Container { site, .. }
            | Token::Wrapped { site, .. } => {
                let file = self.view.file(site.comp);
                let span = file.exprs.get(site.expr.index())?.span;
                Some(self.view.place(site.comp, span))
            }
            _ => None,
        }
    }

    /// Where the client was made that a request or a handle derives from (Rust: `client.blob("b").get()`).
    pub(super) fn place_of_client(&self, tok: Tok) -> Option<Place> {
        let mut at = tok;
        for _ in 0..DERIVED {
            let Token::Made { site, callee } = *self.view.token(at) else { break };
            let derives =
                self.view.known(callee).is_some_and(|k| k.callable.derives && k.callable.derives_from.is_none());
            if self.view.file(site.comp).language != Language::Rust || !derives {
                break;
            }
            at = self.view.solver.receiver(callee)?;
        }
        self.place_of_token(at)
    }

    /// Where the count of a policy comes from.
    pub(super) fn number_of(&mut self, policy: &Policy<'p>) -> (CountSource, Option<Place>) {
        let Some(made) = policy.made else { return (CountSource::Default, None) };
        let site = match *self.view.token(made) {
            Token::Made { site, .. } => site,
            _ => return (CountSource::Default, None),
        };
        let file = self.view.file(site.comp);
        let Some(expr) = file.exprs.get(site.expr.index()) else { return (CountSource::Default, None) };
        let ExprKind::Call { args, .. } = &expr.kind else { return (CountSource::Literal, None) };
        if args.is_empty() {
            return (CountSource::Default, None);
        }
        (source_of(file, site.expr), Some(self.view.place(site.comp, expr.span)))
    }

    /// The text of a place, on one line.
    pub(super) fn text(&self, place: Place) -> String {
        let text = self
            .machine
            .texts
            .get(place.file.index())
            .map_or("", |t| t.get(place.span.start as usize..place.span.end as usize).unwrap_or(""));
        let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > 100 {
            line = line.chars().take(99).collect::<String>() + "…";
        }
        line
    }

    /// Where a loop's count comes from, by what its header names.
    pub(super) fn source_of_loop(&self, comp: CompId, place: Place) -> CountSource {
        let file = self.view.file(comp);
        if place.file.0 != self.view.func(comp).file {
            return CountSource::Literal;
        }
        for expr in &file.exprs {
            if expr.span.start >= place.span.start && expr.span.end <= place.span.end {
                match &expr.kind {
                    ExprKind::Var(var) => {
                        let owner = file.function(file.var(*var).owner);
                        let is_param = owner
                            .params
                            .iter()
                            .any(|p| matches!(file.pattern(p.pattern), crate::ir::Pattern::Bind(v) if v == var));
                        if is_param {
                            return CountSource::Parameter;
                        }
                        if owner.kind == FunctionKind::Module {
                            return CountSource::Constant;
                        }
                    }
                    ExprKind::Attr { .. } => return CountSource::Constant,
                    _ => {}
                }
            }
        }
        CountSource::Literal
    }
}

/// Whether a formula reads the error at hand.
pub(super) fn mentions_error(formula: &crate::catalogue::Formula) -> bool {
    use crate::catalogue::Formula;
    match formula {
        Formula::Name(name) => name == "error",
        Formula::Field(a, _) | Formula::Not(a) | Formula::Neg(a) => mentions_error(a),
        Formula::Index(a, b) | Formula::Binary(_, a, b) => mentions_error(a) || mentions_error(b),
        Formula::Call(_, list) | Formula::List(list) => list.iter().any(mentions_error),
        _ => false,
    }
}

/// Whether a formula reads what a raised error carries (`error.countdown`), not only asks somebody about the error.
pub(super) fn reads_error(formula: &crate::catalogue::Formula) -> bool {
    use crate::catalogue::Formula;
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        match formula {
            Formula::Field(a, _) | Formula::Index(a, _) if mentions_error(a) => return true,
            Formula::Field(a, _) | Formula::Not(a) | Formula::Neg(a) => pending.push(a),
            Formula::Index(a, b) | Formula::Binary(_, a, b) => pending.extend([&**a, &**b]),
            Formula::Call(_, list) | Formula::List(list) => pending.extend(list),
            _ => {}
        }
    }
    false
}

/// How a number is written, by the expression that gives it.
pub fn source_of(file: &crate::ir::File, e: ExprId) -> CountSource {
    let mut source = CountSource::Literal;
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        match &file.expr(e).kind {
            ExprKind::Var(var) => {
                let owner = file.function(file.var(*var).owner);
                let is_param = owner
                    .params
                    .iter()
                    .any(|p| matches!(file.pattern(p.pattern), crate::ir::Pattern::Bind(v) if v == var));
                if is_param {
                    source = CountSource::Parameter;
                } else if source == CountSource::Literal {
                    source = CountSource::Constant;
                }
            }
            ExprKind::Attr { object, .. } => {
                let inner = &file.expr(*object).kind;
                if matches!(inner, ExprKind::Var(_) | ExprKind::This) && source == CountSource::Literal {
                    source = CountSource::Constant;
                }
            }
            ExprKind::Call { callee, args, .. } => {
                let text = match &file.expr(*callee).kind {
                    ExprKind::Attr { name, .. } | ExprKind::Free(name) => file.name(*name),
                    _ => "",
                };
                if matches!(text, "getenv" | "env" | "environ" | "var") {
                    return CountSource::Environment;
                }
                stack.extend(args.iter().map(|a| a.value()));
            }
            _ => crate::layers::relevant::children(file, e, &mut stack),
        }
    }
    source
}
