// oracle: more; 503 429 400 refuse
import { Mistral } from '@mistralai/mistralai';

const base = process.env.BASE_URL;
const client = new Mistral({ apiKey: 'k', serverURL: base });
await client.chat.complete({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
