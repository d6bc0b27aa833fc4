// oracle: core; 503 drop refuse
import fetchRetry from 'fetch-retry';

const base = process.env.BASE_URL;
const retrying = fetchRetry(fetch);
await retrying(base);
