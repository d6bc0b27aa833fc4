// oracle: core; 503 400
import got from 'got';

const base = process.env.BASE_URL;
await got(base, { retry: { limit: 5 } });
