// oracle: more; 503 500 400
import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';

const base = process.env.BASE_URL;
const Retrying = Octokit.plugin(retry);
const client = new Retrying({ baseUrl: base });
await client.request('GET /x');
