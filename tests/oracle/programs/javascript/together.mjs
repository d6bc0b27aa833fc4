// oracle: more; 503 429 400 refuse
import Together from 'together-ai';

const base = process.env.BASE_URL;
const client = new Together({ apiKey: 'k', baseURL: base });
await client.chat.completions.create({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] });
