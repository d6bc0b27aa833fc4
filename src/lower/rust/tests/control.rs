//! `if`, `match`, loops, blocks as values, `let else`, jumps, patterns.

use super::{check, check_body};

#[test]
fn a_tail_expression_is_a_return() {
    check("fn f() -> u32 { g(); h() }", &["do call g()", "return call h()"]);
    check(
        "fn f(n: u32) -> u32 { match n { 0 => a(), 1 => return b(), _ => { c(); d() } } }",
        &[
            "match n#1",
            "case value 0",
            "return call a()",
            "case value 1",
            "return call b()",
            "case _",
            "do call c()",
            "return call d()",
        ],
    );
    check(
        "fn f() -> u32 { if a { 1 } else if b { 2 } else { panic!(\"no\") } }",
        &["if a", "return 1", "else", "if b", "return 2", "else", "raise macro panic(template(\"no\"))"],
    );
}

#[test]
fn values_of_control_flow_go_where_they_belong() {
    check_body(
        "let x = match y { Ok(v) => v, Err(_) => return };",
        &["match y", "case variant Ok(v#2)", "x#1 = v#2", "return"],
    );
    check_body("let x: u8 = if a { 1 } else { 2 }; x", &["x#1: u8", "if a", "x#1 = 1", "x#1 = 2", "return x#1"]);
    check_body(
        "let x = 1; let x = if x == 1 { x } else { 2 }; x",
        &["x#1 = 1", "if (x#1 == 1)", "x#2 = x#1", "x#2 = 2", "return x#2"],
    );
    check_body(
        "f(if a { 1 } else { g() }, 2)",
        &["return call f(block@4 -> if#1, 2)", "if a", "if#1 = 1", "if#1 = call g()"],
    );
    check_body("a || return; b.unwrap_or_else(|| panic!())", &["do (a or block@2)", "return", "raise macro panic()"]);
}

#[test]
fn return_of_a_match_always_leaves() {
    check_body("return match x { A => one(), _ => {} };", &["match x", "return call one()", "return"]);
}

#[test]
fn loops_with_labels_and_values() {
    check_body(
        "let r = 'o: loop { loop { break 'o 5; } continue; };",
        &["r#1 = loop 'o", "loop", "break 'o 5", "continue"],
    );
    check_body("loop { if a { break Ok(x); } }", &["loop#1 = loop", "if a", "break call Ok(x)", "return loop#1"]);
    check_body("let v = 'b: { if a { break 'b 1; } 2 };", &["block 'b", "if a", "v#1 = 1", "break 'b", "v#1 = 2"]);
    check_body("let mut n = 9; while n > 0 { n -= 1; }", &["loop while (n#1 > 0)", "n#1 -= 1"]);
    check_body(
        "while let Some(x) = it.next() { x; }",
        &["loop while (call it.next() matches variant Some(x#1))", "do x#1"],
    );
}

#[test]
fn patterns_of_all_kinds() {
    check(
        "const MAX: u32 = 1; fn f(x: T) { match x {
            MAX => {} None => {} E::A => {} E::B(ref a, ..) => {} E::C { b, c: d, .. } => {} StatusCode::OK => {}
            1 | 2 => {} 3..=9 => {} k @ (4 | 5) => {} [first, rest @ ..] => {} (p, _) => {} &q => {}
            Ok(v) if v > 1 => {} -1 => {} \"s\" => {} Some(A(v) | B(v)) => { v; } _ => {} } }",
        &[
            "case value MAX#0",
            "case variant None()",
            "case variant E.A()",
            "case variant E.B(a#3, *)",
            "case variant E.C(b=b#4, c=d#5)",
            "case value StatusCode.OK",
            "case value 1 | value 2",
            "case (3..=9)",
            "case value 4 | value 5 as k#6",
            "case [first#7, *rest#8]",
            "case [p#9, _]",
            "case q#10",
            "case variant Ok(v#11) if (v#11 > 1)",
            "case value -1",
            "case value \"s\"",
            "case variant Some(variant A(v#12) | variant B(v#12))",
            "do v#12",
            "case _",
        ],
    );
}

#[test]
fn let_else_and_let_chains() {
    check_body(
        "let Some(x) = get() else { return; }; x;",
        &["if (call get() matches variant Some(x#1))", "else", "return", "do x#1"],
    );
    check_body(
        "if let Ok(a) = one() && let Some(b) = a.two() && b > 1 { b; } else { a; }",
        &[
            "if (((call one() matches variant Ok(a#1)) and (call a#1.two() matches variant Some(b#2))) and (b#2 > 1))",
            "do b#2",
            "else",
            "do a",
        ],
    );
}

#[test]
fn unsafe_and_plain_blocks_are_their_statements() {
    check_body("unsafe { a(); } { b(); } let x = unsafe { c() };", &["do call a()", "do call b()", "x#1 = call c()"]);
}
