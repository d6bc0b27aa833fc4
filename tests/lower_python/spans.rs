//! Where things stand in the source.

use super::python;
use squall::ir::*;

fn at(source: &str, span: Span) -> &str {
    &source[span.start as usize..span.end as usize]
}

/// The source texts of all expressions of a kind.
fn texts(source: &str, kind: impl Fn(&ExprKind) -> bool) -> Vec<&str> {
    python(source).exprs.iter().filter(|expr| kind(&expr.kind)).map(|expr| at(source, expr.span)).collect()
}

#[test]
fn calls_and_attributes() {
    let source = "x = (a.b( 1, é=c . d )).e(2) \n";
    let mut calls = texts(source, |kind| matches!(kind, ExprKind::Call { .. }));
    calls.sort();
    assert_eq!(calls, ["(a.b( 1, é=c . d )).e(2)", "a.b( 1, é=c . d )"]);
    let file = python(source);
    let mut names: Vec<_> = file
        .exprs
        .iter()
        .filter_map(|expr| match &expr.kind {
            ExprKind::Attr { name, name_span, .. } => Some((file.name(*name), at(source, *name_span))),
            _ => None,
        })
        .collect();
    names.sort();
    assert_eq!(names, [("b", "b"), ("d", "d"), ("e", "e")]);
}

#[test]
fn super_calls_and_literals() {
    let source = "class A(B):\n    def f(self): super(A, self).f('x' \"y\", -1)\n";
    assert_eq!(texts(source, |kind| matches!(kind, ExprKind::Super(_))), ["super(A, self)"]);
    let literals = texts(source, |kind| matches!(kind, ExprKind::Literal(_)));
    assert_eq!(literals, ["'x' \"y\"", "1"]);
}

#[test]
fn string_annotations_point_into_the_string() {
    let source = "def f(a: 'm.Foo', b: \"list[ Bar ]\"): pass\n";
    assert_eq!(texts(source, |kind| matches!(kind, ExprKind::Attr { .. })), ["m.Foo"]);
    assert_eq!(texts(source, |kind| matches!(kind, ExprKind::Free(_))), ["m", "list", "Bar"]);
}

#[test]
fn definitions() {
    let source = "@deco(1)\nasync def f(a, *b: int, c=1):\n    pass\n@d\nclass C(B):\n    x: int = 1\n";
    let file = python(source);
    let function = &file.functions[1];
    assert_eq!(at(source, function.span), "async def f(a, *b: int, c=1):\n    pass");
    assert_eq!(at(source, function.name_span), "f");
    let params: Vec<_> = function.params.iter().map(|param| at(source, param.span)).collect();
    assert_eq!(params, ["a", "*b: int", "c=1"]);
    let class = &file.classes[0];
    assert_eq!(at(source, class.name_span), "C");
    assert_eq!(at(source, class.span), "class C(B):\n    x: int = 1");
    assert_eq!(at(source, class.fields[0].span), "x: int = 1");
}

#[test]
fn headers() {
    let source = "for x in xs :\n    while x > 1:\n        pass\ntry: pass\nexcept (A, B) as e: pass\nexcept: pass\n";
    let mut headers = Vec::new();
    for stmt in python(source).stmts {
        match stmt {
            Stmt::ForEach { header, .. } | Stmt::Loop { header, .. } => headers.push(at(source, header)),
            Stmt::Try { handlers, .. } => headers.extend(handlers.iter().map(|handler| at(source, handler.span))),
            _ => {}
        }
    }
    assert_eq!(headers, ["while x > 1", "for x in xs", "except (A, B) as e", "except"]);
}

#[test]
fn imports_and_ignores() {
    let source = "from ..a.b import (c as d)\nimport e.f  # noqa # squall: ignore[x]\n";
    let file = python(source);
    let modules: Vec<_> = file
        .stmts
        .iter()
        .filter_map(|stmt| match stmt {
            Stmt::Import { module, .. } => Some((module.level, at(source, module.span))),
            _ => None,
        })
        .collect();
    assert_eq!(modules, [(2, "..a.b"), (0, "e.f")]);
    assert_eq!(at(source, file.ignores[0].span), "# squall: ignore[x]");
}
