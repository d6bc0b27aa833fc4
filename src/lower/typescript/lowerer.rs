//! The state of one file's lowering, and the few operations everything else is made of: names, the
//! depth guard, temporaries, naming of functions by where they are put.

use super::commonjs::Exports;
use super::kind::Kind;
use super::scope::{Scopes, TypeBinding};
use super::tree::{Node, Tree};
use crate::ir::*;
use crate::lower::Builder;

/// Nesting past which a subtree becomes unknown: keeps this walk and every later one off the end of the
/// stack (2 MiB for worker threads, also without optimisation).
pub const MAX_DEPTH: u32 = 200;

/// A name that a function or class without one of its own gets from where it is put
/// (`const send = async () => …`, `{ send: () => … }`).
#[derive(Clone, Copy)]
pub struct Hint {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// One file's lowering.
pub struct Lower<'t, 's> {
    /// The file being built.
    pub b: Builder,
    /// What it is built from.
    pub tree: &'t Tree<'s>,
    /// Scopes around the current point.
    pub scopes: Scopes,
    /// The function around the current point.
    pub function: FunctionId,
    /// The class whose member is around the current point (for `super`).
    pub class: Option<ClassId>,
    /// The label in front of the next statement.
    pub label: Option<Label>,
    /// The name for the next function, class or object (taken by it).
    pub hint: Option<Hint>,
    /// CommonJS exports.
    pub exports: Exports,
    /// Whether `export` is about a namespace around the current point, not about the module.
    pub is_in_namespace: bool,
    depth: u32,
    /// Whether the current statement of the module has been reported as too deep.
    is_deep_reported: bool,
}

impl<'t, 's> Lower<'t, 's> {
    /// Starts lowering a parsed file.
    pub fn new(b: Builder, tree: &'t Tree<'s>) -> Self {
        Self {
            b,
            tree,
            scopes: Scopes::default(),
            function: MODULE,
            class: None,
            label: None,
            hint: None,
            exports: Exports::default(),
            is_in_namespace: false,
            depth: 0,
            is_deep_reported: false,
        }
    }

    /// The kind of a node.
    pub fn kind(&self, n: Node) -> Kind {
        self.tree.kind(n)
    }

    /// The bytes a node covers.
    pub fn span(&self, n: Node) -> Span {
        self.tree.span(n)
    }

    /// The node's text as a name.
    pub fn name_of(&mut self, n: Node) -> Name {
        self.b.name(self.tree.text(n))
    }

    /// Goes `levels` deeper for what `f` lowers; past the guard it is not lowered and the result is none.
    pub fn deeper<T>(&mut self, n: Node, levels: u32, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth + levels > MAX_DEPTH {
            self.report_depth(n);
            return None;
        }
        self.depth += levels;
        let value = f(self);
        self.depth -= levels;
        Some(value)
    }

    fn report_depth(&mut self, n: Node) {
        if !self.is_deep_reported {
            self.is_deep_reported = true;
            let span = self.span(n);
            self.b.problem(format!("nested more than {MAX_DEPTH} levels deep: what is inside is left out"), span);
        }
    }

    /// Allows the next report of too deep nesting (called at each statement of the module).
    pub fn reset_depth_report(&mut self) {
        self.is_deep_reported = false;
    }

    /// Something without a meaning here.
    pub fn unknown(&mut self, parts: Vec<ExprId>, span: Span) -> ExprId {
        self.b.expr(ExprKind::Unknown(parts), span)
    }

    /// A use of a variable at this point.
    pub fn use_var(&mut self, var: VarId) -> VarId {
        if self.b.file().var(var).owner != self.function {
            self.b.capture(var);
        }
        var
    }

    /// A variable read as an expression.
    pub fn var_expr(&mut self, var: VarId, span: Span) -> ExprId {
        let var = self.use_var(var);
        self.b.expr(ExprKind::Var(var), span)
    }

    /// A name read as a value.
    pub fn value_expr(&mut self, name: Name, span: Span) -> ExprId {
        match self.scopes.value(name) {
            Some(var) => self.var_expr(var, span),
            None if self.b.text(name) == "undefined" => self.b.expr(ExprKind::Literal(Literal::Null), span),
            None => self.b.expr(ExprKind::Free(name), span),
        }
    }

    /// The variable that an assignment to a name writes; an undeclared name becomes a global of the module.
    pub fn target_var(&mut self, name: Name) -> VarId {
        if let Some(var) = self.scopes.value(name) {
            return self.use_var(var);
        }
        let var = self.b.var(name, MODULE);
        self.b.capture(var);
        self.scopes.declare_global(name, var);
        var
    }

    /// Declares a value in the innermost scope; twice is once.
    pub fn declare_value(&mut self, name: Name) -> VarId {
        if let Some(var) = self.scopes.own_value(name) {
            return var;
        }
        let var = self.b.var(name, self.function);
        if self.function == MODULE && self.scopes.level() == 1 {
            self.b.capture(var);
        }
        self.scopes.declare_value(name, var);
        var
    }

    /// Declares a name that is both a value and a type (class, enum, import).
    pub fn declare_both(&mut self, name: Name) -> VarId {
        let var = self.declare_value(name);
        self.scopes.declare_type(name, TypeBinding::Var(var));
        var
    }

    /// Declares a name that is a type only; a class or interface of the same name stays what it is.
    pub fn declare_type(&mut self, name: Name) -> VarId {
        if let Some(TypeBinding::Var(var)) = self.scopes.own_type(name) {
            return var;
        }
        let var = self.b.var(name, self.function);
        if self.function == MODULE && self.scopes.level() == 1 {
            self.b.capture(var);
        }
        self.scopes.declare_type(name, TypeBinding::Var(var));
        var
    }

    /// A temporary of the current function.
    pub fn temporary(&mut self, text: &str) -> VarId {
        let name = self.b.name(text);
        self.b.var(name, self.function)
    }

    /// `var = value` as a statement.
    pub fn assign_var(&mut self, var: VarId, value: ExprId, span: Span) -> StmtId {
        let var = self.use_var(var);
        let target = self.b.pattern(Pattern::Bind(var));
        self.b.stmt(Stmt::Assign { targets: vec![target], value: Some(value), op: None, declared: None }, span)
    }

    /// Lowers a value that gets its name from where it is put, if it is a function, class or object.
    pub fn named_value(&mut self, n: Node, hint: Option<Hint>) -> ExprId {
        self.hint = hint.filter(|_| self.takes_name(n));
        let value = self.expr(n);
        self.hint = None;
        value
    }

    fn takes_name(&self, n: Node) -> bool {
        let mut at = self.peel(n);
        while matches!(self.kind(at), Kind::AsExpression | Kind::Satisfies) {
            let Some(inner) = self.tree.first(at) else { break };
            at = self.peel(inner);
        }
        matches!(
            self.kind(at),
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction | Kind::Class | Kind::Object
        )
    }

    /// The expression inside parentheses, `x!` and `f<T>`.
    pub fn peel(&self, n: Node) -> Node {
        let mut at = n;
        while matches!(self.kind(at), Kind::Parenthesized | Kind::NonNull | Kind::Instantiation) {
            match self.tree.first(at) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        at
    }

    /// From the start of a node to just before its body: the header of a loop or handler.
    pub fn header(&self, n: Node, body: Option<Node>) -> Span {
        let span = self.span(n);
        let end = body.map_or(span.end, |b| self.span(b).start);
        let head = Span { start: span.start, end };
        Span { start: span.start, end: span.start + self.tree.slice(head).trim_end().len() as u32 }
    }
}
