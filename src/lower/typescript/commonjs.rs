//! CommonJS exports. `module.exports` and every `exports.x` that the file assigns is a variable of the
//! module, so that reads find it again; what they hold in the end is exported at the end of the module.

use super::kind::{Field, Kind};
use super::literal::unquote;
use super::lowerer::Lower;
use super::tree::Node;
use crate::ir::*;

/// What a module assigns to `module.exports` and to names of it.
#[derive(Default)]
pub struct Exports {
    whole: Option<Slot>,
    named: Vec<(Name, Slot)>,
    /// Whether the file mentions `exports` at all.
    is_used: bool,
}

#[derive(Clone, Copy)]
struct Slot {
    var: VarId,
    span: Span,
    is_assigned: bool,
}

/// What part of the exports an expression means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `module.exports`
    Whole,
    /// `exports.x` or `module.exports.x`
    Named(Node),
}

impl Lower<'_, '_> {
    /// Finds the exports that the file assigns.
    pub fn find_exports(&mut self, root: Node) {
        let tree = self.tree;
        if !tree.text(root).contains("exports") {
            return;
        }
        self.exports.is_used = true;
        for n in tree.descendants(root, Kind::AssignmentExpression) {
            let Some(left) = tree.field(n, Field::Left) else { continue };
            let span = tree.span(n);
            match self.export_syntax(left) {
                Some(Place::Whole) if self.exports.whole.is_none() => {
                    let var = self.export_slot("module.exports");
                    self.exports.whole = Some(Slot { var, span, is_assigned: false });
                }
                Some(Place::Named(property)) => {
                    let name = self.name_of(property);
                    if !self.exports.named.iter().any(|(known, _)| *known == name) {
                        let var = self.export_slot(&format!("exports.{}", tree.text(property)));
                        self.exports.named.push((name, Slot { var, span, is_assigned: false }));
                    }
                }
                _ => {}
            }
        }
    }

    fn export_slot(&mut self, text: &str) -> VarId {
        let name = self.b.name(text);
        let var = self.b.var(name, MODULE);
        self.b.capture(var);
        var
    }

    /// Whether a name is the runtime's, not declared in the file.
    fn is_runtime(&self, n: Node, text: &str) -> bool {
        self.kind(n) == Kind::Identifier
            && self.tree.text(n) == text
            && self.b.find(text).is_none_or(|name| self.scopes.value(name).is_none())
    }

    fn export_syntax(&self, n: Node) -> Option<Place> {
        let tree = self.tree;
        if tree.kind(n) != Kind::Member {
            return None;
        }
        let (object, property) = (tree.field(n, Field::Object)?, tree.field(n, Field::Property)?);
        if self.is_runtime(object, "exports") {
            return Some(Place::Named(property));
        }
        if self.is_runtime(object, "module") && tree.text(property) == "exports" {
            return Some(Place::Whole);
        }
        let is_whole = tree.kind(object) == Kind::Member && self.export_syntax(object) == Some(Place::Whole);
        is_whole.then_some(Place::Named(property))
    }

    /// The part of the exports a member access means, if the file assigns that part.
    pub fn export_place(&self, n: Node) -> Option<Place> {
        if !self.exports.is_used {
            return None;
        }
        let place = self.export_syntax(n)?;
        self.export_var(place).map(|_| place)
    }

    /// The variable of a part of the exports.
    pub fn export_var(&self, place: Place) -> Option<VarId> {
        match place {
            Place::Whole => self.exports.whole.map(|slot| slot.var),
            Place::Named(property) => {
                let name = self.b.find(self.tree.text(property))?;
                self.exports.named.iter().find(|(known, _)| *known == name).map(|(_, slot)| slot.var)
            }
        }
    }

    /// An assignment's target as one pattern.
    pub fn assign_target(&mut self, left: Node) -> PatId {
        let left = self.peel(left);
        self.mark_export(left);
        self.pattern(left)
    }

    /// An assignment statement's targets: `module.exports.x = …` is also an attribute of what
    /// `module.exports` holds; a bare `exports` (`exports = module.exports = …`) is no target.
    pub fn assign_targets(&mut self, left: Node, targets: &mut Vec<PatId>) {
        let left = self.peel(left);
        if self.exports.is_used && self.is_runtime(left, "exports") {
            return;
        }
        targets.push(self.assign_target(left));
        let (Some(Place::Named(property)), Some(whole)) = (self.export_place(left), self.exports.whole) else { return };
        let object = self.tree.field(left, Field::Object);
        if let Some(object) = object.filter(|&object| self.kind(object) == Kind::Member) {
            let (name, name_span, span) = (self.name_of(property), self.span(property), self.span(object));
            let object = self.var_expr(whole.var, span);
            targets.push(self.b.pattern(Pattern::Attr { object, name, name_span }));
        }
    }

    fn mark_export(&mut self, left: Node) {
        let Some(place) = self.export_place(left) else { return };
        let var = self.export_var(place);
        let named = self.exports.named.iter_mut().map(|(_, slot)| slot);
        for slot in named.chain(self.exports.whole.as_mut()).filter(|slot| Some(slot.var) == var) {
            slot.is_assigned = true;
        }
    }

    /// `Object.defineProperty(exports, "x", { get() { return e; } })` and `__exportStar(require("m"),
    /// exports)`, as compilers write re-exports. Says whether the call was one.
    pub fn define_export(&mut self, n: Node, out: &mut Vec<StmtId>) -> bool {
        if !self.exports.is_used {
            return false;
        }
        let export = match self.defined_export(n) {
            Some(export) => export,
            None => return false,
        };
        let span = self.span(n);
        out.push(self.b.stmt(Stmt::Export(export), span));
        true
    }

    fn defined_export(&mut self, n: Node) -> Option<Export> {
        let tree = self.tree;
        let callee = tree.field(n, Field::Function)?;
        let callee = tree.text(tree.field(callee, Field::Property).unwrap_or(callee));
        let args: Vec<Node> = tree.named(tree.field(n, Field::Arguments)?).collect();
        match (callee, args.as_slice()) {
            ("__exportStar", &[source, exports]) if self.is_runtime(exports, "exports") => {
                let source = self.imported_module(source)?;
                Some(Export::Star(self.module_path(source)))
            }
            ("defineProperty", &[exports, name, descriptor])
                if self.is_runtime(exports, "exports") && self.kind(name) == Kind::String =>
            {
                let value = self.getter_value(descriptor)?;
                let name = unquote(tree.text(name));
                let value = self.expr(value);
                Some(match &*name {
                    "default" => Export::Default(value),
                    _ => Export::Name(self.b.name(&name), value),
                })
            }
            _ => None,
        }
    }

    /// What a property descriptor's `get` returns, if that is all it does.
    fn getter_value(&self, descriptor: Node) -> Option<Node> {
        let tree = self.tree;
        let getter = tree.named(descriptor).find(|&entry| {
            let key = tree.field(entry, Field::Key).or_else(|| tree.field(entry, Field::Name));
            key.is_some_and(|key| tree.text(key) == "get")
        })?;
        let function = tree.field(getter, Field::Value).unwrap_or(getter);
        let body = tree.field(function, Field::Body)?;
        if tree.kind(body) != Kind::StatementBlock {
            return Some(body);
        }
        let only = tree.first(body).filter(|&stmt| tree.kind(stmt) == Kind::Return)?;
        tree.first(only)
    }

    /// Exports what the module has assigned.
    pub fn finish_exports(&mut self, out: &mut Vec<StmtId>) {
        let named = std::mem::take(&mut self.exports.named);
        for (name, slot) in named.into_iter().filter(|(_, slot)| slot.is_assigned) {
            let value = self.var_expr(slot.var, slot.span);
            let export = match self.b.text(name) {
                "default" => Export::Default(value),
                _ => Export::Name(name, value),
            };
            out.push(self.b.stmt(Stmt::Export(export), slot.span));
        }
        if let Some(slot) = self.exports.whole.filter(|slot| slot.is_assigned) {
            let value = self.var_expr(slot.var, slot.span);
            out.push(self.b.stmt(Stmt::Export(Export::Whole(value)), slot.span));
        }
    }
}
