//! What squall knows about libraries: data files under `rules/`, no code.

mod formula;
mod parse;
pub mod schema;

pub use formula::{Formula, Operator};
pub use parse::parse_formula;
