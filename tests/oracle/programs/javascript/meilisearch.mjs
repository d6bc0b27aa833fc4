// oracle: more; 503 refuse
import { Meilisearch } from 'meilisearch';

const base = process.env.BASE_URL;
const client = new Meilisearch({ host: base, apiKey: 'k' });
await client.getVersion();
