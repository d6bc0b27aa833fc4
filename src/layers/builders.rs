//! Values that builders make (Rust): link knows of a field that it is what a setter gave or what stands in for nothing; which
//! of them holds is worked out by running who builds.

use super::machine::Machine;
use super::state::State;
use super::val::Val;
use crate::ir::*;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Who builds is run for at most so many callers, each in so many steps.
const CALLERS: usize = 8;
pub(super) const STEPS: usize = 2_000;

/// Fields of made values, by name, each with what it held when one was made.
pub type Built = Rc<FxHashMap<Rc<str>, Vec<Val>>>;

impl<'p> Machine<'p, '_, '_> {
    /// A field of a value of the program for which link has several values.
    pub(super) fn built_field(&mut self, tok: Tok, name: &str) -> Option<Val> {
        let Token::Object { site, .. } = *self.view.token(tok) else { return None };
        let file = self.view.file(site.comp);
        if file.language != Language::Rust
            || !matches!(file.exprs.get(site.expr.index())?.kind, ExprKind::Struct { .. })
        {
            return None;
        }
        let symbol = self.view.solver.symbols.find(name)?;
        if !self.is_ambiguous(tok, symbol) {
            return None;
        }
        let built = self.built_of(tok, site);
        let values = built.get(name)?;
        let known: Option<Vec<f64>> = values.iter().map(Val::as_exact).collect();
        known?.into_iter().reduce(f64::max).map(Val::num)
    }

    /// Whether link has several numbers for a field, or does not know it.
    fn is_ambiguous(&self, tok: Tok, name: Symbol) -> bool {
        let Some(value) = self.view.solver.store.get(Addr::Field(tok, name)) else { return false };
        let useful = value.filter(|t| t != Tok::MISSING);
        let is_number = |t: Tok| {
            matches!(
                self.view.token(t),
                Token::Int(_) | Token::Unknown | Token::Null | Token::Made { .. } | Token::Combined { .. }
            )
        };
        (useful.len() > 1 || useful.single().is_some_and(|t| t == Tok::UNKNOWN)) && useful.iter().all(is_number)
    }

    fn built_of(&mut self, tok: Tok, site: Site) -> Built {
        if let Some(known) = self.built.get(&tok) {
            return known.clone();
        }
        // Whoever comes back here while it is worked out gets nothing.
        self.built.insert(tok, Built::default());
        let mut callers: Vec<CompId> = Vec::new();
        for &(caller, _) in self.view.callers(site.comp) {
            if caller != site.comp && !callers.contains(&caller) {
                callers.push(caller);
            }
        }
        let mut fields: FxHashMap<Rc<str>, Vec<Val>> = FxHashMap::default();
        if callers.len() <= CALLERS {
            for caller in callers {
                self.run_builder(caller, tok, &mut fields);
            }
        }
        let built = Rc::new(fields);
        self.built.insert(tok, built.clone());
        built
    }

    /// Runs a function in which nothing fails, and notes what was made.
    fn run_builder(&mut self, caller: CompId, tok: Tok, fields: &mut FxHashMap<Rc<str>, Vec<Val>>) {
        let log = self.made.replace((tok, Vec::new()));
        self.aside(|machine| {
            let mut state = State::at(caller, machine.now);
            machine.bind_from_link(caller, &mut state);
            machine.body(caller, state);
        });
        if let Some((_, made)) = std::mem::replace(&mut self.made, log) {
            for (name, value) in made {
                fields.entry(name).or_default().push(value);
            }
        }
    }

    /// Notes what a value holds that is just made, if that was asked for.
    pub(super) fn note_made(&mut self, tok: Tok, name: &Rc<str>, value: &Val) {
        if let Some((wanted, list)) = &mut self.made
            && *wanted == tok
        {
            list.push((name.clone(), value.clone()));
        }
    }

    /// Notes that a field of a value was written after it was made.
    pub(super) fn note_written(&mut self, tok: Tok, name: &str, value: &Val) {
        if let Some((wanted, list)) = &mut self.made
            && *wanted == tok
        {
            match list.iter_mut().rev().find(|(n, _)| &**n == name) {
                Some((_, old)) => *old = value.clone(),
                None => list.push((Rc::from(name), value.clone())),
            }
        }
    }

    /// `Type::default()` of a type whose `Default` is derived.
    pub(super) fn derived_default(&self, e: ExprId, comp: CompId, state: &mut State) -> Option<Val> {
        let made = self.view.solver.made_by_site.get(&Site { comp, expr: e }).copied()?;
        let Token::Object { class, .. } = *self.view.token(made) else { return None };
        let Token::Class { class, .. } = *self.view.token(class) else { return None };
        let file = &self.view.solver.files[class.file as usize];
        for field in &self.view.solver.class(class).fields {
            if let Some(value) = field.declared.and_then(|ty| default_of(file, ty)) {
                state.heap.insert((made, Rc::from(file.name(field.name))), value);
            }
        }
        Some(Val::Tok(made))
    }
}

/// What a type's default is, where that is plain.
fn default_of(file: &File, ty: TypeId) -> Option<Val> {
    match crate::link::plain_default(file, ty)? {
        Literal::Null => Some(Val::Null),
        Literal::Bool(b) => Some(Val::Bool(b)),
        Literal::Int(n) => Some(Val::num(n as f64)),
        _ => None,
    }
}
