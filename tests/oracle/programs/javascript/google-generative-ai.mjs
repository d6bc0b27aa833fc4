// oracle: more; 503 400
import { GoogleGenerativeAI } from '@google/generative-ai';

const base = process.env.BASE_URL;
const client = new GoogleGenerativeAI('k');
const model = client.getGenerativeModel({ model: 'gemini-1.5-flash' }, { baseUrl: base });
await model.generateContent('hi');
