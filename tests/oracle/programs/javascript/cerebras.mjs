// oracle: more; 503 429 400 refuse
import Cerebras from '@cerebras/cerebras_cloud_sdk';

const base = process.env.BASE_URL;
const client = new Cerebras({ apiKey: 'k', baseURL: base, warmTCPConnection: false });
await client.chat.completions.create({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] });
