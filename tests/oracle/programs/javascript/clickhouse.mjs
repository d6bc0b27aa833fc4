// oracle: more; 503 429 400 drop refuse
import { createClient } from '@clickhouse/client';

const base = process.env.BASE_URL;
const client = createClient({ url: base });
await client.query({ query: 'select 1' });
