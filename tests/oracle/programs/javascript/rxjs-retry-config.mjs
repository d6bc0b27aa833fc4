// oracle: core; 503 400 drop refuse
import { defer, lastValueFrom, retry } from 'rxjs';

const base = process.env.BASE_URL;

async function hit() {
  const answer = await fetch(base);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}

await lastValueFrom(defer(() => hit()).pipe(retry({ count: 4, delay: 1000 })));
