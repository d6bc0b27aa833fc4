//! Which declaration a name means.

use super::{check, check_as};

#[test]
fn blocks_shadow() {
    check(
        "const x = 1; function f() { let x = 2; { const x = 3; g(x) } h(x) } k(x)",
        "
        fn f() {
          x~1 = 2
          block {
            x~2 = 3
            @g(x~2)
          }
          @h(x~1)
        } -> ^f
        ^x = 1
        @k(^x)
        ",
    );
}

#[test]
fn var_belongs_to_the_function() {
    check_as(
        "a.js",
        "function f() { use(v); if (a) { var v = 1; for (var w of v) {} } return w; function g() { var v } } v",
        "
        fn f() {
          fn g() {
            v~1 =
          } -> g
          @use(v)
          if @a {
            v = 1
            for w of v {}
          }
          return w
        } -> ^f
        @v
        ",
    );
    check_as("a.js", "function f(a) { var a; a = 1 }", "fn f(a) { \n a = \n a = 1 \n } -> ^f");
}

#[test]
fn captured_by_inner_functions() {
    check(
        "function f() { let n = 0; let m = 0; m++; return () => n++ } for (let i = 0; ; ) {} { let t; (() => t)() }",
        "
        fn f() {
          ^n = 0
          m = 0
          Postfix(m +1)
          return arrow() {
            return Postfix(^n +1)
          }
        } -> ^f
        i = 0
        loop {}
        block {
          ^t =
          arrow() {
            return ^t
          }()
        }
        ",
    );
}

#[test]
fn undeclared_names() {
    check_as(
        "a.js",
        "a(); b = 1; b(); function f() { c = b }",
        "fn f() { \n ^c = @b \n } -> ^f \n @a() \n ^b = 1 \n ^b()",
    );
}

#[test]
fn cases_share_a_scope() {
    check(
        "switch (x) { case 1: let y = 1; break; default: f(y) } y",
        "
        switch @x | 1 {
          y = 1
        } | default {
          @f(y)
        }
        @y
        ",
    );
}

#[test]
fn labels_and_keys_are_no_names() {
    check("const a = 1; a: for (;;) { break a } ({ a: 2 }).a", "^a = 1 \n a: loop { \n break a: \n } \n {\"a\": 2}.a");
}
