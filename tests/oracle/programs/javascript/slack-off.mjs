// oracle: more; 503
import { WebClient } from '@slack/web-api';

const base = process.env.BASE_URL;
const client = new WebClient('x', { slackApiUrl: `${base}/`, logLevel: 'error', retryConfig: { retries: 0 } });
await client.chat.postMessage({ channel: 'c', text: 't' });
