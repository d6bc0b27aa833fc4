// oracle: core; 529 400
import Anthropic from '@anthropic-ai/sdk';

const base = process.env.BASE_URL;
const client = new Anthropic({ apiKey: 'k', baseURL: base, maxRetries: 0 });
await client.messages.create({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }, { maxRetries: 5 });
