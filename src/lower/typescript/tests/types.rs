//! Declared types.

use super::check;

#[test]
fn forms() {
    let cases = [
        ("A", "@A"),
        ("ns.A.B", "@ns.A.B"),
        ("Promise<A>", "@Promise<@A>"),
        ("A[]", "@A[]"),
        ("readonly A[]", "@A[]"),
        ("(A)", "@A"),
        ("A | B | undefined", "@A | @B | null"),
        ("A & B", "&(@A & @B)"),
        ("[A, b: B, ...C[]]", "[@A, @B, @C[]]"),
        ("(x: number) => A", "() => @A"),
        ("new () => A", "() => @A"),
        ("(x: any) => x is A", "() => ?"),
        ("{ a: A; m(): B; c? }", "{a: @A; m: () => @B; c: ?}"),
        ("typeof x.y", "typeof @x.y"),
        ("import('m').T", "import(m).T"),
        ("keyof A", "?"),
        ("A extends B ? C : D", "?"),
        ("'lit'", "?"),
        ("void", "null"),
        ("any", "?"),
        ("string", "@string"),
        ("<T>(x: T) => T", "() => ?"),
    ];
    for (ty, expected) in cases {
        check(&format!("let v: {ty};"), &format!("^v: {expected} ="));
    }
    check(
        "class A { m(): this { return this } }",
        "Concrete A { \n fn Instance m(): Self { \n return this \n } -> ^m \n } -> ^A",
    );
}

#[test]
fn type_parameters() {
    check(
        "class C {} function f<T extends C, U>(a: T, b: U): Promise<T> {}",
        "
        fn f(a: &(^C), b: ?): @Promise<&(^C)> {} -> ^f
        Concrete C {} -> ^C
        ",
    );
    check(
        "class Box<T> { constructor(private v: T) {} map<U>(f: (t: T) => U): Box<U> {} }",
        "
        Concrete Box<T> (v: @T) {
          fn Instance constructor(field v: @T) {} -> ^constructor
          fn Instance map(f: () => ?): ^Box<?> {} -> ^map
        } -> ^Box
        ",
    );
}

#[test]
fn forms_the_grammar_does_not_know() {
    check("interface Box<in out T, out U> {}", "Interface Box<T, U> {} -> ^Box");
    check("function f(x: import('m').A<B, C<D>>): E {}", "fn f(x: import(m).A): @E {} -> ^f");
    check(
        "export type * from './m'; export type * as ns from './n'",
        "export * from ./m \n export ns = Module from ./n",
    );
}
