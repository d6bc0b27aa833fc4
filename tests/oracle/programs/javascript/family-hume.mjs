// oracle: more; 503 429 500 400
import { HumeClient } from 'hume';

const base = process.env.BASE_URL;
const client = new HumeClient({ apiKey: 'k', baseUrl: base });
await client.tts.voices.delete({ name: 'x' }, { maxRetries: 3 });
