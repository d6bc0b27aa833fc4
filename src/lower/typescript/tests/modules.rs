//! Imports and exports, ES modules and CommonJS.

use super::{check, check_as};

#[test]
fn imports_of_every_form() {
    check(
        r#"
        f();
        import d, * as ns from "./d";
        import x, { a as b, type C, default as y, "odd-name" as z } from './m';
        import type { T } from "t";
        import type D from "t";
        import "eff";
        import leg = require("legacy");
        import { f } from "f";
        "#,
        r#"
        import Default from ./d -> ^d
        import Module from ./d -> ^ns
        import Default from ./m -> ^x
        import a from ./m -> ^b
        import type C from ./m -> ^C
        import Default from ./m -> ^y
        import odd-name from ./m -> ^z
        import type T from t -> ^T
        import type Default from t -> ^D
        import Effect from eff
        import Module from legacy -> ^leg
        import f from f -> ^f
        ^f()
        "#,
    );
}

#[test]
fn re_exports() {
    check(
        r#"
        export * from "./z";
        export * as q from "./q";
        export { a as c, default, default as d, e as default } from "./w";
        export type { U } from './u';
        export type * from './v';
        "#,
        "
        export * from ./z
        export q = Module from ./q
        export c = a from ./w
        export default = Default from ./w
        export d = Default from ./w
        export default = e from ./w
        export U = U from ./u
        export * from ./v
        ",
    );
}

#[test]
fn exports_of_declarations() {
    check(
        "
        export const a = 1, { b, c: [d] } = x;
        export function f() {}
        export async function* g() {}
        export class K {}
        export enum E { A }
        export interface I {}
        export type T = I;
        const q = 1;
        export { q as r, q as default };
        ",
        "
        fn f() {} -> ^f
        async fn* g() {} -> ^g
        ^a = 1
        {b: ^b, c: [^d]} = @x
        export a = ^a
        export b = ^b
        export d = ^d
        export f = ^f
        export g = ^g
        Concrete K {} -> ^K
        export K = ^K
        Enum E {
          ^A = 0
        } -> ^E
        export E = ^E
        Interface I {} -> ^I
        export I = ^I
        Alias T extends ^I = ^I {} -> ^T
        export T = ^T
        ^q = 1
        export r = ^q
        export Default = ^q
        ",
    );
}

#[test]
fn default_exports() {
    check("export default function f() { f() }", "fn f() { \n ^f() \n } -> ^f \n export Default = ^f");
    check("export default function () {}", "export Default = fn() {}");
    check("export default async (x) => x", "export Default = async arrow(x) { \n return x \n }");
    check("export default class {}", "export Default = Concrete  {}");
    check("export default class K {}", "Concrete K {} -> ^K \n export Default = ^K");
    check("export default new Client()", "export Default = new @Client()");
    check("const a = 1; export default a", "^a = 1 \n export Default = ^a");
    check("export = f", "export Whole = @f");
    check("@D() export default class K {}", "@@D() Concrete K {} -> ^K \n export Default = ^K");
}

#[test]
fn a_value_and_a_type_of_one_name_are_two_variables() {
    check(
        "
        export const User = z.object({});
        export type User = z.infer<typeof User>;
        const A = 1; interface A {} export { A };
        let u: User = User.parse(1);
        ",
        "
        ^User = @z.object({})
        export User = ^User
        Alias User extends @z.infer = @z.infer<typeof ^User> {} -> ^User~1
        export User = ^User~1
        ^A = 1
        Interface A {} -> ^A~1
        export A = ^A
        export A = ^A~1
        ^u: ^User~1 = ^User.parse(1)
        ",
    );
}

#[test]
fn dynamic_imports() {
    check_as(
        "a.js",
        r#"
        const { send } = await import("./lib.js");
        import(`./other.js`).then(m => m.go());
        import(path);
        const make = require("a").default;
        function bundle(require) { return require("./x"); }
        "#,
        "
        fn bundle(require) {
          return require(\"./x\")
        } -> ^bundle
        {send: ^send} = await import(./lib.js)
        import(./other.js).then(arrow(m) {
          return m.go()
        })
        @import(@path)
        ^make = import(a).default
        ",
    );
    check(
        r#"
        import { createRequire } from "node:module";
        const require = createRequire(import.meta.url);
        const x = require("x");
        "#,
        "
        import createRequire from node:module -> ^createRequire
        ^require = ^createRequire(@import.meta.url)
        ^x = import(x)
        ",
    );
}

#[test]
fn commonjs_exports() {
    check_as(
        "a.js",
        r#"
        const { OpenAI } = require('openai'), path = require("path");
        exports.audit = () => exports.run();
        exports.run = async function () {};
        function f() { exports.late = 1; }
        "#,
        "
        fn f() {
          ^exports.late = 1
        } -> ^f
        {OpenAI: ^OpenAI} = import(openai)
        ^path = import(path)
        ^exports.audit = arrow audit() {
          return ^exports.run()
        }
        ^exports.run = async fn run() {}
        export audit = ^exports.audit
        export run = ^exports.run
        export late = ^exports.late
        ",
    );
}

#[test]
fn commonjs_whole() {
    check_as(
        "a.js",
        "
        exports = module.exports = { load() {}, send };
        module.exports.extra = function () {};
        ",
        r#"
        ^module.exports = {"load": fn load() {}, "send": @send}
        ^exports.extra = ^module.exports.extra = fn extra() {}
        export extra = ^exports.extra
        export Whole = ^module.exports
        "#,
    );
    check_as(
        "a.js",
        "if (typeof module !== 'undefined') module.exports = Foo;",
        r#"
        if (TypeOf(@module) NotEq "undefined") {
          ^module.exports = @Foo
        }
        export Whole = ^module.exports
        "#,
    );
    check_as("a.js", "(function (exports) { exports.x = 1; })(g)", "fn(exports) { \n exports.x = 1 \n }(@g)");
}

#[test]
fn compiled_commonjs() {
    check_as(
        "a.js",
        r#"
        exports.b = exports.a = void 0;
        var m_1 = require("./m");
        Object.defineProperty(exports, "x", { enumerable: true, get: function () { return m_1.x; } });
        __exportStar(require("./more"), exports);
        exports.default = m_1.y;
        "#,
        "
        ^exports.b = ^exports.a = null
        ^m_1 = import(./m)
        export x = ^m_1.x
        export * from ./more
        ^exports.default = ^m_1.y
        export b = ^exports.b
        export a = ^exports.a
        export Default = ^exports.default
        ",
    );
}

#[test]
fn namespaces() {
    check(
        "
        namespace NS { export const v = 1; export function f() { return v } function hidden() {} }
        namespace NS { export class K {} }
        namespace A.B { export const c = 1; }
        declare module 'x' { export function f(): void; }
        declare global { interface Window {} }
        import V = NS.f;
        function g() {} namespace g { export const h = 1; }
        ",
        r#"
        fn g() {} -> ^g
        block {
          fn f() {
            return ^v
          } -> f
          fn hidden() {} -> hidden
          ^v = 1
          ^NS = {"v": ^v, "f": f}
        }
        block {
          Concrete K {} -> K
          ^NS.K = K
        }
        block {
          block {
            c = 1
            B = {"c": c}
          }
          ^A = {"B": B}
        }
        ^V = ^NS.f
        block {
          h = 1
          ^g.h = h
        }
        "#,
    );
}

#[test]
fn enums() {
    check(
        "enum E { A, B = 4, C, D = 'd', F = A | B, 'x-y' = f(), G } const enum K { X = 1 << 2 } declare enum Z { Q }",
        r#"
        Enum E {
          ^A = 0
          ^B = 4
          ^C = 5
          ^D = "d"
          ^F = (^A BitOr ^B)
          ^x-y = @f()
          ^G = ?()
        } -> ^E
        Enum K {
          ^X = (1 Shl 2)
        } -> ^K
        Enum Z {
          ^Q = 0
        } -> ^Z
        "#,
    );
}
