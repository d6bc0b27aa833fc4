//! Statements and patterns.

use super::{AssignOp, BlockId, ClassId, ExprId, FunctionId, Name, PatId, Span, TypeId, VarId};
use serde::{Deserialize, Serialize};

/// A loop label (Rust `'a:`, JS `a:`), numbered within the file.
pub type Label = Name;

/// A module named by an import.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModulePath {
    /// Python: leading dots of a relative import. Rust: 1 + number of `super::`, or 0. JS: 0.
    pub level: u32,
    /// `a.b.c` (Python), the specifier as written (`./x.js`, `@scope/pkg/sub`), or `crate::a::b`,
    /// `self::a`, `a::b` joined by `::` (Rust).
    pub path: Name,
    /// Where it stands.
    pub span: Span,
}

/// What an import binds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Imported {
    /// The module itself: `import a.b as x`, `import * as x`, `require`, Rust `use a::b` (which may also name an item).
    Module,
    /// `import a.b.c`: binds the top package `a`; `a.b.c` is loaded too.
    Top,
    /// One name of the module.
    Name(Name),
    /// Its default export.
    Default,
    /// Everything it exports, into the scope of the file (`from m import *`, `use m::*`).
    Star,
    /// Nothing: `import "m"`.
    Effect,
}

/// What an export names (JavaScript; Rust's `pub use` is an import, Python exports all module variables).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Export {
    /// `export { var as name }`, `export const name`, `exports.name = …`
    Name(Name, ExprId),
    /// `export default …`
    Default(ExprId),
    /// `module.exports = …`, `export = …`
    Whole(ExprId),
    /// `export { a as b } from "m"`
    From(Name, ModulePath, Imported),
    /// `export * from "m"`
    Star(ModulePath),
}

/// A handler of a `try`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Handler {
    /// The types it catches: an expression naming one or a tuple of them; none: everything.
    pub types: Option<ExprId>,
    /// Python: a bare `except:` or `except BaseException` also catches exits; JS `catch`: everything.
    pub binding: Option<PatId>,
    /// `except*`
    pub is_group: bool,
    /// What it does.
    pub body: BlockId,
    /// The `except`/`catch` line.
    pub span: Span,
}

/// An arm of a `match` or a `case` of a `switch`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arm {
    /// What it matches.
    pub pattern: PatId,
    /// `if` guard.
    pub guard: Option<ExprId>,
    /// What it does.
    pub body: BlockId,
    /// A `switch` case without `break`: control goes on into the next arm's body.
    pub falls_through: bool,
    /// Where it stands.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Stmt {
    /// An expression for its effects.
    Expr(ExprId),
    /// An assignment or declaration.
    Assign {
        /// Targets; several in `a = b = value`.
        targets: Vec<PatId>,
        /// The value; none for a declaration without one.
        value: Option<ExprId>,
        /// Augmented assignment's operator (then there is one target).
        op: Option<AssignOp>,
        /// The declared type.
        declared: Option<TypeId>,
    },
    /// `return`
    Return(Option<ExprId>),
    /// `raise`, `throw`, `panic!`
    Raise {
        /// What is raised; none: the error being handled.
        error: Option<ExprId>,
        /// `from cause`
        cause: Option<ExprId>,
    },
    /// `if`
    If {
        /// The test; may hold [`super::ExprKind::Matches`] for `if let`.
        test: ExprId,
        /// If true.
        then: BlockId,
        /// If false.
        otherwise: Option<BlockId>,
    },
    /// `for target in iter`
    ForEach {
        /// What each element is bound to.
        target: PatId,
        /// What is iterated.
        iter: ExprId,
        /// The body.
        body: BlockId,
        /// Python's `else`: runs if the loop was not left by `break`.
        otherwise: Option<BlockId>,
        /// `async for`, `for await`
        is_async: bool,
        /// JS `for … in`: keys.
        over_keys: bool,
        /// Its label.
        label: Option<Label>,
        /// The header (for places in the report).
        header: Span,
    },
    /// `while`, `do … while`, `loop`, `for(;;)` (its initialiser stands before it).
    Loop {
        /// Tested before each turn; none: no test.
        before: Option<ExprId>,
        /// The body.
        body: BlockId,
        /// Run after each turn, also after `continue` (the update of `for(;;)`).
        update: Option<BlockId>,
        /// Tested after each turn (`do … while`).
        after: Option<ExprId>,
        /// Python's `else`.
        otherwise: Option<BlockId>,
        /// Its label.
        label: Option<Label>,
        /// A variable that takes the value of `break value` (Rust `loop` as an expression).
        result: Option<VarId>,
        /// The header.
        header: Span,
    },
    /// `try`
    Try {
        /// The guarded statements.
        body: BlockId,
        /// Handlers in order.
        handlers: Vec<Handler>,
        /// Python's `else`.
        otherwise: Option<BlockId>,
        /// `finally`
        finally: Option<BlockId>,
    },
    /// `with`, `using`
    With {
        /// Context managers with what they are bound to, in order.
        items: Vec<(ExprId, Option<PatId>)>,
        /// The body.
        body: BlockId,
        /// `async with`
        is_async: bool,
    },
    /// `match`, `switch`
    Match {
        /// The value.
        subject: ExprId,
        /// Arms in order.
        arms: Vec<Arm>,
        /// A `switch` compares with `===` and its arms are left by `break`.
        is_switch: bool,
    },
    /// `break`, with a label and a value (Rust).
    Break(Option<Label>, Option<ExprId>),
    /// `continue`
    Continue(Option<Label>),
    /// A function definition; decorators are applied, then the result is bound to `target`.
    Function {
        /// The function.
        function: FunctionId,
        /// Where it is bound.
        target: Option<VarId>,
    },
    /// A class definition.
    Class {
        /// The class.
        class: ClassId,
        /// Where it is bound (none for an impl block).
        target: Option<VarId>,
    },
    /// An import.
    Import {
        /// The module.
        module: ModulePath,
        /// What of it.
        imported: Imported,
        /// Where it is bound.
        target: Option<VarId>,
        /// For types only (`if TYPE_CHECKING`, `import type`).
        type_only: bool,
    },
    /// An export (JavaScript).
    Export(Export),
    /// Rust `mod name;` or `mod name { … }`.
    Module {
        /// Its name.
        name: Name,
        /// Where it is bound.
        target: VarId,
        /// `#[path = "…"]`
        path: Option<Name>,
        /// The body of an inline module ([`super::FunctionKind::Module`]).
        inline: Option<FunctionId>,
        /// Compiled for tests only (`#[cfg(test)]`).
        is_test: bool,
    },
    /// A block of its own (labelled blocks, `unsafe`, namespaces' bodies).
    Block(BlockId, Option<Label>),
    /// `del x`
    Delete(Vec<PatId>),
    /// `assert test`: raises if false.
    Assert(ExprId),
}

/// What a value is bound to or compared with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Pattern {
    /// `_`
    Ignore,
    /// A variable.
    Bind(VarId),
    /// `pattern @ …` / `… as name`: both.
    As(PatId, VarId),
    /// An assignment to an attribute: `object.name = …`.
    Attr {
        /// The object.
        object: ExprId,
        /// The attribute.
        name: Name,
        /// Where its name stands.
        name_span: Span,
    },
    /// An assignment to an element: `object[index] = …`.
    Index {
        /// The object.
        object: ExprId,
        /// The index or key.
        index: ExprId,
    },
    /// Rust `*x = …`: an assignment through a reference.
    Deref(ExprId),
    /// A sequence; at most one [`Pattern::Rest`].
    Sequence(Vec<PatId>),
    /// `*rest`, `...rest`, `rest @ ..`
    Rest(Option<PatId>),
    /// An object or mapping by keys, and the rest.
    Object {
        /// Key (constant string), pattern.
        entries: Vec<(Name, PatId)>,
        /// Where the other keys go.
        rest: Option<PatId>,
    },
    /// A destructuring default: `x = default`.
    Default(PatId, ExprId),
    /// An enum variant, struct or class: `Ok(p)`, `Some(p)`, `Foo { a: p }`, `case Foo(x, a=p)`.
    Variant {
        /// Its path.
        path: ExprId,
        /// Positional parts.
        args: Vec<PatId>,
        /// Parts by field.
        fields: Vec<(Name, PatId)>,
    },
    /// A constant or value compared with the subject.
    Value(ExprId),
    /// `a..=b`
    Range {
        /// Lower bound.
        start: Option<ExprId>,
        /// Upper bound.
        end: Option<ExprId>,
        /// Whether the upper bound belongs to it.
        inclusive: bool,
    },
    /// Any of these.
    Or(Vec<PatId>),
    /// `switch`'s `default`.
    Otherwise,
    /// `&p`, `ref p`, `(p)` are dropped by lowering.
    Unknown,
}
