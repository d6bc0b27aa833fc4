//! Classes: bases, attributes, methods and how they are bound, fields, super.

use super::check;

#[test]
fn bases_and_keywords() {
    check(
        r#"
class A: pass
class B(A, mod.C, *more, metaclass=Meta, flag=True): pass
"#,
        r#"
vars: A#0* B#1*
A#0 = class A@0
B#1 = class B@1(A#0, mod.C, more, metaclass=Meta, flag=true)
"#,
    );
}

#[test]
fn bindings_of_methods() {
    check(
        r#"
class A:
    def m(self, x): pass
    @classmethod
    def c(cls): return cls()
    @staticmethod
    def s(x): return x
    @property
    def p(self): return self._p
    @p.setter
    def p(self, v): self._p = v
    @functools.cached_property
    def q(self): return 1
    @abc.abstractproperty
    def r(self): pass
    def __new__(cls): return object.__new__(cls)
    async def am(self, *args): pass
    def no_receiver(*args): pass
"#,
        r#"
vars: A#22*
A#22 = class A@0
  methods: m@2, c@3, s@4, p@5, p@6, q@7, r@8, __new__@9, am@10, no_receiver@11
  vars: m#2* c#4* s#6* p#8* q#12* r#14* __new__#16* am#19* no_receiver#21*
  m#2 = def m@2(receiver self#0, x#1) [instance]
    vars: self#0 x#1
  @ classmethod
  def c@3(receiver cls#3) [class] bound to c#4
    vars: cls#3
    return call cls#3()
  @ staticmethod
  def s@4(x#5) [static] bound to s#6
    vars: x#5
    return x#5
  @ property
  def p@5(receiver self#7) [getter] bound to p#8
    vars: self#7
    return self#7._p
  @ p#8.setter
  def p@6(receiver self#9, v#10) [setter] bound to p#8
    vars: self#9 v#10
    self#9._p = v#10
  @ functools.cached_property
  def q@7(receiver self#11) [getter] bound to q#12
    vars: self#11
    return 1
  @ abc.abstractproperty
  def r@8(receiver self#13) [getter, abstract] bound to r#14
    vars: self#13
  __new__#16 = def __new__@9(receiver cls#15) [class]
    vars: cls#15
    return call object.__new__(cls#15)
  am#19 = async def am@10(receiver self#17, *args#18) [instance]
    vars: self#17 args#18
  no_receiver#21 = def no_receiver@11(*args#20) [instance]
    vars: args#20
"#,
    );
}

#[test]
fn fields_with_defaults() {
    check(
        r#"
@dataclass
class Config:
    retries: int = 3
    name: str
    url: "Optional[str]" = None
    shared: ClassVar[int] = 1
    plain = 5
    def run(self): return self.retries
"#,
        r#"
vars: Config#7*
@ dataclass
class Config@0 bound to Config#7
  field retries: int = 3
  field name: str
  field url: str | null = null
  methods: run@2
  vars: retries#0* name#1* url#2* shared#3* plain#4* run#6*
  retries#0: int = 3
  name#1: str
  url#2: str | null = null
  shared#3: int = 1
  plain#4 = 5
  run#6 = def run@2(receiver self#5) [instance]
    vars: self#5
    return self#5.retries
"#,
    );
}

#[test]
fn super_in_all_forms() {
    check(
        r#"
class A(B):
    def f(self):
        super().f()
        super(A, self).f(1)
        class Inner(C):
            def g(this):
                super(A, this).x
                super().y
        return lambda: super().z
super().f()
"#,
        r#"
vars: A#5*
A#5 = class A@0(B)
  methods: f@2
  vars: f#4*
  f#4 = def f@2(receiver self#0) [instance]
    vars: self#0 Inner#3
    do call super@0.f()
    do call super@0.f(1)
    Inner#3 = class Inner@1(C)
      methods: g@4
      vars: g#2*
      g#2 = def g@4(receiver this#1) [instance]
        vars: this#1
        do super@0.x
        do super@1.y
    return closure@5
      closure @5()
        return super@0.z
do call call super().f()
"#,
    );
}

#[test]
fn class_bodies_see_what_is_around_until_they_bind() {
    check(
        r#"
timeout = 1
class A:
    timeout = timeout + 1
    later = timeout
    def m(self): return timeout, later
def f(limit):
    class B:
        upper = limit
"#,
        r#"
vars: timeout#0* A#5* f#9*
timeout#0 = 1
A#5 = class A@0
  methods: m@2
  vars: timeout#1* later#2* m#4*
  timeout#1 = (timeout#0 + 1)
  later#2 = timeout#1
  m#4 = def m@2(receiver self#3) [instance]
    vars: self#3
    return tuple(timeout#0, later)
f#9 = def f@3(limit#6)
  vars: limit#6* B#8
  B#8 = class B@1
    vars: upper#7*
    upper#7 = limit#6
"#,
    );
}

#[test]
fn type_parameters() {
    check(
        r#"
class Box[T: Base, U](Parent[T]):
    def get(self) -> T: return self.value
def first[T](xs: list[T]) -> T: return xs[0]
type Pair[K] = tuple[K, K]
"#,
        r#"
vars: <T>#0* <U>#1 Box#4* <T>#5 first#7* <K>#8 Pair#9*
Box#4 = class Box@0<T: Base, U>(Parent[<T>#0])
  methods: get@2
  vars: get#3*
  get#3 = def get@2(receiver self#2) -> <T>#0 [instance]
    vars: self#2
    return self#2.value
first#7 = def first@3(xs#6: list<<T>#5>) -> <T>#5
  vars: xs#6
  return xs#6[0]
Pair#9 = tuple[tuple(<K>#8, <K>#8)]
"#,
    );
}
