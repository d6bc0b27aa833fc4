//! Statements as lines.

use super::Dump;
use super::expr::assign;
use crate::ir::*;

impl Dump<'_> {
    pub(super) fn block(&mut self, id: BlockId) {
        let file = self.file;
        let Some(block) = file.blocks.get(id.index()) else { return };
        if !self.enter() {
            self.text("…");
            return self.end();
        }
        for stmt in block {
            if let Some(stmt) = file.stmts.get(stmt.index()) {
                self.stmt(stmt);
            }
        }
        self.depth -= 1;
    }

    /// A line, then the block below it.
    fn clause(&mut self, text: &str, block: BlockId) {
        self.text(text);
        self.end();
        self.nested(|dump| dump.block(block));
    }

    fn otherwise(&mut self, block: Option<BlockId>) {
        if let Some(block) = block {
            self.clause("else", block);
        }
    }

    fn label(&mut self, label: Option<Label>) {
        if let Some(label) = label {
            self.text(" '");
            self.name(label);
        }
    }

    fn keyword(&mut self, word: &str, value: Option<ExprId>) {
        self.text(word);
        if let Some(value) = value {
            self.text(" ");
            self.expr(value);
        }
    }

    fn bound(&mut self, target: Option<VarId>) {
        if let Some(target) = target {
            self.var(target);
            self.text(" = ");
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(value) => self.keyword("do", Some(*value)),
            Stmt::Assign { targets, value, op, declared } => {
                for (at, target) in targets.iter().enumerate() {
                    self.text(if at == 0 { "" } else { " = " });
                    self.pattern(*target);
                }
                if let Some(ty) = declared {
                    self.text(": ");
                    self.ty(*ty);
                }
                if let Some(value) = value {
                    self.text(&format!(" {}= ", op.map_or("", assign)));
                    self.expr(*value);
                }
            }
            Stmt::Return(value) => self.keyword("return", *value),
            Stmt::Raise { error, cause } => {
                self.keyword("raise", *error);
                if cause.is_some() {
                    self.keyword(" from", *cause);
                }
            }
            Stmt::If { test, then, otherwise } => {
                self.keyword("if", Some(*test));
                self.clause("", *then);
                return self.otherwise(*otherwise);
            }
            Stmt::ForEach { target, iter, body, otherwise, is_async, over_keys, label, .. } => {
                self.text(if *is_async { "async for" } else { "for" });
                self.label(*label);
                self.text(" ");
                self.pattern(*target);
                self.keyword(if *over_keys { " in keys of" } else { " in" }, Some(*iter));
                self.clause("", *body);
                return self.otherwise(*otherwise);
            }
            Stmt::Loop { .. } => return self.loop_stmt(stmt),
            Stmt::Try { body, handlers, otherwise, finally } => {
                self.clause("try", *body);
                for handler in handlers {
                    self.keyword(if handler.is_group { "except*" } else { "except" }, handler.types);
                    if let Some(binding) = handler.binding {
                        self.text(" as ");
                        self.pattern(binding);
                    }
                    self.clause("", handler.body);
                }
                self.otherwise(*otherwise);
                if let Some(finally) = finally {
                    self.clause("finally", *finally);
                }
                return;
            }
            Stmt::With { items, body, is_async } => {
                self.text(if *is_async { "async with " } else { "with " });
                self.list(items, |dump, (value, target)| {
                    dump.expr(*value);
                    if let Some(target) = target {
                        dump.text(" as ");
                        dump.pattern(*target);
                    }
                });
                return self.clause("", *body);
            }
            Stmt::Match { subject, arms, is_switch } => {
                self.keyword(if *is_switch { "switch" } else { "match" }, Some(*subject));
                self.end();
                return self.nested(|dump| arms.iter().for_each(|arm| dump.arm(arm)));
            }
            Stmt::Break(label, value) => {
                self.text("break");
                self.label(*label);
                self.keyword("", *value);
            }
            Stmt::Continue(label) => {
                self.text("continue");
                self.label(*label);
            }
            Stmt::Function { function, target } => {
                // Decorators stand on lines of their own.
                let file = self.file;
                if target.is_some() && file.function(*function).decorators.is_empty() {
                    self.bound(*target);
                    self.signature(*function);
                } else {
                    self.signature(*function);
                    if let Some(target) = target {
                        self.text(" bound to ");
                        self.var(*target);
                    }
                }
                self.end();
                return self.nested(|dump| dump.body(*function));
            }
            Stmt::Class { class, target } => {
                let file = self.file;
                if target.is_some() && file.class(*class).decorators.is_empty() {
                    self.bound(*target);
                    self.class_header(*class);
                } else {
                    self.class_header(*class);
                    if let Some(target) = target {
                        self.text(" bound to ");
                        self.var(*target);
                    }
                }
                self.end();
                return self.nested(|dump| dump.class_members(*class));
            }
            Stmt::Import { module, imported, target, type_only } => {
                self.bound(*target);
                self.import(module, imported);
                self.text(if *type_only { " [types]" } else { "" });
            }
            Stmt::Export(export) => self.export(export),
            Stmt::Module { name, target, path, inline, is_test } => {
                self.bound(Some(*target));
                self.text("module ");
                self.name(*name);
                if let Some(path) = path {
                    self.text(" at ");
                    self.name(*path);
                }
                self.text(if *is_test { " [tests]" } else { "" });
                self.end();
                return self.nested(|dump| inline.iter().for_each(|inline| dump.body(*inline)));
            }
            Stmt::Block(block, label) => {
                self.text("block");
                self.label(*label);
                return self.clause("", *block);
            }
            Stmt::Delete(targets) => {
                self.text("delete ");
                self.list(targets, |dump, target| dump.pattern(*target));
            }
            Stmt::Assert(test) => self.keyword("assert", Some(*test)),
        }
        self.end();
    }

    fn loop_stmt(&mut self, stmt: &Stmt) {
        let Stmt::Loop { before, body, update, after, otherwise, label, result, .. } = stmt else { return };
        if let Some(result) = result {
            self.bound(Some(*result));
        }
        self.text("loop");
        self.label(*label);
        if before.is_some() {
            self.keyword(" while", *before);
        }
        if after.is_some() {
            self.keyword(" until not", *after);
        }
        self.clause("", *body);
        if let Some(update) = update {
            self.clause("update", *update);
        }
        self.otherwise(*otherwise);
    }

    fn arm(&mut self, arm: &Arm) {
        self.text("case ");
        self.pattern(arm.pattern);
        if arm.guard.is_some() {
            self.keyword(" if", arm.guard);
        }
        self.clause(if arm.falls_through { " falls through" } else { "" }, arm.body);
    }

    /// `import a.b as module`
    fn import(&mut self, module: &ModulePath, imported: &Imported) {
        self.text("import ");
        self.text(&".".repeat(module.level as usize));
        self.name(module.path);
        match imported {
            Imported::Module => self.text(" (module)"),
            Imported::Top => self.text(" (top)"),
            Imported::Name(name) => {
                self.text(" : ");
                self.name(*name);
            }
            Imported::Default => self.text(" (default)"),
            Imported::Star => self.text(" : *"),
            Imported::Effect => self.text(" (effect)"),
        }
    }

    fn export(&mut self, export: &Export) {
        self.text("export ");
        match export {
            Export::Name(name, value) => {
                self.name(*name);
                self.text(" = ");
                self.expr(*value);
            }
            Export::Default(value) => self.keyword("default", Some(*value)),
            Export::Whole(value) => self.keyword("whole", Some(*value)),
            Export::From(name, module, imported) => {
                self.name(*name);
                self.text(" = ");
                self.import(module, imported);
            }
            Export::Star(module) => {
                self.text("* from ");
                self.name(module.path);
            }
        }
    }
}
