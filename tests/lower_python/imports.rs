//! Imports and the export list.

use super::check;

#[test]
fn imports_of_all_kinds() {
    check(
        r#"
import a
import a.b.c, d.e as f
from g import h, i as j
from g.k import (l,
                 m as n,)
from . import o
from .. p import q
from ...r.s import t as u
from v import *
from .w import *
from __future__ import annotations
"#,
        r#"
vars: a#0* f#1* h#2* j#3* l#4* n#5* o#6* q#7* u#8*
a#0 = import a (top)
a#0 = import a.b.c (top)
f#1 = import d.e (module)
h#2 = import g : h
j#3 = import g : i
l#4 = import g.k : l
n#5 = import g.k : m
o#6 = import . : o
q#7 = import ..p : q
u#8 = import ...r.s : t
import v : *
import .w : *
"#,
    );
}

#[test]
fn only_for_types() {
    check(
        r#"
from typing import TYPE_CHECKING
import typing as t
if TYPE_CHECKING:
    import a
    if x: from b import c
else:
    import d
if t.TYPE_CHECKING: import e
if not TYPE_CHECKING:
    import f
else:
    import g
import h
"#,
        r#"
vars: TYPE_CHECKING#0* t#1* a#2* c#3* d#4* e#5* f#6* g#7* h#8*
TYPE_CHECKING#0 = import typing : TYPE_CHECKING
t#1 = import typing (module)
if TYPE_CHECKING#0
  a#2 = import a (top) [types]
  if x
    c#3 = import b : c [types]
else
  d#4 = import d (top)
if t#1.TYPE_CHECKING
  e#5 = import e (top) [types]
if not TYPE_CHECKING#0
  f#6 = import f (top)
else
  g#7 = import g (top) [types]
h#8 = import h (top)
"#,
    );
}

#[test]
fn export_list() {
    check(
        r#"
__all__ = ["a", "b"] + ["c"]
__all__ += ("d",)
__all__.extend(["e"])
__all__.append("f")
"#,
        r#"
vars: __all__#0*
__all__#0 = (["a", "b"] + ["c"])
__all__#0 += tuple("d")
do call __all__#0.extend(["e"])
do call __all__#0.append("f")
exports: a, b, c, d, e, f
"#,
    );
}

#[test]
fn annotated_export_list() {
    check(
        r#"
__all__: list[str] = ("a",)
"#,
        r#"
vars: __all__#0*
__all__#0: list<str> = tuple("a")
exports: a
"#,
    );
}

#[test]
fn export_list_that_is_not_constant() {
    check(
        r#"
__all__ = ["a"]
__all__ += other.__all__
"#,
        r#"
vars: __all__#0*
__all__#0 = ["a"]
__all__#0 += other.__all__
"#,
    );
}

#[test]
fn a_local_variable_is_no_export_list() {
    check(
        r#"
def f():
    __all__ = ["a"]
"#,
        r#"
vars: f#1*
f#1 = def f@1()
  vars: __all__#0
  __all__#0 = ["a"]
"#,
    );
}
