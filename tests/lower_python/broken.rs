//! Broken code lowers as far as it goes.

use super::check;

#[test]
fn a_bad_line_does_not_lose_its_neighbours() {
    check(
        r#"
import a
def f(x):
    y = a.b(x
    return y
class C(B):
    def m(self):
        z = = 3
        return self.f(1)
def g(): return 1
"#,
        r#"
vars: a#0* f#2* C#6* g#7*
a#0 = import a (top)
f#2 = def f@1(x#1)
  vars: x#1
  do a#0.b
C#6 = class C@0(B)
  methods: m@3
  vars: m#5*
  m#5 = def m@3(receiver self#3) [instance]
    vars: self#3 z#4
    z#4 = 3
    return call self#3.f(1)
g#7 = def g@4()
  return 1
problem 23..45: syntax error
problem 87..88: syntax error
"#,
    );
}

#[test]
fn a_truncated_function() {
    check(
        r#"
def f(x):
    for i in range(3):
        try:
            return get(x,
"#,
        r#"
vars: f#2*
f#2 = def f@1(x#0)
  vars: x#0 i#1
  for i#1 in call range(3)
    try
problem 58..71: syntax error
"#,
    );
}

#[test]
fn an_unfinished_try() {
    check(
        r#"
@deco
def f(xs):
    for x in xs:
        try:
            return client.get(x)
        except"#,
        r#"
vars: f#2*
@ deco
def f@1(xs#0) bound to f#2
  vars: xs#0 x#1
  for x#1 in xs#0
    try
      return call client.get(x#1)
problem 88..94: syntax error
"#,
    );
}

#[test]
fn a_missing_body() {
    check(
        r#"
def f():
if x:
while y: z()
"#,
        r#"
vars: f#0*
f#0 = def f@1()
if x
loop while y
  do call z()
"#,
    );
}

#[test]
fn names_without_values() {
    check(
        r#"
x =
y = 1
a.
b(c
"#,
        r#"
vars: x#0* y#1*
x#0 = y#1 = 1
do a.b
problem 10..16: syntax error
"#,
    );
}
