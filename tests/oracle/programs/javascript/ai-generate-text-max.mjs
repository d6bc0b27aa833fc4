// oracle: core; 529 400
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText } from 'ai';

const base = process.env.BASE_URL;
const anthropic = createAnthropic({ apiKey: 'k', baseURL: base });
await generateText({ model: anthropic('claude-sonnet-4-5'), prompt: 'hi', maxRetries: 5 });
