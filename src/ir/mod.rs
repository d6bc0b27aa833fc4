//! The common program form: what every front end lowers into and everything after lowering reads.
//!
//! One [`File`] per source file, independent of all other files, in arenas with `u32` ids, so that it
//! is compact, can be built in parallel and can be cached by content hash. Nothing here knows a
//! library, and nothing after lowering knows a language's syntax.
//!
//! Exceptions and results share one notion of outcome: a front end lowers `try/except` to
//! [`Stmt::Try`], `match` on a `Result` to [`Stmt::Match`] with [`Pattern::Variant`], `?` to
//! [`ExprKind::Propagate`]; the engines treat a raised error and an `Err` value alike.

mod dump;
mod expr;
mod file;
mod stmt;

pub use dump::dump;
pub use expr::*;
pub use file::*;
pub use stmt::*;
