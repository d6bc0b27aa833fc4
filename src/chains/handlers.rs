//! Functions that a platform runs because it is told so outside the code: known by how they look.

use super::compose::Composer;
use crate::catalogue::schema::Handler;
use crate::catalogue::{self};
use crate::ir::{Export, ExprId, ExprKind, File, Function, FunctionId, FunctionKind, Imported, Language};
use crate::ir::{Literal, ModulePath, Pattern, Stmt, Type, TypeId, VarId};
use crate::layers::policy::Policy;
use crate::layers::val::Val;
use crate::link::known::Known;
use crate::link::token::*;
use crate::source::Place;
use rustc_hash::FxHashMap;

/// Types are looked through so deep.
const DEPTH: u8 = 4;

impl<'p> Composer<'p, '_, '_> {
    /// The layer of a function that a platform runs again: a handler of a queue's messages.
    pub(super) fn handler_policy(&self, comp: CompId) -> Option<Policy<'p>> {
        let solver = self.view.solver;
        let (func, function, ir) = (self.view.func(comp), self.view.function(comp), self.view.file(comp));
        if !matches!(function.kind, FunctionKind::Named | FunctionKind::Arrow | FunctionKind::Anonymous) {
            return None;
        }
        let shape = Shape { ir, id: func.id, function };
        let listed = self.listed.get(&func).into_iter().flatten();
        let lister = |handler: &Handler| {
            let wanted = |name: &str| handler.listed.iter().any(|pattern| catalogue::fits(pattern, name));
            listed.clone().find(|(name, _)| wanted(name)).map(|(_, class)| *class)
        };
        let (library, callable, class) =
            solver.catalogue.handlers(ir.language).find_map(|(library, callable, handler)| {
                let class = lister(handler);
                (class.is_some() || shape.fits(handler)).then_some((library, callable, class))
            })?;
        let layer = callable.entry_layer.as_ref()?;
        let env = solver.comps[comp.0 as usize].key.parent?;
        let callee = solver.tokens.find(&Token::Function { func, env })?;
        let known = Known { library, callable, class: None, is_constructor: false };
        let place = Place { file: crate::source::FileId(func.file), span: function.name_span };
        let overrides = Vec::new();
        Some(Policy { known, layer, callee, made: None, place, comp, overrides, applied: None, entry: Some(class) })
    }

    /// Functions by the attributes of classes that list them, if the catalogue asks for any.
    pub(super) fn listings(&self) -> FxHashMap<FuncRef, Vec<(String, Tok)>> {
        let mut found: FxHashMap<FuncRef, Vec<(String, Tok)>> = FxHashMap::default();
        let solver = self.view.solver;
        let handlers = || solver.catalogue.handlers(Language::Python).map(|(_, _, handler)| handler);
        let patterns: Vec<(&str, &str)> =
            handlers().flat_map(|h| &h.listed).filter_map(|pattern| pattern.rsplit_once('.')).collect();
        if patterns.is_empty() {
            return found;
        }
        for i in 0..solver.tokens.len() {
            let tok = Tok(u32::try_from(i).unwrap_or(u32::MAX));
            let Token::Class { class, .. } = *solver.tokens.get(tok) else { continue };
            let ir = &solver.files[class.file as usize];
            let Some(name) = ir.class(class.id).name.map(|n| ir.name(n)) else { continue };
            for &(_, attribute) in patterns.iter().filter(|(pattern, _)| catalogue::fits(pattern, name)) {
                let Some(list) = self.view.field(tok, attribute) else { continue };
                for item in self.machine.elements(&list).unwrap_or_default() {
                    let Val::Tok(item) = item else { continue };
                    if let Token::Function { func, .. } = *solver.tokens.get(item) {
                        let entry = found.entry(func).or_default();
                        let text = format!("{name}.{attribute}");
                        if !entry.iter().any(|(known, _)| *known == text) {
                            entry.push((text, tok));
                        }
                    }
                }
            }
        }
        found
    }
}

/// A function as it is written.
struct Shape<'f> {
    ir: &'f File,
    id: FunctionId,
    function: &'f Function,
}

impl Shape<'_> {
    fn fits(&self, handler: &Handler) -> bool {
        if !handler.types.is_empty() && self.is_typed(&handler.types) {
            return true;
        }
        // A closure inside another function is nothing that a platform could find by a name.
        let parent = self.function.parent.map(|f| self.ir.function(f).kind);
        let outside = matches!(parent, Some(FunctionKind::Module | FunctionKind::ClassBody));
        let given = !handler.names.is_empty() || !handler.reads.is_empty() || !handler.mentions.is_empty();
        (outside || !handler.mentions.is_empty())
            && given
            && (handler.names.is_empty() || self.is_named(&handler.names))
            && (handler.params.is_empty() || self.takes(&handler.params))
            && (handler.reads.is_empty() || self.reads(&handler.reads))
            && (handler.mentions.is_empty() || self.mentions(&handler.mentions))
    }

    fn mentions(&self, texts: &[String]) -> bool {
        let (ir, span) = (self.ir, self.function.span);
        let inside = ir.exprs.iter().filter(|e| e.span.start >= span.start && e.span.end <= span.end);
        inside.into_iter().any(|expr| match &expr.kind {
            ExprKind::Literal(Literal::Str(text)) => {
                texts.iter().any(|wanted| wanted.eq_ignore_ascii_case(ir.name(*text)))
            }
            _ => false,
        })
    }

    /// The statements around the function.
    fn around(&self) -> impl Iterator<Item = &Stmt> {
        let around = self.function.parent.map(|f| self.ir.function(f).body);
        around.into_iter().flat_map(|body| self.ir.block(body)).map(|&id| self.ir.stmt(id))
    }

    fn is_self(&self, expr: ExprId) -> bool {
        matches!(self.ir.expr(expr).kind, ExprKind::Closure(id) if id == self.id)
    }

    fn is_named(&self, patterns: &[String]) -> bool {
        let ir = self.ir;
        let own = self.function.name.map(|n| ir.name(n));
        let given = self.around().filter_map(|stmt| match stmt {
            Stmt::Export(Export::Name(name, e)) if self.is_self(*e) => Some(ir.name(*name)),
            Stmt::Assign { targets, value: Some(e), .. } if self.is_self(*e) => {
                targets.iter().find_map(|t| match ir.pattern(*t) {
                    Pattern::Bind(var) => Some(ir.name(ir.var(*var).name)),
                    Pattern::Attr { name, .. } => Some(ir.name(*name)),
                    _ => None,
                })
            }
            _ => None,
        });
        own.into_iter().chain(given).any(|name| patterns.iter().any(|p| catalogue::fits(p, name)))
    }

    fn takes(&self, names: &[String]) -> bool {
        let own = self.function.params.iter().filter(|p| p.kind != crate::ir::ParamKind::Receiver);
        let own: Vec<&str> = own.filter_map(|p| Some(self.ir.name(p.name?))).collect();
        own.len() >= names.len() && own.iter().zip(names).all(|(own, name)| own == name)
    }

    /// Whether a key or attribute of the first parameter is read, here or in a function inside.
    fn reads(&self, keys: &[String]) -> bool {
        let ir = self.ir;
        let Some(first) = self.function.params.iter().find(|p| p.kind != crate::ir::ParamKind::Receiver) else {
            return false;
        };
        let is_key = |name: &str| keys.iter().any(|key| key == name);
        let var = match ir.pattern(first.pattern) {
            Pattern::Bind(var) => *var,
            Pattern::Object { entries, .. } => return entries.iter().any(|(key, _)| is_key(ir.name(*key))),
            _ => return false,
        };
        let is_first = |e: &ExprId| matches!(ir.expr(*e).kind, ExprKind::Var(v) if v == var);
        let is_text =
            |e: &ExprId| matches!(&ir.expr(*e).kind, ExprKind::Literal(Literal::Str(text)) if is_key(ir.name(*text)));
        ir.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Attr { object, name, .. } => is_first(object) && is_key(ir.name(*name)),
            ExprKind::Index { object, index } => is_first(object) && is_text(index),
            // `event.get("Records", [])`
            ExprKind::Call { callee, args, .. } => {
                let on = matches!(&ir.expr(*callee).kind, ExprKind::Attr { object, .. } if is_first(object));
                on && args.first().is_some_and(|arg| is_text(&arg.value()))
            }
            _ => false,
        })
    }

    /// Whether the function, or its first parameter, is declared to have one of these types.
    fn is_typed(&self, types: &[String]) -> bool {
        let first = self.function.params.iter().find(|p| p.kind != crate::ir::ParamKind::Receiver);
        let declared = self.around().filter_map(|stmt| match stmt {
            Stmt::Assign { value: Some(e), declared, .. } if self.is_self(*e) => *declared,
            _ => None,
        });
        first.and_then(|p| p.declared).into_iter().chain(declared).any(|ty| self.names_type(ty, types, 0))
    }

    fn names_type(&self, ty: TypeId, types: &[String], depth: u8) -> bool {
        if depth > DEPTH {
            return false;
        }
        let next = |inner: &TypeId| self.names_type(*inner, types, depth + 1);
        match self.ir.types.get(ty.index()) {
            Some(Type::Ref(e)) => self.path_of(*e).is_some_and(|path| types.contains(&path)),
            Some(Type::Apply { base, args }) => next(base) || args.iter().any(next),
            Some(Type::Union(parts)) => parts.iter().any(next),
            _ => false,
        }
    }

    /// What a type's name is imported from, in the catalogue's notation.
    fn path_of(&self, expr: ExprId) -> Option<String> {
        let ir = self.ir;
        match &ir.expr(expr).kind {
            ExprKind::Var(var) => self.imported(*var),
            ExprKind::Attr { object, name, .. } => {
                let ExprKind::Var(var) = ir.expr(*object).kind else { return None };
                let (module, _) = self.import_of(var)?;
                Some(joined(ir, module, ir.name(*name)))
            }
            _ => None,
        }
    }

    fn imported(&self, var: VarId) -> Option<String> {
        let (module, imported) = self.import_of(var)?;
        match imported {
            Imported::Name(name) => Some(joined(self.ir, module, self.ir.name(*name))),
            // `use a::b::Item`
            Imported::Module if self.ir.language == Language::Rust => Some(self.ir.name(module.path).to_string()),
            _ => None,
        }
    }

    fn import_of(&self, var: VarId) -> Option<(&ModulePath, &Imported)> {
        self.ir.stmts.iter().find_map(|stmt| match stmt {
            Stmt::Import { module, imported, target: Some(target), .. } if *target == var => Some((module, imported)),
            _ => None,
        })
    }
}

fn joined(ir: &File, module: &ModulePath, name: &str) -> String {
    let separator = match ir.language {
        Language::JavaScript => ":",
        Language::Python => ".",
        Language::Rust => "::",
    };
    format!("{}{separator}{name}", ir.name(module.path))
}
