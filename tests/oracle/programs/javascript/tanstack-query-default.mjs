// oracle: more; 503
import { QueryClient } from '@tanstack/query-core';

const base = process.env.BASE_URL;

async function hit() {
  const answer = await fetch(base);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
}

const client = new QueryClient();
await client.fetchQuery({ queryKey: ['x'], queryFn: () => hit() });
