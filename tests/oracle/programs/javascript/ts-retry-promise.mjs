// oracle: core; 503 400 drop refuse
import { retry } from 'ts-retry-promise';

const base = process.env.BASE_URL;

async function hit() {
  const answer = await fetch(base);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}

await retry(() => hit());
