// oracle: core; 503 400 drop refuse
import { retryAsync } from 'ts-retry';

const base = process.env.BASE_URL;

async function hit() {
  const answer = await fetch(base);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}

await retryAsync(() => hit(), { maxTry: 4, delay: 100 });
