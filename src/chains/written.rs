//! Where the settings of clients are written: arguments, options, assignments.

use super::compose::Composer;
use super::model::*;
use super::places::source_of;
use crate::ir::{ExprId, ExprKind, Param, VarId};
use crate::layers::formula::Scope;
use crate::layers::val::Val;
use crate::link::component::Target;
use crate::link::token::*;
use crate::source::Place;

/// Objects that are spread into each other are followed so far.
const SPREADS: usize = 6;

impl<'p> Composer<'p, '_, '_> {
    /// Where the value of a setting is written, and how.
    pub(super) fn written_place(
        &mut self,
        formula: &crate::catalogue::Formula,
        scope: &Scope<'p>,
    ) -> Option<(Place, CountSource)> {
        use crate::catalogue::Formula;
        match formula {
            Formula::Field(object, name) => {
                let object = self.machine.formula(object, scope)?;
                let Val::Tok(mut tok) = object else { return None };
                for _ in 0..8 {
                    if let Some(found) = self.written_in(tok, name) {
                        return Some(found);
                    }
                    // What a derived client does not set, the one it was made from does.
                    let Token::Made { callee, .. } = *self.view.token(tok) else { return None };
                    let known = self.view.known(callee)?;
                    if !known.callable.derives {
                        return None;
                    }
                    tok = self.view.solver.receiver(callee)?;
                }
                None
            }
            // A name that stands for another setting of the client.
            Formula::Name(name)
                if scope.entry.is_some_and(|e| e.class.is_some_and(|c| c.locals.contains_key(name))) =>
            {
                let local = scope.entry.and_then(|e| e.class?.locals.get(name))?;
                self.written_place(local, scope)
            }
            // One that stands for a setting of something else, unless the call says it.
            Formula::Name(name)
                if scope.entry.is_some_and(|e| e.callable.locals.contains_key(name))
                    && scope.call.is_none_or(|call| self.written_in(call, name).is_none()) =>
            {
                let local = scope.entry.and_then(|e| e.callable.locals.get(name))?;
                self.written_place(local, scope)
            }
            Formula::Name(name) => {
                if let Some(call) = scope.call
                    && let Some(found) = self.written_in(call, name)
                {
                    return Some(found);
                }
                match self.machine.formula(formula, scope) {
                    Some(Val::Tok(tok)) => self.place_of_token(tok).map(|p| (p, CountSource::Literal)),
                    _ => None,
                }
            }
            Formula::Call(_, args) => args.iter().find_map(|f| self.written_place(f, scope)),
            _ => match self.machine.formula(formula, scope) {
                Some(Val::Tok(tok)) => self.place_of_token(tok).map(|p| (p, CountSource::Literal)),
                _ => None,
            },
        }
    }

    pub(super) fn written_in(&self, tok: Tok, name: &str) -> Option<(Place, CountSource)> {
        use crate::link::store::Addr;
        let symbol = self.view.solver.symbols.find(name);
        let site = match *self.view.token(tok) {
            Token::Made { site, .. } | Token::Object { site, .. } => site,
            Token::Container { .. } => return self.written_in_object(tok, name, 0),
            Token::External(_) => {
                // `openai.max_retries = 4`: an assignment to the module.
                return self.assignment(tok, symbol?);
            }
            _ => return None,
        };
        let store = &self.view.solver.store;
        let given = symbol.is_some_and(|symbol| store.get(Addr::Keyword(site, symbol)).is_some());
        let file = self.view.file(site.comp);
        let expr = file.exprs.get(site.expr.index())?;
        let ExprKind::Call { args, .. } = &expr.kind else { return None };
        for arg in args {
            let e = arg.value();
            match arg {
                crate::ir::Arg::Keyword(n, _) if file.name(*n) == name => {
                    return Some((self.view.place(site.comp, file.expr(e).span), source_of(file, e)));
                }
                _ => {}
            }
        }
        if given {
            return Some((self.view.place(site.comp, expr.span), CountSource::Constant));
        }
        // An options object, written here or elsewhere, or a positional argument.
        for i in 0..args.len() as u32 {
            let objects = store.get(Addr::Arg(site, i)).into_iter().flat_map(|v| v.iter());
            for object in objects {
                if let Some(found) = self.written_in_object(object, name, 0) {
                    return Some(found);
                }
            }
        }
        let callable = match *self.view.token(tok) {
            Token::Made { callee, .. } => self.view.known(callee)?.callable,
            _ => return None,
        };
        if callable.sets.contains_key(name) {
            return Some((self.view.place(site.comp, expr.span), CountSource::Literal));
        }
        let at = callable.params.iter().position(|p| p == name)?;
        store.get(Addr::Arg(site, at as u32))?;
        let e = args.get(at)?.value();
        Some((self.view.place(site.comp, file.expr(e).span), source_of(file, e)))
    }

    /// Where an object literal says a setting, or one that is spread into it.
    fn written_in_object(&self, object: Tok, name: &str, depth: usize) -> Option<(Place, CountSource)> {
        let Token::Container { site, kind: ContainerKind::Dict } = *self.view.token(object) else { return None };
        let file = self.view.file(site.comp);
        let ExprKind::Dict(entries) = &file.exprs.get(site.expr.index())?.kind else { return None };
        for entry in entries.iter().rev() {
            match entry {
                crate::ir::Entry::Pair(key, value) => {
                    if let ExprKind::Literal(crate::ir::Literal::Str(text)) = file.expr(*key).kind
                        && file.name(text) == name
                    {
                        return Some((self.view.place(site.comp, file.expr(*value).span), source_of(file, *value)));
                    }
                }
                crate::ir::Entry::Spread(e) if depth < SPREADS => {
                    let spread = self.spread_objects(site.comp, *e, depth);
                    if let Some(found) = spread.into_iter().find_map(|o| self.written_in_object(o, name, depth + 1)) {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The objects that an expression which is spread can be, as far as that is plain (`...(given && { …given })`).
    fn spread_objects(&self, comp: CompId, e: ExprId, depth: usize) -> Vec<Tok> {
        use crate::link::store::Addr;
        let file = self.view.file(comp);
        let store = &self.view.solver.store;
        let is_object = |tok: &Tok| matches!(self.view.token(*tok), Token::Container { kind: ContainerKind::Dict, .. });
        let mut found: Vec<Tok> = Vec::new();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match file.expr(e).kind {
                ExprKind::And(_, b) => open.push(b),
                ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) => open.extend([a, b]),
                ExprKind::Conditional { then, otherwise, .. } => open.extend([then, otherwise]),
                ExprKind::Typed(inner, _) => open.push(inner),
                ExprKind::Dict(_) => {
                    let made = Token::Container { site: Site { comp, expr: e }, kind: ContainerKind::Dict };
                    found.extend(self.view.solver.tokens.find(&made));
                }
                ExprKind::Var(var) => {
                    let state = crate::layers::state::State::at(comp, 0.0);
                    match self.machine.read_var(&state, var) {
                        Val::Tok(tok) => found.push(tok),
                        _ => found.extend(self.handed_in(comp, var)),
                    }
                }
                ExprKind::Attr { object, name, .. } if depth < SPREADS => {
                    let Some(name) = self.view.solver.symbols.find(file.name(name)) else { continue };
                    for object in self.spread_objects(comp, object, depth + 1) {
                        found.extend(store.get(Addr::Field(object, name)).into_iter().flat_map(|v| v.iter()));
                    }
                }
                ExprKind::Call { .. } => {
                    for record in self.view.calls(comp, e) {
                        if let Target::Comp(target) = record.target {
                            found.extend(store.get(Addr::Return(target)).into_iter().flat_map(|v| v.iter()));
                        }
                    }
                }
                _ => {}
            }
        }
        found.retain(is_object);
        found
    }

    /// What a component is handed in a parameter.
    fn handed_in(&self, comp: CompId, var: VarId) -> Vec<Tok> {
        use crate::link::store::Addr;
        let file = self.view.file(comp);
        let Some(owner) = self.view.solver.owner(comp, self.view.func(comp).file, file.var(var).owner) else {
            return Vec::new();
        };
        let is = |p: &Param| matches!(file.pattern(p.pattern), crate::ir::Pattern::Bind(v) if *v == var);
        let Some(at) = self.view.function(owner).params.iter().position(is) else { return Vec::new() };
        let context = &self.view.solver.comps[owner.0 as usize].key.context;
        match context.iter().find(|(param, _)| *param == at as u32) {
            Some(&(_, tok)) => vec![tok],
            None => {
                let handed = self.view.solver.store.get(Addr::Param(owner, at as u32));
                handed.into_iter().flat_map(|v| v.iter()).collect()
            }
        }
    }

    /// Where an attribute of something external is assigned.
    fn assignment(&self, tok: Tok, name: crate::link::symbols::Symbol) -> Option<(Place, CountSource)> {
        use crate::ir::{Pattern, Stmt};
        use crate::link::store::Addr;
        self.view.solver.store.get(Addr::Field(tok, name))?;
        let text = self.view.text(name);
        for (f, file) in self.view.solver.files.iter().enumerate() {
            for (s, stmt) in file.stmts.iter().enumerate() {
                let Stmt::Assign { targets, value: Some(value), .. } = stmt else { continue };
                for target in targets {
                    if let Pattern::Attr { name, .. } = file.pattern(*target)
                        && file.name(*name) == text
                    {
                        let place = Place { file: crate::source::FileId(f as u32), span: file.stmt_spans[s] };
                        return Some((place, source_of(file, *value)));
                    }
                }
            }
        }
        None
    }
}
