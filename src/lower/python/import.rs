//! Imports, and `__all__`.

use super::kind::{Field, Kind};
use super::scopes::ScopeKind;
use super::tree::Node;
use super::{Exports, Lower};
use crate::ir::*;

impl Lower {
    /// `import a.b, c as d`
    pub(super) fn import(&mut self, node: Node, out: &mut Vec<StmtId>) {
        for item in node.children() {
            let (name, alias) = aliased(item);
            if name.kind() != Kind::DottedName {
                continue;
            }
            let path = dotted(name);
            let (imported, bound) = match alias {
                Some(alias) => (Imported::Module, alias),
                None => (Imported::Top, path.split('.').next().unwrap_or("").to_string()),
            };
            let module = ModulePath { level: 0, path: self.builder.name(&path), span: name.span() };
            let target = Some(self.bind(&bound));
            let type_only = self.type_only;
            self.push(Stmt::Import { module, imported, target, type_only }, node.span(), out);
        }
    }

    /// `from a.b import c as d, e`
    pub(super) fn import_from(&mut self, node: Node, out: &mut Vec<StmtId>) {
        let Some(from) = node.child(Field::ModuleName) else { return };
        let (level, path) = match from.kind() {
            Kind::RelativeImport => {
                let dots = from.child_of(Kind::ImportPrefix).map_or("", Node::text);
                let level = dots.bytes().filter(|b| *b == b'.').count() as u32;
                (level, from.child_of(Kind::DottedName).map(dotted).unwrap_or_default())
            }
            _ => (0, dotted(from)),
        };
        let module = ModulePath { level, path: self.builder.name(&path), span: from.span() };
        let type_only = self.type_only;
        for item in node.children() {
            let (imported, target) = if item.kind() == Kind::Wildcard {
                (Imported::Star, None)
            } else if item.field() == Field::Name {
                let (name, alias) = aliased(item);
                let name = dotted(name);
                let target = self.bind(alias.as_deref().unwrap_or(&name));
                (Imported::Name(self.builder.name(&name)), Some(target))
            } else {
                continue;
            };
            self.push(Stmt::Import { module: module.clone(), imported, target, type_only }, node.span(), out);
        }
    }

    /// `__all__ = […]` and `__all__ += […]` at module level.
    pub(super) fn export_list(&mut self, left: Node, value: Option<ExprId>, augmented: bool) {
        if left.kind() != Kind::Identifier || left.text() != "__all__" || !self.scopes.is(ScopeKind::Module) {
            return;
        }
        let Some(value) = value else { return };
        let Some(mut names) = self.constant_names(value) else {
            self.exports = Exports::Unknown;
            return;
        };
        match &mut self.exports {
            Exports::Names(before) if augmented => before.append(&mut names),
            Exports::Unknown if augmented => {}
            _ => self.exports = Exports::Names(names),
        }
    }

    /// `__all__.extend([…])`, `.append("x")`
    pub(super) fn export_call(&mut self, node: Node, call: ExprId) {
        let is_list = |function: Node| function.child(Field::Object).is_some_and(|object| object.text() == "__all__");
        if node.kind() != Kind::Call || !node.child(Field::Function).is_some_and(is_list) {
            return;
        }
        let file = self.builder.file();
        let ExprKind::Call { args, .. } = &file.expr(call).kind else { return };
        let names = match args[..] {
            [Arg::Positional(arg)] => {
                self.constant_names(arg).or_else(|| self.constant_name(arg).map(|name| vec![name]))
            }
            _ => None,
        };
        match (&mut self.exports, names) {
            (Exports::Names(before), Some(mut names)) => before.append(&mut names),
            _ => self.exports = Exports::Unknown,
        }
    }

    fn constant_name(&self, expr: ExprId) -> Option<Name> {
        match self.builder.file().expr(expr).kind {
            ExprKind::Literal(Literal::Str(name)) => Some(name),
            _ => None,
        }
    }

    fn constant_names(&self, list: ExprId) -> Option<Vec<Name>> {
        match &self.builder.file().expr(list).kind {
            ExprKind::Seq(_, items) => items
                .iter()
                .map(|item| match item {
                    Arg::Positional(item) => self.constant_name(*item),
                    _ => None,
                })
                .collect(),
            ExprKind::Binary(BinaryOp::Add, left, right) => match &self.builder.file().expr(*left).kind {
                ExprKind::Seq(..) => {
                    let mut names = self.constant_names(*left)?;
                    names.append(&mut self.constant_names(*right)?);
                    Some(names)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// What an item of an import list names, and the name it is bound to if it says.
fn aliased(item: Node) -> (Node, Option<String>) {
    if item.kind() != Kind::AliasedImport {
        return (item, None);
    }
    let alias = item.child(Field::Alias).map(|alias| alias.text().to_string());
    (item.child(Field::Name).unwrap_or(item), alias)
}

/// A dotted name without the blanks it may be written with.
pub(super) fn dotted(node: Node) -> String {
    let mut path = String::new();
    for part in node.children() {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(part.text());
    }
    if path.is_empty() { node.text().to_string() } else { path }
}
