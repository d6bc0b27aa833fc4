//! Expressions: literals, strings, operators, calls, comprehensions.

use super::check;

#[test]
fn numbers() {
    check(
        r#"
f(0, 10_000, 0x1F, 0o17, 0b11, 0777, 5L, 1.5, 1e3, .5, 3j, 99999999999999999999, True, False, None, ...)
"#,
        r#"
do call f(0, 10000, 31, 15, 3, 511, 5, 1.5, 1000.0, 0.5, constant, constant, true, false, null, constant)
"#,
    );
}

#[test]
fn strings() {
    check(
        r#"
f("a\n\x41\u00e9\101\q\\", r"\n", b"x", u"y", 'it''s', """m
n""", "a" b"b", "con\
t")
"#,
        r#"
do call f("a\nAéA\\q\\", "\\n", constant, "y", "its", "m\nn", constant, "cont")
"#,
    );
}

#[test]
fn interpolated_strings() {
    check(
        r#"
f(f"a{x!r:>{w}}b{{c}}", "a" f"{x}" "b" f"c", f"plain", rf"\d{y}", f"{x=}", f"{'in' + f'{z}'}")
"#,
        r#"
do call f(template("a", x, w, "b{c}"), template("a", x, "bc"), "plain", template("\\d", y), template(x), template(("in" + template(z))))
"#,
    );
}

#[test]
fn operators() {
    check(
        r#"
f(-a + b * c, not a, ~b, +c, a ** -b, a // b % c @ d, a << 1 >> 2, a & b | c ^ d)
f(a and b or not c, a if t else b, (x := 5))
"#,
        r#"
vars: x#0*
do call f((-a + (b * c)), not a, ~b, +c, (a ** -b), (((a // b) % c) @ d), ((a << 1) >> 2), ((a & b) | (c ^ d)))
do call f(((a and b) or not c), (a if t else b), (x#0 := 5))
"#,
    );
}

#[test]
fn comparisons() {
    check(
        r#"
f(a < 1, a == b, a != b, a is None, a is not None, a in xs, a not in xs)
f(0 < a <= 3, 0 < g(x) < 3 < 5)
"#,
        r#"
vars: <compared>#0
do call f((a < 1), (a == b), (a != b), (a is null), (a is not null), (a in xs), (a not in xs))
do call f(((0 < a) and (a <= 3)), (((0 < (<compared>#0 := call g(x))) and (<compared>#0 < 3)) and (3 < 5)))
"#,
    );
}

#[test]
fn calls() {
    check(
        r#"
f()
a.b.c(1, *args, k=2, **kw)(3).d
f(x for x in xs)
f(*a, *b, (*c,))
"#,
        r#"
vars: <x>#0
do call f()
do call call a.b.c(1, *args, k=2, **kw)(3).d
do call f(generator(<x>#0 for <x>#0 in xs))
do call f(*a, *b, tuple(*c))
"#,
    );
}

#[test]
fn subscripts() {
    check(
        r#"
f(a[0], a[1:2], a[:1], a[1:], a[::2], a[1::b[:c]], a[:], a[1, 2], a[b:c, 0], a["k"][0], a[*b])
"#,
        r#"
do call f(a[0], a[slice 1, 2], a[slice null, 1], a[slice 1], a[slice null, null, 2], a[slice 1, null, b[slice null, c]], a[slice ], a[tuple(1, 2)], a[tuple(?(b, c), 0)], a["k"][0], a[tuple(*b)])
"#,
    );
}

#[test]
fn displays() {
    check(
        r#"
f([], [1, *a], (), (1,), (1, 2), {}, {1}, {1, *a}, {"k": 1, **b, c: 2})
"#,
        r#"
do call f([], [1, *a], tuple(), tuple(1), tuple(1, 2), {}, set(1), set(1, *a), {"k": 1, **b, c: 2})
"#,
    );
}

#[test]
fn comprehensions() {
    check(
        r#"
x = 1
f([x for x in x], {y for y in a if y if z}, {k: v for k, v in d}, (x async for x in g() for y in x if y))
[[a for a in b] for b in c]
[lambda: i for i in n]
def g():
    return [(last := e) for e in x], e, last
"#,
        r#"
vars: x#0* <x>#1 <y>#2 <k>#3 <v>#4 <x>#5 <y>#6 <b>#7 <a>#8 <i>#9* g#12*
x#0 = 1
do call f(list(<x>#1 for <x>#1 in x#0), set(<y>#2 for <y>#2 in a if <y>#2 if z), dict(<k>#3: <v>#4 for [<k>#3, <v>#4] in d), generator(<x>#5 async for <x>#5 in call g#12() for <y>#6 in <x>#5 if <y>#6))
do list(list(<a>#8 for <a>#8 in <b>#7) for <b>#7 in c)
do list(closure@1 for <i>#9 in n)
  closure @1()
    return <i>#9
g#12 = def g@2()
  vars: e#10 last#11
  return tuple(list((last#11 := e#10) for e#10 in x#0), e, last#11)
"#,
    );
}

#[test]
fn await_and_yield() {
    check(
        r#"
async def f():
    a = await g() + await h.i()
    await asyncio.gather(*[k(x) async for x in y])
    return (yield a)
"#,
        r#"
vars: f#2*
f#2 = async def f@1() [generator]
  vars: a#0 x#1
  a#0 = (await call g() + await call h.i())
  do await call asyncio.gather(*list(call k(x#1) async for x#1 in y))
  return (yield a#0)
"#,
    );
}

#[test]
fn imports_at_run_time_stay_calls() {
    check(
        r#"
importlib.import_module("a.b")
isinstance(x, (A, B))
cast("Foo", x)
"#,
        r#"
do call importlib.import_module("a.b")
do call isinstance(x, tuple(A, B))
do call cast("Foo", x)
"#,
    );
}
