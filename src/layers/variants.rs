//! Values of structs and enums that the program makes (Rust): which variant one is, and what its parts hold.

use super::machine::Machine;
use super::state::{Exits, State};
use super::val::{Error, ErrorClass, Val};
use crate::ir::*;
use crate::link::token::{Site, Tok, Token};
use std::rc::Rc;

impl<'p> Machine<'p, '_, '_> {
    /// The enum and the variant that a token is; none if it is not told.
    pub fn variant_of(&self, tok: Tok) -> Option<(Tok, Rc<str>)> {
        let (site, class) = match *self.view.token(tok) {
            Token::Variant { class, name } => return Some((class, Rc::from(self.view.text(name)))),
            Token::Object { site, class } => (site, class),
            _ => return None,
        };
        let Token::Class { class: reference, .. } = *self.view.token(class) else { return None };
        if self.view.solver.class(reference).kind != ClassKind::Enum {
            return None;
        }
        let ir = self.view.file(site.comp);
        let path = match &ir.exprs.get(site.expr.index())?.kind {
            ExprKind::Struct { path, .. } => *path,
            ExprKind::Call { callee, .. } if self.names_variant(site, class, *callee) => *callee,
            // `.map_err(Error::Net)`: the variant is what is handed over.
            ExprKind::Call { args, .. } => {
                args.iter().map(|a| a.value()).find(|a| self.names_variant(site, class, *a))?
            }
            _ => return None,
        };
        Some((class, Rc::from(last_name(ir, path)?)))
    }

    fn names_variant(&self, site: Site, class: Tok, e: ExprId) -> bool {
        let ir = self.view.file(site.comp);
        let (Some(name), Token::Class { class, .. }) = (last_name(ir, e), *self.view.token(class)) else {
            return false;
        };
        let declared = self.view.solver.class(class);
        let file = &self.view.solver.files[class.file as usize];
        let body = declared.body;
        file.vars.iter().any(|v| v.owner == body && file.name(v.name) == name)
    }

    /// Whether a value of the program's enum is the variant that a path names; none: not known.
    pub fn is_variant(&self, tok: Tok, name: &str) -> Option<bool> {
        self.variant_of(tok).map(|(_, own)| &*own == name)
    }

    /// Whether an error is a variant; none: not known.
    pub fn error_is_variant(&self, error: &Error, variant: Tok) -> Option<bool> {
        self.looked.set(true);
        let (class, name) = self.variant_of(variant)?;
        match &error.class {
            ErrorClass::Own(own) if *own != class => Some(false),
            ErrorClass::Own(_) => self.is_variant(error.token?, &name),
            ErrorClass::Known(_) => self.is_made_into(error, class, &name),
            ErrorClass::Unknown => None,
        }
    }

    /// The name under which a part of a value is kept.
    fn part_name(&self, tok: Tok, name: &str) -> Rc<str> {
        match self.variant_of(tok) {
            Some((_, variant)) => Rc::from(format!("{variant}.{name}")),
            None => Rc::from(name),
        }
    }

    /// Notes on a path what a part of a value that was made on it holds.
    pub fn put_part(&self, state: &mut State, tok: Tok, name: &str, value: Val) {
        let name = self.part_name(tok, name);
        self.put_together.borrow_mut().insert(tok);
        state.heap.insert((tok, name), value);
    }

    /// What a part of a value of the program holds.
    pub fn part_of_value(&mut self, state: &State, value: &Val, name: &str) -> Option<Val> {
        match value {
            Val::Tok(tok) => {
                let name = self.part_name(*tok, name);
                if let Some(found) = state.heap.get(&(*tok, name.clone())) {
                    return Some(found.clone());
                }
                let found = self.view.field(*tok, &name)?;
                Some(self.settle(found))
            }
            Val::Error(error) => {
                self.looked.set(true);
                let tok = error.token?;
                let name = self.part_name(tok, name);
                if let Some((_, found)) = error.fields.iter().find(|(n, _)| *n == name) {
                    return Some(found.clone());
                }
                let found = self.view.field(tok, &name)?;
                Some(self.settle(found))
            }
            _ => None,
        }
    }

    /// `Type { a: 1, ..base }`: the value that link knows, with its parts as this path has them.
    pub fn struct_made(
        &mut self,
        e: ExprId,
        entries: &'p [Entry],
        state: State,
        exits: &mut Exits,
    ) -> Vec<(State, Val)> {
        let ir = self.ir(&state);
        let site = Site { comp: self.comp(&state), expr: e };
        let mut states: Vec<(State, Vec<(Rc<str>, Val)>)> = vec![(state, Vec::new())];
        for entry in entries {
            let (name, value) = match *entry {
                Entry::Pair(key, value) | Entry::Getter(key, value) => match ir.expr(key).kind {
                    ExprKind::Literal(Literal::Str(name)) => (Some(ir.name(name)), value),
                    _ => (None, value),
                },
                Entry::Spread(value) => (None, value),
            };
            let mut next = Vec::new();
            for (state, parts) in states {
                for (state, made) in self.eval(value, state, exits) {
                    let mut parts = parts.clone();
                    match name {
                        Some(name) => parts.push((Rc::from(name), made)),
                        // What is left out is the other one's, as this path has it.
                        None => {
                            let given: Vec<Rc<str>> = parts.iter().map(|p| p.0.clone()).collect();
                            let rest = super::object::written_on(&state, &made);
                            parts.extend(rest.into_iter().filter(|(name, _)| !given.contains(name)));
                        }
                    }
                    next.push((state, parts));
                }
            }
            states = next;
        }
        let made = self.view.solver.made_by_site.get(&site).copied();
        states
            .into_iter()
            .map(|(mut state, parts)| match made {
                Some(tok) => {
                    for (name, value) in parts {
                        self.note_made(tok, &name, &value);
                        if value != Val::Unknown {
                            self.put_part(&mut state, tok, &name, value);
                        }
                    }
                    (state, Val::Tok(tok))
                }
                None => (state, Val::Unknown),
            })
            .collect()
    }

    /// A path of packages as it is written, with what imports make of its head.
    pub fn path_text(&self, e: ExprId, state: &State) -> Option<String> {
        let ir = self.ir(state);
        let mut names = Vec::new();
        let mut at = e;
        while let ExprKind::Attr { object, name, .. } = &ir.expr(at).kind {
            names.push(ir.name(*name));
            at = *object;
        }
        let mut path = match ir.expr(at).kind {
            ExprKind::Free(name) => ir.name(name).to_string(),
            ExprKind::Var(var) => match self.read_var(state, var) {
                Val::Tok(tok) => match self.view.token(tok) {
                    Token::External(path) => self.view.text(*path).to_string(),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        for name in names.iter().rev() {
            path.push_str("::");
            path.push_str(name);
        }
        Some(path)
    }
}

/// The last name of a path.
pub fn last_name(ir: &File, path: ExprId) -> Option<&str> {
    Some(match &ir.expr(path).kind {
        ExprKind::Free(name) => ir.name(*name),
        ExprKind::Attr { name, .. } => ir.name(*name),
        ExprKind::Var(var) => ir.name(ir.var(*var).name),
        _ => return None,
    })
}
