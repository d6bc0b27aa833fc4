//! Statements: assignments, branches, loops, try, with, match, raise, del.

use super::check;

#[test]
fn assignments() {
    check(
        r#"
a = 1
b = c = a
d, (e, *f), [g] = xs
h: int
i: str = "x"
self.j = a
xs[0], xs[1:2] = 1, 2
a += 1; b //= 2; c @= 3; d **= 4; e >>= 5; xs[a] -= 6; self.j |= 7
x: dict[str, int] = {}
"#,
        r#"
vars: a#0* b#1* c#2* d#3* e#4* f#5* g#6* h#7* i#8* x#9*
a#0 = 1
b#1 = c#2 = a#0
[d#3, [e#4, *f#5], [g#6]] = xs
h#7: int
i#8: str = "x"
self.j = a#0
[xs[0], xs[?(1, 2)]] = tuple(1, 2)
a#0 += 1
b#1 //= 2
c#2 @= 3
d#3 **= 4
e#4 >>= 5
xs[a#0] -= 6
self.j |= 7
x#9: dict<str, int> = {}
"#,
    );
}

#[test]
fn branches() {
    check(
        r#"
if a: b
elif c:
    d
elif e: f
else:
    g
if x: pass
"#,
        r#"
if a
  do b
else
  if c
    do d
  else
    if e
      do f
    else
      do g
if x
"#,
    );
}

#[test]
fn loops() {
    check(
        r#"
for i, (j, *k) in enumerate(xs):
    if i: continue
    break
else:
    done()
while True:
    pass
while n > 0:
    n -= 1
else:
    print(n)
for x in 1, 2: pass
async def f():
    async for self.y in z(): pass
"#,
        r#"
vars: i#0* j#1* k#2* n#3* x#4* f#5*
for [i#0, [j#1, *k#2]] in call enumerate(xs)
  if i#0
    continue
  break
else
  do call done()
loop while true
loop while (n#3 > 0)
  n#3 -= 1
else
  do call print(n#3)
for x#4 in tuple(1, 2)
f#5 = async def f@1()
  async for self.y in call z()
"#,
    );
}

#[test]
fn try_statements() {
    check(
        r#"
try:
    f()
except ValueError: pass
except (KeyError, mod.Error) as e:
    raise
except:
    raise Other("x") from e
else:
    g()
finally:
    h()
try: f()
except* OSError as group: pass
"#,
        r#"
vars: e#0* group#1*
try
  do call f()
except ValueError
except tuple(KeyError, mod.Error) as e#0
  raise
except
  raise call Other("x") from e#0
else
  do call g()
finally
  do call h()
try
  do call f()
except* OSError as group#1
"#,
    );
}

#[test]
fn raise_statements() {
    check(
        r#"
raise
raise E
raise E() from None
raise E, "message"
"#,
        r#"
raise
raise E
raise call E() from null
raise E
"#,
    );
}

#[test]
fn old_and_new_handlers() {
    check(
        r#"
try: f()
except E, e: pass
try: f()
except A, B: pass
"#,
        r#"
vars: e#0*
try
  do call f()
except E as e#0
try
  do call f()
except tuple(A, B)
"#,
    );
}

#[test]
fn with_statements() {
    check(
        r#"
with a: pass
with a() as b, c.d() as (e, f), g: pass
with (open(x) as y, open(z) as w,):
    pass
with (lock): pass
with (yield_(x) as v): pass
with a as self.x, \
     b as c: pass
async def f():
    async with session() as s: return s
"#,
        r#"
vars: b#0* e#1* f#2* y#3* w#4* v#5* c#6*
with a
with call a() as b#0, call c#6.d() as [e#1, f#2], g
with call open(x) as y#3, call open(z) as w#4
with lock
with call yield_(x) as v#5
with a as self.x, b#0 as c#6
f#2 = async def f@1()
  vars: s#7
  async with call session() as s#7
    return s#7
"#,
    );
}

#[test]
fn match_statements() {
    check(
        r#"
match command:
    case 1 | -2 | "a" "b" | None | True | 1.5: one
    case [x, _, *rest] if x > 0: two
    case (a, b) | [a, b]: three
    case (c,): four
    case (d): five
    case {"k": v, "m": [w], **others}: six
    case Point(x, y=0, z=-1): seven
    case mod.Color.RED: eight
    case mod.Err(code=(500 | 502) as status): nine
    case p, q: ten
    case str() as s: eleven
    case _: other
match a, *b:
    case z: pass
match = 1
match(x)
"#,
        r#"
vars: x#0* rest#1* a#2* b#3* c#4* d#5* v#6* w#7* others#8* status#9* p#10* q#11* s#12* z#13* match#14*
match command
  case value 1 | value -2 | value "ab" | value null | value true | value 1.5
    do one
  case [x#0, _, *rest#1] if (x#0 > 0)
    do two
  case [a#2, b#3] | [a#2, b#3]
    do three
  case [c#4]
    do four
  case d#5
    do five
  case {k: v#6, m: [w#7], **others#8}
    do six
  case variant Point(x#0, y=value 0, z=value -1)
    do seven
  case value mod.Color.RED
    do eight
  case variant mod.Err(code=value 500 | value 502 as status#9)
    do nine
  case [p#10, q#11]
    do ten
  case variant str() as s#12
    do eleven
  case _
    do other
match tuple(a#2, *b#3)
  case z#13
match#14 = 1
do call match#14(x#0)
"#,
    );
}

#[test]
fn delete_and_assert() {
    check(
        r#"
del a, b[0], c.d
del (e)
assert a > 1, "message"
"#,
        r#"
vars: a#0* e#1*
delete a#0, b[0], c.d
delete e#1
assert (a#0 > 1)
"#,
    );
}

#[test]
fn old_print_and_exec() {
    check(
        r#"
print "a", b
print >>f, "x"
exec "code" in scope
print(1, sep="")
"#,
        r#"
do call print("a", b)
do call print(file=f, "x")
do call exec("code", scope)
do call print(1, sep="")
"#,
    );
}

#[test]
fn statements_that_do_nothing_are_left_out() {
    check(
        r#"
"""Docstring."""
...
pass
f"{x}"
x
"#,
        r#"
do template(x)
do x
"#,
    );
}

#[test]
fn assignment_to_an_attribute_of_type() {
    check(
        r#"
type(self).name = 1
type(a, b)[0] = 2
type X = int
"#,
        r#"
vars: X#0*
call type(self).name = 1
call type(a, b)[0] = 2
X#0 = int
"#,
    );
}
