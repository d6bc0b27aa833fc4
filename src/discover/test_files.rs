//! Whether a file is a test, judged by its path below the analysed root (a checkout that lies in a
//! folder called `tests` is no test).

/// Whether a relative path is a test's.
pub(super) fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|f| matches!(f, "tests" | "test" | "__tests__" | "__mocks__")) || is_test_name(name)
}

fn is_test_name(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    match extension {
        "py" | "pyi" => stem == "conftest" || stem.starts_with("test_") || stem.ends_with("_test"),
        "rs" => stem == "tests" || stem.ends_with("_test") || stem.ends_with("_tests"),
        _ => stem.ends_with(".test") || stem.ends_with(".spec"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_by_their_path() {
        for path in [
            "tests/a.py",
            "pkg/test/b.js",
            "src/__tests__/c.ts",
            "test_x.py",
            "x_test.py",
            "a/x.spec.tsx",
            "src/tests.rs",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["contest/a.py", "latest.py", "src/spec.ts", "attest.rs", "testing.py", "a.tests/b.py"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
