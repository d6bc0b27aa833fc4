//! A text form of the IR for tests: one statement a line, indented by nesting, expressions inline.
//!
//! `x#3` is variable 3 (named `x`), a name without a number is free; functions are `f@2`, classes `class C@0`.
//! The `vars` line of a function lists what it owns, captured ones with `*`. Bodies of closures and blocks
//! inside an expression follow its line. Depth is bounded: what nests deeper shows as `…`.

mod expr;
mod pattern;
mod stmt;

use super::*;
use std::fmt::Write;

/// How deep the dump follows expressions and blocks.
const MAX_DEPTH: u32 = 60;

/// Prints a file's IR, one statement a line, indented by nesting.
pub fn dump(file: &File) -> String {
    let mut vars = vec![Vec::new(); file.functions.len()];
    for (at, var) in file.vars.iter().enumerate() {
        if let Some(owned) = vars.get_mut(var.owner.index()) {
            owned.push(VarId(at as u32));
        }
    }
    let shown = vec![false; file.functions.len()];
    let mut dump = Dump { file, vars, shown, out: String::new(), indent: 0, depth: 0, later: Vec::new() };
    dump.text(&format!("file {} ({:?})", file.path, file.language));
    dump.end();
    dump.body(MODULE);
    for at in 0..file.functions.len() {
        if !dump.shown[at] {
            dump.text("elsewhere: ");
            dump.signature(FunctionId(at as u32));
            dump.end();
            dump.nested(|dump| dump.body(FunctionId(at as u32)));
        }
    }
    dump.rest();
    dump.out
}

/// What follows the line it is mentioned in.
enum Later {
    Function(FunctionId),
    Class(ClassId),
    Block(BlockId),
}

struct Dump<'f> {
    file: &'f File,
    /// Variables by owner.
    vars: Vec<Vec<VarId>>,
    shown: Vec<bool>,
    out: String,
    indent: usize,
    depth: u32,
    later: Vec<Later>,
}

impl Dump<'_> {
    fn text(&mut self, text: &str) {
        if self.out.is_empty() || self.out.ends_with('\n') {
            self.out.extend(std::iter::repeat_n("  ", self.indent));
        }
        self.out.push_str(text);
    }

    fn name(&mut self, name: Name) {
        let file = self.file;
        self.text(file.name(name));
    }

    /// Ends a line; what its expressions hold follows, indented.
    fn end(&mut self) {
        self.out.push('\n');
        let later = std::mem::take(&mut self.later);
        if later.is_empty() {
            return;
        }
        if !self.enter() {
            return;
        }
        self.nested(|dump| {
            for item in later {
                dump.follow(item);
            }
        });
        self.depth -= 1;
    }

    fn follow(&mut self, item: Later) {
        match item {
            Later::Function(id) => {
                self.signature(id);
                self.end();
                self.nested(|dump| dump.body(id));
            }
            Later::Class(id) => {
                self.class_header(id);
                self.end();
                self.nested(|dump| dump.class_members(id));
            }
            Later::Block(id) => {
                self.text(&format!("block@{}", id.0));
                self.end();
                self.nested(|dump| dump.block(id));
            }
        }
    }

    fn nested(&mut self, inner: impl FnOnce(&mut Self)) {
        self.indent += 1;
        inner(self);
        self.indent -= 1;
    }

    fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        true
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.text(", ");
            }
            each(self, item);
        }
    }

    fn var(&mut self, id: VarId) {
        let file = self.file;
        let name = file.vars.get(id.index()).map_or("?", |var| file.name(var.name));
        self.text(&format!("{name}#{}", id.0));
    }

    /// A function's variables and statements.
    fn body(&mut self, id: FunctionId) {
        let file = self.file;
        let Some(function) = file.functions.get(id.index()) else { return };
        self.shown[id.index()] = true;
        let vars = std::mem::take(&mut self.vars[id.index()]);
        if !vars.is_empty() {
            self.text("vars:");
            for var in vars {
                self.text(" ");
                self.var(var);
                if file.var(var).captured {
                    self.text("*");
                }
            }
            self.end();
        }
        self.block(function.body);
    }

    /// `async def f@2(a#1, b#2: T = 3) -> R [generator]`
    fn signature(&mut self, id: FunctionId) {
        let file = self.file;
        let Some(function) = file.functions.get(id.index()) else { return };
        for decorator in &function.decorators {
            self.text("@ ");
            self.expr(*decorator);
            self.end();
        }
        if function.is_async {
            self.text("async ");
        }
        let kind = match function.kind {
            FunctionKind::Named => "def",
            FunctionKind::Arrow | FunctionKind::Anonymous => "closure",
            FunctionKind::Module => "module",
            FunctionKind::ClassBody => "class body",
            FunctionKind::FieldInit => "field init",
            FunctionKind::AsyncBlock => "async block",
            FunctionKind::Macro => "macro",
        };
        self.text(&format!("{kind} {}@{}(", function.name.map_or("", |name| file.name(name)), id.0));
        self.list(&function.params, |dump, param| dump.param(param));
        self.text(")");
        if let Some(returns) = function.returns {
            self.text(" -> ");
            self.ty(returns);
        }
        let mut notes = Vec::new();
        if function.binding != Binding::None {
            notes.push(format!("{:?}", function.binding).to_lowercase());
        }
        if function.is_generator {
            notes.push("generator".to_string());
        }
        if function.is_abstract {
            notes.push("abstract".to_string());
        }
        if !notes.is_empty() {
            self.text(&format!(" [{}]", notes.join(", ")));
        }
    }

    fn param(&mut self, param: &Param) {
        if param.is_field {
            self.text("field ");
        }
        self.text(match param.kind {
            ParamKind::Receiver => "receiver ",
            ParamKind::PositionalOnly => "positional ",
            ParamKind::Normal => "",
            ParamKind::VarArgs => "*",
            ParamKind::KeywordOnly => "keyword ",
            ParamKind::KwArgs => "**",
        });
        self.pattern(param.pattern);
        if let Some(ty) = param.declared {
            self.text(": ");
            self.ty(ty);
        }
        if let Some(default) = param.default {
            self.text(" = ");
            self.expr(default);
        }
    }

    /// `class C@0(Base, key=value)`
    fn class_header(&mut self, id: ClassId) {
        let file = self.file;
        let Some(class) = file.classes.get(id.index()) else { return };
        for decorator in &class.decorators {
            self.text("@ ");
            self.expr(*decorator);
            self.end();
        }
        let kind = match class.kind {
            ClassKind::Concrete => "class",
            ClassKind::Interface => "interface",
            ClassKind::Trait => "trait",
            ClassKind::Impl => "impl",
            ClassKind::Enum => "enum",
            ClassKind::Alias => "alias",
        };
        self.text(&format!("{kind} {}@{}", class.name.map_or("", |name| file.name(name)), id.0));
        if !class.type_params.is_empty() {
            self.text("<");
            self.list(&class.type_params, |dump, (name, bounds)| {
                dump.name(*name);
                for (at, bound) in bounds.iter().enumerate() {
                    dump.text(if at == 0 { ": " } else { " + " });
                    dump.ty(*bound);
                }
            });
            self.text(">");
        }
        if !class.bases.is_empty() || !class.keywords.is_empty() {
            self.text("(");
            self.list(&class.bases, |dump, base| dump.expr(*base));
            for (at, (name, value)) in class.keywords.iter().enumerate() {
                self.text(if at == 0 && class.bases.is_empty() { "" } else { ", " });
                self.name(*name);
                self.text("=");
                self.expr(*value);
            }
            self.text(")");
        }
        if let Some(target) = class.target {
            self.text(" for ");
            self.ty(target);
        }
        if !class.implements.is_empty() {
            self.text(" implements ");
            self.list(&class.implements, |dump, ty| dump.ty(*ty));
        }
    }

    fn class_members(&mut self, id: ClassId) {
        let file = self.file;
        let Some(class) = file.classes.get(id.index()) else { return };
        for field in &class.fields {
            self.text("field ");
            self.name(field.name);
            if let Some(ty) = field.declared {
                self.text(": ");
                self.ty(ty);
            }
            if let Some(default) = field.default {
                self.text(" = ");
                self.expr(default);
            }
            self.end();
        }
        if !class.methods.is_empty() {
            self.text("methods: ");
            self.list(&class.methods, |dump, (name, id)| {
                dump.name(*name);
                dump.text(&format!("@{}", id.0));
            });
            self.end();
        }
        if let Some(init) = class.field_init {
            self.follow(Later::Function(init));
        }
        self.body(class.body);
    }

    /// What stands beside the code.
    fn rest(&mut self) {
        let file = self.file;
        if let Some(names) = &file.export_list {
            self.text("exports: ");
            self.list(names, |dump, name| dump.name(*name));
            self.end();
        }
        for ignore in &file.ignores {
            let place = if ignore.trailing { "on" } else { "below" };
            let _ = writeln!(self.out, "ignore {place} line {}: [{}]", ignore.line, ignore.rules.join(", "));
        }
        for problem in &file.problems {
            let _ = writeln!(self.out, "problem {}..{}: {}", problem.span.start, problem.span.end, problem.message);
        }
    }
}
