//! The catalogue as shipped, and what is said about wrong files.

use super::Catalogue;

#[test]
fn shipped_files_are_right() {
    let problems = Catalogue::embedded().problems();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
