// oracle: more; 503 400 refuse
import { ChatOpenAI } from '@langchain/openai';

const base = process.env.BASE_URL;
const model = new ChatOpenAI({ apiKey: 'k', model: 'gpt-4o', configuration: { baseURL: base } });
await model.invoke('hi');
