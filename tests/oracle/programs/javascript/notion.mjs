// oracle: more; 503 429 400
import { Client } from '@notionhq/client';

const base = process.env.BASE_URL;
const client = new Client({ auth: 'k', baseUrl: base });
await client.pages.retrieve({ page_id: 'p' });
