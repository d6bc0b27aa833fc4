// oracle: more; 503 429 400 refuse
import Cloudflare from 'cloudflare';

const base = process.env.BASE_URL;
const client = new Cloudflare({ apiToken: 'k', baseURL: base });
await client.zones.list();
