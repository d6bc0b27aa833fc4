//! What is Rust's own: items found by path, impl blocks, wrappers that values pass through, the standard
//! library's functions and methods that carry values and callables, traits that the language calls.

mod calls;
mod closures;
mod drops;
mod expected;
mod extensions;
mod fields;
mod functions;
mod methods;
mod names;
mod operators;
mod outcome;
mod types;

pub use names::Found;
