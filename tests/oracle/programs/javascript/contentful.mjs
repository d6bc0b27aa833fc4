// oracle: more; 503 500 429 400
import * as contentful from 'contentful';

const url = new URL(process.env.BASE_URL);
const client = contentful.createClient({ space: 's', accessToken: 'k', host: url.host, insecure: true });
await client.getEntries();
