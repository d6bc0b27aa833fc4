// oracle: core; 503
import { handleAll, retry } from 'cockatiel';

const base = process.env.BASE_URL;

async function hit() {
  const answer = await fetch(base);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}

await retry(handleAll, {}).execute(() => hit());
