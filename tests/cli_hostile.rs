//! Sources that no person writes, through the real binary: a run ends with a report, never with a crash.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod support;

use support::Tree;

const DEEP: usize = 10_000;

fn nested(open: &str, middle: &str, close: &str) -> String {
    open.repeat(DEEP) + middle + &close.repeat(DEEP)
}

/// Every file alone, and on one thread, so that no stack but a worker's own is used.
#[track_caller]
fn survives(name: &str, text: &str) {
    let tree = Tree::new(&[(name, text)]);
    for args in [
        &["check", "--format", "json", "--jobs", "1"][..],
        &["check", "--pedantic"],
        &["graph", "--calls", "--format", "json"],
    ] {
        let run = tree.run(args);
        assert!(run.status <= 1, "{name}: {}", run.err);
    }
}

#[test]
fn ten_thousand_levels_of_python() {
    survives("a.py", &format!("x = {}\n", nested("(", "1", ")")));
    survives("b.py", &format!("x = {}\n", nested("[", "1", "]")));
    survives("c.py", &format!("x = {}1\n", "not ".repeat(DEEP)));
    survives("d.py", &format!("x = y{}\n", ".a()".repeat(DEEP)));
    survives("e.py", &format!("x = 1{}\n", " + 1".repeat(DEEP)));
    let blocks: String = (0..1000).map(|n| format!("{}if x:\n", " ".repeat(n))).collect();
    survives("f.py", &format!("{blocks}{}pass\n", " ".repeat(1000)));
    survives("g.py", &format!("if x: pass\n{}", "elif x: pass\n".repeat(DEEP)));
}

#[test]
fn ten_thousand_levels_of_typescript() {
    survives("a.ts", &format!("x = {};\n", nested("(", "1", ")")));
    survives("b.ts", &nested("{", "f()", "}"));
    survives("c.ts", &nested("if (x) {", "f()", "}"));
    survives("d.ts", &format!("x{};\n", ".then(f)".repeat(DEEP)));
    survives("e.tsx", &nested("<a>", "x", "</a>"));
    survives("f.js", &format!("x = {}1;\n", "() => ".repeat(DEEP)));
    survives("g.ts", &format!("type T = {};\n", nested("Array<", "x", ">")));
    survives("h.js", &format!("x = `{}`;\n", nested("${`", "x", "`}")));
}

#[test]
fn ten_thousand_levels_of_rust() {
    survives("a.rs", &format!("fn f() {{ {} }}\n", nested("(", "1", ")")));
    survives("b.rs", &format!("fn f() {}\n", nested("{", "g()", "}")));
    survives("c.rs", &format!("fn f() {{ x{}; }}\n", ".a()".repeat(DEEP)));
    survives("d.rs", &format!("type T = {};\n", nested("Box<", "u8", ">")));
    survives("e.rs", &format!("fn f() {{ {}1; }}\n", "!".repeat(DEEP)));
    survives("f.rs", &format!("fn f() {{ {} }}\n", nested("m!(", "1", ")")));
    survives("g.rs", &nested("mod a {", "", "}"));
    survives("h.rs", &format!("fn f() {{ 1{}; }}\n", " + 1".repeat(DEEP)));
    survives("i.rs", &format!("fn f() {{ {}{{}} }}\n", "if x {} else ".repeat(DEEP)));
}

#[test]
fn code_that_is_none() {
    for name in ["a.py", "a.ts", "a.tsx", "a.js", "a.rs"] {
        survives(name, "def ((( class } ) => fn ' \" ` \\ \u{1} @@ # // /* <");
        survives(name, "\r\r\r\u{2028}\u{202e}\u{1b}[2J");
        survives(name, &"\"".repeat(9999));
        survives(name, &"a".repeat(150_000));
        survives(name, "@retry(\n");
    }
}
