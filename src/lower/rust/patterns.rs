//! Patterns: of `let`, `match`, parameters, and what an assignment writes to.

use super::lowerer::Lowerer;
use super::scope::{VALUES, What};
use crate::ir::{ExprId, ExprKind, PatId, Pattern, Span};
use syn::{Expr, Member, Pat, RangeLimits, UnOp};

impl Lowerer {
    /// A pattern; its names are declared in the innermost frame.
    pub fn pattern(&mut self, pat: &Pat) -> PatId {
        let around = std::mem::take(&mut self.bound);
        let lowered = self.pat(pat);
        self.bound = around;
        lowered
    }

    fn pat(&mut self, pat: &Pat) -> PatId {
        if !self.enter() {
            return self.b.pattern(Pattern::Unknown);
        }
        let lowered = self.pat_inside(pat);
        self.leave();
        lowered
    }

    fn pat_inside(&mut self, pat: &Pat) -> PatId {
        let lowered = match pat {
            Pat::Paren(p) => return self.pat(&p.pat),
            Pat::Reference(p) => return self.pat(&p.pat),
            Pat::Type(p) => return self.pat(&p.pat),
            Pat::Guard(p) => return self.pat(&p.pat),
            Pat::Wild(_) => Pattern::Ignore,
            Pat::Rest(_) => Pattern::Rest(None),
            Pat::Ident(p) => return self.pat_ident(p),
            Pat::Lit(p) => Pattern::Value(self.literal(&p.lit)),
            Pat::Path(p) => {
                let path = self.value_path(p.qself.as_ref(), &p.path);
                let is_constant = p.path.segments.last().is_some_and(|s| is_constant_name(&s.ident.to_string()));
                if is_constant { Pattern::Value(path) } else { variant(path) }
            }
            Pat::Tuple(p) => Pattern::Sequence(p.elems.iter().map(|e| self.pat(e)).collect()),
            Pat::Slice(p) => Pattern::Sequence(p.elems.iter().map(|e| self.pat(e)).collect()),
            Pat::TupleStruct(p) => {
                let path = self.value_path(p.qself.as_ref(), &p.path);
                let args = p.elems.iter().map(|e| self.pat(e)).collect();
                Pattern::Variant { path, args, fields: Vec::new() }
            }
            Pat::Struct(p) => {
                let path = self.type_path_expr(p.qself.as_ref(), &p.path);
                let fields = p.fields.iter().map(|f| (self.member(&f.member).0, self.pat(&f.pat))).collect();
                Pattern::Variant { path, args: Vec::new(), fields }
            }
            Pat::Or(p) => Pattern::Or(p.cases.iter().map(|c| self.pat(c)).collect()),
            Pat::Range(p) => {
                let start = p.start.as_ref().map(|e| self.expr(e));
                let end = p.end.as_ref().map(|e| self.expr(e));
                Pattern::Range { start, end, inclusive: matches!(p.limits, RangeLimits::Closed(_)) }
            }
            _ => Pattern::Unknown,
        };
        self.b.pattern(lowered)
    }

    fn pat_ident(&mut self, p: &syn::PatIdent) -> PatId {
        let inner = p.subpat.as_ref().map(|(_, inner)| &**inner);
        if let Some(Pat::Rest(_)) = inner {
            let var = self.local(&p.ident);
            let bind = self.b.pattern(Pattern::Bind(var));
            return self.b.pattern(Pattern::Rest(Some(bind)));
        }
        if let Some(inner) = inner {
            let var = self.local(&p.ident);
            let inner = self.pat(inner);
            return self.b.pattern(Pattern::As(inner, var));
        }
        if p.by_ref.is_none()
            && p.mutability.is_none()
            && let Some(compared) = self.named_value(&p.ident)
        {
            return self.b.pattern(compared);
        }
        let var = self.local(&p.ident);
        self.b.pattern(Pattern::Bind(var))
    }

    /// A bare name in a pattern that is a constant or variant, not a new variable.
    fn named_value(&mut self, ident: &proc_macro2::Ident) -> Option<Pattern> {
        let name = self.ident(ident);
        let entry = self.scopes.resolve(name, self.mark(ident), VALUES);
        let text = self.b.text(name);
        let upper = text.starts_with(char::is_uppercase);
        let constant = is_constant_name(text);
        let means_item = match entry.map(|e| e.what) {
            Some(What::Constant) => true,
            Some(What::Local) => false,
            Some(What::Item | What::Import) | None => upper,
        };
        if !means_item {
            return None;
        }
        let span = self.at(ident.span());
        let expr = self.name_expr(ident, VALUES, span);
        Some(if constant { Pattern::Value(expr) } else { variant(expr) })
    }

    /// A field's name and place.
    pub fn member(&mut self, member: &Member) -> (crate::ir::Name, Span) {
        match member {
            Member::Named(ident) => (self.ident(ident), self.at(ident.span())),
            Member::Unnamed(index) => (self.b.name(&index.index.to_string()), self.at(index.span)),
        }
    }

    /// What an assignment writes to.
    pub fn target(&mut self, expr: &Expr) -> PatId {
        if !self.enter() {
            return self.b.pattern(Pattern::Unknown);
        }
        let lowered = self.target_inside(expr);
        self.leave();
        lowered
    }

    fn target_inside(&mut self, expr: &Expr) -> PatId {
        let lowered = match expr {
            Expr::Paren(e) => return self.target(&e.expr),
            Expr::Group(e) => return self.target(&e.expr),
            Expr::Infer(_) => Pattern::Ignore,
            Expr::Path(e) => {
                let path = self.value_path(e.qself.as_ref(), &e.path);
                match self.b.file().expr(path).kind {
                    ExprKind::Var(var) => Pattern::Bind(var),
                    ExprKind::Attr { object, name, name_span, .. } => Pattern::Attr { object, name, name_span },
                    _ => Pattern::Unknown,
                }
            }
            Expr::Field(e) => {
                let object = self.expr(&e.base);
                let (name, name_span) = self.member(&e.member);
                Pattern::Attr { object, name, name_span }
            }
            Expr::Index(e) => Pattern::Index { object: self.expr(&e.expr), index: self.expr(&e.index) },
            Expr::Unary(e) if matches!(e.op, UnOp::Deref(_)) => Pattern::Deref(self.expr(&e.expr)),
            Expr::Tuple(e) => Pattern::Sequence(e.elems.iter().map(|e| self.target(e)).collect()),
            Expr::Array(e) => Pattern::Sequence(e.elems.iter().map(|e| self.target(e)).collect()),
            Expr::Range(e) if e.start.is_none() && e.end.is_none() => Pattern::Rest(None),
            Expr::Call(e) => {
                let path = self.expr(&e.func);
                let args = e.args.iter().map(|e| self.target(e)).collect();
                Pattern::Variant { path, args, fields: Vec::new() }
            }
            Expr::Struct(e) => {
                let path = self.type_path_expr(e.qself.as_ref(), &e.path);
                let fields = e.fields.iter().map(|f| (self.member(&f.member).0, self.target(&f.expr))).collect();
                Pattern::Variant { path, args: Vec::new(), fields }
            }
            // A place behind a call or block: what computes it still runs.
            _ => Pattern::Deref(self.expr(expr)),
        };
        self.b.pattern(lowered)
    }

    /// Where a pattern begins.
    pub fn pat_start(&self, pat: &Pat) -> Span {
        let mut pat = pat;
        loop {
            let token = match pat {
                Pat::Guard(p) => {
                    pat = &p.pat;
                    continue;
                }
                Pat::Type(p) => {
                    pat = &p.pat;
                    continue;
                }
                Pat::Or(p) => match (&p.leading_vert, p.cases.first()) {
                    (None, Some(first)) => {
                        pat = first;
                        continue;
                    }
                    (Some(bar), _) => bar.spans[0],
                    (None, None) => return Span::default(),
                },
                Pat::Ident(p) => match (&p.by_ref, &p.mutability) {
                    (Some(by_ref), _) => by_ref.span,
                    (None, Some(mutability)) => mutability.span,
                    (None, None) => p.ident.span(),
                },
                Pat::Lit(p) => p.lit.span(),
                Pat::Macro(p) => return self.path_start(&p.mac.path),
                Pat::Paren(p) => p.paren_token.span.open(),
                Pat::Path(p) => return self.path_start(&p.path),
                Pat::Range(p) => match (&p.start, p.limits) {
                    (Some(start), _) => match &**start {
                        Expr::Lit(lit) => lit.lit.span(),
                        Expr::Path(path) => return self.path_start(&path.path),
                        _ => return Span::default(),
                    },
                    (None, RangeLimits::HalfOpen(dots)) => dots.spans[0],
                    (None, RangeLimits::Closed(dots)) => dots.spans[0],
                },
                Pat::Reference(p) => p.and_token.spans[0],
                Pat::Rest(p) => p.dot2_token.spans[0],
                Pat::Slice(p) => p.bracket_token.span.open(),
                Pat::Struct(p) => return self.path_start(&p.path),
                Pat::Tuple(p) => p.paren_token.span.open(),
                Pat::TupleStruct(p) => return self.path_start(&p.path),
                Pat::Wild(p) => p.underscore_token.spans[0],
                _ => return Span::default(),
            };
            return self.at(token);
        }
    }

    fn path_start(&self, path: &syn::Path) -> Span {
        path.segments.first().map_or_else(Span::default, |s| self.at(s.ident.span()))
    }
}

fn variant(path: ExprId) -> Pattern {
    Pattern::Variant { path, args: Vec::new(), fields: Vec::new() }
}

/// `MAX_TRIES`, `OK`, but not `None` or `N`.
fn is_constant_name(name: &str) -> bool {
    name.len() > 1 && name.starts_with(char::is_uppercase) && !name.contains(char::is_lowercase)
}
