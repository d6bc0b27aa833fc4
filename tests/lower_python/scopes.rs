//! Names: which variable a name means.

use super::check;

#[test]
fn local_if_assigned_anywhere() {
    check(
        r#"
x = 1
def f():
    print(x)
    if y:
        x = 2
def g():
    return x
"#,
        r#"
vars: x#0* f#2* g#3*
x#0 = 1
f#2 = def f@1()
  vars: x#1
  do call print(x#1)
  if y
    x#1 = 2
g#3 = def g@2()
  return x#0
"#,
    );
}

#[test]
fn global_names() {
    check(
        r#"
def set():
    global counter, unseen
    counter = counter + 1
    print(unseen)
    def inner(): return counter
def get():
    return counter
"#,
        r#"
vars: counter#0* set#2* get#3*
set#2 = def set@1()
  vars: inner#1
  counter#0 = (counter#0 + 1)
  do call print(unseen)
  inner#1 = def inner@2()
    return counter#0
get#3 = def get@3()
  return counter#0
"#,
    );
}

#[test]
fn nonlocal_names() {
    check(
        r#"
def outer():
    n = 0
    def inner():
        nonlocal n, m
        n += 1
        m = 2
    m = 1
    return n, m
"#,
        r#"
vars: outer#3*
outer#3 = def outer@1()
  vars: n#0* m#1* inner#2
  n#0 = 0
  inner#2 = def inner@2()
    n#0 += 1
    m#1 = 2
  m#1 = 1
  return tuple(n#0, m#1)
"#,
    );
}

#[test]
fn everything_binds() {
    check(
        r#"
def f(p):
    import a.b, c as d
    from e import g as h
    for i in p: pass
    with p as w: pass
    try: pass
    except E as err: pass
    def inner(): pass
    class C: pass
    (wal := 1)
    del gone
    match p:
        case [m, *r]: pass
    return [a, d, h, i, w, err, inner, C, wal, gone, m, r]
def g(): return a, d, h, i, w, err, inner, C, wal, gone, m, r
"#,
        r#"
vars: f#13* g#14*
f#13 = def f@1(p#0)
  vars: p#0 a#1 d#2 h#3 i#4 w#5 err#6 inner#7 C#8 wal#9 gone#10 m#11 r#12
  a#1 = import a.b (top)
  d#2 = import c (module)
  h#3 = import e : g
  for i#4 in p#0
  with p#0 as w#5
  try
  except E as err#6
  inner#7 = def inner@2()
  C#8 = class C@0
  do (wal#9 := 1)
  delete gone#10
  match p#0
    case [m#11, *r#12]
  return [a#1, d#2, h#3, i#4, w#5, err#6, inner#7, C#8, wal#9, gone#10, m#11, r#12]
g#14 = def g@4()
  return tuple(a, d, h, i, w, err, inner, C, wal, gone, m, r)
"#,
    );
}

#[test]
fn class_scopes_are_skipped_by_methods() {
    check(
        r#"
x = 1
class A:
    x = 2
    y = x
    def m(self):
        return x, y
    z = [x for _ in y]
"#,
        r#"
vars: x#0* A#7*
x#0 = 1
A#7 = class A@0
  methods: m@2
  vars: x#1* y#2* m#4* <_>#5 z#6*
  x#1 = 2
  y#2 = x#1
  m#4 = def m@2(receiver self#3) [instance]
    vars: self#3
    return tuple(x#0, y)
  z#6 = list(x#1 for <_>#5 in y#2)
"#,
    );
}

#[test]
fn comprehension_targets_are_their_own() {
    check(
        r#"
def f(x):
    a = [x for x in x]
    b = [x for x in a]
    return lambda: [x for y in a]
"#,
        r#"
vars: f#6*
f#6 = def f@1(x#0)
  vars: x#0* x#1 a#2* x#3 b#4
  a#2 = list(x#1 for x#1 in x#0)
  b#4 = list(x#3 for x#3 in a#2)
  return closure@2
    closure @2()
      vars: y#5
      return list(x#0 for y#5 in a#2)
"#,
    );
}

#[test]
fn read_before_it_is_bound_below() {
    check(
        r#"
def f():
    return helper(), CONST
def helper(): pass
CONST = 1
"#,
        r#"
vars: f#0* helper#1* CONST#2*
f#0 = def f@1()
  return tuple(call helper#1(), CONST#2)
helper#1 = def helper@2()
CONST#2 = 1
"#,
    );
}
