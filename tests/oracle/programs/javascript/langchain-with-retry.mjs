// oracle: more; 503
import { RunnableLambda } from '@langchain/core/runnables';

const base = process.env.BASE_URL;

async function hit() {
  const answer = await fetch(base);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}

await RunnableLambda.from(() => hit()).withRetry().invoke('x');
