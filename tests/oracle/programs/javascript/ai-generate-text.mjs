// oracle: core; 503 429 500 400 refuse
import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';

const base = process.env.BASE_URL;
const openai = createOpenAI({ apiKey: 'k', baseURL: base });
await generateText({ model: openai('gpt-4o'), prompt: 'hi' });
