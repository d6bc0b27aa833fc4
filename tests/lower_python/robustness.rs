//! No input panics, overflows the 2 MiB stack of a test's thread, or takes long.

use super::python;
use squall::ir::*;

const SAMPLE: &str = include_str!("sample.py");

/// Lowers, dumps, and checks that ids and spans stay within the file.
#[track_caller]
fn lowered(source: &str) -> File {
    let file = python(source);
    let inside = |span: Span| span.start <= span.end && span.end as usize <= source.len();
    assert!(file.exprs.iter().all(|expr| inside(expr.span)));
    assert!(file.stmt_spans.iter().all(|span| inside(*span)));
    assert!(file.problems.iter().all(|problem| inside(problem.span)));
    assert!(file.functions.iter().all(|function| inside(function.span) && inside(function.name_span)));
    assert!(file.vars.iter().all(|var| var.owner.index() < file.functions.len()));
    assert_eq!(file.stmts.len(), file.stmt_spans.len());
    dump(&file);
    file
}

fn messages(file: &File) -> Vec<&str> {
    file.problems.iter().map(|problem| problem.message.as_str()).collect()
}

#[test]
fn the_sample_is_understood() {
    let file = lowered(SAMPLE);
    assert_eq!(messages(&file), Vec::<&str>::new());
    assert_eq!(file.functions.iter().filter(|function| function.kind == FunctionKind::Named).count(), 7);
    assert!(!file.exprs.iter().any(|expr| matches!(&expr.kind, ExprKind::Unknown(parts) if parts.is_empty())));
}

#[test]
fn cut_anywhere() {
    for at in (0..SAMPLE.len()).step_by(7).filter(|at| SAMPLE.is_char_boundary(*at)) {
        lowered(&SAMPLE[..at]);
        lowered(&SAMPLE[at..]);
    }
}

#[test]
fn without_single_bytes() {
    for at in (0..SAMPLE.len()).step_by(11) {
        if SAMPLE.is_char_boundary(at) && SAMPLE.is_char_boundary(at + 1) {
            lowered(&format!("{}{}", &SAMPLE[..at], &SAMPLE[at + 1..]));
        }
    }
}

#[test]
fn odd_files() {
    assert!(lowered("").problems.is_empty());
    assert!(lowered("\n\n").problems.is_empty());
    assert!(lowered("# only a comment").problems.is_empty());
    lowered("\0");
    lowered("x = 1\0\ny = 2");
    lowered("\u{feff}");
    lowered("é");
    lowered("\\");
    lowered("\"\"\"");
    lowered("f\"{");
}

#[test]
fn byte_order_mark_line_ends_tabs() {
    let file =
        lowered("\u{feff}def f():\r\n\tif x:\r\n\t\treturn 1\r\n\telse:\r\n\t\treturn 'a'\r\n# squall: ignore\r\n");
    assert!(file.problems.is_empty());
    assert_eq!(file.functions[1].name.map(|name| file.name(name)), Some("f"));
    assert_eq!(file.line(file.functions[1].span.start), 1);
    assert_eq!((file.ignores[0].line, file.ignores[0].trailing), (6, false));
    let trailing = lowered("\u{feff}# squall: ignore\nx = 1\n");
    assert!(!trailing.ignores[0].trailing);
}

#[test]
fn names_beyond_ascii() {
    let file = lowered("def größe(длина):\n    名前 = длина\n    return 名前.é\n");
    assert!(file.problems.is_empty());
    let vars: Vec<_> = file.vars.iter().map(|var| file.name(var.name)).collect();
    assert_eq!(vars, ["длина", "名前", "größe"]);
}

#[test]
fn deep_nesting_is_cut_with_one_problem() {
    let n = 10_000;
    let deep = |open: &str, inner: &str, close: &str| format!("x = {}{inner}{}\n", open.repeat(n), close.repeat(n));
    for source in [
        deep("[", "1", "]"),
        deep("f(", "1", ")"),
        deep("{1: ", "2", "}"),
        deep("not ", "x", ""),
        deep("lambda: ", "1", ""),
        deep("2 ** ", "2", ""),
        deep("1 if a else ", "2", ""),
        deep("-", "1", ""),
        deep("await ", "x", ""),
        deep("a[", "0", "]"),
    ] {
        assert_eq!(messages(&lowered(&source)), ["nested too deeply"], "{}", &source[..20]);
    }
    // Parentheses alone are no depth.
    assert!(lowered(&deep("(", "1", ")")).problems.is_empty());
}

#[test]
fn deep_blocks_are_cut() {
    for head in ["if x:", "def f():", "class C:", "for x in y:", "with x:", "try:"] {
        let mut source = String::new();
        for level in 0..1000 {
            source.push_str(&" ".repeat(level));
            source.push_str(head);
            source.push('\n');
        }
        source.push_str(&" ".repeat(1000));
        source.push_str("pass\n");
        let file = lowered(&source);
        assert!(messages(&file).contains(&"nested too deeply"), "{head}");
    }
}

#[test]
fn deep_patterns_and_types_are_cut() {
    let n = 10_000;
    let brackets = |text: &str| text.replace("OPEN", &"[".repeat(n)).replace("CLOSE", &"]".repeat(n));
    lowered(&brackets("match x:\n    case OPEN1CLOSE: pass\n"));
    lowered(&brackets("for OPENxCLOSE in y: pass\n"));
    lowered(&format!("x: {}int{}\n", "list[".repeat(n), "]".repeat(n)));
    lowered(&format!("x: \"{}int{}\"\n", "list[".repeat(n), "]".repeat(n)));
    lowered(&format!("x = f'{}{}'\n", "{a:".repeat(n), "}".repeat(n)));
}

#[test]
fn unclosed_nesting() {
    for open in ["(", "[", "{1:", "f(", "def f(", "class C(\n", "if x:\n", "try:\n", "@", ":", "*", "\"\"\"", "f'{"] {
        lowered(&open.repeat(2_000));
    }
}

#[test]
fn long_chains_are_whole() {
    let n = 10_000;
    let count = |source: &str, kind: fn(&ExprKind) -> bool| {
        let file = lowered(source);
        assert!(file.problems.is_empty(), "{:?}", messages(&file));
        file.exprs.iter().filter(|expr| kind(&expr.kind)).count()
    };
    let sum = format!("x = a{}\n", " + b".repeat(n));
    assert_eq!(count(&sum, |kind| matches!(kind, ExprKind::Binary(..))), n);
    let both = format!("x = a{}\n", " and b".repeat(n));
    assert_eq!(count(&both, |kind| matches!(kind, ExprKind::And(..))), n);
    let calls = format!("x = a{}\n", ".b(1)[0]".repeat(n));
    assert_eq!(count(&calls, |kind| matches!(kind, ExprKind::Call { .. })), n);
    let compared = format!("x = a{}\n", " < b".repeat(n));
    assert_eq!(count(&compared, |kind| matches!(kind, ExprKind::Compare(..))), n);
    let strings = format!("x = {}\n", "'a' ".repeat(n));
    assert_eq!(count(&strings, |kind| matches!(kind, ExprKind::Literal(_))), 1);
    let union = format!("x: A{}\n", " | B".repeat(n));
    assert_eq!(count(&union, |kind| matches!(kind, ExprKind::Free(_))), n + 1);
}

#[test]
fn long_branches_are_whole() {
    let source = format!("if a: f()\n{}else: f()\n", "elif a: f()\n".repeat(5_000));
    let file = lowered(&source);
    assert!(file.problems.is_empty());
    assert_eq!(file.stmts.iter().filter(|stmt| matches!(stmt, Stmt::If { .. })).count(), 5_001);
    let assigned = lowered(&format!("{}1\n", "a = ".repeat(10_000)));
    assert!(matches!(&assigned.stmts[..], [Stmt::Assign { targets, .. }] if targets.len() == 10_000));
}

#[test]
fn lowering_is_deterministic() {
    assert_eq!(dump(&python(SAMPLE)), dump(&python(SAMPLE)));
}
