// oracle: core; 503 429 500 409 400 drop refuse
import OpenAI from 'openai';

const base = process.env.BASE_URL;
const client = new OpenAI({ apiKey: 'k', baseURL: base });
await client.chat.completions.create({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] });
