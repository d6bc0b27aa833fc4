//! Paths: `a::b::c`, `Self::new`, `crate::net::send`, `<T as Trait>::method`.
//!
//! A path is an attribute chain over its first name. `crate`, `super`, `self` (as a module) and `Self` are
//! free names that the linker knows; `<T as Trait>` is `T` typed as `Trait`; `::krate::x` starts with an
//! import of `::krate`; a type parameter stands for the bound its methods come from.

use super::lowerer::Lowerer;
use super::scope::{TYPES, VALUES};
use super::spans::join;
use crate::ir::{ExprId, ExprKind, ModulePath, Span, Type};
use syn::{Path, PathSegment, QSelf};

impl Lowerer {
    /// A path that names a value.
    pub fn value_path(&mut self, qself: Option<&QSelf>, path: &Path) -> ExprId {
        self.path(qself, path, VALUES)
    }

    /// A path that names a type, trait or module.
    pub fn type_path_expr(&mut self, qself: Option<&QSelf>, path: &Path) -> ExprId {
        self.path(qself, path, TYPES)
    }

    /// A path whose last segment is looked for in `space`.
    pub fn path(&mut self, qself: Option<&QSelf>, path: &Path, space: u8) -> ExprId {
        if let Some(qself) = qself {
            return self.qualified(qself, path);
        }
        let mut segments = path.segments.iter();
        let Some(first) = segments.next() else {
            return self.unknown(Vec::new(), Span::default());
        };
        let mut value = self.head(path, first, space);
        let last = path.segments.len() - 1;
        if space == TYPES || last > 0 {
            self.note_const_args(value, &first.arguments);
        }
        for (i, segment) in segments.enumerate() {
            value = self.segment(value, segment);
            if space == TYPES || i + 1 < last {
                self.note_const_args(value, &segment.arguments);
            }
        }
        value
    }

    fn segment(&mut self, object: ExprId, segment: &PathSegment) -> ExprId {
        let (name, span) = (self.ident(&segment.ident), self.at(segment.ident.span()));
        self.attr(object, name, span)
    }

    fn head(&mut self, path: &Path, first: &PathSegment, space: u8) -> ExprId {
        let single = path.segments.len() == 1;
        let span = self.at(first.ident.span());
        if let Some(colons) = path.leading_colon {
            let text = format!("::{}", first.ident);
            let module = ModulePath { level: 0, path: self.b.name(&text), span };
            let span = join(self.at(colons.spans[0]), span);
            return self.b.expr(ExprKind::Import(module), span);
        }
        if first.ident == "self" && single && space == VALUES {
            return self.name_expr(&first.ident, VALUES, span);
        }
        if first.ident == "self" || first.ident == "Self" || first.ident == "super" || first.ident == "crate" {
            let name = self.ident(&first.ident);
            return self.b.expr(ExprKind::Free(name), span);
        }
        if single
            && space == VALUES
            && let Some(value) = self.const_generic(&first.ident, span)
        {
            return value;
        }
        let space = if single { space } else { TYPES };
        if space == TYPES
            && let Some(bound) = self.bound_of(first)
        {
            let value = self.path(None, &bound, TYPES);
            self.b.file_mut().exprs[value.index()].span = span;
            return value;
        }
        self.name_expr(&first.ident, space, span)
    }

    /// The trait that a type parameter's methods come from.
    fn bound_of(&mut self, segment: &PathSegment) -> Option<Path> {
        if self.generics.is_empty() {
            return None;
        }
        let name = self.ident(&segment.ident);
        let bound = self.generics.iter().rev().find(|g| g.name == name)?.bound.clone()?;
        let head = self.ident(&bound.segments.first()?.ident);
        // `T: T::Of`: no type parameter's bound is looked up in another's.
        self.generics.iter().all(|g| g.name != head).then_some(bound)
    }

    /// `<T>::a`, `<T as Trait>::a`.
    fn qualified(&mut self, qself: &QSelf, path: &Path) -> ExprId {
        let ty = self.ty(&qself.ty);
        let whole = self.range(qself.lt_token.spans[0], qself.gt_token.spans[0]);
        let mut value = match self.b.file().types[ty.index()].clone() {
            Type::Ref(expr) => expr,
            Type::Apply { base, .. } => match self.b.file().types[base.index()] {
                Type::Ref(expr) => expr,
                _ => self.unknown(Vec::new(), whole),
            },
            Type::SelfType => self.free("Self", whole),
            _ => self.unknown(Vec::new(), whole),
        };
        let is_known = !matches!(self.b.file().expr(value).kind, ExprKind::Unknown(_));
        if qself.position > 0 {
            let segments = path.segments.iter().take(qself.position).cloned().collect();
            let of = Path { leading_colon: path.leading_colon, segments };
            let of = self.path(None, &of, TYPES);
            // A type parameter or a type without a name: the trait is all there is to go by.
            value = if is_known {
                let of = self.b.ty(Type::Ref(of));
                self.b.expr(ExprKind::Typed(value, of), whole)
            } else {
                of
            };
        }
        for segment in path.segments.iter().skip(qself.position) {
            value = self.segment(value, segment);
        }
        value
    }
}
