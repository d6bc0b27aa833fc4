// oracle: core; 503 400 drop refuse
import { Effect, Schedule } from 'effect';

const base = process.env.BASE_URL;

async function hit() {
  const answer = await fetch(base);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}

await Effect.runPromise(Effect.retry(Effect.tryPromise(() => hit()), Schedule.recurs(4)));
