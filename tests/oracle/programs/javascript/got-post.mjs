// oracle: core; 503 drop refuse
import got from 'got';

const base = process.env.BASE_URL;
await got.post(base, { json: {} });
