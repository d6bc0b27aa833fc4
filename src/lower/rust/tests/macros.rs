//! Macros of the file, of the language, and of others.

use super::{check, check_body, lowered, text};
use crate::ir::Stmt;

const RETRY: &str = "macro_rules! retry { ($times:expr, $call:expr) => {{
        let mut result = $call;
        for _ in 1..$times { if result.is_ok() { break; } log(); result = $call; }
        result
    }}; }\n";

#[test]
fn a_macro_of_the_file_is_written_out() {
    check(
        &format!("{RETRY} fn log() {{}} async fn job(result: u32) {{ let r = retry!(2 + 1, send(result).await); r }}"),
        &[
            "result#4 = await call send(result#2)",
            "for _ in (1..(2 + 1))",
            "if call result#4.is_ok()",
            "break",
            "do call log#0()",
            "result#4 = await call send(result#2)",
            "r#3 = result#4",
            "return r#3",
        ],
    );
}

#[test]
fn an_expansion_points_into_the_definition_and_the_arguments() {
    let source = format!("{RETRY} fn job() {{ retry!(2, send()); }}");
    let file = lowered(&source);
    let at = file.stmts.iter().position(|s| matches!(s, Stmt::ForEach { .. })).unwrap();
    assert!(text(&source, file.stmt_spans[at]).starts_with("for _ in 1..$times {"));
}

#[test]
fn statements_items_and_members() {
    check(
        "macro_rules! client { ($name:ident, $url:expr) => { let $name = Client::new($url); let hidden = 1; }; }
         macro_rules! getter { ($($name:ident => $body:expr),* $(,)?) => { $(pub fn $name() -> u32 { $body })* }; }
         macro_rules! method { ($n:ident) => { fn $n(&self) -> u32 { self.n } }; }
         getter! { one => 1, two => one() + 1, }
         struct S; impl S { method!(get); }
         fn job() { let hidden = 0; client!(c, \"u\"); c.send(hidden); two() }",
        &[
            "one#0 = def one@1() -> u32",
            "two#1 = def two@2() -> u32",
            "return (call one#0() + 1)",
            "hidden#4 = 0",
            "c#5 = call Client.new(\"u\")",
            "hidden#6 = 1",
            "do call c#5.send(hidden#4)",
            "return call two#1()",
            "impl S@1 for S#2",
            "methods: get@6",
        ],
    );
}

#[test]
fn recursion_repetition_and_arms() {
    check(
        "macro_rules! all { () => { done() }; ($first:expr $(, $rest:expr)*) => { { run($first); all!($($rest),*) } }; }
         macro_rules! map { ($($k:literal : $v:expr),*) => { { let mut m = Map::new(); $( m.insert($k, $v); )* m } }; }
         fn job() { all!(a::<u8, u8>(), b()); map! { \"x\": f(), \"y\": g() }; all!() }",
        &[
            "do call run(call a())",
            "do call run(call b())",
            "do call done()",
            "m#1 = call Map.new()",
            "do call m#1.insert(\"x\", call f())",
            "do call m#1.insert(\"y\", call g())",
            "do m#1",
            "return call done()",
        ],
    );
}

#[test]
fn endless_recursion_ends() {
    let file = lowered("macro_rules! m { ($($t:tt)*) => { m!($($t)* $($t)*) }; } fn f() { m!(a b) }");
    assert!(file.exprs.len() < 100_000);
}

#[test]
fn a_macro_that_does_not_match_is_a_call() {
    check("macro_rules! m { (a) => { 1 }; } fn f() { m!(g(), 2) }", &["return macro m(call g(), 2)"]);
}

#[test]
fn macros_of_the_language() {
    check_body(
        "println!(\"{} {x:>5} {0}\", name(), x = size()); format!(\"{base}/a{{}}\"); vec![a(), b()];
         matches!(r, Ok(v) if v > 1); assert!(ok()); assert_eq!(a(), b(), \"m\"); write!(f, \"{}\", c())?; dbg!(d()); eprintln!();",
        &[
            "do macro println(template(call name(), \" \", call size(), \" \"))",
            "do template(base, \"/a{}\")",
            "do [call a(), call b()]",
            "do (r matches variant Ok(v#1) if (v#1 > 1))",
            "assert call ok()",
            "assert (call a() == call b())",
            "do macro write(f, template(call c()))?",
            "do call d()",
            "do macro eprintln()",
        ],
    );
    check_body(
        "todo!(); unreachable!(\"{}\", a())",
        &["raise macro todo()", "raise macro unreachable(template(call a()))"],
    );
}

#[test]
fn select_runs_one_of_its_arms() {
    check(
        "async fn job() -> u32 { loop { tokio::select! { biased; v = recv() => { handle(v); } Some(x) = s.next(), if on => break x, _ = sleep(1) => return 2, else => {} } } }",
        &[
            "future#1 = call recv()",
            "future#2 = call s.next()",
            "future#3 = call sleep(1)",
            "match macro tokio.select(future#1, future#2, future#3)",
            "case ?",
            "v#4 = await future#1",
            "do call handle(v#4)",
            "case ? if on",
            "variant Some(x#5) = await future#2",
            "break x#5",
            "_ = await future#3",
            "return 2",
        ],
    );
    check_body(
        "select! { recv(r) -> m => f(m), default => g() }",
        &["m#2 = await future#1", "return call f(m#2)", "return call g()"],
    );
}

#[test]
fn unknown_macros_keep_the_arguments_that_read_as_rust() {
    check_body(
        "try_join!(a(), b())?; info!(target: \"x\", key = val(), %err, ?other(), \"msg\"); json!({ \"a\": f(), \"b\": [g()] }); bail!(\"no {}\", h());",
        &[
            "do macro try_join(call a(), call b())?",
            "do macro info(target=\"x\", key=call val(), err, call other(), \"msg\")",
            "do macro json(call f(), [call g()])",
            "do macro bail(\"no {}\", call h())",
        ],
    );
    check_body(
        "let s = stream! { for x in xs { yield send(x).await; } };",
        &[
            "s#2 = macro stream(closure@2)",
            "async async block @2() [generator]",
            "for x#1 in xs",
            "do (yield await call send(x#1))",
        ],
    );
}

#[test]
fn wrappers_of_items_are_looked_through() {
    check(
        "cfg_if! { if #[cfg(unix)] { mod unix; fn a() {} } else { mod other; } } cfg_rt! { pub fn b() {} }
         lazy_static! { static ref C: Client = Client::new(); } thread_local! { static D: u32 = three() }
         fn f() { thread_local! { static E: u32 = 1; } C.get(E) }",
        &[
            "unix#0 = module unix",
            "a#1 = def a@1()",
            "other#2 = module other",
            "b#3 = def b@2()",
            "E#7: u32 = 1",
            "return call C#4.get(E#7)",
            "C#4: Client = call Client.new()",
            "D#5: u32 = call three()",
        ],
    );
}
