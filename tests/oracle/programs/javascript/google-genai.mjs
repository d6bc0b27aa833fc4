// oracle: more; 503 429 400
import { GoogleGenAI } from '@google/genai';

const base = process.env.BASE_URL;
const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: base } });
await client.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hi' });
