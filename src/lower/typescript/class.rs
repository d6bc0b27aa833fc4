//! Classes: a body function that holds methods, statics and static blocks, and a function of instance
//! field initialisers.

use super::function::Role;
use super::kind::{Field as F, Kind};
use super::lowerer::{Hint, Lower};
use super::scope::TypeBinding;
use super::tree::Node;
use crate::ir::*;
use rustc_hash::FxHashMap;

/// A class whose members are being lowered.
pub struct Open {
    /// The class.
    pub id: ClassId,
    /// Its body function.
    pub body: FunctionId,
    /// Statements of the body.
    pub stmts: Vec<StmtId>,
    /// The initialisers' function and its statements, once there is one.
    field_init: Option<(FunctionId, Vec<StmtId>)>,
    /// The body's variables, by name and whether static.
    vars: FxHashMap<(Name, bool), VarId>,
    outer: (FunctionId, Option<ClassId>, Option<Label>),
}

/// What a class-like definition is called and made of.
pub struct Head {
    /// Its name and where that stands.
    pub name: Option<Hint>,
    /// What it is.
    pub kind: ClassKind,
    /// The whole definition.
    pub span: Span,
}

impl Lower<'_, '_> {
    /// A class declaration; `decorators` are those written before an `export`.
    pub fn class_statement(&mut self, n: Node, decorators: &[Node], out: &mut Vec<StmtId>) {
        let span = self.after_decorators(n);
        let Some(name) = self.tree.field(n, F::Name) else { return };
        let hint = Hint { name: self.name_of(name), span: self.span(name) };
        let target = self.declare_both(hint.name);
        let class = self.class(n, Some(hint), decorators);
        out.push(self.b.stmt(Stmt::Class { class, target: Some(target) }, span));
    }

    /// A class expression; one with a name of its own binds it around itself.
    pub fn class_expression(&mut self, n: Node) -> ExprId {
        let hint = self.hint.take();
        let span = self.after_decorators(n);
        let Some(own) = self.tree.field(n, F::Name) else {
            let class = self.class(n, hint, &[]);
            return self.b.expr(ExprKind::Class(class), span);
        };
        let hint = Hint { name: self.name_of(own), span: self.span(own) };
        self.scopes.enter();
        let var = self.declare_both(hint.name);
        let class = self.class(n, Some(hint), &[]);
        self.scopes.leave();
        if !self.b.file().var(var).captured {
            return self.b.expr(ExprKind::Class(class), span);
        }
        let stmt = self.b.stmt(Stmt::Class { class, target: Some(var) }, span);
        let block = self.b.block(vec![stmt]);
        let result = self.b.expr(ExprKind::Var(var), span);
        self.b.expr(ExprKind::Block { block, result: Some(result) }, span)
    }

    /// Lowers a class with its members.
    pub fn class(&mut self, n: Node, name: Option<Hint>, decorators: &[Node]) -> ClassId {
        let tree = self.tree;
        let mut lowered: Vec<ExprId> = decorators.iter().filter_map(|&d| self.decorator(d)).collect();
        lowered.extend(tree.fields(n, F::Decorator).filter_map(|d| self.decorator(d)));
        self.scopes.enter();
        let type_params = self.class_type_params(n);
        let (bases, implements) = self.heritage(n);
        let head = Head { name, kind: ClassKind::Concrete, span: self.after_decorators(n) };
        let mut open = self.open_class(head);
        let class = &mut self.b.file_mut().classes[open.id.index()];
        class.bases = bases;
        class.implements = implements;
        class.type_params = type_params;
        class.decorators = lowered;
        let id = open.id;
        if let Some(body) = tree.field(n, F::Body) {
            self.deeper(n, 1, |this| this.members(body, &mut open));
        }
        self.close_class(open);
        self.scopes.leave();
        id
    }

    /// Starts a class: what is lowered from here belongs to its body.
    pub fn open_class(&mut self, head: Head) -> Open {
        let name_span = head.name.map_or(Span { start: head.span.start, end: head.span.start }, |hint| hint.span);
        let body = self.class_function(FunctionKind::ClassBody, head.span);
        let id = self.b.class(Class {
            name: head.name.map(|hint| hint.name),
            kind: head.kind,
            parent: self.function,
            bases: Vec::new(),
            implements: Vec::new(),
            keywords: Vec::new(),
            target: None,
            type_params: Vec::new(),
            body,
            methods: Vec::new(),
            field_init: None,
            fields: Vec::new(),
            decorators: Vec::new(),
            span: head.span,
            name_span,
        });
        self.b.file_mut().functions[body.index()].class = Some(id);
        let outer = (self.function, self.class, self.label.take());
        self.function = body;
        self.class = Some(id);
        Open { id, body, stmts: Vec::new(), field_init: None, vars: FxHashMap::default(), outer }
    }

    /// Ends a class.
    pub fn close_class(&mut self, open: Open) {
        (self.function, self.class, self.label) = open.outer;
        let file = self.b.file_mut();
        let block = file.functions[open.body.index()].body;
        file.blocks[block.index()] = open.stmts;
        if let Some((function, stmts)) = open.field_init {
            let block = file.functions[function.index()].body;
            file.blocks[block.index()] = stmts;
            file.classes[open.id.index()].field_init = Some(function);
        }
    }

    fn class_function(&mut self, kind: FunctionKind, span: Span) -> FunctionId {
        let body = self.b.block(Vec::new());
        self.b.function(Function {
            name: None,
            kind,
            binding: Binding::None,
            parent: Some(self.function),
            class: None,
            params: Vec::new(),
            body,
            is_async: false,
            is_generator: false,
            is_abstract: false,
            is_test: false,
            decorators: Vec::new(),
            returns: None,
            span,
            name_span: Span { start: span.start, end: span.start },
        })
    }

    /// A variable of the class body: an attribute of the class.
    pub fn class_var(&mut self, open: &mut Open, name: Name, is_static: bool) -> VarId {
        if let Some(&var) = open.vars.get(&(name, is_static)) {
            return var;
        }
        let var = self.b.var(name, open.body);
        self.b.capture(var);
        open.vars.insert((name, is_static), var);
        var
    }

    pub(super) fn decorator(&mut self, n: Node) -> Option<ExprId> {
        self.tree.first(n).map(|inner| self.expr(inner))
    }

    /// Type parameters of a class, interface or alias, with their bounds.
    pub fn class_type_params(&mut self, n: Node) -> Vec<(Name, Vec<TypeId>)> {
        let tree = self.tree;
        let Some(list) = tree.field(n, F::TypeParameters) else { return Vec::new() };
        let names: Vec<(Name, Node)> =
            tree.named(list).filter_map(|p| Some((self.name_of(tree.field(p, F::Name)?), p))).collect();
        for &(name, _) in &names {
            self.scopes.declare_type(name, TypeBinding::ClassParam);
        }
        let bound = |this: &mut Self, param| {
            let bound = tree.field(param, F::Constraint).and_then(|c| tree.first(c));
            bound.map(|bound| this.ty(bound)).into_iter().collect()
        };
        names.into_iter().map(|(name, param)| (name, bound(self, param))).collect()
    }

    fn heritage(&mut self, n: Node) -> (Vec<ExprId>, Vec<TypeId>) {
        let tree = self.tree;
        let (mut bases, mut implements) = (Vec::new(), Vec::new());
        let Some(heritage) = tree.child(n, Kind::ClassHeritage) else { return (bases, implements) };
        for part in tree.named(heritage) {
            match tree.kind(part) {
                Kind::ExtendsClause => bases.extend(tree.fields(part, F::Value).map(|value| self.expr(value))),
                Kind::ImplementsClause => implements.extend(tree.named(part).map(|ty| self.ty(ty))),
                Kind::TypeArguments | Kind::Error => {}
                _ => bases.push(self.expr(part)),
            }
        }
        (bases, implements)
    }

    fn members(&mut self, body: Node, open: &mut Open) {
        let tree = self.tree;
        let mut decorators = Vec::new();
        for member in tree.named(body) {
            match tree.kind(member) {
                Kind::Decorator => decorators.extend(self.decorator(member)),
                Kind::MethodDefinition => {
                    decorators.extend(tree.fields(member, F::Decorator).filter_map(|d| self.decorator(d)));
                    self.method(member, std::mem::take(&mut decorators), open);
                }
                Kind::MethodSignature | Kind::AbstractMethodSignature if !self.is_overload(member, body) => {
                    self.method(member, std::mem::take(&mut decorators), open);
                }
                Kind::PublicFieldDefinition | Kind::FieldDefinition => self.field(member, open),
                Kind::ClassStaticBlock => self.static_block(member, open),
                Kind::Error => {
                    self.deeper(member, 1, |this| this.members(member, open));
                }
                _ => {}
            }
        }
    }

    /// Whether a signature only describes a method that is there with a body.
    fn is_overload(&self, signature: Node, body: Node) -> bool {
        let tree = self.tree;
        let name = |n: Node| tree.field(n, F::Name).map(|n| tree.text(n));
        tree.named(body).any(|m| {
            tree.kind(m) == Kind::MethodDefinition
                && name(m) == name(signature)
                && tree.has(m, "static") == tree.has(signature, "static")
        })
    }

    fn is_static(&self, n: Node) -> bool {
        self.tree.has(n, "static") || self.tree.has(n, "static get")
    }

    /// A method with or without a body.
    pub fn method(&mut self, n: Node, decorators: Vec<ExprId>, open: &mut Open) {
        let Some(name_node) = self.tree.field(n, F::Name) else { return };
        let hint = Hint { name: self.member_name(name_node), span: self.span(name_node) };
        let is_static = self.is_static(n);
        let is_setter = self.tree.has(n, "set");
        let is_getter = self.tree.has(n, "get") || self.tree.has(n, "static get");
        // A static accessor is read and written like any other; only its receiver is the class.
        let binding = match () {
            () if is_setter => Binding::Setter,
            () if is_getter => Binding::Getter,
            () if is_static => Binding::Static,
            () => Binding::Instance,
        };
        let role = Role { name: Some(hint), binding, class: Some(open.id), decorators };
        let Some(function) = self.function(n, role) else { return };
        self.b.file_mut().classes[open.id.index()].methods.push((hint.name, function));
        if self.b.text(hint.name) == "constructor" && !is_static {
            self.parameter_properties(function, open.id);
        }
        // A setter must not take the place of the getter of the same name.
        let target = (!is_setter).then(|| self.class_var(open, hint.name, is_static));
        let span = self.after_decorators(n);
        open.stmts.push(self.b.stmt(Stmt::Function { function, target }, span));
    }

    fn parameter_properties(&mut self, constructor: FunctionId, class: ClassId) {
        let file = self.b.file_mut();
        let params = file.functions[constructor.index()].params.iter().filter(|param| param.is_field);
        let fields = params.filter_map(|param| {
            Some(Field { name: param.name?, declared: param.declared, default: None, span: param.span })
        });
        file.classes[class.index()].fields.extend(fields);
    }

    fn field(&mut self, n: Node, open: &mut Open) {
        let tree = self.tree;
        let name_node = tree.field(n, F::Name).or_else(|| tree.field(n, F::Property));
        let Some(name_node) = name_node else { return };
        for decorator in tree.fields(n, F::Decorator) {
            if let Some(decorator) = self.decorator(decorator) {
                let span = self.b.file().expr(decorator).span;
                open.stmts.push(self.b.stmt(Stmt::Expr(decorator), span));
            }
        }
        let hint = Hint { name: self.member_name(name_node), span: self.span(name_node) };
        let declared = tree.field(n, F::Type).and_then(|t| self.annotation(t));
        let value = tree.field(n, F::Value);
        let span = self.after_decorators(n);
        if self.is_static(n) {
            let var = self.class_var(open, hint.name, true);
            // Without a value it is undefined until something is assigned.
            let value = match value {
                Some(value) => self.named_value(value, Some(hint)),
                None => self.b.expr(ExprKind::Literal(Literal::Null), hint.span),
            };
            let value = Some(value);
            let target = self.b.pattern(Pattern::Bind(var));
            let stmt = Stmt::Assign { targets: vec![target], value, op: None, declared };
            open.stmts.push(self.b.stmt(stmt, span));
            return;
        }
        let default = value.map(|value| self.field_value(value, hint, span, open));
        let field = Field { name: hint.name, declared, default, span };
        self.b.file_mut().classes[open.id.index()].fields.push(field);
    }

    /// `this.name = value` in the field initialiser.
    fn field_value(&mut self, value: Node, hint: Hint, span: Span, open: &mut Open) -> ExprId {
        let (function, mut stmts) = open.field_init.take().unwrap_or_else(|| {
            let class_span = self.b.file().class(open.id).span;
            let function = self.class_function(FunctionKind::FieldInit, class_span);
            self.b.file_mut().functions[function.index()].class = Some(open.id);
            (function, Vec::new())
        });
        self.function = function;
        let value = self.named_value(value, Some(hint));
        let object = self.b.expr(ExprKind::This, Span { start: hint.span.start, end: hint.span.start });
        let target = self.b.pattern(Pattern::Attr { object, name: hint.name, name_span: hint.span });
        let stmt = Stmt::Assign { targets: vec![target], value: Some(value), op: None, declared: None };
        stmts.push(self.b.stmt(stmt, span));
        self.function = open.body;
        open.field_init = Some((function, stmts));
        value
    }

    fn static_block(&mut self, n: Node, open: &mut Open) {
        self.scopes.enter();
        self.declare_vars(n);
        let block = self.body(self.tree.field(n, F::Body));
        self.scopes.leave();
        let span = self.span(n);
        open.stmts.push(self.b.stmt(Stmt::Block(block, None), span));
    }
}
