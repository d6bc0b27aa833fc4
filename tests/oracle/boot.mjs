// Preloaded (`node --import`): every timer is divided by ORACLE_ACCEL and the clock runs as much faster; connects to the
// refusing port are counted and written to $ORACLE_OUT when the program ends.
import fs from 'node:fs';
import net from 'node:net';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import { syncBuiltinESMExports } from 'node:module';

const accel = Number(process.env.ORACLE_ACCEL);
const refusing = Number(process.env.ORACLE_REFUSING);
const cap = Number(process.env.ORACLE_CAP);
const seen = { connects: 0, sleeps: [], error: null, stopped: false };
const write = () => fs.writeFileSync(process.env.ORACLE_OUT, JSON.stringify(seen));
process.on('exit', write);
process.on('uncaughtException', error => {
  seen.error = `${error?.name}: ${error?.message}`.slice(0, 300);
  console.error(error);
  process.exit(1);
});

const realTimeout = globalThis.setTimeout;
const realClear = globalThis.clearTimeout;
const realInterval = globalThis.setInterval;
const RealDate = Date;
const began = RealDate.now();
const perfNow = performance.now.bind(performance);
const perfBegan = perfNow();
const now = () => began + Math.round((perfNow() - perfBegan) * accel);
class FastDate extends RealDate {
  constructor(...args) { if (args.length === 0) super(now()); else super(...args); }
  static now() { return now(); }
  static [Symbol.hasInstance](x) { return RealDate[Symbol.hasInstance].call(RealDate, x); }
}
globalThis.Date = new Proxy(FastDate, { apply: () => new FastDate().toString() });
performance.now = () => (perfNow() - perfBegan) * accel + perfBegan;

function setTimeout(fn, delay = 0, ...args) {
  delay = Number(delay);
  if (!(delay >= 1)) delay = 1;
  if (delay > 2147483647) delay = 1;
  return realTimeout(() => { if (delay >= 5) seen.sleeps.push(Math.round(delay)); fn(...args); }, Math.max(1, delay / accel));
}
setTimeout[promisify.custom] = (delay, value) => new Promise(done => setTimeout(() => done(value), delay));
globalThis.setTimeout = timers.setTimeout = setTimeout;
globalThis.setInterval = timers.setInterval = (fn, delay, ...args) => realInterval(fn, Math.max(1, delay / accel), ...args);
timersPromises.setTimeout = (delay, value, options) => new Promise((done, fail) => {
  const handle = setTimeout(() => done(value), delay);
  options?.signal?.addEventListener('abort', () => { realClear(handle); fail(options.signal.reason); }, { once: true });
});
const realAbort = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = ms => realAbort(Math.max(50, Math.round(ms / accel)));
syncBuiltinESMExports();

const realConnect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function connect(...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  const port = typeof options === 'object' ? options?.port : options;
  if (Number(port) === refusing && ++seen.connects >= cap) {
    seen.stopped = true;
    process.exit(97);
  }
  return realConnect.apply(this, args);
};
