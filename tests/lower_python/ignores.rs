//! Ignore comments.

use super::check;

#[test]
fn where_they_stand_and_what_they_name() {
    check(
        r#"
x = 1  # squall: ignore
# squall: ignore[a]
y = 2  # noqa  # squall: ignore[a, b] because of c
#squall:ignore[ c ,]
if x:
    # squall: ignore: all of it
    z = (  # squall: ignore[d]
        1)  # squall: ignore[e] # squall: ignore[f]
"#,
        r#"
vars: x#0* y#1* z#2*
x#0 = 1
y#1 = 2
if x#0
  z#2 = 1
ignore on line 1: []
ignore below line 2: [a]
ignore on line 3: [a, b]
ignore below line 4: [c]
ignore below line 6: []
ignore on line 7: [d]
ignore on line 8: [e]
ignore on line 8: [f]
"#,
    );
}

#[test]
fn what_is_none() {
    check(
        r##"
# squall: ignore-file
# squall: ignored
# squall ignore
# not squall: ignore
# squall: ignore[a
s = "# squall: ignore"
"##,
        r##"
vars: s#0*
s#0 = "# squall: ignore"
"##,
    );
}
