//! Builds a [`File`]: arenas, string table, functions. Scopes are each front end's own business.

use crate::ir::*;
use rustc_hash::FxHashMap;

/// A file under construction.
pub struct Builder {
    file: File,
    interned: FxHashMap<Box<str>, Name>,
}

impl Builder {
    /// Starts a file; function 0, the module body, exists from the start with an empty block.
    pub fn new(path: &str, language: Language, source: &str) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(source.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        let mut builder = Self {
            file: File {
                path: path.to_string(),
                language,
                names: Vec::new(),
                exprs: Vec::new(),
                stmts: Vec::new(),
                stmt_spans: Vec::new(),
                blocks: Vec::new(),
                patterns: Vec::new(),
                types: Vec::new(),
                type_args: Vec::new(),
                functions: Vec::new(),
                classes: Vec::new(),
                vars: Vec::new(),
                ignores: Vec::new(),
                problems: Vec::new(),
                export_list: None,
                line_starts,
            },
            interned: FxHashMap::default(),
        };
        let body = builder.block(Vec::new());
        builder.function(Function {
            name: None,
            kind: FunctionKind::Module,
            binding: Binding::None,
            parent: None,
            class: None,
            params: Vec::new(),
            body,
            is_async: false,
            is_generator: false,
            is_abstract: false,
            is_test: false,
            decorators: Vec::new(),
            returns: None,
            span: Span::new(0, source.len()),
            name_span: Span::default(),
        });
        builder
    }

    /// Interns a name.
    pub fn name(&mut self, text: &str) -> Name {
        if let Some(&name) = self.interned.get(text) {
            return name;
        }
        let name = Name(self.file.names.len() as u32);
        self.file.names.push(text.into());
        self.interned.insert(text.into(), name);
        name
    }

    /// A name that is already interned.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.interned.get(text).copied()
    }

    /// Records the type arguments written at a call (`f<T>()`, `new C<T>()`).
    pub fn type_args(&mut self, call: ExprId, types: Vec<TypeId>) {
        self.file.type_args.push((call, types));
    }

    /// The text of an interned name.
    pub fn text(&self, name: Name) -> &str {
        self.file.name(name)
    }

    /// Adds an expression.
    pub fn expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(self.file.exprs.len() as u32);
        self.file.exprs.push(Expr { kind, span });
        id
    }

    /// Adds a string literal.
    pub fn string(&mut self, text: &str, span: Span) -> ExprId {
        let name = self.name(text);
        self.expr(ExprKind::Literal(Literal::Str(name)), span)
    }

    /// Adds a statement (it still has to be put into a block).
    pub fn stmt(&mut self, stmt: Stmt, span: Span) -> StmtId {
        let id = StmtId(self.file.stmts.len() as u32);
        self.file.stmts.push(stmt);
        self.file.stmt_spans.push(span);
        id
    }

    /// Adds a block.
    pub fn block(&mut self, stmts: Vec<StmtId>) -> BlockId {
        let id = BlockId(self.file.blocks.len() as u32);
        self.file.blocks.push(stmts);
        id
    }

    /// Adds a pattern.
    pub fn pattern(&mut self, pattern: Pattern) -> PatId {
        let id = PatId(self.file.patterns.len() as u32);
        self.file.patterns.push(pattern);
        id
    }

    /// Adds a declared type.
    pub fn ty(&mut self, ty: Type) -> TypeId {
        let id = TypeId(self.file.types.len() as u32);
        self.file.types.push(ty);
        id
    }

    /// Adds a function.
    pub fn function(&mut self, function: Function) -> FunctionId {
        let id = FunctionId(self.file.functions.len() as u32);
        self.file.functions.push(function);
        id
    }

    /// Adds a class.
    pub fn class(&mut self, class: Class) -> ClassId {
        let id = ClassId(self.file.classes.len() as u32);
        self.file.classes.push(class);
        id
    }

    /// Declares a variable of the scope `owner`.
    pub fn var(&mut self, name: Name, owner: FunctionId) -> VarId {
        let id = VarId(self.file.vars.len() as u32);
        self.file.vars.push(Var { name, owner, captured: false });
        id
    }

    /// Marks a variable as reachable from other scopes.
    pub fn capture(&mut self, var: VarId) {
        self.file.vars[var.index()].captured = true;
    }

    /// Records something that could not be lowered.
    pub fn problem(&mut self, message: impl Into<String>, span: Span) {
        self.file.problems.push(Problem { message: message.into(), span });
    }

    /// The file as built so far.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The file as built so far, to fill in what was declared first (bodies, classes' members).
    pub fn file_mut(&mut self) -> &mut File {
        &mut self.file
    }

    /// The finished file.
    pub fn finish(self) -> File {
        self.file
    }
}
