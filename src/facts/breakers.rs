//! Circuit breakers, a library's or home-made, and the outbound calls behind each.

use super::effects::value_of;
use super::ground::Ground;
use super::jobs::parts_at;

use super::regions::within;
use super::slice::Slice;
use super::words;
use crate::chains::compose::Composer;
use crate::chains::part::Part;
use crate::chains::{Breaker, Confidence, Guarded};
use crate::ir::*;
use crate::layers::val::Val;
use crate::link::component::{Target, Via};
use crate::link::token::*;
use crate::source::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What tells one breaker from another: the object or class, and the key that it is asked with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    of: Tok,
    key: String,
}

/// One use of a breaker around some calls.
struct Use {
    identity: Identity,
    place: Place,
    function: String,
    name: String,
    made: Option<Place>,
    guards: Vec<Guarded>,
    sure: Confidence,
}

/// Every circuit breaker with the calls that it guards.
pub fn breakers(ground: &Ground, composer: &mut Composer) -> Vec<Breaker> {
    let mut finder = Finder { ground, classes: FxHashMap::default(), services: FxHashMap::default() };
    let mut found: BTreeMap<Identity, Breaker> = BTreeMap::new();
    for c in 0..ground.reaching.len() {
        if !ground.reaching[c] || composer.parts[c].is_empty() {
            continue;
        }
        for used in finder.uses_in(composer, CompId(c as u32)) {
            let entry = found.entry(used.identity).or_insert_with(|| Breaker {
                place: used.place,
                function: used.function.clone(),
                name: used.name.clone(),
                made: used.made,
                guards: Vec::new(),
                confidence: used.sure,
            });
            if used.place < entry.place {
                (entry.place, entry.function) = (used.place, used.function);
            }
            entry.guards.extend(used.guards);
        }
    }
    let mut list: Vec<Breaker> = found.into_values().collect();
    for breaker in &mut list {
        let by_place = |a: &Guarded, b: &Guarded| (a.call, &a.service).cmp(&(b.call, &b.service));
        breaker.guards.sort_by(by_place);
        breaker.guards.dedup();
    }
    list.retain(|b| !b.guards.is_empty());
    list.sort_by(|a, b| (a.place, &a.name).cmp(&(b.place, &b.name)));
    list
}

struct Finder<'g, 'p, 's, 'v> {
    ground: &'g Ground<'p, 's, 'v>,
    /// Classes that are breakers, and how sure.
    classes: FxHashMap<Tok, Option<Confidence>>,
    /// The services of outbound calls.
    services: FxHashMap<(CompId, ExprId), Vec<String>>,
}

impl Finder<'_, '_, '_, '_> {
    fn uses_in(&mut self, composer: &mut Composer, comp: CompId) -> Vec<Use> {
        let ground = self.ground;
        let file = ground.file(comp);
        let map = ground.map(comp);
        let mut list = Vec::new();
        for &e in ground.calls_in(comp) {
            // Around what it is handed, or around a decorated function.
            for record in ground.view.calls(comp, e) {
                for (by, site) in ground.view.wrappers(record.callee) {
                    if let Some(of) = self.library(by) {
                        let parts: Vec<Part> =
                            parts_at(ground, composer, comp, e, record).into_iter().cloned().collect();
                        // It stands where it decorates.
                        list.extend(self.used(comp, e, of, &parts, Confidence::High).map(|used| {
                            Use {
                                place: ground.place(site.comp, site.expr),
                                function: ground.view.name(site.comp),
                                name: ground
                                    .text(site.comp, ground.span(site.comp, site.expr))
                                    .trim_start_matches('@')
                                    .to_string(),
                                ..used
                            }
                        }));
                    }
                }
                if let Target::External(_) = record.target
                    && let Some(receiver) = ground.view.solver.receiver(record.callee)
                    && let Some(of) = self.library(receiver)
                {
                    let handed = ground.view.calls(comp, e).iter().filter(|r| r.via == Via::Handed);
                    let parts: Vec<Part> =
                        handed.flat_map(|r| parts_at(ground, composer, comp, e, r)).cloned().collect();
                    list.extend(self.used(comp, e, of, &parts, Confidence::High));
                }
            }
            list.extend(self.home_made(composer, comp, e));
        }
        // `with breaker:`
        for &id in map.stmts_of(ground.view.func(comp).id) {
            let Stmt::With { items, body, .. } = file.stmt(id) else { continue };
            let Some(span) = super::map::block_span(file, *body) else { continue };
            for (e, _) in items {
                let value = value_of(&mut composer.machine, comp, *e);
                let tok = match value {
                    Val::Tok(tok) => Some(tok),
                    _ => ground.view.calls(comp, *e).iter().find_map(|r| ground.view.solver.receiver(r.callee)),
                };
                let library = tok.and_then(|t| self.library(t));
                let own = tok.filter(|t| library.is_none() && self.own(*t).is_some());
                if let Some(of) = library.or(own) {
                    let inside =
                        |p: &&Part| p.path.first().is_some_and(|(c, x)| *c == comp && within(file.expr(*x).span, span));
                    let parts: Vec<Part> = composer.parts[comp.0 as usize].iter().filter(inside).cloned().collect();
                    list.extend(self.used(comp, *e, of, &parts, Confidence::High));
                }
            }
        }
        list
    }

    /// A library's breaker behind a token.
    fn library(&self, tok: Tok) -> Option<Tok> {
        let mut at = tok;
        for _ in 0..8 {
            match *self.ground.view.token(at) {
                Token::Made { callee, .. } => {
                    if self.ground.view.known(callee).is_some_and(|k| k.callable.breaker) {
                        return Some(at);
                    }
                    at = self.ground.view.solver.receiver(callee).filter(|r| *r != at)?;
                }
                Token::Member { base, .. } => at = base,
                _ => return None,
            }
        }
        None
    }

    /// Whether an object's class is a home-made breaker.
    fn own(&mut self, tok: Tok) -> Option<(Tok, Confidence)> {
        let class = match *self.ground.view.token(tok) {
            Token::Object { class, .. } | Token::Instance { class } => class,
            _ => return None,
        };
        let ground = self.ground;
        let sure = *self.classes.entry(class).or_insert_with(|| is_breaker(ground, class));
        sure.map(|sure| (class, sure))
    }

    /// A home-made breaker that is asked before calls: `if not breaker.allows(key): …`.
    fn home_made(&mut self, composer: &mut Composer, comp: CompId, e: ExprId) -> Option<Use> {
        let ground = self.ground;
        let file = ground.file(comp);
        let ExprKind::Call { callee, args, .. } = &file.expr(e).kind else { return None };
        let ExprKind::Attr { object, name, .. } = &file.expr(*callee).kind else { return None };
        let name = file.name(*name);
        let hands = args.iter().any(|a| matches!(file.expr(a.value()).kind, ExprKind::Closure(_) | ExprKind::Var(_)));
        if !asks(name) && !hands {
            return None;
        }
        let this = ground.view.calls(comp, e).iter().find_map(|r| match *ground.view.token(r.callee) {
            Token::Bound { this, .. } => Some(this),
            _ => None,
        });
        let this = this.or_else(|| match value_of(&mut composer.machine, comp, *object) {
            Val::Tok(tok) => Some(tok),
            _ => None,
        })?;
        let (_, sure) = self.own(this)?;
        let handed: Vec<Part> = ground
            .view
            .calls(comp, e)
            .iter()
            .filter(|r| matches!(r.target, Target::Comp(_)))
            .flat_map(|r| parts_at(ground, composer, comp, e, r))
            .cloned()
            .collect();
        let parts = if !handed.is_empty() {
            // `breaker.call(lambda: …)`
            handed
        } else if asks(name) {
            self.behind(composer, comp, e)
        } else {
            return None;
        };
        let mut key = String::new();
        for arg in args {
            if matches!(file.expr(arg.value()).kind, ExprKind::Closure(_)) {
                continue;
            }
            match value_of(&mut composer.machine, comp, arg.value()) {
                Val::Text(text) => key = text.to_string(),
                // One for each value of the key.
                _ if handed_key(file, arg.value()) => return self.used_under(comp, e, this, "*", &parts, sure, true),
                _ => {}
            }
        }
        self.used_under(comp, e, this, &key, &parts, sure, false)
    }

    /// The calls that a test guards: those in its branch, or all after it.
    fn behind(&self, composer: &Composer, comp: CompId, e: ExprId) -> Vec<Part> {
        let ground = self.ground;
        let file = ground.file(comp);
        let map = ground.map(comp);
        let from = file.expr(e).span.start;
        let own = map.stmt_of(e);
        let in_branch = own.and_then(|s| match file.stmt(s) {
            Stmt::If { then, .. } if !super::map::leaves(file, *then) => super::map::block_span(file, *then),
            _ => None,
        });
        composer.parts[comp.0 as usize]
            .iter()
            .filter(|p| {
                p.path.first().is_some_and(|(c, x)| {
                    let span = file.exprs.get(x.index()).map(|x| x.span).unwrap_or_default();
                    *c != comp || in_branch.map_or(span.end > from, |branch| within(span, branch))
                })
            })
            .cloned()
            .collect()
    }

    fn used(&mut self, comp: CompId, e: ExprId, of: Tok, parts: &[Part], sure: Confidence) -> Option<Use> {
        self.used_under(comp, e, of, "", parts, sure, false)
    }

    #[allow(clippy::too_many_arguments)]
    fn used_under(
        &mut self,
        comp: CompId,
        e: ExprId,
        of: Tok,
        key: &str,
        parts: &[Part],
        sure: Confidence,
        per_key: bool,
    ) -> Option<Use> {
        let ground = self.ground;
        let mut guards = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            if parts[..i].iter().any(|earlier| are_alternatives(ground, earlier, part)) {
                continue;
            }
            let services = self.services_of(part);
            // With a key of its own for each, none stands before two.
            let services = if per_key { services.into_iter().take(1).collect() } else { services };
            for service in services {
                let service = if per_key { String::from("one for each key") } else { service };
                guards.push(Guarded { call: part.call.place, service });
            }
        }
        if guards.is_empty() {
            return None;
        }
        let file = ground.file(comp);
        let text = match &file.expr(e).kind {
            ExprKind::Call { callee, .. } => match &file.expr(*callee).kind {
                ExprKind::Attr { object, .. } => ground.text(comp, file.expr(*object).span),
                _ => ground.text(comp, file.expr(*callee).span),
            },
            _ => ground.text(comp, file.expr(e).span),
        };
        let name = if key.is_empty() || per_key { text.to_string() } else { key.to_string() };
        let made = match *ground.view.token(of) {
            Token::Made { site, .. } | Token::Object { site, .. } => Some(ground.place(site.comp, site.expr)),
            _ => None,
        };
        Some(Use {
            identity: Identity { of, key: key.to_string() },
            place: ground.place(comp, e),
            function: ground.view.name(comp),
            name,
            made,
            guards,
            sure,
        })
    }

    /// The services that a call goes to: a library's, or the hosts of its URLs.
    fn services_of(&mut self, part: &Part) -> Vec<String> {
        if !part.call.plain_http {
            return vec![part.call.library.clone()];
        }
        let ground = self.ground;
        let (comp, call) = part.sink;
        let list = self.services.entry(part.sink).or_insert_with(|| hosts(ground, comp, call));
        if list.is_empty() { vec![part.call.library.clone()] } else { list.clone() }
    }
}

/// Whether two calls stand in different arms of what an object is: one object makes one of them only.
fn are_alternatives(ground: &Ground, a: &Part, b: &Part) -> bool {
    let Some((&(comp, x), &(other, y))) = a.path.iter().zip(&b.path).find(|(x, y)| x != y) else { return false };
    if comp != other {
        return false;
    }
    let file = ground.file(comp);
    let is_self = |mut e: ExprId| {
        while let ExprKind::Unary(_, inner) | ExprKind::Typed(inner, _) = file.expr(e).kind {
            e = inner;
        }
        match file.expr(e).kind {
            ExprKind::This => true,
            ExprKind::Var(var) => {
                let params = &file.function(file.var(var).owner).params;
                params.first().is_some_and(|p| {
                    p.kind == ParamKind::Receiver && matches!(*file.pattern(p.pattern), Pattern::Bind(v) if v == var)
                })
            }
            _ => false,
        }
    };
    file.stmts.iter().any(|stmt| match stmt {
        Stmt::Match { subject, arms, .. } if is_self(*subject) => {
            let arm_of = |e: ExprId| {
                arms.iter().position(|arm| {
                    super::map::block_span(file, arm.body).is_some_and(|span| within(file.expr(e).span, span))
                })
            };
            matches!((arm_of(x), arm_of(y)), (Some(one), Some(two)) if one != two)
        }
        _ => false,
    })
}

/// Whether a method of a breaker asks whether a call may go.
fn asks(name: &str) -> bool {
    let list = words::words(name);
    let has = |options: &[&str]| list.iter().any(|w| options.contains(&w.as_str()));
    has(&[
        "allow",
        "allows",
        "allowed",
        "can",
        "is",
        "check",
        "before",
        "open",
        "closed",
        "guard",
        "acquire",
        "permit",
        "available",
        "ready",
        "may",
        "ensure",
    ]) && !has(&["record", "success", "failure", "fail", "failed", "reset", "on", "mark"])
}

/// Whether a key is worked out, not constant.
fn handed_key(file: &File, e: ExprId) -> bool {
    match &file.expr(e).kind {
        ExprKind::Var(_)
        | ExprKind::Template(_)
        | ExprKind::Attr { .. }
        | ExprKind::Binary(..)
        | ExprKind::Index { .. } => true,
        ExprKind::Unary(_, inner) | ExprKind::Typed(inner, _) => handed_key(file, *inner),
        _ => false,
    }
}

/// Whether a class is a circuit breaker: by its name, or because it counts failures, compares them with a limit and
/// says whether calls may go.
fn is_breaker(ground: &Ground, class: Tok) -> Option<Confidence> {
    let Token::Class { class: reference, .. } = *ground.view.token(class) else { return None };
    let file = &ground.view.solver.files[reference.file as usize];
    let definition = file.class(reference.id);
    let name = definition.name.map_or("", |n| file.name(n));
    let named =
        words::words(name).iter().any(|w| w.starts_with("breaker") || w == "circuit" || w.contains("circuitbreaker"));
    let map = ground.map_of(reference.file);
    // An impl block is a class of its own: those of the same type belong together.
    let mut methods: Vec<FunctionId> = definition.methods.iter().map(|m| m.1).collect();
    for other in &file.classes {
        if other.kind == ClassKind::Impl
            && let Some(target) = other.target
            && let Type::Ref(e) = &file.types[target.index()]
            && ground.texts.get(reference.file as usize).and_then(|t| {
                let span = file.expr(*e).span;
                t.get(span.start as usize..span.end as usize)
            }) == Some(name)
        {
            methods.extend(other.methods.iter().map(|m| m.1));
        }
    }
    let (mut counts, mut limits, mut opens) = (false, false, false);
    for method in methods {
        for &id in map.stmts_of(method) {
            if let Stmt::Assign { targets, op: Some(AssignOp::Binary(BinaryOp::Add)), .. } = file.stmt(id) {
                counts |=
                    targets.iter().any(|t| matches!(file.pattern(*t), Pattern::Attr { .. } | Pattern::Index { .. }));
            }
        }
        for &e in map.exprs_of(method) {
            match &file.expr(e).kind {
                ExprKind::Increment { target, .. } => counts |= matches!(file.pattern(*target), Pattern::Attr { .. }),
                ExprKind::Compare(CompareOp::Lt | CompareOp::LtEq | CompareOp::Gt | CompareOp::GtEq, ..) => {
                    limits = true
                }
                _ => {}
            }
        }
        let text = file.function(method).name.map_or("", |n| file.name(n));
        opens |= asks(text) || matches!(text, "call" | "execute" | "run" | "__call__" | "exec" | "fire" | "__enter__");
    }
    match (named, counts && limits && opens) {
        (true, true) => Some(Confidence::High),
        (true, false) if opens => Some(Confidence::Medium),
        (false, true) => methods_tell_failures(file, definition).then_some(Confidence::Medium),
        _ => None,
    }
}

/// Whether a class is told of failures and of successes.
fn methods_tell_failures(file: &File, class: &Class) -> bool {
    let names: FxHashSet<String> = class.methods.iter().flat_map(|(n, _)| words::words(file.name(*n))).collect();
    let has = |w: &str| names.contains(w);
    (has("failure") || has("failed") || has("fail") || has("error"))
        && (has("success") || has("succeeded") || has("ok") || has("reset"))
}

/// The hosts in the URLs that reach a call.
fn hosts(ground: &Ground, comp: CompId, call: ExprId) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut note = |text: &str| {
        if let Some(host) = host_of(text)
            && !found.contains(&host)
        {
            found.push(host);
        }
    };
    for node in &Slice::of(ground, comp, call).nodes {
        let file = ground.file(node.comp);
        match &file.expr(node.expr).kind {
            ExprKind::Literal(Literal::Str(name)) => note(file.name(*name)),
            ExprKind::Var(var) => {
                use crate::link::store::Addr;
                let owner = ground.view.solver.owner(node.comp, ground.view.func(node.comp).file, file.var(*var).owner);
                if let Some(owner) = owner
                    && let Val::Text(text) = ground.view.read(Addr::Var(owner, *var))
                {
                    note(&text);
                }
            }
            _ => {}
        }
    }
    found.sort();
    found
}

/// The host of a URL.
fn host_of(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let host = rest.split(['/', '?', '#', ':']).next()?;
    (!host.is_empty() && !host.contains('{')).then(|| host.to_ascii_lowercase())
}
