// oracle: more; 503 429 500 400 drop refuse
import { CohereClientV2 } from 'cohere-ai';

const base = process.env.BASE_URL;
const client = new CohereClientV2({ token: 'k', environment: base });
await client.chat({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
