//! Functions: parameters, defaults, async, decorators, nesting, lambdas, generators.

use super::check;

#[test]
fn parameters_of_all_kinds() {
    check(
        r#"
def f(a, b: int, /, c=1, *args: str, d, e: float = 2.5, **kw) -> bool:
    return a
def g(x, *, y): pass
def h(*, z=None): pass
"#,
        r#"
vars: f#7* g#10* h#12*
f#7 = def f@1(positional a#0, positional b#1: int, c#2 = 1, *args#3: str, keyword d#4, keyword e#5: float = 2.5, **kw#6) -> bool
  vars: a#0 b#1 c#2 args#3 d#4 e#5 kw#6
  return a#0
g#10 = def g@2(x#8, keyword y#9)
  vars: x#8 y#9
h#12 = def h@3(keyword z#11 = null)
  vars: z#11
"#,
    );
}

#[test]
fn defaults_belong_to_the_scope_around() {
    check(
        r#"
n = 3
def f(n=n, g=lambda: n):
    return n
"#,
        r#"
vars: n#0* f#3*
n#0 = 3
f#3 = def f@1(n#1 = n#0, g#2 = closure@2)
  closure @2()
    return n#0
  vars: n#1 g#2
  return n#1
"#,
    );
}

#[test]
fn async_and_generators() {
    check(
        r#"
async def fetch(x):
    return await x.get()
def numbers():
    yield
    y = yield 1
    yield from numbers()
async def stream():
    async for a in fetch(1):
        yield a
def outer():
    def inner():
        yield 1
    return inner
"#,
        r#"
vars: fetch#1* numbers#3* stream#5* outer#7*
fetch#1 = async def fetch@1(x#0)
  vars: x#0
  return await call x#0.get()
numbers#3 = def numbers@2() [generator]
  vars: y#2
  do (yield)
  y#2 = (yield 1)
  do (yield from call numbers#3())
stream#5 = async def stream@3() [generator]
  vars: a#4
  async for a#4 in call fetch#1(1)
    do (yield a#4)
outer#7 = def outer@4()
  vars: inner#6
  inner#6 = def inner@5() [generator]
    do (yield 1)
  return inner#6
"#,
    );
}

#[test]
fn decorators_are_kept_outermost_first() {
    check(
        r#"
@first
@mod.second(3, key="x")
def f(): pass
"#,
        r#"
vars: f#0*
@ first
@ call mod.second(3, key="x")
def f@1() bound to f#0
"#,
    );
}

#[test]
fn nested_functions_and_captures() {
    check(
        r#"
def outer(a):
    n = 0
    def middle():
        def inner():
            return a + n
        return inner
    return middle
"#,
        r#"
vars: outer#4*
outer#4 = def outer@1(a#0)
  vars: a#0* n#1* middle#3
  n#1 = 0
  middle#3 = def middle@2()
    vars: inner#2
    inner#2 = def inner@3()
      return (a#0 + n#1)
    return inner#2
  return middle#3
"#,
    );
}

#[test]
fn lambdas() {
    check(
        r#"
retry(lambda: get(url), key=lambda x, *a, k=1, **kw: x[k])
"#,
        r#"
do call retry(closure@1, key=closure@2)
  closure @1()
    return call get(url)
  closure @2(x#0, *a#1, keyword k#2 = 1, **kw#3)
    vars: x#0 a#1 k#2 kw#3
    return x#0[k#2]
"#,
    );
}

#[test]
fn abstract_functions() {
    check(
        r#"
def stub(): ...
def documented():
    """Text."""
    ...
@abc.abstractmethod
def a(): pass
@overload
def o(x: int) -> int: ...
def empty(): pass
"#,
        r#"
vars: stub#0* documented#1* a#2* o#4* empty#5*
stub#0 = def stub@1() [abstract]
documented#1 = def documented@2() [abstract]
@ abc.abstractmethod
def a@3() [abstract] bound to a#2
@ overload
def o@4(x#3: int) -> int [abstract] bound to o#4
  vars: x#3
empty#5 = def empty@5()
"#,
    );
}

#[test]
fn tuple_parameters_of_python_2() {
    check(
        r#"
def f(a, (b, c), d=1): return b
"#,
        r#"
vars: f#4*
f#4 = def f@1(a#0, [b#1, c#2], d#3 = 1)
  vars: a#0 b#1 c#2 d#3
  return b#1
"#,
    );
}
