//! The functions and names that formulas know.

/// Function, fewest and most arguments.
const FUNCTIONS: [(&str, usize, usize); 61] = [
    ("all", 2, 2),
    ("answer", 2, 2),
    ("any", 2, 2),
    ("around", 1, 1),
    ("asked_again", 2, 6),
    ("asked_while", 1, 4),
    ("assigned", 1, 2),
    ("at", 2, 2),
    ("call", 1, usize::MAX),
    ("call_method", 2, 6),
    ("callable", 1, 1),
    ("ceil", 1, 1),
    ("clamp", 3, 3),
    ("clock", 0, 0),
    ("concat", 1, 1),
    ("count", 2, 2),
    ("default", 2, usize::MAX),
    ("duration", 1, 1),
    ("env", 1, 2),
    ("error_by_status", 2, 2),
    ("first", 1, 1),
    ("floor", 1, 1),
    ("has", 2, 2),
    ("holds", 2, 2),
    ("if", 3, 3),
    ("instance", 2, 2),
    ("is", 2, 2),
    ("jitter", 2, 2),
    ("keys", 1, 1),
    ("last", 1, 1),
    ("len", 1, 1),
    ("log", 1, 1),
    ("lower", 1, 1),
    ("matches_prefix", 3, 3),
    ("matches_text", 2, 3),
    ("max", 1, usize::MAX),
    ("min", 1, usize::MAX),
    ("missing", 1, 1),
    ("number", 1, 1),
    ("object", 1, 1),
    ("option", 2, 3),
    ("outcome", 0, 0),
    ("raise", 1, 1),
    ("raise_error", 1, 1),
    ("raises", 2, 2),
    ("random", 0, 0),
    ("repeat", 2, 2),
    ("reraise", 0, 0),
    ("returns", 1, 1),
    ("setting", 1, 2),
    ("starts_with", 2, 2),
    ("status", 1, 1),
    ("status_in", 1, 1),
    ("sum", 1, 1),
    ("take", 2, 2),
    ("truthy", 1, 1),
    ("uniform", 2, 2),
    ("unknown", 0, 0),
    ("until", 2, 2),
    ("upper", 1, 1),
    ("version_at_least", 1, 1),
];

/// Names that mean something in every formula.
pub(super) const NAMES: [&str; 8] = ["self", "error", "result", "failure", "failure_error", "request", "n", "version"];

/// Fewest and most arguments of a function, if there is such a function.
pub(super) fn arity(name: &str) -> Option<(usize, usize)> {
    FUNCTIONS.binary_search_by(|f| f.0.cmp(name)).ok().and_then(|i| FUNCTIONS.get(i)).map(|f| (f.1, f.2))
}

/// Functions whose name cannot be a parameter: a bare mention is a slip. Others (`max`, `min`, `at`, `default` …) are
/// parameter names of real libraries, and are told apart by the `(`.
pub(super) fn is_reserved(name: &str) -> bool {
    matches!(name, "if" | "missing" | "raise_error" | "version_at_least" | "matches_prefix")
}

#[cfg(test)]
mod tests {
    use super::FUNCTIONS;

    #[test]
    fn functions_are_sorted() {
        assert!(FUNCTIONS.is_sorted_by_key(|f| f.0));
    }
}
