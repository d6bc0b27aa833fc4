//! What can be said about each file by itself, before any value is known: names of scopes, variables
//! that other functions write, parameters that a function calls. Built per file, in parallel.

use super::scripts::{self, Script};
use super::symbols::{Symbol, Symbols};
use crate::ir::*;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Facts about one file.
#[derive(Default)]
pub struct FileIndex {
    /// Variables by name, for module scopes and class bodies.
    pub scopes: FxHashMap<FunctionId, FxHashMap<Symbol, VarId>>,
    /// Variables that are written by another function than the one that owns them.
    pub foreign_writes: FxHashSet<VarId>,
    /// For each function, the parameters that it, or a function inside it, calls.
    pub called_params: FxHashMap<FunctionId, Vec<u32>>,
    /// Modules whose names are all imported: module path and the scope that imports them.
    pub star_imports: Vec<(FunctionId, ModulePath)>,
    /// What concerns JavaScript only.
    pub script: Script,
}

/// Indexes all files.
pub fn index(files: &[File], symbols: &Symbols) -> Vec<FileIndex> {
    files.par_iter().enumerate().map(|(at, file)| index_file(at, file, symbols)).collect()
}

fn index_file(at: usize, file: &File, symbols: &Symbols) -> FileIndex {
    let mut index = FileIndex::default();
    for (i, var) in file.vars.iter().enumerate() {
        let kind = file.function(var.owner).kind;
        if matches!(kind, FunctionKind::Module | FunctionKind::ClassBody) {
            let scope = index.scopes.entry(var.owner).or_default();
            scope.entry(symbols.of(at, var.name)).or_insert(VarId(i as u32));
        }
    }
    let owners = Owners::new(file);
    for (i, pattern) in file.patterns.iter().enumerate() {
        if let (Pattern::Bind(var) | Pattern::As(_, var), Some(writer)) = (pattern, owners.patterns[i])
            && file.var(*var).owner != writer
        {
            index.foreign_writes.insert(*var);
        }
    }
    let params = param_vars(file);
    for (i, expr) in file.exprs.iter().enumerate() {
        let ExprKind::Call { callee, .. } = &expr.kind else { continue };
        let ExprKind::Var(var) = file.expr(*callee).kind else { continue };
        let (Some(&(function, param)), Some(_)) = (params.get(&var), owners.exprs[i]) else { continue };
        let list = index.called_params.entry(function).or_default();
        if !list.contains(&param) {
            list.push(param);
        }
    }
    index.script = scripts::read(at, file, symbols, &owners, &params, &mut index.called_params);
    for (i, stmt) in file.stmts.iter().enumerate() {
        if let Stmt::Import { module, imported: Imported::Star, .. } = stmt {
            let scope = owners.stmts[i].unwrap_or(MODULE);
            index.star_imports.push((scope, module.clone()));
        }
    }
    index
}

fn param_vars(file: &File) -> FxHashMap<VarId, (FunctionId, u32)> {
    let mut vars = FxHashMap::default();
    for (f, function) in file.functions.iter().enumerate() {
        for (p, param) in function.params.iter().enumerate() {
            let mut pattern = param.pattern;
            while let Pattern::Default(inner, _) = file.pattern(pattern) {
                pattern = *inner;
            }
            if let Pattern::Bind(var) = file.pattern(pattern) {
                vars.insert(*var, (FunctionId(f as u32), p as u32));
            }
        }
    }
    vars
}

/// The function that runs each expression, pattern and statement.
pub struct Owners {
    /// By expression.
    pub exprs: Vec<Option<FunctionId>>,
    /// By pattern.
    pub patterns: Vec<Option<FunctionId>>,
    /// By statement.
    pub stmts: Vec<Option<FunctionId>>,
}

enum Work {
    Block(BlockId),
    Stmt(StmtId),
    Expr(ExprId),
    Pattern(PatId),
}

impl Owners {
    /// Walks every function's body once, with an explicit stack.
    pub fn new(file: &File) -> Self {
        let mut owners = Self {
            exprs: vec![None; file.exprs.len()],
            patterns: vec![None; file.patterns.len()],
            stmts: vec![None; file.stmts.len()],
        };
        let mut stack = Vec::new();
        for (f, function) in file.functions.iter().enumerate() {
            let id = FunctionId(f as u32);
            stack.push(Work::Block(function.body));
            for param in &function.params {
                stack.push(Work::Pattern(param.pattern));
            }
            while let Some(work) = stack.pop() {
                match work {
                    Work::Block(block) => stack.extend(file.block(block).iter().map(|&s| Work::Stmt(s))),
                    Work::Stmt(stmt) => {
                        owners.stmts[stmt.index()] = Some(id);
                        stmt_children(file, file.stmt(stmt), &mut stack);
                    }
                    Work::Expr(expr) => {
                        owners.exprs[expr.index()] = Some(id);
                        expr_children(&file.expr(expr).kind, &mut stack);
                    }
                    Work::Pattern(pattern) => {
                        owners.patterns[pattern.index()] = Some(id);
                        pattern_children(file.pattern(pattern), &mut stack);
                    }
                }
            }
        }
        owners
    }
}

fn stmt_children(file: &File, stmt: &Stmt, out: &mut Vec<Work>) {
    let exprs = |out: &mut Vec<Work>, list: &[Option<ExprId>]| out.extend(list.iter().flatten().map(|&e| Work::Expr(e)));
    match stmt {
        Stmt::Expr(e) | Stmt::Assert(e) => out.push(Work::Expr(*e)),
        Stmt::Assign { targets, value, .. } => {
            exprs(out, &[*value]);
            out.extend(targets.iter().map(|&p| Work::Pattern(p)));
        }
        Stmt::Return(e) | Stmt::Break(_, e) => exprs(out, &[*e]),
        Stmt::Raise { error, cause } => exprs(out, &[*error, *cause]),
        Stmt::If { test, then, otherwise } => {
            out.push(Work::Expr(*test));
            out.push(Work::Block(*then));
            out.extend(otherwise.map(Work::Block));
        }
        Stmt::ForEach { target, iter, body, otherwise, .. } => {
            out.push(Work::Pattern(*target));
            out.push(Work::Expr(*iter));
            out.push(Work::Block(*body));
            out.extend(otherwise.map(Work::Block));
        }
        Stmt::Loop { before, body, update, after, otherwise, .. } => {
            exprs(out, &[*before, *after]);
            out.push(Work::Block(*body));
            out.extend([*update, *otherwise].into_iter().flatten().map(Work::Block));
        }
        Stmt::Try { body, handlers, otherwise, finally } => {
            out.push(Work::Block(*body));
            for handler in handlers {
                exprs(out, &[handler.types]);
                out.extend(handler.binding.map(Work::Pattern));
                out.push(Work::Block(handler.body));
            }
            out.extend([*otherwise, *finally].into_iter().flatten().map(Work::Block));
        }
        Stmt::With { items, body, .. } => {
            for (expr, pattern) in items {
                out.push(Work::Expr(*expr));
                out.extend(pattern.map(Work::Pattern));
            }
            out.push(Work::Block(*body));
        }
        Stmt::Match { subject, arms, .. } => {
            out.push(Work::Expr(*subject));
            for arm in arms {
                out.push(Work::Pattern(arm.pattern));
                exprs(out, &[arm.guard]);
                out.push(Work::Block(arm.body));
            }
        }
        Stmt::Function { function, .. } => {
            let function = file.function(*function);
            out.extend(function.decorators.iter().map(|&e| Work::Expr(e)));
            exprs(out, &function.params.iter().map(|p| p.default).collect::<Vec<_>>());
        }
        Stmt::Class { class, .. } => {
            let class = file.class(*class);
            out.extend(class.decorators.iter().chain(&class.bases).map(|&e| Work::Expr(e)));
            out.extend(class.keywords.iter().map(|&(_, e)| Work::Expr(e)));
        }
        Stmt::Export(Export::Name(_, e) | Export::Default(e) | Export::Whole(e)) => out.push(Work::Expr(*e)),
        Stmt::Block(block, _) => out.push(Work::Block(*block)),
        Stmt::Delete(patterns) => out.extend(patterns.iter().map(|&p| Work::Pattern(p))),
        Stmt::Continue(_) | Stmt::Import { .. } | Stmt::Export(_) | Stmt::Module { .. } => {}
    }
}

fn expr_children(kind: &ExprKind, out: &mut Vec<Work>) {
    let mut add = |e: ExprId| out.push(Work::Expr(e));
    match kind {
        ExprKind::Unknown(parts) | ExprKind::Template(parts) => parts.iter().copied().for_each(add),
        ExprKind::Attr { object, .. } => add(*object),
        ExprKind::Index { object, index } => [*object, *index].into_iter().for_each(add),
        ExprKind::Slice { object, bounds } => {
            add(*object);
            bounds.iter().copied().for_each(add);
        }
        ExprKind::Call { callee, args, .. } => {
            add(*callee);
            args.iter().for_each(|a| add(a.value()));
        }
        ExprKind::Struct { path, entries } => {
            add(*path);
            entries.iter().flat_map(entry_parts).for_each(add);
        }
        ExprKind::Await(e) | ExprKind::Propagate(e) | ExprKind::YieldFrom(e) | ExprKind::Typed(e, _) => add(*e),
        ExprKind::Yield(e) => e.iter().copied().for_each(add),
        ExprKind::Seq(_, args) => args.iter().for_each(|a| add(a.value())),
        ExprKind::Dict(entries) => entries.iter().flat_map(entry_parts).for_each(add),
        ExprKind::Range { start, end, .. } => [*start, *end].into_iter().flatten().for_each(add),
        ExprKind::Unary(_, e) => add(*e),
        ExprKind::Binary(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Coalesce(a, b)
        | ExprKind::InstanceOf(a, b) => [*a, *b].into_iter().for_each(add),
        ExprKind::Conditional { test, then, otherwise } => [*test, *then, *otherwise].into_iter().for_each(add),
        ExprKind::Matches { subject, pattern, guard } => {
            add(*subject);
            guard.iter().copied().for_each(&mut add);
            out.push(Work::Pattern(*pattern));
        }
        ExprKind::Assign { target, value, .. } => {
            add(*value);
            out.push(Work::Pattern(*target));
        }
        ExprKind::Increment { target, operand, .. } => {
            add(*operand);
            out.push(Work::Pattern(*target));
        }
        ExprKind::Comprehension { clauses, element, key, .. } => {
            [Some(*element), *key].into_iter().flatten().for_each(&mut add);
            for clause in clauses {
                add(clause.iter);
                clause.conditions.iter().copied().for_each(&mut add);
            }
            out.extend(clauses.iter().map(|c| Work::Pattern(c.target)));
        }
        ExprKind::Block { block, result } => {
            result.iter().copied().for_each(add);
            out.push(Work::Block(*block));
        }
        ExprKind::Element { component, attributes, children } => {
            component.iter().copied().for_each(&mut add);
            attributes.iter().flat_map(entry_parts).for_each(&mut add);
            children.iter().copied().for_each(add);
        }
        ExprKind::Var(_)
        | ExprKind::Free(_)
        | ExprKind::This
        | ExprKind::Super(_)
        | ExprKind::Literal(_)
        | ExprKind::Closure(_)
        | ExprKind::Class(_)
        | ExprKind::Import(_) => {}
    }
}

fn entry_parts(entry: &Entry) -> impl Iterator<Item = ExprId> {
    match *entry {
        Entry::Pair(k, v) | Entry::Getter(k, v) => [Some(k), Some(v)],
        Entry::Spread(e) => [Some(e), None],
    }
    .into_iter()
    .flatten()
}

fn pattern_children(pattern: &Pattern, out: &mut Vec<Work>) {
    match pattern {
        Pattern::As(p, _) => out.push(Work::Pattern(*p)),
        Pattern::Attr { object, .. } | Pattern::Deref(object) | Pattern::Value(object) => out.push(Work::Expr(*object)),
        Pattern::Index { object, index } => out.extend([Work::Expr(*object), Work::Expr(*index)]),
        Pattern::Sequence(list) | Pattern::Or(list) => out.extend(list.iter().map(|&p| Work::Pattern(p))),
        Pattern::Rest(p) => out.extend(p.map(Work::Pattern)),
        Pattern::Object { entries, rest } => {
            out.extend(entries.iter().map(|&(_, p)| Work::Pattern(p)));
            out.extend(rest.map(Work::Pattern));
        }
        Pattern::Default(p, e) => out.extend([Work::Pattern(*p), Work::Expr(*e)]),
        Pattern::Variant { path, args, fields } => {
            out.push(Work::Expr(*path));
            out.extend(args.iter().map(|&p| Work::Pattern(p)));
            out.extend(fields.iter().map(|&(_, p)| Work::Pattern(p)));
        }
        Pattern::Range { start, end, .. } => out.extend([*start, *end].into_iter().flatten().map(Work::Expr)),
        Pattern::Ignore | Pattern::Bind(_) | Pattern::Otherwise | Pattern::Unknown => {}
    }
}
