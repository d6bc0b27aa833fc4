// oracle: more; 529 400
import { ChatAnthropic } from '@langchain/anthropic';

const base = process.env.BASE_URL;
const model = new ChatAnthropic({ apiKey: 'k', model: 'claude-sonnet-4-5', anthropicApiUrl: base });
await model.invoke('hi');
