// oracle: more; 503 500; accel 2000
import { WebClient } from '@slack/web-api';

const base = process.env.BASE_URL;
const client = new WebClient('x', { slackApiUrl: `${base}/`, logLevel: 'error', retryConfig: { retries: 3 } });
await client.chat.postMessage({ channel: 'c', text: 't' });
