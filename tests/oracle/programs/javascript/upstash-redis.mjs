// oracle: more; 503 drop refuse
import { Redis } from '@upstash/redis';

const base = process.env.BASE_URL;
const client = new Redis({ url: base, token: 't' });
await client.get('k');
