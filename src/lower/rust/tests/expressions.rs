//! Expressions, closures, async blocks, literals, assignments.

use super::{check, check_body, lowered, text};
use crate::ir::{ExprKind, FunctionKind};

#[test]
fn literals_have_their_values() {
    check_body(
        "let t = (1, 1_000u64, 0xff, \"s\\n\", r#\"a\"b\"#, 'c', b'x', b\"xy\", 1.5, 2f64, true, (), 99999999999999999999);",
        &["t#1 = tuple(1, 1000, 255, \"s\\n\", \"a\\\"b\", \"c\", 120, constant, 1.5, 2.0, true, null, constant)"],
    );
}

#[test]
fn operators_and_casts() {
    check_body(
        "let a = -x + !y * 2 << 1; let b = a == 1 && b != 2 || c < *d; let c = &a as u64;",
        &["a#1 = ((-x + (not y * 2)) << 1)", "b#2 = (((a#1 == 1) and (b != 2)) or (c < d))", "c#3 = (a#1 as u64)"],
    );
}

#[test]
fn calls_methods_awaits_and_propagation() {
    check_body(
        "let r = self_.http.get(&url, [1; 3]).send().await?.text::<u8>().await.0[1][2..n];",
        &["r#1 = await call await call call self_.http.get(url, ([1] * 3)).send()?.text().0[1][slice 2, n]"],
    );
}

#[test]
fn struct_literals_take_defaults_from_their_own_type() {
    check(
        "struct C { a: u32 } fn f() { let b = 1; C { a: 1, b, ..base() }; C { ..Default::default() }; let c: C = Default::default(); }",
        &[
            "do struct C#0 {\"a\": 1, \"b\": b#2, **call base()}",
            "do struct C#0 {**call C#0.default()}",
            "c#3: C#0 = call C#0.default()",
        ],
    );
}

#[test]
fn closures_and_async_blocks_are_functions() {
    let source = "fn job() { let f = move |a: u32, (b, _)| -> u32 { a + b }; retry(|| async move { send(f).await }); async || x; }";
    check(
        source,
        &[
            "closure @2(positional a#1: u32, positional [b#2, _]) -> u32",
            "return (a#1 + b#2)",
            "do call retry(closure@3)",
            "closure @3()",
            "return closure@4",
            "async async block @4()",
            "return await call send(f#3)",
            "async closure @5()",
        ],
    );
    let file = lowered(source);
    let spans: Vec<_> = file.functions.iter().filter(|f| f.name.is_none()).map(|f| text(source, f.span)).collect();
    assert_eq!(
        spans[1..],
        [
            "move |a: u32, (b, _)| -> u32 { a + b }",
            "|| async move { send(f).await }",
            "async move { send(f).await }",
            "async || x"
        ]
    );
    assert_eq!(file.functions[4].kind, FunctionKind::AsyncBlock);
    assert_eq!(text(source, file.functions[2].name_span), "move");
}

#[test]
fn assignments_have_their_targets() {
    check_body(
        "let mut n = 0; n = 1; n += 2; *p -= 1; a.b.c = 3; xs[0] = 4; (n, _) = t; *x.y = 5; S { q: n } = s;",
        &[
            "n#1 = 0",
            "n#1 = 1",
            "n#1 += 2",
            "*p -= 1",
            "a.b.c = 3",
            "xs[0] = 4",
            "[n#1, _] = t",
            "*x.y = 5",
            "variant S(q=n#1) = s",
        ],
    );
}

#[test]
fn spans_cover_what_is_written() {
    let source = "fn job() { let é = \"ü\"; (&send)(é).retry(1)?; }";
    let file = lowered(source);
    let spans = |wanted: fn(&ExprKind) -> bool| -> Vec<&str> {
        file.exprs.iter().filter(|e| wanted(&e.kind)).map(|e| text(source, e.span)).collect()
    };
    assert_eq!(spans(|k| matches!(k, ExprKind::Propagate(_))), ["(&send)(é).retry(1)?"]);
    assert_eq!(spans(|k| matches!(k, ExprKind::Call { .. })), ["(&send)(é)", "(&send)(é).retry(1)"]);
    assert_eq!(spans(|k| matches!(k, ExprKind::Free(_))), ["(&send)"]);
    assert_eq!(text(source, file.functions[1].name_span), "job");
    assert_eq!(text(source, file.functions[1].span), source);
}

#[test]
fn ranges_and_repeats() {
    check_body(
        "for i in 0..=n {} a(..); b(1..); vec![size(); 2];",
        &["for i#1 in (0..=n)", "do call a((..))", "do call b((1..))", "do ([call size()] * 2)"],
    );
}
