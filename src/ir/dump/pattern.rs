//! Patterns and types as text.

use super::Dump;
use crate::ir::*;

impl Dump<'_> {
    pub(super) fn pattern(&mut self, id: PatId) {
        if !self.enter() {
            return self.text("…");
        }
        if let Some(pattern) = self.file.patterns.get(id.index()) {
            self.pattern_kind(pattern);
        }
        self.depth -= 1;
    }

    fn pattern_kind(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Ignore => self.text("_"),
            Pattern::Bind(var) => self.var(*var),
            Pattern::As(inner, var) => {
                self.pattern(*inner);
                self.text(" as ");
                self.var(*var);
            }
            Pattern::Attr { object, name, .. } => {
                self.expr(*object);
                self.text(".");
                self.name(*name);
            }
            Pattern::Index { object, index } => {
                self.expr(*object);
                self.prefixed("[", *index);
                self.text("]");
            }
            Pattern::Deref(inner) => self.prefixed("*", *inner),
            Pattern::Sequence(parts) => {
                self.text("[");
                self.list(parts, |dump, part| dump.pattern(*part));
                self.text("]");
            }
            Pattern::Rest(inner) => {
                self.text("*");
                if let Some(inner) = inner {
                    self.pattern(*inner);
                }
            }
            Pattern::Object { entries, rest } => {
                self.text("{");
                self.list(entries, |dump, entry| dump.part(entry, ": "));
                if let Some(rest) = rest {
                    self.text(if entries.is_empty() { "**" } else { ", **" });
                    self.pattern(*rest);
                }
                self.text("}");
            }
            Pattern::Default(inner, default) => {
                self.pattern(*inner);
                self.prefixed(" = ", *default);
            }
            Pattern::Variant { path, args, fields } => {
                self.text("variant ");
                self.expr(*path);
                self.text("(");
                self.list(args, |dump, part| dump.pattern(*part));
                if !args.is_empty() && !fields.is_empty() {
                    self.text(", ");
                }
                self.list(fields, |dump, field| dump.part(field, "="));
                self.text(")");
            }
            Pattern::Value(value) => self.prefixed("value ", *value),
            Pattern::Range { start, end, inclusive } => self.range(*start, *end, *inclusive),
            Pattern::Or(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    self.text(if at == 0 { "" } else { " | " });
                    self.pattern(*part);
                }
            }
            Pattern::Otherwise => self.text("default"),
            Pattern::Unknown => self.text("?"),
        }
    }

    fn part(&mut self, (name, pattern): &(Name, PatId), between: &str) {
        self.name(*name);
        self.text(between);
        self.pattern(*pattern);
    }

    pub(super) fn ty(&mut self, id: TypeId) {
        if !self.enter() {
            return self.text("…");
        }
        if let Some(ty) = self.file.types.get(id.index()) {
            self.type_kind(ty);
        }
        self.depth -= 1;
    }

    fn types(&mut self, types: &[TypeId], between: &str) {
        for (at, ty) in types.iter().enumerate() {
            self.text(if at == 0 { "" } else { between });
            self.ty(*ty);
        }
    }

    fn type_kind(&mut self, ty: &Type) {
        match ty {
            Type::Ref(path) => self.expr(*path),
            Type::Apply { base, args } => {
                self.ty(*base);
                self.text("<");
                self.types(args, ", ");
                self.text(">");
            }
            Type::Union(parts) => self.types(parts, " | "),
            Type::Bounds(parts) => self.types(parts, " + "),
            Type::Tuple(parts) => {
                self.text("(");
                self.types(parts, ", ");
                self.text(")");
            }
            Type::Sequence(inner) => {
                self.text("[");
                self.ty(*inner);
                self.text("]");
            }
            Type::Function(result) => {
                self.text("fn");
                if let Some(result) = result {
                    self.text(" -> ");
                    self.ty(*result);
                }
            }
            Type::Object(parts) => {
                self.text("{");
                self.list(parts, |dump, (name, ty)| {
                    dump.name(*name);
                    dump.text(": ");
                    dump.ty(*ty);
                });
                self.text("}");
            }
            Type::TypeOf(value) => self.prefixed("typeof ", *value),
            Type::SelfType => self.text("Self"),
            Type::Null => self.text("null"),
            Type::Unknown => self.text("?"),
        }
    }
}
