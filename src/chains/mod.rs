//! How the layers stack: from entry points down to outbound calls.

mod facts;
mod model;

pub use facts::*;
pub use model::*;
