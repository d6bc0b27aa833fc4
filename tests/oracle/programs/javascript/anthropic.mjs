// oracle: core; 529 503 429 500 409 400 drop refuse
import Anthropic from '@anthropic-ai/sdk';

const base = process.env.BASE_URL;
const client = new Anthropic({ apiKey: 'k', baseURL: base });
await client.messages.create({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] });
