// oracle: more; 503 400 refuse
import { Ollama } from 'ollama';

const base = process.env.BASE_URL;
const client = new Ollama({ host: base });
await client.chat({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
