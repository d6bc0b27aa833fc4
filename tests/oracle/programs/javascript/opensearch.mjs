// oracle: more; 503 400 drop refuse
import { Client } from '@opensearch-project/opensearch';

const base = process.env.BASE_URL;
const client = new Client({ node: base });
await client.search({});
