// oracle: more; 503 refuse
import { Octokit } from '@octokit/core';

const base = process.env.BASE_URL;
const client = new Octokit({ baseUrl: base });
await client.request('GET /x');
