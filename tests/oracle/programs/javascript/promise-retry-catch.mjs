// oracle: core; 503 400 drop refuse
import promiseRetry from 'promise-retry';

const base = process.env.BASE_URL;

async function hit() {
  const answer = await fetch(base);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}

await promiseRetry((retry) => hit().catch(retry));
