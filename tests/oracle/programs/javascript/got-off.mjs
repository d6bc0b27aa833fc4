// oracle: core; 503 drop
import got from 'got';

const base = process.env.BASE_URL;
await got(base, { retry: { limit: 0 } });
