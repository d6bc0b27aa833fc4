//! Modules, `use` trees, scopes, paths, consts.

use super::{check, check_body, lowered};
use crate::ir::Stmt;

#[test]
fn modules_are_files_or_functions() {
    check(
        "mod net; #[path = \"x/y.rs\"] mod other; mod inner { pub fn go() { top(); super::top() } } fn top() {}",
        &[
            "vars: net#0* other#1* inner#2* top#3*",
            "net#0 = module net",
            "other#1 = module other at x/y.rs",
            "inner#2 = module inner",
            "go#4 = def go@2()",
            "do call top()",
            "return call super.top()",
        ],
    );
}

#[test]
fn every_leaf_of_a_use_is_an_import() {
    check(
        "use net::http::{self, get, post as push, low::*}; pub use self::core::send as deliver; use super::super::up as _;
         use ::redis::Client; use {a::b, c}; extern crate serde as s; use crate::x::{self as y};",
        &[
            "http#0 = import net::http (module)",
            "get#1 = import net::http::get (module)",
            "push#2 = import net::http::post (module)",
            "import net::http::low : *",
            "deliver#3 = import .self::core::send (module)",
            "import ...super::super::up (module)",
            "Client#4 = import ::redis::Client (module)",
            "b#5 = import a::b (module)",
            "c#6 = import c (module)",
            "s#7 = import ::serde (module)",
            "y#8 = import crate::x (module)",
        ],
    );
}

#[test]
fn levels_count_supers() {
    let file = lowered("use crate::a; use self::b; use super::c; use super::super::d; use e::f;");
    let levels: Vec<u32> = file
        .stmts
        .iter()
        .filter_map(|s| match s {
            Stmt::Import { module, .. } => Some(module.level),
            _ => None,
        })
        .collect();
    assert_eq!(levels, [0, 1, 2, 3, 0]);
}

#[test]
fn shadowing_makes_a_new_variable() {
    check_body(
        "let x = 1; let x = x + 1; { let x = 2; x; } x;",
        &["x#1 = 1", "x#2 = (x#1 + 1)", "x#3 = 2", "do x#3", "do x#2"],
    );
}

#[test]
fn items_come_first_and_see_no_locals() {
    check(
        "fn job() { let n = 1; inner(n); fn inner(m: u32) -> u32 { n + m + MAX } const MAX: u32 = 2; }",
        &[
            "inner#1 = def inner@2(positional m#3: u32) -> u32",
            "return ((n + m#3) + MAX#2)",
            "MAX#2: u32 = 2",
            "n#4 = 1",
            "do call inner#1(n#4)",
        ],
    );
}

#[test]
fn name_spaces_are_apart() {
    check(
        "mod retry; use retry::retry; struct client {} fn job(client: u32) { retry(client::new(), retry::other(client)) }",
        &["return call retry#1(call client#2.new(), call retry#0.other(client#4))"],
    );
}

#[test]
fn variables_used_by_inner_functions_are_captured() {
    check("fn job() { let a = 1; let b = 2; let f = || a; f() + b }", &["vars: a#1* b#2 f#3", "return a#1"]);
}

#[test]
fn paths_are_attributes_over_their_head() {
    check(
        "fn job<T: Sender>() { std::env::var(); crate::a::b(); super::c(); self::d(); ::e::f(); Vec::<u8>::new(); T::send(); <T as Sender>::go(); <Car as Slow>::go(); }",
        &[
            "do call std.env.var()",
            "do call crate.a.b()",
            "do call super.c()",
            "do call self.d()",
            "do call import(::e).f()",
            "do call Vec.new()",
            "do call Sender.send()",
            "do call Sender.go()",
            "do call (Car as Slow).go()",
        ],
    );
}

#[test]
fn constants_are_module_variables() {
    check(
        "fn a() -> u32 { MAX } const MAX: u32 = limit(); static S: LazyLock<u32> = LazyLock::new(|| 4); const fn limit() -> u32 { 3 }",
        &["return MAX#1", "MAX#1: u32 = call limit#3()", "S#2: LazyLock<u32> = call LazyLock.new(closure@3)"],
    );
}

#[test]
fn alternatives_share_a_variable() {
    check(
        "#[cfg(a)] fn f() { x() } #[cfg(not(a))] fn f() { y() } fn g() { f() }",
        &["vars: f#0* g#1*", "f#0 = def f@1()", "f#0 = def f@2()", "return call f#0()"],
    );
}
