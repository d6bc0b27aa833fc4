//! The state of lowering one file, and the small steps everything else is made of.

use super::macros::Macros;
use super::scope::{FrameKind, Scopes, VALUES, What};
use super::spans::{Spans, join};
use crate::ir::*;
use crate::lower::Builder;
use proc_macro2::{Ident, Span as Token};
use rustc_hash::FxHashSet;
use std::cell::Cell;
use syn::ext::IdentExt;

/// Upper bound of the stack that one level of lowering takes.
const LEVEL: usize = if cfg!(debug_assertions) { 16 << 10 } else { 3 << 10 };

/// Where the value of an expression goes that is lowered to statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dest {
    /// Nowhere.
    Discard,
    /// It is the function's result.
    Return,
    /// Into a variable.
    Assign(VarId),
}

/// A loop or labelled block that `break` may leave.
pub(super) struct Target {
    pub label: Option<Label>,
    pub is_loop: bool,
    /// Labelled block: where its value goes.
    pub dest: Dest,
    /// Loop: whether a `break` with a value was seen.
    pub valued: bool,
}

/// A type parameter in scope.
pub(super) struct Generic {
    pub name: Name,
    /// Its bounds as a type.
    pub ty: Option<TypeId>,
    /// The bound that `T::name` is looked up in.
    pub bound: Option<syn::Path>,
}

/// One file being lowered.
pub(super) struct Lowerer {
    pub b: Builder,
    spans: Spans,
    pub scopes: Scopes,
    /// The function whose statements are being made.
    pub function: FunctionId,
    /// The class whose methods are being lowered.
    pub class: Option<ClassId>,
    /// Whether what is being lowered is there for tests only.
    pub for_tests: bool,
    pub generics: Vec<Generic>,
    /// Const parameters of the type or impl block at hand.
    pub const_generics: Vec<super::const_generics::OfType>,
    /// Values that types were written with, not assigned yet.
    pub written_consts: Vec<super::const_generics::Written>,
    pub targets: Vec<Target>,
    pub macros: Macros,
    /// Names the pattern at hand has bound (alternatives of `|` share them).
    pub bound: Vec<(Name, u32, VarId)>,
    /// Temporaries that got a value.
    assigned: FxHashSet<VarId>,
    depth: usize,
    max_depth: usize,
    /// The token looked at last.
    last: Cell<Span>,
}

impl Lowerer {
    /// A lowerer over a text as it was parsed, on a stack of at least `stack` bytes.
    pub fn new(b: Builder, source: &str, stack: usize) -> Self {
        Self {
            b,
            spans: Spans::new(source),
            scopes: Scopes::default(),
            function: MODULE,
            class: None,
            for_tests: false,
            generics: Vec::new(),
            const_generics: Vec::new(),
            written_consts: Vec::new(),
            targets: Vec::new(),
            macros: Macros::default(),
            bound: Vec::new(),
            assigned: FxHashSet::default(),
            depth: 0,
            last: Cell::default(),
            max_depth: stack / LEVEL,
        }
    }

    /// Goes one level deeper, unless that is too deep: then it says so, about where it got to, and returns
    /// false. Every true is followed by [`Self::leave`].
    pub fn enter(&mut self) -> bool {
        if self.depth >= self.max_depth {
            let span = self.last.get();
            if self.b.file().problems.last().is_none_or(|p| p.span != span) {
                self.b.problem("nested too deeply to be read; this part is left out", span);
            }
            return false;
        }
        self.depth += 1;
        true
    }

    /// Comes back from [`Self::enter`].
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The stack that parsing may still use here.
    pub fn stack_left(&self) -> usize {
        (self.max_depth - self.depth) * LEVEL
    }

    /// The bytes of a token.
    pub fn at(&self, token: Token) -> Span {
        let span = self.spans.of(token);
        self.last.set(span);
        span
    }

    /// From one token to another.
    pub fn range(&self, first: Token, last: Token) -> Span {
        join(self.at(first), self.at(last))
    }

    /// Where an expression stands.
    pub fn span_of(&self, expr: ExprId) -> Span {
        self.b.file().expr(expr).span
    }

    /// An identifier's name (`r#type` is `type`).
    pub fn ident(&mut self, ident: &Ident) -> Name {
        self.b.name(&ident.unraw().to_string())
    }

    /// The macro an identifier was written in, 0 if in none: names of a macro's body are its own.
    pub fn mark(&self, ident: &Ident) -> u32 {
        if self.macros.expanded_any() { self.macros.body_at(self.at(ident.span()).start) } else { 0 }
    }

    /// Declares a local variable.
    pub fn local(&mut self, ident: &Ident) -> VarId {
        let (name, mark) = (self.ident(ident), self.mark(ident));
        if let Some(&(_, _, var)) = self.bound.iter().find(|b| b.0 == name && b.1 == mark) {
            return var;
        }
        let var = self.b.var(name, self.function);
        self.scopes.declare(name, mark, VALUES, What::Local, var);
        self.bound.push((name, mark, var));
        var
    }

    /// Declares an item; alternatives under `#[cfg]` share one variable.
    pub fn item(&mut self, ident: &Ident, spaces: u8, what: What) -> VarId {
        let name = self.ident(ident);
        if let Some(var) = self.scopes.declared_item(name, spaces) {
            return var;
        }
        let var = self.b.var(name, self.scopes.owner());
        if self.scopes.in_module() {
            self.b.capture(var);
        }
        self.scopes.declare(name, 0, spaces, what, var);
        var
    }

    /// The variable of an item that was declared before.
    pub fn item_var(&mut self, ident: &Ident, spaces: u8) -> Option<VarId> {
        let name = self.ident(ident);
        self.scopes.declared_item(name, spaces)
    }

    /// Notes that the function at hand uses a variable.
    pub fn used(&mut self, var: VarId) {
        if self.b.file().var(var).owner != self.function {
            self.b.capture(var);
        }
    }

    /// A name in a name space: a variable or free.
    pub fn name_expr(&mut self, ident: &Ident, space: u8, span: Span) -> ExprId {
        let (name, mark) = (self.ident(ident), self.mark(ident));
        let kind = match self.scopes.resolve(name, mark, space) {
            Some(entry) => {
                self.used(entry.var);
                ExprKind::Var(entry.var)
            }
            None => ExprKind::Free(name),
        };
        self.b.expr(kind, span)
    }

    /// A free name.
    pub fn free(&mut self, text: &str, span: Span) -> ExprId {
        let name = self.b.name(text);
        self.b.expr(ExprKind::Free(name), span)
    }

    /// Something without a meaning.
    pub fn unknown(&mut self, parts: Vec<ExprId>, span: Span) -> ExprId {
        self.b.expr(ExprKind::Unknown(parts), span)
    }

    /// `object.name`
    pub fn attr(&mut self, object: ExprId, name: Name, name_span: Span) -> ExprId {
        let span = join(self.span_of(object), name_span);
        self.b.expr(ExprKind::Attr { object, name, name_span, optional: false }, span)
    }

    /// A variable that no name of the source stands for; called after what it holds.
    pub fn temp(&mut self, name: &str) -> VarId {
        let name = self.b.name(name);
        self.b.var(name, self.function)
    }

    /// Reads a variable.
    pub fn read(&mut self, var: VarId, span: Span) -> ExprId {
        self.b.expr(ExprKind::Var(var), span)
    }

    /// Adds a statement to a list.
    pub fn push(&mut self, out: &mut Vec<StmtId>, stmt: Stmt, span: Span) {
        let id = self.b.stmt(stmt, span);
        out.push(id);
    }

    /// Adds `var = value`.
    pub fn assign(&mut self, out: &mut Vec<StmtId>, var: VarId, value: ExprId, span: Span) {
        let target = self.b.pattern(Pattern::Bind(var));
        self.assigned.insert(var);
        self.push(out, Stmt::Assign { targets: vec![target], value: Some(value), op: None, declared: None }, span);
    }

    /// Whether a temporary got a value anywhere.
    pub fn was_assigned(&self, var: VarId) -> bool {
        self.assigned.contains(&var)
    }

    /// Notes that a temporary gets its value from a loop's `break`.
    pub fn note_assigned(&mut self, var: VarId) {
        self.assigned.insert(var);
    }

    /// Sends a value where it belongs.
    pub fn finish(&mut self, dest: Dest, value: ExprId, out: &mut Vec<StmtId>) {
        let span = self.span_of(value);
        match dest {
            Dest::Discard => self.push(out, Stmt::Expr(value), span),
            Dest::Return => self.push(out, Stmt::Return(Some(value)), span),
            Dest::Assign(var) => self.assign(out, var, value, span),
        }
    }

    /// Runs `inside` in a block's frame.
    pub fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(FrameKind::Block, self.function);
        let result = inside(self);
        self.scopes.pop();
        result
    }
}
