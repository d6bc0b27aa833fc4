//! What is known of an error's text without having it: which words its class of failure does not use.

use super::val::{Error, Val, Whole};
use crate::chains::Failure;
use std::rc::Rc;

/// The path of a part that is the whole text.
const TEXT: &str = "<text>";

/// Words by which texts name a class of failure.
const WORDS: [(&[Failure], &[&str]); 6] = [
    (&[Failure::RateLimit], &["429", "rate limit", "ratelimit", "rate_limit", "too many requests", "quota", "throttl"]),
    (&[Failure::Overloaded], &["503", "529", "overloaded", "unavailable", "capacity"]),
    (&[Failure::Server], &["500", "502", "504", "server error", "bad gateway", "gateway"]),
    (&[Failure::Timeout], &["timeout", "timed out", "time out", "etimedout", "deadline"]),
    (
        &[Failure::Connect, Failure::Disconnect],
        &[
            "connect",
            "econn",
            "network",
            "reset",
            "refused",
            "socket",
            "enotfound",
            "eai_again",
            "hang up",
            "eof",
            "broken",
        ],
    ),
    (
        &[Failure::Conflict],
        &["408", "409", "conflict", "locked", "already exist", "already been", "already in use", "duplicate"],
    ),
];

/// Words of failures that stay. A text looked for by them is about one fault, and no lasting failure of the service.
const LASTING: &[&str] = &[
    "is invalid",
    "invalid_",
    "invalid parameter",
    "invalid argument",
    "invalid value",
    "not found",
    "not_found",
    "does not exist",
    "unauthorized",
    "forbidden",
    "access denied",
    "permission",
    "bad request",
    "unsupported",
    "not supported",
    "malformed",
    "too long",
    "too large",
    "context length",
    "context_length",
    "maximum context",
];

/// Words in codes of what a service refuses for good: no other failure goes by such a code.
const REFUSED: [(&[Failure], &[&str]); 2] = [
    (
        &[Failure::Permanent],
        &[
            "notfound",
            "not_found",
            "nosuch",
            "no_such",
            "doesnotexist",
            "does_not_exist",
            "invalid",
            "denied",
            "forbidden",
            "unauthorized",
            "validation",
            "malformed",
        ],
    ),
    (&[Failure::Conflict, Failure::Permanent], &["already", "conflict", "inuse", "in_use", "duplicate"]),
];

/// The text of an error: `str(e)`, `e.message`.
pub fn text_of(error: &Rc<Error>) -> Val {
    Val::Part(Rc::new(Whole::Error(error.clone())), Rc::from(TEXT))
}

/// A method of an error's text.
pub fn method(on: &Val, name: &str, args: &[Val]) -> Option<Val> {
    let error = error_of(on)?;
    match (name, args) {
        ("lower" | "upper" | "strip" | "casefold" | "toLowerCase" | "toUpperCase" | "to_lowercase" | "trim", []) => {
            Some(on.clone())
        }
        (
            "includes" | "contains" | "startsWith" | "startswith" | "starts_with" | "endsWith" | "endswith",
            [Val::Text(t)],
        ) => Some(holds(error, t).map_or(Val::Unknown, Val::Bool)),
        _ => None,
    }
}

/// Whether an error's text holds some words; none: not known.
pub fn contains(text: &Val, needle: &Val) -> Option<bool> {
    match needle {
        Val::Text(needle) => holds(error_of(text)?, needle),
        _ => None,
    }
}

/// Whether an error's code or text is a word; only known of those that all services mean the same by: too many
/// requests is said of nothing else, nor is what is refused for good.
pub fn is_word(a: &Val, b: &Val) -> Option<bool> {
    let (text, word) = match (a, b) {
        (part, Val::Text(word)) | (Val::Text(word), part) => (part, word.to_lowercase()),
        _ => return None,
    };
    let failure = Failure::ALL.get(usize::from(error_of(text)?.class_of_failure?)).copied()?;
    let limits = WORDS.iter().filter(|(of, _)| of.contains(&Failure::RateLimit)).flat_map(|(_, words)| words.iter());
    let is_limit = limits.into_iter().any(|w| word.contains(w));
    let refused: Vec<_> = REFUSED.iter().filter(|(_, words)| words.iter().any(|w| word.contains(w))).collect();
    let is_other = !refused.is_empty() && refused.iter().all(|(of, _)| !of.contains(&failure));
    (is_other || (is_limit && failure != Failure::RateLimit)).then_some(false)
}

/// The error whose text, or whose code, a value is: codes are made of the same words.
fn error_of(value: &Val) -> Option<&Error> {
    let Val::Part(whole, path) = value else { return None };
    let Whole::Error(error) = &**whole else { return None };
    let last = path.rsplit('.').next().unwrap_or(path);
    (last == TEXT || ["message", "code"].iter().any(|name| last.eq_ignore_ascii_case(name))).then_some(error)
}

/// Whether two values are texts of one error, whichever of them is there.
pub fn are_of_one(a: &Val, b: &Val) -> bool {
    error_of(a).is_some_and(|a| error_of(b).is_some_and(|b| a == b))
}

/// Only that a text does not hold them can be known: nobody has read the service's own words.
fn holds(error: &Error, needle: &str) -> Option<bool> {
    let failure = Failure::ALL.get(usize::from(error.class_of_failure?)).copied()?;
    let needle = needle.to_lowercase();
    let named: Vec<Failure> = WORDS
        .iter()
        .filter(|(_, words)| words.iter().any(|w| needle.contains(w)))
        .flat_map(|(of, _)| of.iter().copied())
        .collect();
    if !named.is_empty() {
        return if named.contains(&failure) { None } else { Some(false) };
    }
    if LASTING.iter().any(|w| needle.contains(w)) { Some(false) } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::val::ErrorClass;
    use super::*;

    fn says(failure: Failure, needle: &str) -> Option<bool> {
        let error = Error {
            class: ErrorClass::Unknown,
            status: None,
            fields: Vec::new(),
            token: None,
            injected: true,
            class_of_failure: Some(failure as u8),
            inherits: Default::default(),
        };
        contains(&text_of(&Rc::new(error)), &Val::text(needle))
    }

    #[test]
    fn words_of_other_failures_are_not_said() {
        assert_eq!(says(Failure::RateLimit, "Rate limit"), None);
        assert_eq!(says(Failure::Server, "Rate limit"), Some(false));
        assert_eq!(says(Failure::Connect, "ECONNRESET"), None);
        assert_eq!(says(Failure::Permanent, "ECONNRESET"), Some(false));
    }

    #[test]
    fn words_about_one_fault_are_no_lasting_failure() {
        assert_eq!(says(Failure::RateLimit, "field 'updated' is invalid"), Some(false));
        assert_eq!(says(Failure::Permanent, "field 'updated' is invalid"), Some(false));
    }

    #[test]
    fn some_codes_are_of_one_failure() {
        let is = |failure: Failure, word: &str| {
            let error = Error {
                class: ErrorClass::Unknown,
                status: None,
                fields: Vec::new(),
                token: None,
                injected: true,
                class_of_failure: Some(failure as u8),
                inherits: Default::default(),
            };
            is_word(&text_of(&Rc::new(error)), &Val::text(word))
        };
        assert_eq!(is(Failure::Server, "rate_limit"), Some(false));
        assert_eq!(is(Failure::RateLimit, "rate_limit"), None);
        assert_eq!(is(Failure::Timeout, "ECONNABORTED"), None);
        assert_eq!(is(Failure::Overloaded, "ResourceNotFoundException"), Some(false));
        assert_eq!(is(Failure::Permanent, "ResourceNotFoundException"), None);
        assert_eq!(is(Failure::Conflict, "AlreadyExists"), None);
    }

    #[test]
    fn other_words_say_nothing() {
        assert_eq!(says(Failure::Server, "try again"), None);
    }
}
