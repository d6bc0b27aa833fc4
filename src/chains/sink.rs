//! The end of a chain: an outbound call, and the methods of the program that it goes through.

use super::compose::Composer;
use super::model::*;
use super::part::{Part, PartLayer};
use super::variant::VARIANTS;
use crate::catalogue::{FAMILY, schema};
use crate::ir::ExprId;
use crate::layers::formula::Scope;
use crate::layers::val::Val;
use crate::link::component::Target;
use crate::link::token::*;
use std::rc::Rc;

impl<'p> Composer<'p, '_, '_> {
    /// A chain that starts at an outbound call: its built-in layers.
    pub(super) fn sink(&mut self, callee: Tok, at: CompId, expr: ExprId) -> Option<Part> {
        let (library, outbound) = self.outbound(callee)?;
        let language = self.view.file(at).language;
        let made = self.view.calls(at, expr).iter().find_map(|c| match c.target {
            Target::External(made) if c.callee == callee => Some(made),
            _ => None,
        });
        self.machine.here = Some(at);
        let scope = self.machine.scope_of(callee, made);
        let mut outcomes = Vec::new();
        for variant in VARIANTS {
            outcomes.push(vec![self.machine.sink_outcome(outbound, &scope, variant.failure, variant.status, language)]);
        }
        let place = self.view.call_place(at, expr);
        let file = self.view.file(at);
        let whole = file.exprs.get(expr.index()).map_or(place, |e| self.view.place(at, e.span));
        let mut layers = Vec::new();
        self.built_in(library, outbound, &scope, at, place, false, &mut layers, 0);
        let unlisted = self.unlisted(callee);
        for layer in layers.iter_mut().map(|l| &mut l.layer).filter(|l| l.library.as_ref() == Some(&library.name)) {
            if let Some(package) = &unlisted {
                layer.family = layer.library.replace(package.clone());
            }
        }
        let client = self.view.solver.receiver(callee).and_then(|r| self.place_of_client(r));
        let timeout = outbound.timeout.as_ref().and_then(|f| self.machine.formula_num(f, &scope)).map(|n| n.hi);
        let timeout = timeout.map(|t| if t == 0.0 { f64::INFINITY } else { t });
        let written = outbound.timeout.as_ref().is_some_and(|formula| self.is_given(formula, &scope));
        let stream = outbound.stream
            || outbound.stream_if.as_ref().is_some_and(|f| self.machine.formula_truth(f, &scope) == Some(true));
        // A method that nobody can read is no reason to call it a change.
        let writes = outbound.writes.as_ref().is_some_and(|f| self.machine.formula_truth(f, &scope) == Some(true));
        let idempotency = outbound.idempotency.as_ref().map(|name| {
            let given = self.machine.formula(&crate::catalogue::Formula::Name(name.clone()), &scope).is_some();
            (name.clone(), given)
        });
        let call = OutboundCall {
            place,
            whole,
            function: self.view.name(at),
            target: self.target(callee),
            library: unlisted.clone().unwrap_or_else(|| library.name.clone()),
            client,
            other_clients: Vec::new(),
            sends_retry_after: outbound.sends_retry_after.unwrap_or(library.sends_retry_after),
            spend_limit_429: library.spend_limit_429,
            plain_http: outbound.kind == "transport",
            can_fail_permanently: true,
            timeout,
            timeout_written: written,
            stream,
            writes,
            idempotency,
        };
        let mut part = Part {
            call: Rc::new(call),
            sink: (at, expr),
            layers,
            outcomes,
            path: Vec::new(),
            // A family's ways are likely those of its members.
            confidence: if unlisted.is_some() { Confidence::Medium } else { Confidence::High },
            lost: None,
            at_least: false,
            unseen: false,
            detached: false,
            others: Vec::new(),
            more: false,
        };
        for (method, wrappers) in self.passed_through(outbound, callee, made, at).into_iter().rev() {
            self.pass_through(&mut part, method, &wrappers);
        }
        if let (Some(formula), Some(made)) = (&outbound.rescued_by, made) {
            self.rescue(&mut part, formula, outbound, &scope, made);
        }
        // Layers around the client object itself.
        if let Some(receiver) = self.view.solver.receiver(callee) {
            for (by, site) in self.view.wrappers(receiver).into_iter().rev() {
                if let Some(policy) = self.machine.policy_of_decorator(by, site) {
                    self.wrap(&mut part, &policy, LayerKind::Wrapper);
                }
            }
        }
        Some(part)
    }

    /// Whether the code gives a setting that a formula reads: an argument, or one of the client's. What the catalogue's
    /// entry says by itself is given by nobody.
    fn is_given(&mut self, formula: &crate::catalogue::Formula, scope: &Scope<'p>) -> bool {
        self.gives(formula, &Scope { given_only: true, ..scope.clone() }, 0)
    }

    fn gives(&mut self, formula: &crate::catalogue::Formula, scope: &Scope<'p>, depth: u8) -> bool {
        use crate::catalogue::Formula;
        if depth > 16 {
            return false;
        }
        let next = depth + 1;
        match formula {
            Formula::Name(name) if name == "self" => false,
            Formula::Name(name) => {
                let own = scope.entry.and_then(|e| {
                    e.callable.locals.get(name).or_else(|| e.class.and_then(|class| class.locals.get(name)))
                });
                match own {
                    // A name that stands for others.
                    Some(local) => self.gives(local, scope, next),
                    None => self.machine.formula(formula, scope).is_some(),
                }
            }
            Formula::Field(..) | Formula::Index(..) => {
                self.machine.formula(formula, scope).is_some_and(|v| v != Val::Null)
            }
            // A condition chooses; it is nothing to wait for.
            Formula::Call(name, args) => {
                args.iter().skip(usize::from(name == "if")).any(|f| self.gives(f, scope, next))
            }
            Formula::Binary(_, left, right) => self.gives(left, scope, next) || self.gives(right, scope, next),
            Formula::Neg(inner) => self.gives(inner, scope, next),
            _ => false,
        }
    }

    /// Methods of the program that an outbound call goes through, outermost first, with their decorators: a
    /// transport's `send`, a session's `request`.
    pub(super) fn passed_through(
        &mut self,
        outbound: &'p schema::Outbound,
        callee: Tok,
        made: Option<Tok>,
        at: CompId,
    ) -> Vec<(CompId, Vec<(Tok, Site)>)> {
        if outbound.through.is_empty() {
            return Vec::new();
        }
        let called = self.view.solver.member_path(callee).1;
        let scope = self.machine.scope_of(callee, made);
        let mut list = Vec::new();
        for through in &outbound.through {
            let Some(Val::Tok(on)) = self.machine.formula(&through.on, &scope) else { continue };
            if !matches!(self.view.token(on), Token::Object { .. } | Token::Instance { .. }) {
                continue;
            }
            // A method is not passed by what it calls itself.
            let own = scope.receiver == Some(Val::Tok(on));
            let from = through.methods.iter().position(|m| own && *m == called).map_or(0, |i| i + 1);
            for name in through.methods.iter().skip(from) {
                let Some(Val::Tok(method)) = self.view.field(on, name) else { continue };
                if let Some((comp, _)) = self.machine.method_of(on, name)
                    && comp != at
                {
                    list.push((comp, self.view.wrappers(method)));
                }
            }
        }
        list
    }

    /// Puts the layers of a method that a call goes through around it.
    fn pass_through(&mut self, part: &mut Part, method: CompId, wrappers: &[(Tok, Site)]) {
        let inside = self.parts[method.0 as usize].iter().filter(|p| p.sink.0 == method);
        let Some(through) = inside.max_by_key(|p| p.weight()).cloned() else { return };
        let (below, own): (Vec<_>, Vec<_>) = through.layers.into_iter().partition(|l| l.layer.kind.is_built_in());
        let place = part.call.place;
        let there =
            |l: &PartLayer| l.layer.place != place && part.layers.iter().any(|p| p.layer.place == l.layer.place);
        let below: Vec<PartLayer> = below.into_iter().filter(|l| !there(l)).collect();
        part.layers.extend(below);
        part.layers.splice(0..0, own);
        part.outcomes = through.outcomes;
        for &(by, site) in wrappers.iter().rev() {
            if let Some(policy) = self.machine.policy_of_decorator(by, site) {
                self.wrap(part, &policy, LayerKind::Decorator);
            }
        }
    }

    /// The name of what is called, in the catalogue's words.
    fn target(&self, callee: Tok) -> String {
        let path = self.view.path(callee);
        let mut text = path.to_string();
        // The class is left out of a client's method: `anthropic.messages.create`.
        if let Token::Member { .. } = self.view.token(callee) {
            let (root, method) = self.view.solver.member_path(callee);
            if let Some((library, _)) = self.view.solver.known_class(root) {
                text = match self.unlisted(callee) {
                    Some(package) => format!("{package}.{method}"),
                    None => format!("{}.{method}", library.name),
                };
            }
        }
        let Some((_, path)) = text.split_once(FAMILY) else { return text };
        match (self.unlisted(callee), path.split_once("().")) {
            (Some(package), Some((_, method))) => format!("{package}.{method}"),
            _ => path.to_string(),
        }
    }

    /// The package of a client that was recognised as one of a family.
    fn unlisted(&self, callee: Tok) -> Option<String> {
        let root = match self.view.token(callee) {
            Token::Member { .. } => self.view.solver.member_path(callee).0,
            _ => callee,
        };
        let mut made = root;
        for _ in 0..8 {
            let Token::Made { callee, .. } = *self.view.token(made) else { break };
            made = match self.view.token(callee) {
                Token::Member { .. } => self.view.solver.member_path(callee).0,
                _ => callee,
            };
        }
        let Token::External(path) = *self.view.token(made) else { return None };
        let (_, path) = self.view.text(path).split_once(FAMILY)?;
        Some(match path.rsplit_once(':') {
            Some((module, _)) => module.to_string(),
            None => path.split('.').next().unwrap_or(path).to_string(),
        })
    }
}
