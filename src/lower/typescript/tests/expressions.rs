//! Expressions.

use super::{check, check_as};

#[test]
fn chains() {
    check("a?.b.c?.[d]?.(e)", "@a?.b.c[@d]?.(@e)");
    check("a.b(1, ...c).d[0].e()", "@a.b(1, ...@c).d[0].e()");
    check("new a.B(1).c(), new D, new (f())()", "new @a.B(1).c() \n new @D() \n new @f()()");
    check("f(x => x)(y!)!.z", "@f(arrow(x) { \n return x \n })(@y).z");
    check("this.#x.y, super.z", "this.#x.y \n ?().z");
}

#[test]
fn operators() {
    check("a + b * c - d % e ** f", "((@a Add (@b Mul @c)) Sub (@d Mod (@e Pow @f)))");
    check("a && b || c", "((@a and @b) or @c)");
    check("a ?? b, a === b, a != b, a <= b", "(@a ?? @b) \n (@a Eq @b) \n (@a NotEq @b) \n (@a LtEq @b)");
    check("a in b, a instanceof B, #p in o", "(@a In @b) \n (@a instanceof @B) \n (?() In @o)");
    check(
        "!a, -a, +a, ~a, typeof a, delete a.b",
        "Not(@a) \n Neg(@a) \n Plus(@a) \n Invert(@a) \n TypeOf(@a) \n Delete(@a.b)",
    );
    check("void 0, void f()", "null \n Void(@f())");
    check("a ? b : c ? d : e", "(@a ? @b : (@c ? @d : @e))");
    check("if (++n >= max || n-- === 0) f()", "if ((Prefix(^n +1) GtEq @max) or (Postfix(^n -1) Eq 0)) { \n @f() \n }");
}

#[test]
fn assignments_inside() {
    check(
        "while ((m = re.exec(s)) !== null) f(x ||= 1, y.z += 2)",
        "loop while ((^m := @re.exec(@s)) NotEq null) { \n @f((^x Or := 1), (@y.z Binary(Add) := 2)) \n }",
    );
    check("(this.h[k] ||= []).push(fn)", "(this.h[@k] Or := []).push(@fn)");
}

#[test]
fn comma_expressions() {
    check("x = (a(), b = 1, c)", "^x = do { \n @a() \n ^b = 1 \n } => @c");
    check("(0, m.send)(x)", "@m.send(@x)");
    check("return_(), (a(), (b(), c()))", "@return_() \n @a() \n @b() \n @c()");
}

#[test]
fn literals() {
    check(
        r#"f(1_000, 0x10, 1e3, .5, 10n, "a\n", 'é', true, null, undefined, /x/g, Infinity, NaN)"#,
        r#"@f(1000, 16, 1000, 0.5, 10, "a\n", "é", true, null, null, /other/, @Infinity, @NaN)"#,
    );
    check("function f(undefined) { return undefined }", "fn f(undefined) { \n return undefined \n } -> ^f");
    check("[1, , ...xs, [2]]", "[1, ...@xs, [2]]");
}

#[test]
fn templates() {
    check("`a${x}b\\n${y}`", r#"`"a", @x, "b\n", @y`"#);
    check("`plain`", r#""plain""#);
    check(
        "sql`select ${1}`, a.b`x`",
        r#"tagged @sql(`"select ", 1`) \n tagged @a.b(`"x"`)"#.replace("\\n", "\n").as_str(),
    );
}

#[test]
fn casts() {
    check(
        "(x as T).y, x! as unknown as Foo<Bar>, <Foo>x, y satisfies T, [1] as const, f<string>",
        "(@x as @T).y \n ((@x as ?) as @Foo<@Bar>) \n (@x as @Foo) \n (@y as @T) \n [1] \n @f",
    );
}

#[test]
fn type_arguments_of_calls() {
    check(
        r#"proxy<Pick<A, "b">>({}), new Map<string, Client>(), f<typeof acts>(g<X>())"#,
        "@proxy<@Pick<@A, ?>>({}) \n new @Map<@string, @Client>() \n @f<typeof @acts>(@g<@X>())",
    );
}

#[test]
fn promises() {
    check(
        "await f().then((r) => r.x).catch((e) => { throw e }).finally(done); const p = new Promise((r) => setTimeout(r, 1))",
        "
        await @f().then(arrow(r) {
          return r.x
        }).catch(arrow(e) {
          raise e
        }).finally(@done)
        ^p = new @Promise(arrow(r~1) {
          return @setTimeout(r~1, 1)
        })
        ",
    );
}

#[test]
fn meta_properties() {
    check("function F() { new.target }", "fn F() { \n @new.target \n } -> ^F");
    check("import.meta.env.X", "@import.meta.env.X");
}

#[test]
fn jsx() {
    let expected = r#"
        ^el = <@Foo.Bar {"a": "1", ...@p, "on": arrow() {
          return @go()
        }, "flag": true} [@x, < {"data-x": 1} []>, ...]>
    "#;
    let source = "const el = <Foo.Bar a=\"1\" {...p} on={() => go()} flag>text {x} <b data-x={1}/> {/* c */}&amp;<><App/></></Foo.Bar>;";
    let expected = expected.replace("...]>", "< {} [<@App {} []>]>]>");
    check_as("a.tsx", source, &expected);
    check_as("a.jsx", source, &expected);
}
