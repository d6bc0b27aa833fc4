//! Expressions and declared types.

use super::{BlockId, ClassId, ExprId, FunctionId, Name, PatId, Span, TypeId, VarId};
use serde::{Deserialize, Serialize};

/// An expression with the bytes it covers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The bytes it covers.
    pub span: Span,
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Literal {
    /// `None`, `null`, `undefined`, `()`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// An integer that fits into 64 bits.
    Int(i64),
    /// Another number.
    Float(f64),
    /// A string (escapes resolved).
    Str(Name),
    /// Bytes, a regular expression, a big integer: a constant whose value does not matter.
    Other,
}

/// An argument of a call or element of a sequence.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Arg {
    /// By position.
    Positional(ExprId),
    /// By keyword.
    Keyword(Name, ExprId),
    /// `*xs`, `...xs`.
    Spread(ExprId),
    /// `**options`.
    KeywordSpread(ExprId),
}

impl Arg {
    /// The argument's value expression.
    pub fn value(self) -> ExprId {
        match self {
            Arg::Positional(e) | Arg::Keyword(_, e) | Arg::Spread(e) | Arg::KeywordSpread(e) => e,
        }
    }
}

/// How a call is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CallKind {
    /// `f(x)`
    Plain,
    /// `new C(x)`, a struct literal is [`ExprKind::Struct`].
    New,
    /// A macro whose arguments could be read as expressions (`println!`, `join!`); the callee is its name.
    Macro,
    /// A tagged template.
    Tagged,
}

/// Kinds of sequence displays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SeqKind {
    /// `[a, b]`, `vec![a, b]`
    List,
    /// `(a, b)`
    Tuple,
    /// `{a, b}`
    Set,
}

/// An entry of a dictionary or object display.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Entry {
    /// `key: value`; a constant key is a string literal expression. Methods in object literals are closures.
    Pair(ExprId, ExprId),
    /// `**other`, `...other`, Rust's `..base`.
    Spread(ExprId),
    /// An accessor `get key() {…}` of an object literal: the closure.
    Getter(ExprId, ExprId),
}

/// Arithmetic and bit operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    MatMul,
    BitOr,
    BitAnd,
    BitXor,
    Shl,
    Shr,
}

/// Comparisons and tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    /// `is`, `===` is `Eq`
    Is,
    IsNot,
    /// `x in xs`; for JS `"key" in object`
    In,
    NotIn,
}

/// Operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    Neg,
    Plus,
    Invert,
    /// `typeof x`
    TypeOf,
    /// `void x`
    Void,
    /// `delete x`
    Delete,
}

/// Increment operators read and write their operand; the value is the old or the new one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Fix {
    /// `++x`: the new value.
    Prefix,
    /// `x++`: the old value.
    Postfix,
}

/// What an expression is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ExprKind {
    /// Something without a meaning here; its parts are still evaluated in order.
    Unknown(Vec<ExprId>),
    /// A variable of this file.
    Var(VarId),
    /// A name that no scope of the file declares: a builtin, a global of the runtime, a prelude name,
    /// or one brought in by a star import.
    Free(Name),
    /// The receiver in JavaScript (`this`); Python and Rust use the receiver parameter's variable.
    This,
    /// `super` (JS) or `super()` with or without arguments (Python): attribute look-ups start after
    /// `class` in the receiver's class order.
    Super(ClassId),
    /// A constant.
    Literal(Literal),
    /// An interpolated string: constant parts are string literals.
    Template(Vec<ExprId>),
    /// `object.name`, Rust paths `a::b`; `name_span` is where the name stands.
    Attr {
        /// The object.
        object: ExprId,
        /// The attribute.
        name: Name,
        /// Where the attribute's name stands.
        name_span: Span,
        /// `a?.b`
        optional: bool,
    },
    /// `object[index]`
    Index {
        /// The object.
        object: ExprId,
        /// The index or key.
        index: ExprId,
    },
    /// `object[a:b]`, Rust `x[a..b]`
    Slice {
        /// The object.
        object: ExprId,
        /// Bounds, as far as written; one left out before another is [`Literal::Null`].
        bounds: Vec<ExprId>,
    },
    /// A call, construction or macro.
    Call {
        /// What is called.
        callee: ExprId,
        /// Its arguments in order.
        args: Vec<Arg>,
        /// How it is written.
        kind: CallKind,
        /// `f?.()`
        optional: bool,
    },
    /// A struct literal or object construction by fields: `Config { a: 1, ..base }`.
    Struct {
        /// The type's path.
        path: ExprId,
        /// Its fields.
        entries: Vec<Entry>,
    },
    /// `await x`, `x.await`: a rejected outcome is raised here.
    Await(ExprId),
    /// Rust `x?`: an `Err`/`None` leaves the function as its result, otherwise the inner value.
    Propagate(ExprId),
    /// `yield x`
    Yield(Option<ExprId>),
    /// `yield from x`, `yield* x`
    YieldFrom(ExprId),
    /// A sequence display.
    Seq(SeqKind, Vec<Arg>),
    /// A dictionary, object or map display.
    Dict(Vec<Entry>),
    /// `a..b`, `a..=b` (Rust).
    Range {
        /// Lower bound.
        start: Option<ExprId>,
        /// Upper bound.
        end: Option<ExprId>,
        /// Whether the upper bound belongs to it.
        inclusive: bool,
    },
    /// A lambda, arrow, closure, function expression or async block.
    Closure(FunctionId),
    /// A class expression.
    Class(ClassId),
    /// An operator of one operand.
    Unary(UnaryOp, ExprId),
    /// Arithmetic.
    Binary(BinaryOp, ExprId, ExprId),
    /// A comparison; chains become `And`.
    Compare(CompareOp, ExprId, ExprId),
    /// `a and b`, `a && b`
    And(ExprId, ExprId),
    /// `a or b`, `a || b`: `b` where `a` is falsy.
    Or(ExprId, ExprId),
    /// `a ?? b`: `b` where `a` is missing.
    Coalesce(ExprId, ExprId),
    /// `a if test else b`, `test ? a : b`
    Conditional {
        /// The test.
        test: ExprId,
        /// If true.
        then: ExprId,
        /// If false.
        otherwise: ExprId,
    },
    /// `x instanceof T`, Rust `matches!(x, P)` is [`ExprKind::Matches`]. Python's `isinstance` stays a call.
    InstanceOf(ExprId, ExprId),
    /// Whether a value matches a pattern, binding its names: `if let`, `matches!`, `while let`.
    Matches {
        /// The value.
        subject: ExprId,
        /// The pattern.
        pattern: PatId,
        /// `if` guard inside `matches!`.
        guard: Option<ExprId>,
    },
    /// An assignment used as an expression (`:=`, JS `=` and `+=`).
    Assign {
        /// Where to.
        target: PatId,
        /// What.
        value: ExprId,
        /// Augmented assignment's operator.
        op: Option<AssignOp>,
    },
    /// `x++`, `--x`
    Increment {
        /// What is changed.
        target: PatId,
        /// The target read as an expression.
        operand: ExprId,
        /// +1 or -1.
        by: i64,
        /// Which value it has.
        fix: Fix,
    },
    /// A comprehension or generator expression, evaluated inline.
    Comprehension {
        /// What is built.
        kind: CompKind,
        /// `for target in iter if …`, outermost first.
        clauses: Vec<CompClause>,
        /// Element (for a dictionary: the value).
        element: ExprId,
        /// Key of a dictionary comprehension.
        key: Option<ExprId>,
    },
    /// Statements used as an expression: run `block`, then the value is `result`.
    /// (`match`, `if`, `loop` and blocks as expressions assign a temporary that `result` reads.)
    Block {
        /// What is run.
        block: BlockId,
        /// Its value, if any.
        result: Option<ExprId>,
    },
    /// `require("m")`, `await import("m")`, `importlib.import_module("m")` with a constant.
    Import(super::ModulePath),
    /// JSX element: component and attributes; handlers in attributes are handed to the component.
    Element {
        /// The component, if it is not a plain tag.
        component: Option<ExprId>,
        /// Attributes by name.
        attributes: Vec<Entry>,
        /// Children.
        children: Vec<ExprId>,
    },
    /// A cast, `as T`, `satisfies T`, `cast(T, x)` is a call: the value with a declared type.
    Typed(ExprId, TypeId),
}

/// Augmented assignments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum AssignOp {
    /// `+=` and the like.
    Binary(BinaryOp),
    /// `||=`
    Or,
    /// `&&=`
    And,
    /// `??=`
    Coalesce,
}

/// What a comprehension builds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CompKind {
    /// A list.
    List,
    /// A set.
    Set,
    /// A dictionary.
    Dict,
    /// A generator, run where it is consumed.
    Generator,
}

/// One `for … in … if …` of a comprehension.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompClause {
    /// What each element is bound to.
    pub target: PatId,
    /// What is iterated.
    pub iter: ExprId,
    /// Conditions.
    pub conditions: Vec<ExprId>,
    /// `async for`
    pub is_async: bool,
}

/// A declared type, as far as it helps to resolve calls.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Type {
    /// A name or dotted path, as an expression of the scope around it.
    Ref(ExprId),
    /// `Base[Args]`, `Base<Args>`.
    Apply {
        /// The generic type.
        base: TypeId,
        /// Its arguments.
        args: Vec<TypeId>,
    },
    /// `A | B`, `Union`, `Optional`.
    Union(Vec<TypeId>),
    /// `impl A + B`, `dyn A + B`, a type parameter's bounds.
    Bounds(Vec<TypeId>),
    /// `(A, B)`
    Tuple(Vec<TypeId>),
    /// `[T]`, `T[]`
    Sequence(TypeId),
    /// A function type and what it returns.
    Function(Option<TypeId>),
    /// An object type `{ a: A }`.
    Object(Vec<(Name, TypeId)>),
    /// `typeof x`
    TypeOf(ExprId),
    /// `Self`, `this`
    SelfType,
    /// `null`, `None`, `void`, `undefined`
    Null,
    /// Anything else.
    Unknown,
}
