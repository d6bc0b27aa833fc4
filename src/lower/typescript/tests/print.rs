//! Prints a lowered file as pseudo-code: free names as `@name`, captured variables as `^name`, later
//! variables of a name with a number, spans left out.

use crate::ir::*;
use std::fmt::Write;

struct Printer<'f> {
    file: &'f File,
    out: String,
    depth: usize,
}

/// The whole file.
pub fn print(file: &File) -> String {
    let mut printer = Printer { file, out: String::new(), depth: 0 };
    printer.block(file.function(MODULE).body);
    printer.out
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        writeln!(self.out, "{indent}{text}").unwrap();
    }

    fn nested(&self, block: BlockId) -> String {
        let mut inner = Printer { file: self.file, out: String::new(), depth: self.depth + 1 };
        inner.block(block);
        let indent = "  ".repeat(self.depth);
        if inner.out.is_empty() { "{}".into() } else { format!("{{\n{}{indent}}}", inner.out) }
    }

    fn block(&mut self, block: BlockId) {
        for &stmt in self.file.block(block) {
            let text = self.stmt(self.file.stmt(stmt));
            self.line(&text);
        }
    }

    fn var(&self, var: VarId) -> String {
        let data = self.file.var(var);
        let same = self.file.vars[..var.index()].iter().filter(|v| v.name == data.name).count();
        let mark = if data.captured { "^" } else { "" };
        let number = if same > 0 { format!("~{same}") } else { String::new() };
        format!("{mark}{}{number}", self.file.name(data.name))
    }

    fn target(&self, var: Option<VarId>) -> String {
        var.map_or(String::new(), |var| format!(" -> {}", self.var(var)))
    }

    fn opt(&self, expr: Option<ExprId>, before: &str) -> String {
        expr.map_or(String::new(), |e| format!("{before}{}", self.expr(e)))
    }

    fn label(&self, label: Option<Label>) -> String {
        label.map_or(String::new(), |l| format!("{}: ", self.file.name(l)))
    }

    fn stmt(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Expr(e) => self.expr(*e),
            Stmt::Assign { targets, value, op, declared } => {
                let targets: Vec<String> = targets.iter().map(|&t| self.pat(t)).collect();
                let op = op.map_or(String::new(), |op| format!("{op:?} "));
                let ty = declared.map_or(String::new(), |t| format!(": {}", self.ty(t)));
                format!("{}{ty} {op}={}", targets.join(" = "), self.opt(*value, " "))
            }
            Stmt::Return(e) => format!("return{}", self.opt(*e, " ")),
            Stmt::Raise { error, .. } => format!("raise{}", self.opt(*error, " ")),
            Stmt::If { test, then, otherwise } => {
                let otherwise = otherwise.map_or(String::new(), |b| format!(" else {}", self.nested(b)));
                format!("if {} {}{otherwise}", self.expr(*test), self.nested(*then))
            }
            Stmt::ForEach { target, iter, body, is_async, over_keys, label, .. } => format!(
                "{}for{} {} {} {} {}",
                self.label(*label),
                if *is_async { " await" } else { "" },
                self.pat(*target),
                if *over_keys { "in" } else { "of" },
                self.expr(*iter),
                self.nested(*body)
            ),
            Stmt::Loop { before, body, update, after, label, .. } => {
                let update = update.map_or(String::new(), |b| format!(" update {}", self.nested(b)));
                format!(
                    "{}loop{} {}{update}{}",
                    self.label(*label),
                    self.opt(*before, " while "),
                    self.nested(*body),
                    self.opt(*after, " again if ")
                )
            }
            Stmt::Try { body, handlers, finally, .. } => {
                let mut text = format!("try {}", self.nested(*body));
                for handler in handlers {
                    let binding = handler.binding.map_or(String::new(), |p| format!(" {}", self.pat(p)));
                    text += &format!(" catch{binding} {}", self.nested(handler.body));
                }
                text + &finally.map_or(String::new(), |b| format!(" finally {}", self.nested(b)))
            }
            Stmt::Match { subject, arms, .. } => {
                let mut text = format!("switch {}", self.expr(*subject));
                for arm in arms {
                    let fall = if arm.falls_through { " falls through" } else { "" };
                    text += &format!(" | {} {}{fall}", self.pat(arm.pattern), self.nested(arm.body));
                }
                text
            }
            Stmt::Break(label, _) => format!("break {}", self.label(*label)).trim_end().into(),
            Stmt::Continue(label) => format!("continue {}", self.label(*label)).trim_end().into(),
            Stmt::Function { function, target } => format!("{}{}", self.function(*function), self.target(*target)),
            Stmt::Class { class, target } => format!("{}{}", self.class(*class), self.target(*target)),
            Stmt::Import { module, imported, target, type_only } => format!(
                "import{} {} from {}{}",
                if *type_only { " type" } else { "" },
                self.imported(imported),
                self.file.name(module.path),
                self.target(*target)
            ),
            Stmt::Export(export) => format!("export {}", self.export(export)),
            Stmt::Block(block, label) => format!("{}block {}", self.label(*label), self.nested(*block)),
            other => format!("{other:?}"),
        }
    }

    fn imported(&self, imported: &Imported) -> String {
        match imported {
            Imported::Name(name) => self.file.name(*name).into(),
            other => format!("{other:?}"),
        }
    }

    fn export(&self, export: &Export) -> String {
        match export {
            Export::Name(name, e) => format!("{} = {}", self.file.name(*name), self.expr(*e)),
            Export::Default(e) => format!("Default = {}", self.expr(*e)),
            Export::Whole(e) => format!("Whole = {}", self.expr(*e)),
            Export::From(name, module, imported) => {
                let (name, path) = (self.file.name(*name), self.file.name(module.path));
                format!("{name} = {} from {path}", self.imported(imported))
            }
            Export::Star(module) => format!("* from {}", self.file.name(module.path)),
        }
    }

    fn function(&self, id: FunctionId) -> String {
        let f = self.file.function(id);
        let mut text = String::new();
        for &decorator in &f.decorators {
            text += &format!("@{} ", self.expr(decorator));
        }
        for (is, word) in [(f.is_abstract, "abstract "), (f.is_async, "async ")] {
            text += if is { word } else { "" };
        }
        text += match f.kind {
            FunctionKind::Arrow => "arrow",
            _ => "fn",
        };
        text += if f.is_generator { "*" } else { "" };
        if f.binding != Binding::None {
            text += &format!(" {:?}", f.binding);
        }
        if let Some(name) = f.name {
            text += &format!(" {}", self.file.name(name));
        }
        let params: Vec<String> = f.params.iter().map(|p| self.param(p)).collect();
        let returns = f.returns.map_or(String::new(), |t| format!(": {}", self.ty(t)));
        format!("{text}({}){returns} {}", params.join(", "), self.nested(f.body))
    }

    fn param(&self, p: &Param) -> String {
        let rest = if p.kind == ParamKind::VarArgs { "..." } else { "" };
        let field = if p.is_field { "field " } else { "" };
        let ty = p.declared.map_or(String::new(), |t| format!(": {}", self.ty(t)));
        format!("{field}{rest}{}{ty}{}", self.pat(p.pattern), self.opt(p.default, " = "))
    }

    fn class(&self, id: ClassId) -> String {
        let c = self.file.class(id);
        let mut text = String::new();
        for &decorator in &c.decorators {
            text += &format!("@{} ", self.expr(decorator));
        }
        text += &format!("{:?} {}", c.kind, c.name.map_or("", |n| self.file.name(n)));
        if !c.type_params.is_empty() {
            let names: Vec<&str> = c.type_params.iter().map(|(n, _)| self.file.name(*n)).collect();
            text += &format!("<{}>", names.join(", "));
        }
        for &base in &c.bases {
            text += &format!(" extends {}", self.expr(base));
        }
        for &ty in &c.implements {
            text += &format!(" implements {}", self.ty(ty));
        }
        if let Some(target) = c.target {
            text += &format!(" = {}", self.ty(target));
        }
        if !c.fields.is_empty() {
            let fields: Vec<String> = c.fields.iter().map(|f| self.field(f)).collect();
            text += &format!(" ({})", fields.join(", "));
        }
        text += &format!(" {}", self.nested(self.file.function(c.body).body));
        if let Some(init) = c.field_init {
            text += &format!(" init {}", self.nested(self.file.function(init).body));
        }
        text
    }

    fn field(&self, f: &Field) -> String {
        let ty = f.declared.map_or(String::new(), |t| format!(": {}", self.ty(t)));
        format!("{}{ty}", self.file.name(f.name))
    }

    fn list(&self, exprs: &[ExprId]) -> String {
        exprs.iter().map(|&e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn args(&self, args: &[Arg]) -> String {
        let one = |arg: &Arg| match arg {
            Arg::Spread(e) => format!("...{}", self.expr(*e)),
            other => self.expr(other.value()),
        };
        args.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn entries(&self, entries: &[Entry]) -> String {
        let one = |entry: &Entry| match *entry {
            Entry::Pair(k, v) => format!("{}: {}", self.expr(k), self.expr(v)),
            Entry::Spread(e) => format!("...{}", self.expr(e)),
            Entry::Getter(k, v) => format!("get {}: {}", self.expr(k), self.expr(v)),
        };
        entries.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, id: ExprId) -> String {
        match &self.file.expr(id).kind {
            ExprKind::Unknown(parts) => format!("?({})", self.list(parts)),
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Free(name) => format!("@{}", self.file.name(*name)),
            ExprKind::This => "this".into(),
            ExprKind::Super(_) => "super".into(),
            ExprKind::Literal(Literal::Str(name)) => format!("{:?}", self.file.name(*name)),
            ExprKind::Literal(Literal::Null) => "null".into(),
            ExprKind::Literal(Literal::Bool(b)) => b.to_string(),
            ExprKind::Literal(Literal::Int(i)) => i.to_string(),
            ExprKind::Literal(Literal::Float(f)) => format!("{f:?}"),
            ExprKind::Literal(Literal::Other) => "/other/".into(),
            ExprKind::Template(parts) => format!("`{}`", self.list(parts)),
            ExprKind::Attr { object, name, optional, .. } => {
                format!("{}{}.{}", self.expr(*object), if *optional { "?" } else { "" }, self.file.name(*name))
            }
            ExprKind::Index { object, index } => format!("{}[{}]", self.expr(*object), self.expr(*index)),
            ExprKind::Call { callee, args, kind, optional } => {
                let types = self.file.type_args.iter().find(|(call, _)| *call == id);
                let types = types.map_or(String::new(), |(_, types)| {
                    format!("<{}>", types.iter().map(|&t| self.ty(t)).collect::<Vec<_>>().join(", "))
                });
                let word = match kind {
                    CallKind::New => "new ",
                    CallKind::Tagged => "tagged ",
                    _ => "",
                };
                let optional = if *optional { "?." } else { "" };
                format!("{word}{}{types}{optional}({})", self.expr(*callee), self.args(args))
            }
            ExprKind::Await(e) => format!("await {}", self.expr(*e)),
            ExprKind::Yield(e) => format!("yield{}", self.opt(*e, " ")),
            ExprKind::YieldFrom(e) => format!("yield* {}", self.expr(*e)),
            ExprKind::Seq(_, args) => format!("[{}]", self.args(args)),
            ExprKind::Dict(entries) => format!("{{{}}}", self.entries(entries)),
            ExprKind::Closure(function) => self.function(*function),
            ExprKind::Class(class) => self.class(*class),
            ExprKind::Unary(op, e) => format!("{op:?}({})", self.expr(*e)),
            ExprKind::Binary(op, a, b) => format!("({} {op:?} {})", self.expr(*a), self.expr(*b)),
            ExprKind::Compare(op, a, b) => format!("({} {op:?} {})", self.expr(*a), self.expr(*b)),
            ExprKind::And(a, b) => format!("({} and {})", self.expr(*a), self.expr(*b)),
            ExprKind::Or(a, b) => format!("({} or {})", self.expr(*a), self.expr(*b)),
            ExprKind::Coalesce(a, b) => format!("({} ?? {})", self.expr(*a), self.expr(*b)),
            ExprKind::Conditional { test, then, otherwise } => {
                format!("({} ? {} : {})", self.expr(*test), self.expr(*then), self.expr(*otherwise))
            }
            ExprKind::InstanceOf(a, b) => format!("({} instanceof {})", self.expr(*a), self.expr(*b)),
            ExprKind::Assign { target, value, op } => {
                let op = op.map_or(String::new(), |op| format!("{op:?} "));
                format!("({} {op}:= {})", self.pat(*target), self.expr(*value))
            }
            ExprKind::Increment { target, by, fix, .. } => format!("{fix:?}({} {by:+})", self.pat(*target)),
            ExprKind::Block { block, result } => {
                format!("do {}{}", self.nested(*block), self.opt(*result, " => "))
            }
            ExprKind::Import(module) => format!("import({})", self.file.name(module.path)),
            ExprKind::Element { component, attributes, children } => {
                format!("<{} {{{}}} [{}]>", self.opt(*component, ""), self.entries(attributes), self.list(children))
            }
            ExprKind::Typed(e, ty) => format!("({} as {})", self.expr(*e), self.ty(*ty)),
            other => format!("{other:?}"),
        }
    }

    fn pat(&self, id: PatId) -> String {
        let list = |parts: &[PatId]| parts.iter().map(|&p| self.pat(p)).collect::<Vec<_>>().join(", ");
        match self.file.pattern(id) {
            Pattern::Ignore => "_".into(),
            Pattern::Bind(var) => self.var(*var),
            Pattern::Attr { object, name, .. } => format!("{}.{}", self.expr(*object), self.file.name(*name)),
            Pattern::Index { object, index } => format!("{}[{}]", self.expr(*object), self.expr(*index)),
            Pattern::Sequence(parts) => format!("[{}]", list(parts)),
            Pattern::Rest(part) => format!("...{}", part.map_or(String::new(), |p| self.pat(p))),
            Pattern::Object { entries, rest } => {
                let mut parts: Vec<String> =
                    entries.iter().map(|(k, p)| format!("{}: {}", self.file.name(*k), self.pat(*p))).collect();
                parts.extend(rest.map(|p| format!("...{}", self.pat(p))));
                format!("{{{}}}", parts.join(", "))
            }
            Pattern::Default(p, e) => format!("{} = {}", self.pat(*p), self.expr(*e)),
            Pattern::Value(e) => self.expr(*e),
            Pattern::Otherwise => "default".into(),
            other => format!("{other:?}"),
        }
    }

    fn ty(&self, id: TypeId) -> String {
        let list = |types: &[TypeId], by: &str| types.iter().map(|&t| self.ty(t)).collect::<Vec<_>>().join(by);
        match &self.file.types[id.index()] {
            Type::Ref(e) => self.expr(*e),
            Type::Apply { base, args } => format!("{}<{}>", self.ty(*base), list(args, ", ")),
            Type::Union(types) => list(types, " | "),
            Type::Bounds(types) => format!("&({})", list(types, " & ")),
            Type::Tuple(types) => format!("[{}]", list(types, ", ")),
            Type::Sequence(inner) => format!("{}[]", self.ty(*inner)),
            Type::Function(returns) => format!("() => {}", returns.map_or("?".into(), |t| self.ty(t))),
            Type::Object(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(n, t)| format!("{}: {}", self.file.name(*n), self.ty(*t))).collect();
                format!("{{{}}}", fields.join("; "))
            }
            Type::TypeOf(e) => format!("typeof {}", self.expr(*e)),
            Type::SelfType => "Self".into(),
            Type::Null => "null".into(),
            Type::Unknown => "?".into(),
        }
    }
}
