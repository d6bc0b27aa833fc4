// oracle: core; 503 429 500 400 drop refuse
import { Agent, RetryAgent, request } from 'undici';

const base = process.env.BASE_URL;
await request(base, { dispatcher: new RetryAgent(new Agent()) });
