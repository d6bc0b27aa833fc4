// oracle: more; 503 500 400
import { InferenceClient } from '@huggingface/inference';

const base = process.env.BASE_URL;
const client = new InferenceClient('hf_k', { endpointUrl: base });
await client.chatCompletion({ messages: [{ role: 'user', content: 'x' }], model: 'm' });
