//! Python's scopes. Lowering is one pass, so a name read before anything in its function binds it is left
//! open and settled when its scope closes: bound here, else handed to the enclosing function (class scopes
//! are skipped), at last to the module; what nobody binds stays free.

use crate::ir::{ClassId, ExprId, ExprKind, FunctionId, MODULE, Name, VarId};
use crate::lower::Builder;
use rustc_hash::FxHashMap;

/// What a scope belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// The module body.
    Module,
    /// A function or lambda.
    Function,
    /// A class body.
    Class,
}

/// What a name means in a scope that binds or declares it.
#[derive(Clone, Copy)]
enum Slot {
    Var(VarId),
    /// Declared `global`.
    Global,
}

/// A name that is read in a function.
#[derive(Clone, Copy)]
struct Read {
    /// Its expression, a free name until it is settled.
    expr: ExprId,
    name: Name,
    /// The function it stands in.
    reader: FunctionId,
}

/// An open scope.
pub(super) struct Scope {
    kind: ScopeKind,
    /// The function that owns its variables.
    pub function: FunctionId,
    /// The innermost class around it.
    pub class: Option<ClassId>,
    /// Whether a `yield` of its own was met.
    pub has_yield: bool,
    names: FxHashMap<Name, Slot>,
    /// Names read here before they were bound, and names inner functions did not find.
    open: Vec<Read>,
    /// Targets of the comprehensions around the current place, and type parameters.
    inner: Vec<(Name, VarId)>,
}

impl Scope {
    fn inner(&self, name: Name) -> Option<VarId> {
        self.inner.iter().rev().find(|(n, _)| *n == name).map(|(_, var)| *var)
    }
}

/// The open scopes, innermost last. The module's is always there.
pub(super) struct Scopes {
    module: Scope,
    stack: Vec<Scope>,
}

impl Scopes {
    /// The module's scope.
    pub fn new() -> Self {
        Self { module: scope(ScopeKind::Module, MODULE, None), stack: Vec::new() }
    }

    /// The innermost scope.
    pub fn current(&mut self) -> &mut Scope {
        self.stack.last_mut().unwrap_or(&mut self.module)
    }

    /// The function that owns the innermost scope.
    pub fn function(&self) -> FunctionId {
        self.top().function
    }

    /// The innermost class around the current place.
    pub fn class(&self) -> Option<ClassId> {
        self.top().class
    }

    /// Whether the innermost scope is of this kind.
    pub fn is(&self, kind: ScopeKind) -> bool {
        self.top().kind == kind
    }

    fn top(&self) -> &Scope {
        self.stack.last().unwrap_or(&self.module)
    }

    /// Opens a scope.
    pub fn push(&mut self, kind: ScopeKind, function: FunctionId, class: Option<ClassId>) {
        self.stack.push(scope(kind, function, class));
    }

    /// Closes the innermost scope and settles its open names. Returns whether it yields.
    pub fn pop(&mut self, builder: &mut Builder) -> bool {
        let Some(scope) = self.stack.pop() else { return false };
        for read in scope.open {
            match scope.names.get(&read.name) {
                Some(Slot::Var(var)) => settle(builder, read, *var),
                Some(Slot::Global) => self.module.open.push(read),
                None => self.search(builder, read, self.stack.len()),
            }
        }
        scope.has_yield
    }

    /// Settles what is left at the end of the file.
    pub fn finish(mut self, builder: &mut Builder) {
        while !self.stack.is_empty() {
            self.pop(builder);
        }
        for read in self.module.open {
            if let Some(Slot::Var(var)) = self.module.names.get(&read.name) {
                settle(builder, read, *var);
            }
        }
    }

    /// Looks a name up that the scope inside the first `from` ones does not bind.
    fn search(&mut self, builder: &mut Builder, read: Read, from: usize) {
        for scope in self.stack[..from].iter_mut().rev() {
            if let Some(var) = scope.inner(read.name) {
                return settle(builder, read, var);
            }
            if scope.kind == ScopeKind::Class {
                continue;
            }
            match scope.names.get(&read.name) {
                Some(Slot::Var(var)) => settle(builder, read, *var),
                Some(Slot::Global) => self.module.open.push(read),
                None => scope.open.push(read),
            }
            return;
        }
        match (self.module.inner(read.name), self.module.names.get(&read.name).copied()) {
            (Some(var), _) | (None, Some(Slot::Var(var))) => settle(builder, read, var),
            _ => self.module.open.push(read),
        }
    }

    /// Resolves a name that is read here; `expr` is its expression, a free name so far.
    pub fn read(&mut self, builder: &mut Builder, expr: ExprId, name: Name) {
        let scope = self.top();
        let read = Read { expr, name, reader: scope.function };
        if let Some(var) = scope.inner(name) {
            return settle(builder, read, var);
        }
        match (scope.names.get(&name).copied(), scope.kind) {
            (Some(Slot::Var(var)), _) => settle(builder, read, var),
            (Some(Slot::Global), _) => self.module.open.push(read),
            // A class body reads what is outside until it has bound the name itself: `timeout = timeout`.
            (None, ScopeKind::Class) => self.search(builder, read, self.stack.len().saturating_sub(1)),
            (None, _) => self.current().open.push(read),
        }
    }

    /// The variable that an assignment to `name` writes.
    pub fn bind(&mut self, builder: &mut Builder, name: Name) -> VarId {
        let scope = self.stack.last_mut().unwrap_or(&mut self.module);
        match scope.names.get(&name).copied() {
            Some(Slot::Var(var)) => var,
            Some(Slot::Global) => bind_in(&mut self.module, builder, name),
            None => bind_in(scope, builder, name),
        }
    }

    /// `global name`
    pub fn global(&mut self, name: Name) {
        if let Some(scope) = self.stack.last_mut() {
            scope.names.entry(name).or_insert(Slot::Global);
        }
    }

    /// `nonlocal name`: the variable of the nearest enclosing function that has bound it so far, else of the
    /// nearest one (which then binds it further down).
    pub fn nonlocal(&mut self, builder: &mut Builder, name: Name) {
        let Some((current, outer)) = self.stack.split_last_mut() else { return };
        let functions = || (0..outer.len()).rev().filter(|at| outer[*at].kind == ScopeKind::Function);
        let bound = functions().find(|at| outer[*at].names.contains_key(&name));
        let Some(at) = bound.or_else(|| functions().next()) else { return };
        let slot = match outer[at].names.get(&name) {
            Some(slot) => *slot,
            None => Slot::Var(bind_in(&mut outer[at], builder, name)),
        };
        if let Slot::Var(var) = slot {
            builder.capture(var);
        }
        current.names.entry(name).or_insert(slot);
    }

    /// Where the comprehension targets end now, to give back to [`Scopes::close_inner`].
    pub fn open_inner(&self) -> usize {
        self.top().inner.len()
    }

    /// Binds a comprehension target or type parameter. At module and class level the name is put into angle
    /// brackets: it is no attribute of the module or class.
    pub fn bind_inner(&mut self, builder: &mut Builder, name: Name) -> VarId {
        let scope = self.current();
        let shown = if scope.kind == ScopeKind::Function {
            name
        } else {
            let text = format!("<{}>", builder.text(name));
            builder.name(&text)
        };
        let var = builder.var(shown, scope.function);
        scope.inner.push((name, var));
        var
    }

    /// Forgets comprehension targets and type parameters bound since `mark`.
    pub fn close_inner(&mut self, mark: usize) {
        self.current().inner.truncate(mark);
    }
}

fn scope(kind: ScopeKind, function: FunctionId, class: Option<ClassId>) -> Scope {
    Scope { kind, function, class, has_yield: false, names: FxHashMap::default(), open: Vec::new(), inner: Vec::new() }
}

fn bind_in(scope: &mut Scope, builder: &mut Builder, name: Name) -> VarId {
    if let Some(Slot::Var(var)) = scope.names.get(&name) {
        return *var;
    }
    let var = builder.var(name, scope.function);
    if scope.kind != ScopeKind::Function {
        builder.capture(var);
    }
    scope.names.insert(name, Slot::Var(var));
    var
}

fn settle(builder: &mut Builder, read: Read, var: VarId) {
    let file = builder.file_mut();
    if let Some(expr) = file.exprs.get_mut(read.expr.index()) {
        expr.kind = ExprKind::Var(var);
    }
    if let Some(var) = file.vars.get_mut(var.index())
        && var.owner != read.reader
    {
        var.captured = true;
    }
}
