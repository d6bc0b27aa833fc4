//! Structs, enums, traits, impls, generics, attributes.

use super::{check, lowered};
use crate::ir::{Binding, ClassKind, ParamKind};

#[test]
fn structs_have_fields_with_types_and_defaults() {
    check(
        "#[derive(Clone, Default)] pub struct S<C: Send + Api> { #[x(default = \"three\")] a: u32, #[arg(long, default_value_t = 5)] b: Option<Arc<C>>, c: Box<dyn Fn() -> u32 + Send> }
         struct P(u32, T); struct U; fn three() -> u32 { 3 }",
        &[
            "@ call derive(Clone, Default)",
            "class S@0<C: Api> bound to S#0",
            "field a: u32 = call three#3()",
            "field b: Option<Arc<Api>> = 5",
            "field c: Box<fn -> u32>",
            "P#1 = class P@1",
            "field 0: u32",
            "field 1: T",
            "U#2 = class U@2",
        ],
    );
}

#[test]
fn enums_have_variants_and_what_they_hold() {
    check(
        "enum E { A, B(Client, u8), C { wait: Duration }, D = 4 }",
        &[
            "E#0 = enum E@0",
            "field B.0: Client",
            "field B.1: u8",
            "field C.wait: Duration",
            "vars: A#1* B#2* C#3* D#4*",
            "D#4 = ?(4)",
        ],
    );
}

#[test]
fn traits_and_impls() {
    let source = "trait Sender: Base { const N: u32 = 3; fn send(&self) -> u32; fn run(&mut self) { self.send(); Self::make(); } }
        impl Sender for Mail { fn send(&self) -> u32 { self.n } }
        impl<C: Sender> Service<C> { const LIMIT: u32 = 5; fn new(client: C) -> Self { Self { client } } }
        impl From<u32> for P { type Error = E; fn from(x: u32) -> P { P(x) } }";
    check(
        source,
        &[
            "Sender#0 = trait Sender@0(Base)",
            "N#1: u32 = 3",
            "send#3 = def send@2(receiver self#2) -> u32 [instance, abstract]",
            "run#5 = def run@3(receiver self#4) [instance]",
            "do call self#4.send()",
            "do call Self.make()",
            "impl Mail@1(Sender#0) for Mail implements Sender#0",
            "impl Service@2<C: Sender#0> for Service<Sender#0>",
            "LIMIT#8: u32 = 5",
            "new#10 = def new@7(positional client#9: Sender#0) -> Self [static]",
            "return struct Self {\"client\": client#9}",
            "impl P@3(From) for P implements From<u32>",
        ],
    );
    let file = lowered(source);
    assert_eq!(file.classes[0].kind, ClassKind::Trait);
    let run = file.classes[0].methods[1].1;
    assert_eq!(file.function(run).binding, Binding::Instance);
    assert_eq!(file.function(run).params[0].kind, ParamKind::Receiver);
}

#[test]
fn impls_stand_anywhere() {
    check(
        "fn f() { struct L; impl L { fn m(&self) {} } L.m(); }",
        &["L#1 = class L@0", "impl L@1 for L#1", "do call L#1.m()"],
    );
    check("mod m { impl super::T { fn m(&self) {} } }", &["impl T@0 for super.T"]);
}

#[test]
fn type_parameters_are_their_bounds() {
    check(
        "fn retry<F, Fut, T>(op: F, a: &impl Sender, b: &mut dyn Other, c: T, d: Vec<T>) -> Result<T, E> where F: Fn() -> Fut, Fut: Future<Output = Result<T, E>> {}
         fn one<T: Sender>(s: &T) { T::send(s) }",
        &[
            "retry#0 = def retry@1(positional op#2: fn -> Future<Result<?, E>>, positional a#3: Sender, positional b#4: Other, positional c#5: ?, positional d#6: Vec<?>) -> Result<?, E>",
            "one#1 = def one@2(positional s#7: Sender)",
            "return call Sender.send(s#7)",
        ],
    );
}

#[test]
fn attributes_are_decorators_unless_the_language_s_own() {
    check(
        "#[tokio::main(flavor = \"x\", threads = 4)] #[inline] #[cfg(a)] #[doc = \"x\"] async fn f() {}
         #[get(\"/x\")] #[test] #[allow(a)] fn g() {} #[async_trait] impl A for B { #[retry] fn h(&self) {} }",
        &[
            "@ call tokio.main(flavor=\"x\", threads=4)",
            "async def f@1() bound to f#0",
            "@ call get(\"/x\")",
            "def g@2() bound to g#1",
            "@ async_trait",
            "impl B@0(A) for B implements A",
            "@ retry",
        ],
    );
}

#[test]
fn aliases_and_receivers() {
    check(
        "type Api<T> = Result<T, E>; struct S; impl S { fn a(self: Arc<Self>, mut b: u32) {} async fn c() {} }",
        &[
            "Api#0 = alias Api@0<T>(Result) for Result<T, E>",
            "a#4 = def a@4(receiver self#2: Arc<Self>, positional b#3: u32) [instance]",
            "c#5 = async def c@5() [static]",
        ],
    );
}
