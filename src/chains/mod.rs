//! How the layers stack: from entry points down to outbound calls.

mod model;

pub use model::*;
