//! Text that is not quite Rust: nothing panics, nothing is lost silently, the rest is still read.

use crate::ir::{File, dump};

const SOURCES: [&str; 3] = [
    include_str!("../macros/mod.rs"),
    include_str!("../scan.rs"),
    "// squall: ignore[a, b] why\nuse a::{b, c::*};\nconst É: &str = \"ü\\\"x\"; // squall: ignore\n#[derive(A)] struct S<'a, T: 'a>(&'a T);\n\
     impl<T> S<'_, T> { async fn f(&self) -> Result<(), E> { let Some(x) = g()? else { return Ok(()) }; match x { 'a' | '\\'' => loop { break }, r#\"}\"# => {} } Ok(()) } }\n\
     macro_rules! m { ($($x:expr),*) => { $( f($x); )* } }\nfn h() { m!(1, a(|x| async move { x }), /* ) */ [2; 3]); tokio::select! { a = b() => c, else => d } }\n",
];

fn lower(source: &str) -> File {
    super::super::lower("src/main.rs", source)
}

#[test]
fn one_bad_item_does_not_lose_the_file() {
    let source = "fn a() { b() }\nfn bad( { let = ; }\nimpl S {\n    fn ok(&self) {}\n    fn worse(&self) { 1 + }\n    fn fine(&self) {}\n}\nmod m { fn x() {} fn y( {} }\nfn z() { a() }\n";
    let file = lower(source);
    let text = dump(&file);
    for line in ["a#0 = def a@1()", "methods: ok@", "x#", "return call a#0()"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(text.contains("fine@"), "{text}");
    let lines: Vec<u32> = file.problems.iter().map(|p| file.line(p.span.start)).collect();
    assert_eq!(lines, [2, 5, 8], "{:?}", file.problems);
}

#[test]
fn a_bracket_left_open_does_not_swallow_the_rest() {
    let file = lower("fn a() {}\nfn b() { if x {\n}\npub fn c() { a() }\nfn d() { \"open }\nfn e() { a() }\n");
    let text = dump(&file);
    assert!(text.contains("c#") && text.contains("return call a#"), "{text}");
    assert!(!file.problems.is_empty());
    let file = lower("}}} fn a() {}\nfn b() {} )");
    assert!(dump(&file).contains("def b@"), "{:?}", file.problems);
}

#[test]
fn marks_and_first_lines_move_nothing() {
    let source = "\u{feff}#!/usr/bin/env cargo\nfn é() { ü(\"ö\") }\n";
    let file = lower(source);
    assert!(file.problems.is_empty());
    let span = file.functions[1].name_span;
    assert_eq!(&source[span.start as usize..span.end as usize], "é");
    assert_eq!(file.line(span.start), 2);
}

#[test]
fn truncations_do_not_panic() {
    for source in SOURCES {
        for end in (0..source.len()).step_by(7).filter(|&i| source.is_char_boundary(i)) {
            let file = lower(&source[..end]);
            assert!(file.functions.len() <= 200);
        }
    }
}

#[test]
fn any_byte_may_be_missing() {
    let source = SOURCES[2];
    for (at, c) in source.char_indices() {
        let mut text = source.to_string();
        text.remove(at);
        lower(&text);
        text.insert(at, if c == '}' { '{' } else { '}' });
        lower(&text);
    }
}

/// On a thread with a stack like rayon's.
fn on_small_stack(sources: Vec<String>) {
    let run = move || {
        for source in sources {
            let file = lower(&source);
            let shown: String = source.chars().take(60).collect();
            assert!(!file.problems.is_empty() || file.exprs.len() > 1, "{shown}");
            assert!(dump(&file).contains("after#"), "{shown}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap();
    assert!(thread.join().is_ok());
}

fn nested(open: &str, close: &str, n: usize) -> String {
    format!("fn deep() {{ {} x {}; }}\nfn after() {{ done() }}", open.repeat(n), close.repeat(n))
}

#[test]
fn deep_nesting_does_not_overflow() {
    let pairs = [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("f(", ")"),
        ("if a {", "}"),
        ("match a { _ => ", "}"),
        ("|| ", ""),
        ("|a, b| ", ""),
        ("!", ""),
        ("- ", ""),
        ("& ", ""),
        ("*", ""),
        ("return ", ""),
        ("a = ", ""),
        ("async {", "}"),
        ("loop {", "}"),
        ("unsafe {", "}"),
        ("m!(", ")"),
        ("vec![", "]"),
        ("println!(\"{}\", ", ")"),
        ("..", ""),
        ("let _ = |_: V<", ">| 1"),
        ("S { a: ", "}"),
        ("fn a() {", "}"),
        ("impl A { fn a() {", "}}"),
        ("mod a {", "}"),
        ("if x {} else ", ""),
        ("break ", ""),
        ("(a, ", ")"),
        ("for _ in ", " {}"),
        ("x as ", ""),
        ("'a: {", "}"),
    ];
    for depth in [100, 1000, 10_000] {
        on_small_stack(pairs.iter().map(|(open, close)| nested(open, close, depth)).collect());
    }
}

#[test]
fn long_chains_do_not_overflow() {
    for n in [1000, 10_000] {
        let chain = |link: &str| format!("fn deep() {{ x{}; }}\nfn after() {{ done() }}", link.repeat(n));
        let item = |text: String| format!("{text}\nfn after() {{ done() }}");
        on_small_stack(vec![
            chain(" + x"),
            chain(".a()"),
            chain("?"),
            chain(".b"),
            chain("[0]"),
            chain("(1)"),
            chain(".await"),
            chain(" && x"),
            chain(" as u8"),
            chain(" = x"),
            chain(" < x"),
            chain(" .. x"),
            item(format!("type A = {}u8{};", "V<".repeat(n), ">".repeat(n))),
            item(format!("type A = {}u8{};", "V<u8, ".repeat(n), ">".repeat(n))),
            item(format!("type A = {}u8;", "&".repeat(n))),
            item(format!("type A = {}u8;", "fn() -> ".repeat(n))),
            item(format!("type A = {};", "impl Fn() -> ".repeat(n))),
            item(format!("use {}x;", "a::".repeat(n))),
            item(format!("use {}x{};", "a::{".repeat(n), "}".repeat(n))),
            item(format!("fn f() {{ let {}x{} = 1; }}", "(".repeat(n), ")".repeat(n))),
            item(format!("fn f() {{ let {}x = 1; }}", "&".repeat(n))),
            item(format!("fn f() {{ let {}x = 1; }}", "x @ ".repeat(n))),
            item(format!("fn f() {{ {} }}", "if a { b } else ".repeat(n) + "{ c }")),
            item(format!("fn f() {{ {} }}", "a();".repeat(n))),
            item(format!(
                "macro_rules! m {{ ($x:expr) => {{ {}$x }} }} fn f() {{ m!(m!(m!(m!({}1)))) }}",
                "!".repeat(n),
                "!".repeat(n)
            )),
        ]);
    }
}

#[test]
fn ignore_comments() {
    let file = lower(
        "fn f() {} // squall: ignore[a, b-c] because\n  // squall: ignore\n/// squall: ignore\nlet s = \"// squall: ignore\";\n// squall: ignored\n",
    );
    let seen: Vec<_> = file.ignores.iter().map(|i| (i.line, i.trailing, i.rules.join(","))).collect();
    assert_eq!(seen, [(1, true, "a,b-c".to_string()), (2, false, String::new())]);
}

/// Every pair of these, over and over, closed as far as it has brackets: most of it is no Rust, but some is.
#[test]
#[ignore = "takes minutes in a debug build"]
fn no_pair_of_constructs_overflows() {
    let parts = [
        "(",
        "[",
        "{",
        "f(",
        "if a {",
        "match a { _ => ",
        "|| ",
        "|a, b| ",
        "!",
        "& ",
        "return ",
        "a = ",
        "async {",
        "m!(",
        "..",
        "let _: V<",
        "S { a: ",
        "fn a() {",
        "mod a {",
        "(a, ",
        "for _ in ",
        "'a: {",
        "V<",
        "fn() -> ",
        "V<u8, ",
        "impl F() -> ",
        "&mut ",
        "[u8; {",
        "a + ",
        "a.b(",
        "x @ ",
        "unsafe { ",
        "dyn F<",
        "a::<",
        "*const ",
        "else ",
        "where T: ",
        "-> ",
        "use a::{",
        "struct A<",
        "impl A for ",
        "#[a(",
        "#[a] ",
        "box ",
        "const { ",
        "static || ",
        "move |a: V<",
        "yield ",
        "break ",
        "'a: ",
        "for<'a> ",
        "(a, b) = ",
        "a | ",
        "A::B(",
        "ref ",
        "$x ",
        "macro_rules! a { ($x:expr) => { ",
        "type A = ",
        "trait A: ",
        "<A as ",
        "a[",
        "=> ",
        "; ",
        ", ",
    ];
    let closing = |source: &str| {
        let mut open = Vec::new();
        for c in source.chars() {
            match c {
                '(' => open.push(')'),
                '[' => open.push(']'),
                '{' => open.push('}'),
                ')' | ']' | '}' => drop(open.pop()),
                _ => {}
            }
        }
        open.iter().rev().collect::<String>()
    };
    let run = move || {
        for (first, second) in parts.iter().flat_map(|a| parts.iter().map(move |b| (a, b))) {
            for head in ["fn f() { ", "type A = ", ""] {
                let source = format!("{head}{}", format!("{first}{second}").repeat(300));
                lower(&format!("{source} x {}", closing(&source)));
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap();
    assert!(thread.join().is_ok());
}
