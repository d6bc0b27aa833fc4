//! Classes, interfaces, aliases, decorators.

use super::{check, check_as, lower_as};
use crate::ir::*;

#[test]
fn members() {
    check(
        "
        class Svc<T extends C> extends mixin(Base)<T> implements I<T>, J {
          static MAX = 3;
          private static readonly inst: Svc = new Svc();
          #n = 1;
          private url: string;
          handler = async (x) => this.#n + x;
          constructor(private readonly api: Api, public opts?: Opts, plain = 3) { super(api); this.url = 'x' }
          get v(): T { return super.v }
          set v(x) {}
          static { init(Svc.MAX); }
          static async make() { return new this() }
          abstract foo(): void;
          *[Symbol.iterator]() { yield this.#n }
          static get w() { return 1 }
          'quoted'() {}
        }
        ",
        r#"
        Concrete Svc<T> extends @mixin(@Base) implements @I<@T> implements @J (#n, url: @string, handler, api: @Api, opts: @Opts) {
          ^MAX = 3
          ^inst: ^Svc = new ^Svc()
          fn Instance constructor(field api: @Api, field opts: @Opts, plain = 3) {
            super(api)
            this.url = "x"
          } -> ^constructor
          fn Getter v(): @T {
            return super.v
          } -> ^v
          fn Setter v(x~1) {}
          block {
            @init(^Svc.MAX)
          }
          async fn Static make() {
            return new this()
          } -> ^make
          abstract fn Instance foo(): null {} -> ^foo
          fn* Instance [Symbol.iterator]() {
            yield this.#n
          } -> ^[Symbol.iterator]
          fn Getter w() {
            return 1
          } -> ^w
          fn Instance quoted() {} -> ^quoted
        } init {
          this.#n = 1
          this.handler = async arrow handler(x) {
            return (this.#n Add x)
          }
        } -> ^Svc
        "#,
    );
}

#[test]
fn javascript_classes() {
    check_as(
        "a.js",
        "class A extends B { static x = 1; #y; z = () => super.go(); static { f() } static get w() {} async *m() {} }",
        "
        Concrete A extends @B (#y, z) {
          ^x = 1
          block {
            @f()
          }
          fn Getter w() {} -> ^w
          async fn* Instance m() {} -> ^m
        } init {
          this.z = arrow z() {
            return super.go()
          }
        } -> ^A
        ",
    );
}

#[test]
fn decorators() {
    check(
        "
        @Injectable()
        export class Quote {
          @Input() field: Foo;
          constructor(@Inject(TOKEN) private ai: OpenAI) {}
          @Log @Retry(4)
          async fetch(topic: string) { return this.ai.chat(topic) }
          @Retry() static s() {}
        }
        ",
        "
        @@Injectable() Concrete Quote (field: @Foo, ai: @OpenAI) {
          @Input()
          fn Instance constructor(field ai: @OpenAI) {} -> ^constructor
          @@Log @@Retry(4) async fn Instance fetch(topic: @string) {
            return this.ai.chat(topic)
          } -> ^fetch
          @@Retry() fn Static s() {} -> ^s
        } -> ^Quote
        export Quote = ^Quote
        ",
    );
    check_as("a.js", "@D class A { @R(3) m() {} }", "@@D Concrete A { \n @@R(3) fn Instance m() {} -> ^m \n } -> ^A");
}

#[test]
fn method_overloads() {
    check(
        "class A { get(k: string): A; get(k: number): B; get(k: any) { return k } }",
        "
        Concrete A {
          fn Instance get(k: ?) {
            return k
          } -> ^get
        } -> ^A
        ",
    );
}

#[test]
fn class_expressions() {
    check("const A = class {}", "^A = Concrete A {}");
    check("const A = class B {}", "^A = Concrete B {}");
    check(
        "const A = class B { static make() { return new B() } }",
        "
        ^A = do {
          Concrete B {
            fn Static make() {
              return new ^B()
            } -> ^make
          } -> ^B
        } => ^B
        ",
    );
}

#[test]
fn interfaces_and_aliases() {
    check(
        "
        interface I<T> extends J, K<T> { run(x: T): Promise<T>; readonly name?: string; cb: () => void; [k: string]: any }
        type A = I<string> & { z: number; go(): A };
        type U = 'a' | B | null;
        type F<T> = (attempt: number) => Promise<T>;
        ",
        "
        Interface I<T> extends @J extends @K (name: @string, cb: () => null) {
          abstract fn Instance run(x: @T): @Promise<@T> {} -> ^run
        } -> ^I
        Alias A extends ^I = &(^I<@string> & {z: @number; go: () => ^A}) (z: @number) {
          abstract fn Instance go(): ^A {} -> ^go
        } -> ^A
        Alias U = ? | @B | null {} -> ^U
        Alias F<T> = () => @Promise<@T> {} -> ^F
        ",
    );
}

#[test]
fn a_class_and_an_interface_of_one_name_are_one_variable() {
    check(
        "class A {} interface A { x: number } let a: A;",
        "
        Concrete A {} -> ^A
        Interface A (x: @number) {} -> ^A
        ^a: ^A =
        ",
    );
}

#[test]
fn super_belongs_to_the_class_around() {
    let file = lower_as(
        "a.ts",
        "class A extends B { m() { const f = () => super.m(); function g() { super.x } class C extends D { n() { super.n() } } } }",
    );
    let supers: Vec<u32> = file
        .exprs
        .iter()
        .filter_map(|e| match e.kind {
            ExprKind::Super(class) => Some(class.0),
            _ => None,
        })
        .collect();
    assert_eq!(supers, [0, 1]);
}

#[test]
fn field_defaults_are_the_initialisers_values() {
    let file = lower_as("a.ts", "class A { max: number = 3; }");
    let class = file.class(ClassId(0));
    let default = class.fields[0].default.unwrap();
    assert!(matches!(file.expr(default).kind, ExprKind::Literal(Literal::Int(3))));
    assert_eq!(file.function(class.field_init.unwrap()).kind, FunctionKind::FieldInit);
}
