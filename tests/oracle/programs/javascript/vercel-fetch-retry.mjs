// oracle: core; 503 500 400 drop
import fetchRetry from '@vercel/fetch-retry';

const base = process.env.BASE_URL;
const retrying = fetchRetry(fetch);
await retrying(base);
