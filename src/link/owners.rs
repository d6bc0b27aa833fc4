//! Which function runs each expression, pattern and statement of a file: one walk with an explicit stack.

use crate::ir::*;

/// The function that runs each expression, pattern and statement.
pub struct Owners {
    /// By expression.
    pub exprs: Vec<Option<FunctionId>>,
    /// By pattern.
    pub patterns: Vec<Option<FunctionId>>,
    /// By statement.
    pub stmts: Vec<Option<FunctionId>>,
    /// How deep expressions and statements nest.
    pub depth: u32,
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
            depth: 0,
        };
        let mut stack: Vec<(u32, Work)> = Vec::new();
        let mut children = Vec::new();
        for (f, function) in file.functions.iter().enumerate() {
            let id = FunctionId(f as u32);
            stack.push((0, Work::Block(function.body)));
            for param in &function.params {
                stack.push((0, Work::Pattern(param.pattern)));
            }
            while let Some((depth, work)) = stack.pop() {
                owners.depth = owners.depth.max(depth);
                match work {
                    Work::Block(block) => children.extend(file.block(block).iter().map(|&s| Work::Stmt(s))),
                    Work::Stmt(stmt) => {
                        owners.stmts[stmt.index()] = Some(id);
                        stmt_children(file, file.stmt(stmt), &mut children);
                    }
                    Work::Expr(expr) => {
                        owners.exprs[expr.index()] = Some(id);
                        expr_children(&file.expr(expr).kind, &mut children);
                    }
                    Work::Pattern(pattern) => {
                        owners.patterns[pattern.index()] = Some(id);
                        pattern_children(file.pattern(pattern), &mut children);
                    }
                }
                stack.extend(children.drain(..).map(|work| (depth + 1, work)));
            }
        }
        owners
    }
}

fn stmt_children(file: &File, stmt: &Stmt, out: &mut Vec<Work>) {
    let exprs =
        |out: &mut Vec<Work>, list: &[Option<ExprId>]| out.extend(list.iter().flatten().map(|&e| Work::Expr(e)));
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
