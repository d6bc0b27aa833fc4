// oracle: more; 503 500
import { Octokit } from 'octokit';

const base = process.env.BASE_URL;
const client = new Octokit({ baseUrl: base });
await client.request('GET /x', { request: { retries: 0 } });
