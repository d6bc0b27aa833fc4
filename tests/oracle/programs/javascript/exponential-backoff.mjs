// oracle: core; 503 400 drop refuse
import { backOff } from 'exponential-backoff';

const base = process.env.BASE_URL;

async function hit() {
  const answer = await fetch(base);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}

await backOff(() => hit());
