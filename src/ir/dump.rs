//! A text form of the IR for tests.

use super::File;

/// Prints a file's IR, one statement a line, indented by nesting.
pub fn dump(file: &File) -> String {
    format!("{file:#?}")
}
