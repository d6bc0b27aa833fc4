//! Namespaces and ambient declarations.

use super::kind::{Field, Kind};
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// `namespace N { … }`: its statements run in a block, then what they export becomes attributes of
    /// the namespace's variable (an object, or the class, function or enum of the same name).
    pub fn namespace(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let (Some(name), Some(body)) = (self.tree.field(n, Field::Name), self.tree.field(n, Field::Body)) else {
            return;
        };
        // `module "x" { … }` describes another module.
        if self.kind(name) == Kind::String {
            return;
        }
        let parts: Vec<Node> = match self.kind(name) {
            Kind::Identifier => vec![name],
            _ => self.name_parts(name),
        };
        let outer = std::mem::replace(&mut self.is_in_namespace, true);
        self.namespace_parts(n, &parts, body, out);
        self.is_in_namespace = outer;
    }

    fn name_parts(&self, n: Node) -> Vec<Node> {
        let tree = self.tree;
        let named = |kind| tree.descendants(n, kind);
        let mut parts: Vec<Node> = named(Kind::Identifier).chain(named(Kind::PropertyIdentifier)).collect();
        parts.sort();
        parts
    }

    /// `namespace A.B { … }` is `namespace A { export namespace B { … } }`.
    fn namespace_parts(&mut self, n: Node, parts: &[Node], body: Node, out: &mut Vec<StmtId>) {
        let Some((&first, inner)) = parts.split_first() else { return };
        let span = self.span(n);
        let name = self.name_of(first);
        let is_merged = self.is_written(name, out);
        let target = self.declare_value(name);
        self.scopes.enter();
        let mut stmts = Vec::new();
        let exported = match inner.first() {
            Some(&second) => {
                let second = self.name_of(second);
                self.declare_value(second);
                self.deeper(n, 1, |this| this.namespace_parts(n, inner, body, &mut stmts));
                vec![second]
            }
            None => {
                let nodes: Vec<Node> = self.tree.named(body).collect();
                self.statements(&nodes, &mut stmts);
                self.exported_names(&nodes)
            }
        };
        self.bind_namespace(target, &exported, is_merged, span, &mut stmts);
        self.scopes.leave();
        let block = self.b.block(stmts);
        out.push(self.b.stmt(Stmt::Block(block, None), span));
    }

    /// Whether a class, function, enum or namespace of this name stands before in the same block.
    fn is_written(&self, name: Name, before: &[StmtId]) -> bool {
        let Some(var) = self.scopes.own_value(name) else { return false };
        let file = self.b.file();
        before.iter().any(|&stmt| match file.stmt(stmt) {
            Stmt::Function { target, .. } | Stmt::Class { target, .. } => *target == Some(var),
            Stmt::Block(block, _) => file.block(*block).last().is_some_and(|&last| match file.stmt(last) {
                Stmt::Assign { targets, .. } => targets.iter().any(|&t| match *file.pattern(t) {
                    Pattern::Bind(bound) => bound == var,
                    Pattern::Attr { object, .. } => matches!(file.expr(object).kind, ExprKind::Var(v) if v == var),
                    _ => false,
                }),
                _ => false,
            }),
            _ => false,
        })
    }

    fn bind_namespace(&mut self, target: VarId, exported: &[Name], is_merged: bool, span: Span, out: &mut Vec<StmtId>) {
        let place = Span { start: span.start, end: span.start };
        let mut entries = Vec::new();
        for &name in exported {
            let types = self.scopes.own_type(name).and_then(|binding| match binding {
                super::scope::TypeBinding::Var(var) => Some(var),
                _ => None,
            });
            let Some(var) = self.scopes.own_value(name).or(types) else { continue };
            let value = self.var_expr(var, place);
            if is_merged {
                let object = self.var_expr(target, place);
                let pattern = self.b.pattern(Pattern::Attr { object, name, name_span: place });
                let stmt = Stmt::Assign { targets: vec![pattern], value: Some(value), op: None, declared: None };
                out.push(self.b.stmt(stmt, place));
            } else {
                let key = self.b.expr(ExprKind::Literal(Literal::Str(name)), place);
                entries.push(Entry::Pair(key, value));
            }
        }
        if !is_merged {
            let object = self.b.expr(ExprKind::Dict(entries), place);
            out.push(self.assign_var(target, object, place));
        }
    }

    /// The names that a namespace's statements export.
    fn exported_names(&mut self, nodes: &[Node]) -> Vec<Name> {
        let tree = self.tree;
        let mut names = Vec::new();
        for &n in nodes.iter().filter(|&&n| tree.kind(n) == Kind::ExportStatement) {
            for declared in tree.named(n) {
                let found = match tree.kind(declared) {
                    Kind::LexicalDeclaration | Kind::VariableDeclaration => self.bound_names(declared),
                    Kind::ExportClause => tree.named(declared).filter_map(|s| tree.field(s, Field::Name)).collect(),
                    _ => tree.field(declared, Field::Name).into_iter().collect(),
                };
                for name in found {
                    let name = self.name_of(name);
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
        }
        names
    }

    /// `declare …`: what it declares, without a body.
    pub fn ambient(&mut self, n: Node, out: &mut Vec<StmtId>) {
        if self.tree.has(n, "global") {
            return;
        }
        for inner in self.tree.named(n) {
            self.stmt(inner, out);
        }
    }
}
