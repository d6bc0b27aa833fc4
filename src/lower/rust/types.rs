//! Declared types and type parameters.
//!
//! References and pointers are dropped. A type parameter with bounds is those bounds, wherever it stands.
//! `Future<Output = X>` is `Future` applied to `X`; `Fn(A) -> R` is a function type. Marker traits say
//! nothing about calls and are left out.

use super::lowerer::{Generic, Lowerer};
use super::spans::join;
use crate::ir::{Name, Type, TypeId};
use syn::punctuated::Punctuated;
use syn::{
    GenericArgument, GenericParam, Generics, Path, PathArguments, QSelf, ReturnType, Token, Type as Syntax,
    TypeParamBound, WherePredicate,
};

impl Lowerer {
    /// A declared type.
    pub fn ty(&mut self, ty: &Syntax) -> TypeId {
        if !self.enter() {
            return self.b.ty(Type::Unknown);
        }
        let lowered = self.ty_inside(ty);
        self.leave();
        lowered
    }

    fn ty_inside(&mut self, ty: &Syntax) -> TypeId {
        let lowered = match ty {
            Syntax::Reference(t) => return self.ty(&t.elem),
            Syntax::Ptr(t) => return self.ty(&t.elem),
            Syntax::Paren(t) => return self.ty(&t.elem),
            Syntax::Group(t) => return self.ty(&t.elem),
            Syntax::Path(t) => return self.path_type(t.qself.as_ref(), &t.path),
            Syntax::Array(t) => Type::Sequence(self.ty(&t.elem)),
            Syntax::Slice(t) => Type::Sequence(self.ty(&t.elem)),
            Syntax::Tuple(t) if t.elems.is_empty() => Type::Null,
            Syntax::Tuple(t) => Type::Tuple(t.elems.iter().map(|e| self.ty(e)).collect()),
            Syntax::ImplTrait(t) => self.bounds(&t.bounds),
            Syntax::TraitObject(t) => self.bounds(&t.bounds),
            Syntax::FnPtr(t) => Type::Function(self.returned(&t.output)),
            _ => Type::Unknown,
        };
        self.b.ty(lowered)
    }

    /// What a function returns, if declared.
    pub fn returned(&mut self, output: &ReturnType) -> Option<TypeId> {
        match output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(self.ty(ty)),
        }
    }

    fn bounds(&mut self, bounds: &Punctuated<TypeParamBound, Token![+]>) -> Type {
        let bounds: Vec<_> = bounds.iter().filter_map(|b| self.bound(b)).collect();
        if bounds.is_empty() { Type::Unknown } else { Type::Bounds(bounds) }
    }

    fn bound(&mut self, bound: &TypeParamBound) -> Option<TypeId> {
        match bound {
            TypeParamBound::Trait(t) if t.maybe.is_none() && !is_marker(&t.path) => Some(self.path_type(None, &t.path)),
            _ => None,
        }
    }

    /// A type written as a path.
    pub fn path_type(&mut self, qself: Option<&QSelf>, path: &Path) -> TypeId {
        if qself.is_none() && path.leading_colon.is_none() && path.segments.len() == 1 {
            let ident = &path.segments[0].ident;
            if ident == "Self" {
                return self.b.ty(Type::SelfType);
            }
            if !self.generics.is_empty() {
                let name = self.ident(ident);
                if let Some(generic) = self.generics.iter().rev().find(|g| g.name == name) {
                    if let Some(ty) = generic.ty {
                        return ty;
                    }
                    let span = self.at(ident.span());
                    let free = self.b.expr(crate::ir::ExprKind::Free(name), span);
                    return self.b.ty(Type::Ref(free));
                }
            }
        }
        let Some(last) = path.segments.last() else {
            return self.b.ty(Type::Unknown);
        };
        if let PathArguments::Parenthesized(args) = &last.arguments {
            let returned = self.returned(&args.output);
            return self.b.ty(Type::Function(returned));
        }
        let expr = self.type_path_expr(qself, path);
        let base = self.b.ty(Type::Ref(expr));
        let args = match &last.arguments {
            PathArguments::AngleBracketed(args) => self.arguments(args),
            _ => Vec::new(),
        };
        if args.is_empty() { base } else { self.b.ty(Type::Apply { base, args }) }
    }

    /// Type arguments in angle brackets.
    pub fn arguments(&mut self, args: &syn::AngleBracketedGenericArguments) -> Vec<TypeId> {
        let mut types = Vec::new();
        for arg in &args.args {
            match arg {
                GenericArgument::Type(ty) => types.push(self.ty(ty)),
                GenericArgument::AssocType(assoc) => types.push(self.ty(&assoc.ty)),
                GenericArgument::Constraint(c) => {
                    let bounds = self.bounds(&c.bounds);
                    types.push(self.b.ty(bounds));
                }
                _ => {}
            }
        }
        types
    }

    /// Brings type parameters into scope; returns them with their bounds. The caller truncates
    /// [`Lowerer::generics`] afterwards.
    pub fn type_params(&mut self, generics: &Generics, of_class: bool) -> Vec<(Name, Vec<TypeId>)> {
        let first = self.generics.len();
        for param in &generics.params {
            if let GenericParam::Type(param) = param {
                let name = self.ident(&param.ident);
                self.generics.push(Generic { name, ty: None, bound: None });
            }
        }
        let mut declared: Vec<(Name, Vec<TypeId>)> = Vec::new();
        // Backwards, because `F: Fn() -> Fut, Fut: Future<…>` is the usual order.
        for param in generics.params.iter().rev() {
            let GenericParam::Type(param) = param else { continue };
            let name = self.ident(&param.ident);
            let mut all: Vec<&TypeParamBound> = param.bounds.iter().collect();
            for predicate in generics.where_clause.iter().flat_map(|w| &w.predicates) {
                if let WherePredicate::Type(p) = predicate
                    && let Syntax::Path(bounded) = &p.bounded_ty
                    && bounded.path.is_ident(&param.ident)
                {
                    all.extend(&p.bounds);
                }
            }
            let bounds: Vec<TypeId> = all.iter().filter_map(|b| self.bound(b)).collect();
            let ty = match (bounds.is_empty(), of_class) {
                (false, _) => Some(self.b.ty(Type::Bounds(bounds.clone()))),
                (true, true) => None,
                (true, false) => Some(self.b.ty(Type::Unknown)),
            };
            let bound = all.into_iter().find_map(|b| match b {
                TypeParamBound::Trait(t) if t.maybe.is_none() && !is_marker(&t.path) => Some(t.path.clone()),
                _ => None,
            });
            if let Some(slot) = self.generics[first..].iter_mut().find(|g| g.name == name) {
                slot.ty = ty;
                slot.bound = bound;
            }
            declared.push((name, bounds));
        }
        declared.reverse();
        declared
    }

    /// What a type alias or impl block calls the type: the last name of its path.
    pub fn type_name(&mut self, ty: &Syntax) -> Option<(Name, crate::ir::Span)> {
        let path = match ty {
            Syntax::Path(t) => &t.path,
            Syntax::Reference(t) => return self.type_name(&t.elem),
            Syntax::Paren(t) => return self.type_name(&t.elem),
            Syntax::Group(t) => return self.type_name(&t.elem),
            Syntax::TraitObject(t) => t.bounds.iter().find_map(|b| match b {
                TypeParamBound::Trait(t) => Some(&t.path),
                _ => None,
            })?,
            _ => return None,
        };
        let (first, last) = (path.segments.first()?, path.segments.last()?);
        let name = self.ident(&last.ident);
        Some((name, join(self.at(first.ident.span()), self.at(last.ident.span()))))
    }
}

fn is_marker(path: &Path) -> bool {
    const MARKERS: [&str; 6] = ["Send", "Sync", "Sized", "Unpin", "UnwindSafe", "RefUnwindSafe"];
    path.segments.last().is_some_and(|s| MARKERS.iter().any(|m| s.ident == m))
}
