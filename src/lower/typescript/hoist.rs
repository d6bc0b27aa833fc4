//! What a scope declares, found before its statements are lowered: `let`, `const`, classes, functions,
//! imports and types belong to the block they stand in, `var` to the function.

use super::kind::{Field, Kind};
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

impl Lower<'_, '_> {
    /// Lowers a list of statements that share a scope: declares their names, then functions first (they
    /// can be called above the place they are written at), then the rest in order.
    pub fn statements(&mut self, nodes: &[Node], out: &mut Vec<StmtId>) {
        for &n in nodes {
            self.declare_statement(n);
        }
        self.hoist_functions(nodes, out);
        for &n in nodes {
            self.stmt(n, out);
        }
    }

    /// Declares what one statement declares in the scope it stands in.
    pub fn declare_statement(&mut self, n: Node) {
        let mut open = vec![n];
        while let Some(n) = open.pop() {
            match self.kind(n) {
                Kind::ExportStatement | Kind::AmbientDeclaration | Kind::Error => {
                    let inner: Vec<Node> = self.tree.named(n).collect();
                    open.extend(inner.into_iter().rev());
                }
                Kind::ExpressionStatement => {
                    if let Some(inner) = self.tree.first(n).filter(|&i| self.kind(i) == Kind::InternalModule) {
                        open.push(inner);
                    }
                }
                _ => self.declare_one(n),
            }
        }
    }

    fn declare_one(&mut self, n: Node) {
        match self.kind(n) {
            Kind::LexicalDeclaration | Kind::UsingDeclaration => self.declare_declarators(n),
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration | Kind::FunctionSignature => {
                self.declare_named(n, Lower::declare_value);
            }
            Kind::ClassDeclaration | Kind::AbstractClassDeclaration | Kind::EnumDeclaration => {
                self.declare_named(n, Lower::declare_both);
            }
            Kind::InterfaceDeclaration | Kind::TypeAlias => self.declare_named(n, Lower::declare_type),
            Kind::InternalModule | Kind::Module => self.declare_namespace(n),
            Kind::ImportStatement => self.declare_imports(n),
            Kind::ImportAlias => {
                if let Some(name) = self.tree.first(n) {
                    let name = self.name_of(name);
                    self.declare_both(name);
                }
            }
            _ => {}
        }
    }

    fn declare_named(&mut self, n: Node, declare: fn(&mut Self, Name) -> VarId) {
        if let Some(name) = self.tree.field(n, Field::Name) {
            let name = self.name_of(name);
            declare(self, name);
        }
    }

    fn declare_namespace(&mut self, n: Node) {
        let Some(name) = self.tree.field(n, Field::Name) else { return };
        match self.kind(name) {
            Kind::Identifier => {
                let name = self.name_of(name);
                self.declare_value(name);
            }
            Kind::NestedIdentifier => {
                if let Some(outer) = self.tree.descendants(name, Kind::Identifier).next() {
                    let outer = self.name_of(outer);
                    self.declare_value(outer);
                }
            }
            _ => {}
        }
    }

    fn declare_imports(&mut self, n: Node) {
        for part in self.tree.named(n) {
            match self.kind(part) {
                Kind::ImportRequireClause => {
                    if let Some(name) = self.tree.child(part, Kind::Identifier) {
                        let name = self.name_of(name);
                        self.declare_both(name);
                    }
                }
                Kind::ImportClause => {
                    for name in self.imported_names(part) {
                        let name = self.name_of(name);
                        self.declare_both(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// The local names an import clause binds.
    fn imported_names(&self, clause: Node) -> Vec<Node> {
        let tree = self.tree;
        let mut names = Vec::new();
        for part in tree.named(clause) {
            match tree.kind(part) {
                Kind::Identifier => names.push(part),
                Kind::NamespaceImport => names.extend(tree.child(part, Kind::Identifier)),
                Kind::NamedImports => names.extend(
                    tree.named(part).filter_map(|s| tree.field(s, Field::Alias).or_else(|| tree.field(s, Field::Name))),
                ),
                _ => {}
            }
        }
        names
    }

    /// Declares the names of a `let`, `const`, `using` or `var` declaration.
    pub fn declare_declarators(&mut self, n: Node) {
        for declarator in self.tree.named(n) {
            if let Some(name) = self.tree.field(declarator, Field::Name) {
                self.declare_pattern(name);
            }
        }
    }

    /// Declares the `var`s of a function (or of the module).
    pub fn declare_vars(&mut self, function: Node) {
        for n in self.tree.vars_of(function) {
            match self.kind(n) {
                Kind::ForIn => {
                    if let Some(left) = self.tree.field(n, Field::Left) {
                        self.declare_pattern(left);
                    }
                }
                _ => self.declare_declarators(n),
            }
        }
    }

    /// Declares the names a binding pattern binds.
    pub fn declare_pattern(&mut self, n: Node) {
        let tree = self.tree;
        let mut open = vec![n];
        while let Some(n) = open.pop() {
            match tree.kind(n) {
                Kind::Identifier | Kind::ShorthandPattern | Kind::Undefined => {
                    let name = self.name_of(n);
                    self.declare_value(name);
                }
                Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern | Kind::Error => {
                    let inner: Vec<Node> = tree.named(n).collect();
                    open.extend(inner.into_iter().rev());
                }
                Kind::PairPattern => open.extend(tree.field(n, Field::Value)),
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => open.extend(tree.field(n, Field::Left)),
                _ => {}
            }
        }
    }

    /// Lowers the function declarations of a scope. Of overloads only the implementation counts.
    fn hoist_functions(&mut self, nodes: &[Node], out: &mut Vec<StmtId>) {
        let found: Vec<Node> = nodes.iter().filter_map(|&n| self.declared_function(n)).collect();
        for &n in &found {
            if self.kind(n) == Kind::FunctionSignature && self.is_implemented(n, &found) {
                continue;
            }
            self.function_statement(n, out);
        }
    }

    fn is_implemented(&self, signature: Node, among: &[Node]) -> bool {
        let name = |n: Node| self.tree.field(n, Field::Name).map(|n| self.tree.text(n));
        among.iter().any(|&n| self.kind(n) != Kind::FunctionSignature && name(n) == name(signature))
    }

    /// The function declaration a statement is or exports.
    pub fn declared_function(&self, n: Node) -> Option<Node> {
        let mut at = n;
        while matches!(self.kind(at), Kind::ExportStatement | Kind::AmbientDeclaration) {
            at = self.tree.named(at).find(|&c| self.kind(c) != Kind::Decorator)?;
        }
        let is_function = matches!(
            self.kind(at),
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration | Kind::FunctionSignature
        );
        (is_function && self.tree.field(at, Field::Name).is_some()).then_some(at)
    }
}
