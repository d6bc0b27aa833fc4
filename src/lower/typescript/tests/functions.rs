//! Functions, their parameters and their names.

use super::{check, lower_as};
use crate::ir::*;

#[test]
fn parameters() {
    check(
        "function f({ op, times = 3, ...rest }: O = {}, [a, , b]: T[], x?: string, fn = send, ...ys: number[]) {}",
        "fn f({op: op, times: times = 3, ...rest}: @O = {}, [a, _, b]: @T[], x: @string, fn = @send, ...ys: @number[]) \
         {} -> ^f",
    );
    check(
        "const f = async (a, { b }) => ({ a, b }), g = x => x, h = async x => { await x };",
        r#"
        ^f = async arrow f(a, {b: b}) {
          return {"a": a, "b": b}
        }
        ^g = arrow g(x) {
          return x
        }
        ^h = async arrow h(x~1) {
          await x~1
        }
        "#,
    );
    check("function f(this: Foo, a = arguments) { return this }", "fn f(a = @arguments) { \n return this \n } -> ^f");
    let file = lower_as("a.js", "function f(a, { b }, ...c) {}");
    let names: Vec<Option<&str>> =
        file.function(FunctionId(1)).params.iter().map(|p| p.name.map(|n| file.name(n))).collect();
    assert_eq!(names, [Some("a"), None, Some("c")]);
}

#[test]
fn defaults_see_earlier_parameters() {
    check("function f(a, b = a, c = () => b) {}", "fn f(a, ^b = a, c = arrow() { \n return ^b \n }) {} -> ^f");
}

#[test]
fn declarations_are_hoisted() {
    check(
        "job(); function job() { send(); function send() {} } if (x) { a(); function a() {} }",
        "
        fn job() {
          fn send() {} -> send
          send()
        } -> ^job
        ^job()
        if @x {
          fn a() {} -> a
          a()
        }
        ",
    );
}

#[test]
fn overloads_and_ambient_functions() {
    check(
        "function f(a: string): A; function f(a: number): B; function f(a: any) { return a } declare function g(): C;",
        "
        fn f(a: ?) {
          return a
        } -> ^f
        abstract fn g(): @C {} -> ^g
        ",
    );
}

#[test]
fn generators() {
    check(
        "async function* f() { yield 1; const x = yield; yield* g(); for await (const y of f()) {} }",
        "
        async fn* f() {
          yield 1
          x = yield
          yield* @g()
          for await y of ^f() {}
        } -> ^f
        ",
    );
}

#[test]
fn an_own_name_is_bound_only_if_used() {
    check(
        "const c = function inner() {}; const fact = function self(n) { return n * self(n - 1) }",
        "
        ^c = fn inner() {}
        ^fact = do {
          fn self(n) {
            return (n Mul ^self((n Sub 1)))
          } -> ^self
        } => ^self
        ",
    );
}

/// Names of all functions in order of their ids, with the kind.
fn names(source: &str) -> Vec<String> {
    let file = lower_as("a.tsx", source);
    let name = |f: &Function| format!("{:?} {}", f.kind, f.name.map_or("-", |n| file.name(n)));
    file.functions[1..].iter().map(name).collect()
}

#[test]
fn functions_are_named_by_where_they_are_put() {
    assert_eq!(names("const f = () => {}, g = (async function () {}) as T"), ["Arrow f", "Named g"]);
    assert_eq!(names("const c = function inner() {}"), ["Named inner"]);
    assert_eq!(names("let h; h = () => {}"), ["Arrow h"]);
    assert_eq!(names("withRetry(() => send())"), ["Arrow -"]);
    assert_eq!(names("const safe = withRetry(function () {})"), ["Anonymous -"]);
    assert_eq!(names("exports.post = function () {}; module.exports.x = () => {}"), ["Named post", "Arrow x"]);
    assert_eq!(names("module.exports = function run() {}"), ["Named run"]);
    assert_eq!(names("module.exports = () => {}"), ["Arrow -"]);
    assert_eq!(names("Client.prototype.send = function () {}"), ["Named Client.send"]);
    assert_eq!(
        names("this.handle = () => {}; descriptor.value = async function () {}"),
        ["Arrow handle", "Named descriptor.value"]
    );
    assert_eq!(names("get(x).y = () => {}"), ["Arrow y"]);
    assert_eq!(
        names("const handlers = { load() {}, 'other-kind': () => {}, a: { b: function () {} } }"),
        ["Named handlers.load", "Arrow handlers.other-kind", "Named handlers.a.b"]
    );
    assert_eq!(names("run({ retryOn: () => {} })"), ["Arrow retryOn"]);
    assert_eq!(names("const r: Runner = { go: (x) => x }"), ["Arrow r.go"]);
    assert_eq!(names("export default () => {}"), ["Arrow -"]);
    assert_eq!(names("const f = x ? () => {} : function () {}"), ["Arrow -", "Anonymous -"]);
}

#[test]
fn parents_and_classes() {
    let file = lower_as("a.ts", "class C { f = () => 1; m() { return () => 2 } static s = () => 3 }");
    let of = |text: &str| {
        let found = file.functions.iter().position(|f| {
            let span = f.span;
            "class C { f = () => 1; m() { return () => 2 } static s = () => 3 }"
                .get(span.start as usize..span.end as usize)
                == Some(text)
                && matches!(f.kind, FunctionKind::Arrow | FunctionKind::Named)
        });
        file.function(FunctionId(found.unwrap() as u32))
    };
    let parent = |f: &Function| file.function(f.parent.unwrap());
    assert_eq!(parent(of("() => 1")).kind, FunctionKind::FieldInit);
    assert_eq!(parent(of("() => 1")).class, Some(ClassId(0)));
    assert_eq!(parent(of("() => 2")).kind, FunctionKind::Named);
    assert_eq!(parent(of("() => 3")).kind, FunctionKind::ClassBody);
    assert_eq!(of("m() { return () => 2 }").class, Some(ClassId(0)));
    assert_eq!(of("() => 2").class, None);
}
