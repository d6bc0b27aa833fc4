// oracle: core; 503 400
import { Agent, RetryAgent, request } from 'undici';

const base = process.env.BASE_URL;
await request(base, { dispatcher: new RetryAgent(new Agent(), { maxRetries: 2 }) });
