//! Spans and ignore comments.

use super::lower_as;
use crate::ir::*;

fn at(source: &str, span: Span) -> &str {
    &source[span.start as usize..span.end as usize]
}

#[test]
fn function_spans_start_where_ids_say() {
    let source = "class A {\n  @D()\n  static async m() {}\n}\nexport const f = async () => {};\nrun(function () {});\n\
                  export async function g() {}\n";
    let file = lower_as("a.ts", source);
    let spans: Vec<(&str, &str)> = file.functions[1..]
        .iter()
        .filter(|f| f.kind != FunctionKind::ClassBody)
        .map(|f| (at(source, f.span), at(source, f.name_span)))
        .collect();
    assert_eq!(
        spans,
        [("async function g() {}", "g"), ("static async m() {}", "m"), ("async () => {}", "f"), ("function () {}", ""),]
    );
}

#[test]
fn expression_spans() {
    let source = "const x = (client.chat /* c */ .create({ a: 1 }) as T);";
    let file = lower_as("a.ts", source);
    for expr in &file.exprs {
        let text = at(source, expr.span);
        match &expr.kind {
            ExprKind::Call { .. } => assert_eq!(text, "client.chat /* c */ .create({ a: 1 })"),
            ExprKind::Typed(..) => assert_eq!(text, "client.chat /* c */ .create({ a: 1 }) as T"),
            ExprKind::Attr { name, name_span, .. } => {
                assert_eq!(at(source, *name_span), file.name(*name));
                assert!(text.ends_with(file.name(*name)));
            }
            _ => {}
        }
    }
}

#[test]
fn headers() {
    let source = "for (let i = 0; i < 3; i++) {\n}\nwhile (x)\n f();\nfor (const a of b) { }\ntry { } catch (e) { }";
    let file = lower_as("a.ts", source);
    let headers: Vec<&str> = file
        .stmts
        .iter()
        .filter_map(|stmt| match stmt {
            Stmt::Loop { header, .. } | Stmt::ForEach { header, .. } => Some(at(source, *header)),
            Stmt::Try { handlers, .. } => Some(at(source, handlers[0].span)),
            _ => None,
        })
        .collect();
    assert_eq!(headers, ["for (let i = 0; i < 3; i++)", "while (x)", "for (const a of b)", "catch (e)"]);
}

#[test]
fn statement_spans() {
    let source = "let a = 1, b = f();\nreturn_(a);";
    let file = lower_as("a.ts", source);
    let spans: Vec<&str> = file.stmt_spans.iter().map(|&span| at(source, span)).collect();
    assert_eq!(spans, ["a = 1", "b = f()", "return_(a)"]);
}

#[test]
fn ignore_comments() {
    let source = "// squall: ignore[retry-storm, no-jitter] known\nf();\ng(); // squall: ignore\n\
                  /* squall: ignore[a] */ h();\n/**\n * squall:ignore[b]\n */\n// squall: ignored\n// not squall: ignore\n\
                  const t = 'squall: ignore[c]';\n";
    let file = lower_as("a.ts", source);
    let found: Vec<(u32, bool, String)> =
        file.ignores.iter().map(|i| (i.line, i.trailing, i.rules.join("+"))).collect();
    assert_eq!(
        found,
        [
            (1, false, "retry-storm+no-jitter".into()),
            (3, true, String::new()),
            (4, false, "a".into()),
            (6, false, "b".into()),
        ]
    );
    assert_eq!(at(source, file.ignores[0].span), "// squall: ignore[retry-storm, no-jitter] known");
    let file = lower_as("a.tsx", "const a = <div>\n  {/* squall: ignore[x] */}\n  {f()}\n</div>;");
    assert_eq!((file.ignores[0].line, file.ignores[0].trailing), (2, false));
}
