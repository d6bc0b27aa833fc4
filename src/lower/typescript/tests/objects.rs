//! Object literals and destructuring.

use super::check;

#[test]
fn literals() {
    check(
        "x = { ...DEF, max: 6, 'a-b': 1, 3: 2, [K]: 3, ['s']: 4, b, m() { return this.max }, get z() { return 1 }, \
         set z(v) { k(v) }, async *g() {} }",
        r#"
        ^x = {...@DEF, "max": 6, "a-b": 1, "3": 2, @K: 3, "s": 4, "b": @b, "m": fn x.m() {
          return this.max
        }, get "z": fn x.z() {
          return 1
        }, "set x.z": fn x.z(v) {
          @k(v)
        }, "g": async fn* x.g() {}}
        "#,
    );
}

#[test]
fn destructuring() {
    check(
        "const { a, b: { c = 1 }, 'x-y': d, [k]: e, ...rest } = o, [f, , g = 2, ...h] = p;",
        "
        {a: ^a, b: {c: ^c = 1}, x-y: ^d, [k]: ^e, ...^rest} = @o
        [^f, _, ^g = 2, ...^h] = @p
        ",
    );
    check("for (const { x } of xs) f(x)", "for {x: x} of @xs { \n @f(x) \n }");
}
