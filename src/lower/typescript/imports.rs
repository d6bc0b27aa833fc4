//! Import statements. They run before everything else in the module, wherever they stand.

use super::kind::{Field, Kind};
use super::literal::unquote;
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// Lowers the module's import statements.
    pub fn hoist_imports(&mut self, nodes: &[Node], out: &mut Vec<StmtId>) {
        let tree = self.tree;
        let mut open: Vec<Node> = nodes.iter().rev().copied().collect();
        while let Some(n) = open.pop() {
            match tree.kind(n) {
                Kind::ImportStatement => self.import_statement(n, out),
                Kind::Error => open.extend(tree.named(n).collect::<Vec<_>>().into_iter().rev()),
                _ => {}
            }
        }
    }

    /// The module a string or constant template names.
    pub fn module_path(&mut self, source: Node) -> ModulePath {
        let text = unquote(self.tree.text(source));
        ModulePath { level: 0, path: self.b.name(&text), span: self.span(source) }
    }

    fn import_statement(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let tree = self.tree;
        let type_only = tree.has(n, "type") || tree.has(n, "typeof");
        let clause = tree.child(n, Kind::ImportClause);
        if let Some(required) = tree.child(n, Kind::ImportRequireClause) {
            let name = tree.child(required, Kind::Identifier);
            if let (Some(name), Some(source)) = (name, tree.field(required, Field::Source)) {
                let module = self.module_path(source);
                self.import_one(n, name, module, Imported::Module, type_only, out);
            }
            return;
        }
        let Some(source) = tree.field(n, Field::Source) else { return };
        let module = self.module_path(source);
        let Some(clause) = clause else {
            let span = self.span(n);
            let stmt = Stmt::Import { module, imported: Imported::Effect, target: None, type_only };
            out.push(self.b.stmt(stmt, span));
            return;
        };
        for part in tree.named(clause) {
            match tree.kind(part) {
                Kind::Identifier => self.import_one(part, part, module.clone(), Imported::Default, type_only, out),
                Kind::NamespaceImport => {
                    if let Some(name) = tree.child(part, Kind::Identifier) {
                        self.import_one(part, name, module.clone(), Imported::Module, type_only, out);
                    }
                }
                Kind::NamedImports => {
                    for specifier in tree.named(part) {
                        self.import_specifier(specifier, &module, type_only, out);
                    }
                }
                _ => {}
            }
        }
    }

    fn import_specifier(&mut self, n: Node, module: &ModulePath, type_only: bool, out: &mut Vec<StmtId>) {
        let tree = self.tree;
        let Some(name) = tree.field(n, Field::Name) else { return };
        let local = tree.field(n, Field::Alias).unwrap_or(name);
        let imported = self.imported_name(name);
        let type_only = type_only || tree.has(n, "type") || tree.has(n, "typeof");
        self.import_one(n, local, module.clone(), imported, type_only, out);
    }

    /// A name of another module; `default` is its default export.
    pub fn imported_name(&mut self, n: Node) -> Imported {
        let name = self.member_name(n);
        match self.b.text(name) {
            "default" => Imported::Default,
            _ => Imported::Name(name),
        }
    }

    fn import_one(
        &mut self,
        n: Node,
        local: Node,
        module: ModulePath,
        imported: Imported,
        type_only: bool,
        out: &mut Vec<StmtId>,
    ) {
        let name = self.name_of(local);
        let target = self.declare_both(name);
        let span = self.span(n);
        out.push(self.b.stmt(Stmt::Import { module, imported, target: Some(target), type_only }, span));
    }

    /// `import A = N.B`
    pub fn import_alias(&mut self, n: Node, out: &mut Vec<StmtId>) {
        let mut parts = self.tree.named(n);
        let (Some(name), Some(value)) = (parts.next(), parts.next()) else { return };
        let name = self.name_of(name);
        let var = self.declare_both(name);
        let value = self.entity(value);
        let span = self.span(n);
        out.push(self.assign_var(var, value, span));
    }
}
