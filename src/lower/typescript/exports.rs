//! Export statements.

use super::kind::{Field, Kind};
use super::lowerer::{Hint, Lower};
use super::scope::TypeBinding;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// Any statement that starts with `export`.
    pub fn export_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let tree = self.tree;
        let source = tree.field(n, Field::Source);
        let is_default = tree.has(n, "default");
        if let Some(declaration) = tree.field(n, Field::Declaration) {
            return self.exported_declaration(n, declaration, is_default, out);
        }
        if let Some(value) = tree.field(n, Field::Value) {
            return self.default_value(n, value, out);
        }
        if let Some(clause) = tree.child(n, Kind::ExportClause) {
            for specifier in tree.named(clause) {
                self.export_specifier(specifier, source, out);
            }
            return;
        }
        if let Some(source) = source {
            return self.export_all(n, source, out);
        }
        // `export = value`; `export as namespace N` concerns scripts only.
        if let Some(value) = tree.named(n).find(|&c| tree.kind(c) != Kind::Decorator)
            && !tree.has(n, "as")
        {
            let value = self.expr(value);
            self.export(Export::Whole(value), n, out);
        }
    }

    fn export(&mut self, export: Export, n: Node, out: &mut Vec<StmtId>) {
        if !self.is_in_namespace {
            let span = self.span(n);
            out.push(self.b.stmt(Stmt::Export(export), span));
        }
    }

    fn exported_declaration(&mut self, n: Node, declaration: Node, is_default: bool, out: &mut Vec<StmtId>) {
        let tree = self.tree;
        match tree.kind(declaration) {
            Kind::ClassDeclaration | Kind::AbstractClassDeclaration => {
                let decorators: Vec<Node> = tree.fields(n, Field::Decorator).collect();
                self.class_statement(declaration, &decorators, out);
            }
            _ => self.stmt(declaration, out),
        }
        for name_node in self.declared_names(declaration) {
            let name = self.name_of(name_node);
            if let Some(var) = self.exported_var(name, declaration) {
                let value = self.var_expr(var, self.span(name_node));
                let export = if is_default { Export::Default(value) } else { Export::Name(name, value) };
                self.export(export, n, out);
            }
        }
    }

    /// The names an exported declaration binds.
    fn declared_names(&self, declaration: Node) -> Vec<Node> {
        let mut at = declaration;
        while self.kind(at) == Kind::AmbientDeclaration {
            match self.tree.first(at) {
                Some(inner) => at = inner,
                None => return Vec::new(),
            }
        }
        match self.kind(at) {
            Kind::LexicalDeclaration | Kind::VariableDeclaration => self.bound_names(at),
            Kind::ImportAlias => self.tree.first(at).into_iter().collect(),
            _ => {
                let name = self.tree.field(at, Field::Name);
                let outer = name.and_then(|name| match self.kind(name) {
                    Kind::NestedIdentifier => self.tree.descendants(name, Kind::Identifier).next(),
                    Kind::String => None,
                    _ => Some(name),
                });
                outer.into_iter().collect()
            }
        }
    }

    /// The names a variable declaration binds.
    pub fn bound_names(&self, declaration: Node) -> Vec<Node> {
        let tree = self.tree;
        let mut names = Vec::new();
        let mut open: Vec<Node> = tree.named(declaration).filter_map(|d| tree.field(d, Field::Name)).collect();
        open.reverse();
        while let Some(n) = open.pop() {
            match tree.kind(n) {
                Kind::Identifier | Kind::ShorthandPattern => names.push(n),
                Kind::PairPattern => open.extend(tree.field(n, Field::Value)),
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => open.extend(tree.field(n, Field::Left)),
                Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern => {
                    let inner: Vec<Node> = tree.named(n).collect();
                    open.extend(inner.into_iter().rev());
                }
                _ => {}
            }
        }
        names
    }

    /// The variable an exported declaration made.
    fn exported_var(&self, name: Name, declaration: Node) -> Option<VarId> {
        let is_type = matches!(self.kind(declaration), Kind::InterfaceDeclaration | Kind::TypeAlias);
        if is_type { self.type_var(name) } else { self.scopes.value(name).or_else(|| self.type_var(name)) }
    }

    fn type_var(&self, name: Name) -> Option<VarId> {
        match self.scopes.ty(name)? {
            TypeBinding::Var(var) => Some(var),
            _ => None,
        }
    }

    /// `export default <expression>`
    fn default_value(&mut self, n: Node, value: Node, out: &mut Vec<StmtId>) {
        let decorators: Vec<Node> = self.tree.fields(n, Field::Decorator).collect();
        let value = if self.kind(value) == Kind::Class && !decorators.is_empty() {
            let span = self.after_decorators(value);
            let name = self.tree.field(value, Field::Name);
            let name = name.map(|name| Hint { name: self.name_of(name), span: self.span(name) });
            let class = self.class(value, name, &decorators);
            self.b.expr(ExprKind::Class(class), span)
        } else {
            self.expr(value)
        };
        self.export(Export::Default(value), n, out);
    }

    /// `export { a as b }`, with or without `from`.
    fn export_specifier(&mut self, n: Node, source: Option<Node>, out: &mut Vec<StmtId>) {
        let Some(name_node) = self.tree.field(n, Field::Name) else { return };
        let alias = self.tree.field(n, Field::Alias).unwrap_or(name_node);
        let exported = self.member_name(alias);
        if let Some(source) = source {
            let module = self.module_path(source);
            let imported = self.imported_name(name_node);
            return self.export(Export::From(exported, module, imported), n, out);
        }
        let name = self.member_name(name_node);
        let span = self.span(name_node);
        let mut vars: Vec<VarId> = self.scopes.value(name).into_iter().collect();
        vars.extend(self.type_var(name).filter(|var| !vars.contains(var)));
        for var in vars {
            let value = self.var_expr(var, span);
            let export = match self.b.text(exported) {
                "default" => Export::Default(value),
                _ => Export::Name(exported, value),
            };
            self.export(export, n, out);
        }
    }

    /// `export * from "m"`, `export * as ns from "m"`
    fn export_all(&mut self, n: Node, source: Node, out: &mut Vec<StmtId>) {
        let module = self.module_path(source);
        let namespace = self.tree.child(n, Kind::NamespaceExport).and_then(|ns| self.tree.first(ns));
        let export = match namespace {
            Some(name) => Export::From(self.member_name(name), module, Imported::Module),
            None => Export::Star(module),
        };
        self.export(export, n, out);
    }
}
