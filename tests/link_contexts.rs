//! A wrapper that several callers use with different counts: each use is a component of its own with its own parameter
//! values. Right edges with mixed values would multiply one caller's count into another's chain.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use squall::ir::{File, FunctionId, Language};
use squall::link::component::Target;
use squall::link::contexts::Contexts;
use squall::link::solver::Solver;
use squall::link::store::Addr;
use squall::link::token::{CompId, FuncRef, Token};
use squall::{catalogue::Catalogue, link, lower};
use std::collections::BTreeSet;

fn files(text: &str) -> Vec<File> {
    vec![lower::lower("main.py", Language::Python, text)]
}

fn everything(files: &[File]) -> Contexts {
    let all = files.iter().enumerate().flat_map(|(f, file)| {
        (1..file.functions.len()).map(move |id| FuncRef { file: f as u32, id: FunctionId(id as u32) })
    });
    Contexts { full: all.collect(), ..Contexts::default() }
}

fn show(solver: &Solver, addr: Addr) -> BTreeSet<String> {
    let Some(value) = solver.store.get(addr) else { return BTreeSet::new() };
    value
        .iter()
        .map(|token| match *solver.tokens.get(token) {
            Token::Int(n) => n.to_string(),
            Token::Function { func, .. } => link::graph::qualified(&solver.files[0], func.id),
            Token::Object { class, .. } => match *solver.tokens.get(class) {
                Token::Class { class, .. } => {
                    let name = solver.class(class).name.unwrap();
                    format!("a {}", solver.files[0].name(name))
                }
                _ => "an object".to_string(),
            },
            ref other => format!("{other:?}"),
        })
        .collect()
}

fn function(solver: &Solver, comp: CompId) -> String {
    link::graph::qualified(&solver.files[0], solver.comps[comp.0 as usize].key.func.id)
}

/// For every component of `wrapper` that calls something: what its variables `names` (its own or around it) hold, and what
/// it calls.
fn uses(text: &str, wrapper: &str, names: &[&str]) -> BTreeSet<String> {
    let files = files(text);
    let contexts = everything(&files);
    link::link_with(&files, &Catalogue::embedded(), &[], contexts, |solver| {
        let mut found = BTreeSet::new();
        for (at, comp) in solver.comps.iter().enumerate() {
            if function(solver, CompId(at as u32)) != wrapper {
                continue;
            }
            let called: BTreeSet<String> = comp
                .calls
                .iter()
                .filter_map(|call| match call.target {
                    Target::Comp(target) => Some(function(solver, target)),
                    _ => None,
                })
                .collect();
            let values =
                names.iter().map(|name| format!("{name}={}", join(&variable(solver, CompId(at as u32), name))));
            found.insert(format!("{} -> {}", values.collect::<Vec<_>>().join(" "), join(&called)));
        }
        found
    })
}

fn join(set: &BTreeSet<String>) -> String {
    set.iter().cloned().collect::<Vec<_>>().join("|")
}

/// The value of a parameter or captured variable, looked up from inside to outside.
fn variable(solver: &Solver, comp: CompId, name: &str) -> BTreeSet<String> {
    let mut at = Some(comp);
    while let Some(comp) = at {
        let key = &solver.comps[comp.0 as usize].key;
        let function = solver.function(key.func);
        for (i, param) in function.params.iter().enumerate() {
            if param.name.is_some_and(|n| solver.files[0].name(n) == name) {
                return show(solver, Addr::Param(comp, i as u32));
            }
        }
        at = key.parent;
    }
    BTreeSet::new()
}

#[track_caller]
fn check(text: &str, wrapper: &str, names: &[&str], expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(ToString::to_string).collect();
    assert_eq!(uses(text, wrapper, names), expected);
}

#[test]
fn a_wrapper_with_two_counts() {
    check(
        "
def retry(fn, times):
    for _ in range(times):
        return fn()

def send(): pass
def load(): pass

def a(): return retry(send, 3)
def b(): return retry(load, 5)
a()
b()
",
        "retry",
        &["fn", "times"],
        &["fn=send times=3 -> send", "fn=load times=5 -> load"],
    );
}

#[test]
fn one_function_with_two_counts() {
    check(
        "
def retry(fn, times):
    for _ in range(times):
        return fn()

def send(): pass

def a(): return retry(send, 3)
def b(): return retry(send, times=5)
a()
b()
",
        "retry",
        &["fn", "times"],
        &["fn=send times=3 -> send", "fn=send times=5 -> send"],
    );
}

#[test]
fn a_decorator_with_two_counts() {
    check(
        "
import functools

def retry(times):
    def deco(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            for _ in range(times):
                return fn(*args, **kwargs)
        return inner
    return deco

@retry(3)
def send(): pass

@retry(times=5)
def load(): pass

def job():
    send()
    load()
job()
",
        "retry.deco.inner",
        &["fn", "times"],
        &["fn=send times=3 -> send", "fn=load times=5 -> load"],
    );
}

#[test]
fn a_wrapper_behind_a_wrapper() {
    check(
        "
def inner_call(fn, n):
    for _ in range(n):
        return fn()

def outer_call(fn, n):
    return inner_call(fn, n)

def send(): pass
def load(): pass

def a(): return outer_call(send, 2)
def b(): return outer_call(load, n=7)
a()
b()
",
        "inner_call",
        &["fn", "n"],
        &["fn=send n=2 -> send", "fn=load n=7 -> load"],
    );
}

#[test]
fn two_policies_made_by_one_class() {
    check(
        "
class Policy:
    def __init__(self, times):
        self.times = times

    def call(self, fn):
        for _ in range(self.times):
            return fn()

def send(): pass
def load(): pass

short = Policy(2)
long = Policy(9)

def a(): return short.call(send)
def b(): return long.call(load)
a()
b()
",
        "Policy.__init__",
        &["self", "times"],
        &["self=a Policy times=2 -> ", "self=a Policy times=9 -> "],
    );
}

#[test]
fn fields_of_two_policies_are_not_mixed() {
    let text = "
class Policy:
    def __init__(self, times):
        self.times = times

short = Policy(2)
long = Policy(9)
";
    let files = files(text);
    for contexts in [everything(&files), Contexts::default()] {
        let times = link::link_with(&files, &Catalogue::embedded(), &[], contexts, |solver| {
            let name = solver.symbols.find("times").unwrap();
            let objects: Vec<_> = (0..solver.tokens.len() as u32)
                .map(squall::link::token::Tok)
                .filter(|&t| matches!(solver.tokens.get(t), Token::Object { .. }))
                .collect();
            objects.iter().map(|&object| join(&show(solver, Addr::Field(object, name)))).collect::<BTreeSet<_>>()
        });
        assert_eq!(times, BTreeSet::from(["2".to_string(), "9".to_string()]));
    }
}

#[test]
fn counters_that_recursion_counts_down_stay_few() {
    let text = "
def send(n):
    try:
        return post()
    except Exception:
        if n:
            return again(n - 1)

def again(n):
    return send(n)

def post(): pass
send(1000)
";
    let files = files(text);
    let comps = link::link_with(&files, &Catalogue::embedded(), &[], everything(&files), |solver| solver.comps.len());
    assert!(comps < 60, "{comps} components");
}
