//! Fields of catalogue files that take one of a few words. A wrong word is refused where it stands.

use super::Formula;
use serde::de::{Deserialize, Deserializer, Error};
use std::collections::BTreeMap;
use std::fmt;

/// Classes of failure.
pub const FAILURES: &[&str] =
    &["connect", "disconnect", "timeout", "rate-limit", "overloaded", "server", "conflict", "permanent", "answer"];

const AREAS: &[&str] = &[
    "breaker",
    "cache",
    "client",
    "command",
    "database",
    "framework",
    "http",
    "mail",
    "payment",
    "queue",
    "retry",
    "sdk",
    "standard",
    "storage",
    "testing",
    "workflow",
];
const EFFECTS: &[&str] = &["mail", "payment", "publish", "enqueue", "write", "http-write"];
const ENTRIES: &[&str] = &["request-handler", "job", "schedule", "command", "websocket", "event", "test"];
const HOW: &[&str] = &["now", "each", "later", "job", "decorate", "handler"];
const LAYERS: &[&str] = &["decorator", "wrapper", "loop", "job-queue", "workflow", "transport", "sdk"];

/// A text that must be one of the words; `Err` says which there are.
fn one_of<E: Error>(word: String, words: &[&str]) -> Result<String, E> {
    if words.contains(&word.as_str()) {
        return Ok(word);
    }
    Err(E::custom(format!("`{word}` is not one of: {}", words.join(", "))))
}

macro_rules! word {
    ($($name:ident, $words:expr;)*) => {$(
        pub(super) fn $name<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
            one_of(String::deserialize(d)?, $words)
        }
    )*};
}

macro_rules! optional_word {
    ($($name:ident, $words:expr;)*) => {$(
        pub(super) fn $name<'de, D: Deserializer<'de>>(d: D) -> Result<Option<String>, D::Error> {
            one_of(String::deserialize(d)?, $words).map(Some)
        }
    )*};
}

word! {
    area, AREAS;
    how, HOW;
    layer_kind, LAYERS;
    outbound_kind, LAYERS;
    shape, &["class", "method", "function"];
}

optional_word! {
    effect, EFFECTS;
    store, &["read", "write", "memo"];
    entry, ENTRIES;
    concurrency, &["semaphore", "pool", "gather"];
}

/// One of the words, or a formula that gives one.
pub(super) fn retry_after<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Formula>, D::Error> {
    let text = String::deserialize(d)?;
    if !text.contains('(') {
        return one_of(text, &["honoured", "capped", "ignored"]).map(|word| Some(Formula::Text(word)));
    }
    super::parse_formula(&text).map(Some).map_err(Error::custom)
}

pub(super) fn failures<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    let words = Vec::<Failure>::deserialize(d)?;
    Ok(words.into_iter().map(|w| w.0).collect())
}

pub(super) fn by_failure<'de, D: Deserializer<'de>>(d: D) -> Result<BTreeMap<String, Formula>, D::Error> {
    let map = BTreeMap::<Failure, Formula>::deserialize(d)?;
    Ok(map.into_iter().map(|(k, v)| (k.0, v)).collect())
}

pub(super) fn raises<'de, D: Deserializer<'de>>(d: D) -> Result<BTreeMap<String, String>, D::Error> {
    let map = BTreeMap::<FailureOrDefault, String>::deserialize(d)?;
    Ok(map.into_iter().map(|(k, v)| (k.0, v)).collect())
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Failure(String);

impl<'de> Deserialize<'de> for Failure {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        one_of(String::deserialize(d)?, FAILURES).map(Failure)
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FailureOrDefault(String);

impl<'de> Deserialize<'de> for FailureOrDefault {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let word = String::deserialize(d)?;
        if word == "default" {
            return Ok(FailureOrDefault(word));
        }
        one_of(word, FAILURES).map(FailureOrDefault)
    }
}

/// Formats an expectation for serde.
pub(super) fn table(f: &mut fmt::Formatter) -> fmt::Result {
    f.write_str("a table")
}
