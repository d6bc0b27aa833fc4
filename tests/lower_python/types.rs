//! Declared types.

use super::check;

#[test]
fn annotations() {
    check(
        r#"
def f(a: A, b: m.B, c: "C", d: "m.D[int]", e: None, f: 'A | None' = None) -> "f": pass
"#,
        r#"
vars: f#6*
f#6 = def f@1(a#0: A, b#1: m.B, c#2: C, d#3: m.D<int>, e#4: null, f#5: A | null = null) -> f#6
  vars: a#0 b#1 c#2 d#3 e#4 f#5
"#,
    );
}

#[test]
fn generic_types() {
    check(
        r#"
a: list[A]
b: dict[str, list[m.B]]
c: t.Dict[str, int]
d: Generic[A, B]
e: Optional[A]
f: typing.Union[A, B, None]
g: A | B | None
h: "list['A']"
i: tuple[A, B]
j: Tuple[A, ...]
k: Callable[[int], A]
l: Callable[..., "A"]
m: Annotated[A, Depends(x)]
n: Final[A] = 1
o: Literal["a", "b"]
p: type[A]
q: Type["A"]
r: Any
s: Final = 1
t: Annotated["A", "text with spaces"]
"#,
        r#"
vars: a#0* b#1* c#2* d#3* e#4* f#5* g#6* h#7* i#8* j#9* k#10* l#11* m#12* n#13* o#14* p#15* q#16* r#17* s#18* t#19*
a#0: list<A>
b#1: dict<str, list<m#12.B>>
c#2: t#19.Dict<str, int>
d#3: Generic<A, B>
e#4: A | null
f#5: A | B | null
g#6: A | B | null
h#7: list<A>
i#8: (A, B)
j#9: [A]
k#10: fn -> A
l#11: fn -> A
m#12: A
n#13: A = 1
o#14: ?
p#15: type<A>
q#16: Type<A>
r#17: ?
s#18: ? = 1
t#19: A
"#,
    );
}

#[test]
fn self_and_odd_types() {
    check(
        r#"
class A:
    def f(self) -> Self: pass
    def g(self) -> "A": pass
    def h(self, *args: A, **kw: "list[A]") -> typing.Self: pass
x: 1 + 2
y: f(x)
z: "not a type at all"
"#,
        r#"
vars: A#8* x#9* y#10* z#11*
A#8 = class A@0
  methods: f@2, g@3, h@4
  vars: f#1* g#3* h#7*
  f#1 = def f@2(receiver self#0) -> Self [instance]
    vars: self#0
  g#3 = def g@3(receiver self#2) -> A#8 [instance]
    vars: self#2
  h#7 = def h@4(receiver self#4, *args#5: A#8, **kw#6: list<A#8>) -> Self [instance]
    vars: self#4 args#5 kw#6
x#9: ?
y#10: ?
z#11: ?
"#,
    );
}
