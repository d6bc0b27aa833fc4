//! Broken, odd and hostile input: no panic, no overflow, as much as possible lowered.

use super::print::print;
use crate::ir::*;

fn lower(path: &str, source: &str) -> File {
    crate::lower::typescript::lower(path, source)
}

/// On a thread with the stack of a worker.
fn lower_on_small_stack(path: &'static str, source: String) -> File {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    thread.spawn(move || lower(path, &source)).unwrap().join().unwrap()
}

const SAMPLE: &str = include_str!("sample.tsx");

#[test]
fn the_sample_is_lowered_whole() {
    let file = lower("sample.tsx", SAMPLE);
    assert!(file.problems.is_empty(), "{:?}", file.problems);
    assert!(!file.exprs.iter().any(|e| matches!(e.kind, ExprKind::Unknown(_))));
}

#[test]
fn truncated_anywhere() {
    for (path, step) in [("a.tsx", 7), ("a.ts", 35), ("a.js", 35)] {
        for end in (0..SAMPLE.len()).step_by(step).filter(|&end| SAMPLE.is_char_boundary(end)) {
            check_ids(&lower(path, &SAMPLE[..end]));
        }
    }
}

#[test]
fn with_a_hole_anywhere() {
    for start in (0..SAMPLE.len().saturating_sub(5)).step_by(11) {
        if SAMPLE.is_char_boundary(start) && SAMPLE.is_char_boundary(start + 5) {
            check_ids(&lower("a.tsx", &format!("{}{}", &SAMPLE[..start], &SAMPLE[start + 5..])));
        }
    }
}

/// Every id in a block and every span is inside.
fn check_ids(file: &File) {
    for block in &file.blocks {
        assert!(block.iter().all(|stmt| stmt.index() < file.stmts.len()));
    }
    assert!(file.exprs.iter().all(|e| e.span.start <= e.span.end));
    print(file);
}

#[test]
fn odd_beginnings() {
    for source in ["", "\u{feff}", "\n", "#!/usr/bin/env node", "// only a comment", "\u{feff}#!x\nf();", ";", "\0"] {
        for path in ["a.ts", "a.tsx", "a.js", "a.mjs", "a.cjs", "a.jsx", "a.mts", "a.cts"] {
            lower(path, source);
        }
    }
}

#[test]
fn line_ends_and_marks() {
    let file = lower("a.ts", "\u{feff}const a = 1;\r\nconst é = \"ü\\u00e9\";\r\nf(é);\r\n");
    assert_eq!(print(&file), "^a = 1\n^é = \"üé\"\n@f(^é)\n");
    assert!(file.problems.is_empty());
    let file = lower("a.js", "#!/usr/bin/env node\nf();\n");
    assert_eq!(print(&file), "@f()\n");
}

#[test]
fn one_problem_a_region() {
    let file = lower("a.ts", "f();\nconst = = 3 ] ];\ng();\n");
    assert!(!file.problems.is_empty() && file.problems.len() <= 3, "{:?}", file.problems);
    let text = print(&file);
    assert!(text.contains("@f()") && text.contains("@g()"), "{text}");
}

#[test]
fn an_unclosed_function_keeps_its_statements() {
    let text = print(&lower("a.ts", "export async function f() {\n  const x = await g();\n  retry(() => x);\n"));
    assert!(text.contains("await @g()") && text.contains("@retry("), "{text}");
}

#[test]
fn flow_annotations_in_javascript() {
    let file = lower("a.js", "// @flow\nfunction f(x: number, y?: string): Promise<void> { return g(x); }\n");
    assert!(file.problems.is_empty(), "{:?}", file.problems);
    assert!(print(&file).contains("return @g(x)"));
    lower("a.js", "opaque type T = string;\nexport type { A } from './a';\nfunction f(x: {| a: ?B |}) {}\n");
}

#[test]
fn deep_nesting_is_cut() {
    let n = 10_000;
    let wrapped = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    let sources = [
        wrapped("[", "f()", "]"),
        wrapped("f(", "1", ")"),
        wrapped("!", "x", ""),
        wrapped("({a:", "1", "})"),
        wrapped("if (x) {", "f()", "}"),
        wrapped("if (x) f(); else ", "g()", ""),
        wrapped("() => ", "f()", ""),
        wrapped("x = ", "1", ";"),
        wrapped("a ? b : ", "c", ""),
        wrapped("function f() {", "g()", "}"),
        wrapped("(class { m() { return ", "1", "} })"),
        wrapped("`${", "x", "}`"),
        wrapped("await ", "x", ""),
        wrapped("new ", "X", ""),
        wrapped("for (;;) ", "f()", ""),
        wrapped("a: ", "f()", ""),
        wrapped("x[", "1", "]"),
        wrapped("(x, ", "1", ")"),
        wrapped("switch (x) { case 1: ", "f()", "}"),
        wrapped("try { ", "f()", "} catch {}"),
        wrapped("namespace N { ", "f()", "}"),
        format!("let {} = x", wrapped("[", "a", "]")),
        format!("let {} = x", wrapped("{a:", "a", "}")),
        format!("let x: {} = y", wrapped("A<", "B", ">")),
        format!("let x: {}", wrapped("(", "B", ")")),
        format!("let x: {}", wrapped("{ a: ", "B", "}")),
        format!("let x: {} B", "() => ".repeat(n)),
        format!("namespace {}a {{ f() }}", "a.".repeat(n)),
        format!("let x: {}B", "a.".repeat(n)),
    ];
    for source in sources {
        let head: String = source.chars().take(30).collect();
        let file = lower_on_small_stack("deep.ts", source);
        assert!(depth(&file) < 600, "{head}: {}", depth(&file));
    }
    lower_on_small_stack("deep.tsx", wrapped("<a b={", "1", "}/>"));
    lower_on_small_stack("deep.tsx", wrapped("<a>", "x", "</a>"));
    lower_on_small_stack("deep.ts", "(".repeat(n));
    lower_on_small_stack("deep.ts", "{".repeat(n));
    lower_on_small_stack("deep.ts", "<".repeat(n));
}

#[test]
fn nesting_within_the_guard_is_kept() {
    let n = 60;
    let file = lower_on_small_stack("a.ts", format!("{}g(){}", "f(".repeat(n), ")".repeat(n)));
    assert!(file.problems.is_empty());
    let parens = format!("{}g(){}", "(".repeat(10_000), ")".repeat(10_000));
    let file = lower_on_small_stack("a.ts", parens);
    assert!(file.problems.is_empty());
    assert_eq!(print(&file), "@g()\n");
}

#[test]
fn long_chains_are_kept_and_stay_shallow() {
    let n = 10_000;
    for source in [
        format!("x = a{}", ".b()".repeat(n)),
        format!("x = a{}", " + b()".repeat(n)),
        format!("x = a{}", " || b()".repeat(n)),
        format!("x = a{}", "[b()]".repeat(n)),
        format!("x = a{}", "(b())".repeat(n)),
        format!("x = a{}", " as B".repeat(n)),
        format!("x = (a{})", ", b()".repeat(n)),
        format!("x = a{}", "!".repeat(n)),
        format!("let x: A{}", " | A".repeat(n)),
    ] {
        let calls = source.matches("b()").count();
        let file = lower_on_small_stack("chain.ts", source);
        assert!(file.problems.is_empty(), "{:?}", file.problems);
        let found = file.exprs.iter().filter(|e| matches!(e.kind, ExprKind::Call { .. })).count();
        assert!(found >= calls);
        assert!(depth(&file) < 300, "{}", depth(&file));
    }
}

#[test]
fn a_large_file_on_one_line() {
    let piece = "!function(e,t){var n=e(1),r=n.a;for(var i=0;i<3;i++)try{r(i)}catch(a){t(a)}return r}(f,g);";
    let file = lower_on_small_stack("min.js", piece.repeat(11_000));
    assert!(file.problems.is_empty());
    assert_eq!(file.functions.len(), 11_001);
}

/// The deepest nesting of expressions, counted upwards (children have smaller ids).
fn depth(file: &File) -> usize {
    let mut depths = vec![1usize; file.exprs.len()];
    let mut deepest = 0;
    for (at, expr) in file.exprs.iter().enumerate() {
        let mut below = 0;
        for child in children(&expr.kind) {
            below = below.max(depths[child.index()]);
        }
        depths[at] = below + 1;
        deepest = deepest.max(depths[at]);
    }
    deepest
}

fn children(kind: &ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Unknown(parts) | ExprKind::Template(parts) => parts.clone(),
        ExprKind::Attr { object, .. } => vec![*object],
        ExprKind::Index { object, index } => vec![*object, *index],
        ExprKind::Call { callee, args, .. } => args.iter().map(|a| a.value()).chain([*callee]).collect(),
        ExprKind::Seq(_, args) => args.iter().map(|a| a.value()).collect(),
        ExprKind::Await(e) | ExprKind::Unary(_, e) | ExprKind::Typed(e, _) => vec![*e],
        ExprKind::Binary(_, a, b) | ExprKind::Or(a, b) | ExprKind::And(a, b) => vec![*a, *b],
        ExprKind::Conditional { test, then, otherwise } => vec![*test, *then, *otherwise],
        ExprKind::Dict(entries) => entries
            .iter()
            .flat_map(|entry| match *entry {
                Entry::Pair(k, v) | Entry::Getter(k, v) => vec![k, v],
                Entry::Spread(e) => vec![e],
            })
            .collect(),
        _ => Vec::new(),
    }
}
