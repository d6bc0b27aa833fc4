// oracle: core; 503
import OpenAI from 'openai';

const base = process.env.BASE_URL;
const client = new OpenAI({ apiKey: 'k', baseURL: base, maxRetries: 4 });
await client.chat.completions.create({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }, { maxRetries: 0 });
