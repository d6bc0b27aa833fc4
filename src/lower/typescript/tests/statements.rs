//! Statements.

use super::{check, check_as};

#[test]
fn loops() {
    check(
        "
        for (let i = 0, j; i < 3; i++, j--) { if (i) continue; }
        for (;;) { break }
        for (i = 1; ; ) f();
        while (left-- > 0) {}
        do { n++ } while (n < 3);
        for (const k in o) {}
        for (o.k of list) {}
        ",
        "
        i = 0
        j =
        loop while (i Lt 3) {
          if i {
            continue
          }
        } update {
          Postfix(i +1)
          Postfix(j -1)
        }
        loop {
          break
        }
        ^i~1 = 1
        loop {
          @f()
        }
        loop while (Postfix(^left -1) Gt 0) {}
        loop {
          Postfix(^n +1)
        } again if (^n Lt 3)
        for k in @o {}
        for @o.k of @list {}
        ",
    );
}

#[test]
fn labels() {
    check(
        "outer: for (const [, k] of m) { for (;;) continue outer; } a: { break a; } b: switch (x) { case 1: break b; }",
        "
        outer: for [_, k] of @m {
          loop {
            continue outer:
          }
        }
        a: block {
          break a:
        }
        b: block {
          switch @x | 1 {
            break b:
          }
        }
        ",
    );
}

#[test]
fn switches() {
    check(
        "
        switch (x) {
          case 1: a(); break;
          case 2:
          case 3: { b(); break; }
          case 4: c();
          case 5: if (q) { return } else { break }
          case 6: try { return } finally { d() }
          case 7: throw e;
          default: f()
        }
        ",
        "
        switch @x | 1 {
          @a()
        } | 2 {} falls through | 3 {
          block {
            @b()
          }
        } | 4 {
          @c()
        } falls through | 5 {
          if @q {
            return
          } else {
            break
          }
        } | 6 {
          try {
            return
          } finally {
            @d()
          }
        } | 7 {
          raise @e
        } | default {
          @f()
        }
        ",
    );
}

#[test]
fn tries() {
    check(
        "try { f() } catch (e) { last = e } try {} catch { } finally { g() } try {} catch ({ code }) { h(code) }",
        "
        try {
          @f()
        } catch e {
          ^last = e
        }
        try {} catch {} finally {
          @g()
        }
        try {} catch {code: code} {
          @h(code)
        }
        ",
    );
}

#[test]
fn assignments() {
    check(
        "a = b = c; a ||= 4; o.x ??= 3; n **= 2; n >>>= 1; [p, o.y] = [1, 2]; ({ p, x: o.z, q = 2 } = r); x++, --y;",
        "
        ^a = ^b = @c
        ^a Or = 4
        @o.x Coalesce = 3
        ^n Binary(Pow) = 2
        ^n Binary(Shr) = 1
        [^p, @o.y] = [1, 2]
        {p: ^p, x: @o.z, q: ^q = 2} = @r
        Postfix(^x +1)
        Prefix(^y -1)
        ",
    );
}

#[test]
fn else_ifs() {
    check(
        "if (a) b(); else if (c) { d() } else e();",
        "
        if @a {
          @b()
        } else {
          if @c {
            @d()
          } else {
            @e()
          }
        }
        ",
    );
}

#[test]
fn the_rest() {
    check_as(
        "a.js",
        "'use strict'; ; debugger; with (o) { f() } throw new Error(`bad ${n}!`); { let x = 1; }",
        r#"
        "use strict"
        @o
        block {
          @f()
        }
        raise new @Error(`"bad ", @n, "!"`)
        block {
          x = 1
        }
        "#,
    );
    check("const x: number | undefined = 1; let y!: Foo;", "^x: @number | null = 1 \n ^y: @Foo =");
    check("declare const z: Foo;", "^z: @Foo =");
}
