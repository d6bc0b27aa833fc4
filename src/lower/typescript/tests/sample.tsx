import d, * as ns from "./d";
import x, { a as b, type C, default as y } from './m';
import type { T } from "t";
import "eff";
import leg = require("legacy");
export * from "./z"; export * as q from "./q"; export { a as c, default } from "./w"; export type { U } from './u';
foo();
export function foo({ operation, times = 3 }: { operation: () => Promise<T>; times?: number } = {}, ...rest: string[]): Promise<void> {
  var inner = () => foo(times + 1);
  if (rest.length > 3) return inner?.();
  else if (x) throw new Error(`bad ${times}!`);
  for (let i = 0, j; i < 3; i++, j--) { if (i) continue; try { await operation() } catch (e) { last = e } finally { done() } }
  outer: for (const [, k] of Object.entries(rest)) { break outer; }
  for await (const z of gen()) {}
  do { times-- } while (times > 0)
}
export const { p, q: [r = 4], ...others } = { ...DEF, max: 6, get z() { return 1 }, set z(v) { k(v) }, m() { return this.max }, [K]: 1, b, "x-y": async () => {} };
@Injectable() export class Svc<T extends C> extends mixin(Base)<T> implements I<T>, J {
  static MAX = 3; private static readonly inst = new Svc();
  #n = 1; private url: string; handler = async (x) => this.#n + x;
  @Input() field: Foo;
  constructor(private readonly api: Api, public opts?: Opts, plain = 3) { super(api); this.url = opts?.url ?? 'x' }
  get v(): T { return super.v } set v(x) {}
  static { init(); }
  go<U>(this: Svc, x: U): Promise<U>;
  @Retry(4) async go(x: any) { return await this.api.send<T>(x); }
  abstract foo(): void;
  *[Symbol.iterator]() { yield 1; yield* this.more }
}
interface I<T> extends J { run(x: T): Promise<T>; name?: string; cb: () => void }
type Alias = I<string> & { z: number; go(): Svc }; type Un = 'a' | B | null;
enum E { A, B = 4, C, D = "d", F = A | B }
namespace NS { export const v = 1; export function f() { return v } function hidden() {} }
namespace NS { export class K {} }
switch (x) { case 1: a(); break; case 2: case 3: { b(); break; } default: if (q) { return } else { break } case 5: z() }
const fn = function fact(n) { return n ? n * fact(n - 1) : 1 };
a = b = c; a ||= 4; obj.x ??= 3; [p, obj.y] = [1, 2]; ({ p, x: obj.z } = o);
let u = undefined, v = void 0, zz = bar! as unknown as Foo<typeof fn>, s = y satisfies T;
const m = await import("./dyn"); const w2 = sql`a${1}b`; const re = /x/g; 
export default class { }
const view = <Foo.Bar a="1" {...p} on={() => go('é')}>text {x} <b/> {/* note */}</Foo.Bar>;
