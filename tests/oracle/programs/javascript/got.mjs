// oracle: core; 503 429 500 400 drop refuse
import got from 'got';

const base = process.env.BASE_URL;
await got(base);
