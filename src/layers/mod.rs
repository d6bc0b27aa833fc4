//! Layers: what retries, how often, for which failure. Abstract execution over the linked program;
//! knows no library (formulas come from the catalogue) and no syntax.

pub mod calls;
pub mod constants;
pub mod counter;
pub mod expr;
pub mod formula;
pub mod future;
pub mod generator;
pub mod iterators;
pub mod machine;
pub mod matching;
pub mod missing;
pub mod native;
pub mod object;
pub mod outcomes;
pub mod policy;
pub mod relevant;
pub mod requests;
pub mod search;
pub mod shared;
pub mod state;
pub mod trace;
pub mod unit;
pub mod val;
pub mod variants;
pub mod view;
pub mod widen;
