// oracle: more; 503 400
import { Octokit } from '@octokit/rest';

const base = process.env.BASE_URL;
const client = new Octokit({ baseUrl: base });
await client.request('GET /x');
