// oracle: more; 503 429 400 drop refuse
import { Client } from '@elastic/elasticsearch';

const base = process.env.BASE_URL;
const client = new Client({ node: base });
await client.search({});
