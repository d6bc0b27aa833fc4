//! A lowered file: its arenas, scopes, functions, classes, imports and ignore comments.

use super::{Expr, Pattern, Stmt, Type};
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in its arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A name in the file's string table ([`File::names`]).
    Name,
    /// An expression in [`File::exprs`].
    ExprId,
    /// A statement in [`File::stmts`].
    StmtId,
    /// A block of statements in [`File::blocks`].
    BlockId,
    /// A pattern in [`File::patterns`].
    PatId,
    /// A declared type in [`File::types`].
    TypeId,
    /// A function in [`File::functions`]; 0 is the module body.
    FunctionId,
    /// A class in [`File::classes`].
    ClassId,
    /// A variable in [`File::vars`], already resolved to its scope.
    VarId,
}

/// The module body's function id.
pub const MODULE: FunctionId = FunctionId(0);

/// A half-open range of byte offsets into the source file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from byte `start` up to, not including, byte `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }
}

/// The source language of a file. Only front ends and module resolution look at it, and the outcome
/// rules of the engines (a Rust call fails by value, the others by raising).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Language {
    /// `.py`, `.pyi`
    Python,
    /// `.js .jsx .mjs .cjs .ts .tsx .mts .cts`
    JavaScript,
    /// `.rs`
    Rust,
}

/// One lowered source file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct File {
    /// Path relative to the analysed root, with `/`.
    pub path: String,
    /// The language it is written in.
    pub language: Language,
    /// String table; [`Name`] indexes it.
    pub names: Vec<Box<str>>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Byte span of each statement (same index as `stmts`).
    pub stmt_spans: Vec<Span>,
    /// Blocks: lists of statements.
    pub blocks: Vec<Vec<StmtId>>,
    /// Patterns (assignment targets, parameters, match arms).
    pub patterns: Vec<Pattern>,
    /// Declared types.
    pub types: Vec<Type>,
    /// Type arguments written at calls (`f<T>()`, `new C<T>()`), in order of the calls' ids.
    pub type_args: Vec<(ExprId, Vec<TypeId>)>,
    /// Functions; the first is the module body.
    pub functions: Vec<Function>,
    /// Classes, traits, enums, interfaces and impl blocks.
    pub classes: Vec<Class>,
    /// Variables of all scopes.
    pub vars: Vec<Var>,
    /// `# squall: ignore[...]` comments.
    pub ignores: Vec<Ignore>,
    /// What could not be lowered.
    pub problems: Vec<Problem>,
    /// `__all__` or an explicit export list, when it is a constant: restricts star imports.
    pub export_list: Option<Vec<Name>>,
    /// Byte offset of the start of each line.
    pub line_starts: Vec<u32>,
}

impl File {
    /// The text of a name.
    pub fn name(&self, name: Name) -> &str {
        &self.names[name.index()]
    }
    /// The expression behind an id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }
    /// The statement behind an id.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }
    /// The statements of a block.
    pub fn block(&self, id: BlockId) -> &[StmtId] {
        &self.blocks[id.index()]
    }
    /// The pattern behind an id.
    pub fn pattern(&self, id: PatId) -> &Pattern {
        &self.patterns[id.index()]
    }
    /// The function behind an id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }
    /// The class behind an id.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }
    /// The variable behind an id.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }
    /// Line (from 1) of a byte offset.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32
    }
}

/// A variable of one scope. Lowering resolves every use to its declaration, following the language's
/// own scope rules (`global`, `nonlocal`, block scopes, shadowing).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Var {
    /// Its name in the source.
    pub name: Name,
    /// The function (or class body, or module) whose scope declares it.
    pub owner: FunctionId,
    /// Whether an inner function reads or writes it, or (for module and class scopes) it can be
    /// reached as an attribute: then its value is not local to one execution.
    pub captured: bool,
}

/// What a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FunctionKind {
    /// The file's top-level code, or an inline module's.
    Module,
    /// A named function, method or function-valued declaration.
    Named,
    /// A lambda, anonymous function or Rust closure.
    Anonymous,
    /// A JavaScript arrow, with a name if it is put into a variable or property: its `this`, `super` and
    /// `arguments` are those of the function around it.
    Arrow,
    /// The statements of a class body; its variables become the class's attributes.
    ClassBody,
    /// Initialisers of instance fields, run at construction with `this` bound.
    FieldInit,
    /// A Rust `async` block: a closure that is called where it is written.
    AsyncBlock,
    /// Python comprehension scopes are lowered inline and never appear here.
    Macro,
}

/// How a method is bound to its class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Binding {
    /// Not a method.
    #[default]
    None,
    /// Bound to the instance; in Python and Rust the first parameter is the receiver
    /// ([`ParamKind::Receiver`]); in JavaScript the receiver is [`super::ExprKind::This`].
    Instance,
    /// `@classmethod`: the first parameter is the class.
    Class,
    /// `@staticmethod`, JS `static`, Rust associated function without `self`.
    Static,
    /// Read like a field (`@property`, `get x()`).
    Getter,
    /// Written like a field (`set x(v)`).
    Setter,
}

/// A function, method, lambda, class body or module body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Its name, if it has one of its own.
    pub name: Option<Name>,
    /// What it is.
    pub kind: FunctionKind,
    /// How it is bound to `class`.
    pub binding: Binding,
    /// The function it is written in (the module body has none).
    pub parent: Option<FunctionId>,
    /// The class whose body it is written in.
    pub class: Option<ClassId>,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Its statements. An expression body is one `return`.
    pub body: BlockId,
    /// Declared with `async`.
    pub is_async: bool,
    /// Contains `yield` of its own.
    pub is_generator: bool,
    /// Declared without a body to run (`@abstractmethod` with a trivial body, trait method without
    /// default, interface or overload signature).
    pub is_abstract: bool,
    /// Compiled or run for tests only, as the language says it (`#[cfg(test)]`, `#[test]`).
    pub is_test: bool,
    /// Decorators, outermost first, as expressions of the scope around it.
    pub decorators: Vec<ExprId>,
    /// Declared return type.
    pub returns: Option<TypeId>,
    /// The whole definition, decorators left out.
    pub span: Span,
    /// The name, or the start of an anonymous function.
    pub name_span: Span,
}

/// How arguments reach a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ParamKind {
    /// `self`, `cls` or Rust's `self`, bound by the method call.
    Receiver,
    /// By position only.
    PositionalOnly,
    /// By position or keyword.
    Normal,
    /// `*args`, `...rest`.
    VarArgs,
    /// By keyword only.
    KeywordOnly,
    /// `**kwargs`.
    KwArgs,
}

/// One parameter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Param {
    /// Name by which a keyword argument finds it (none for a destructured parameter).
    pub name: Option<Name>,
    /// What is bound: a variable or a destructuring.
    pub pattern: PatId,
    /// How arguments reach it.
    pub kind: ParamKind,
    /// Default value, an expression of the scope around the function (Python) or of the function itself.
    pub default: Option<ExprId>,
    /// Declared type.
    pub declared: Option<TypeId>,
    /// `constructor(private api: Api)`: also a field of the instance.
    pub is_field: bool,
    /// A decorator that says what is handed in: `@InjectQueue('mail') queue: Queue`.
    pub injected: Option<ExprId>,
    /// Where it stands.
    pub span: Span,
}

/// What a class is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ClassKind {
    /// A class, struct or enum that can be made.
    Concrete,
    /// A Python Protocol/ABC is found at link time; this is a TypeScript interface.
    Interface,
    /// A Rust trait.
    Trait,
    /// A Rust impl block: its members belong to `target`.
    Impl,
    /// An enum (variants are class attributes / constructors).
    Enum,
    /// A TypeScript type alias or Rust type alias; `bases` holds what it stands for.
    Alias,
}

/// A class, struct, enum, trait, interface or impl block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Class {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// What it is.
    pub kind: ClassKind,
    /// The function it is written in.
    pub parent: FunctionId,
    /// Base classes, `extends`, supertraits; for an impl block: the trait, if any.
    pub bases: Vec<ExprId>,
    /// `implements` interfaces (TypeScript).
    pub implements: Vec<TypeId>,
    /// `metaclass=` and other class keywords.
    pub keywords: Vec<(Name, ExprId)>,
    /// For an impl block: the type it is about; for a TypeScript alias: the whole type it stands for.
    pub target: Option<TypeId>,
    /// Type parameters with their bounds.
    pub type_params: Vec<(Name, Vec<TypeId>)>,
    /// Class body: a function of kind [`FunctionKind::ClassBody`] whose variables are the class's attributes.
    pub body: FunctionId,
    /// Methods, in order, by name (several for overloads; getters and setters appear with their binding).
    pub methods: Vec<(Name, FunctionId)>,
    /// Initialisers of instance fields ([`FunctionKind::FieldInit`]), if any.
    pub field_init: Option<FunctionId>,
    /// Declared fields: name, declared type, default value (dataclass, pydantic, struct field, class field).
    pub fields: Vec<Field>,
    /// Decorators, outermost first.
    pub decorators: Vec<ExprId>,
    /// The whole definition.
    pub span: Span,
    /// The name.
    pub name_span: Span,
}

/// A declared field of a class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its declared type.
    pub declared: Option<TypeId>,
    /// Default value, an expression of the class body (Python) or field initialiser.
    pub default: Option<ExprId>,
    /// Where it stands.
    pub span: Span,
}

/// An ignore comment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ignore {
    /// Line (from 1) the comment stands on.
    pub line: u32,
    /// Whether code stands before it on that line; if not, it applies to the next line.
    pub trailing: bool,
    /// Names in the brackets; empty: all checks.
    pub rules: Vec<String>,
    /// Where the comment stands.
    pub span: Span,
}

/// Something a front end could not lower.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Problem {
    /// What is wrong, for the user.
    pub message: String,
    /// Where.
    pub span: Span,
}
