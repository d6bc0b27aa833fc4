// oracle: core; 503 429 400
import fetchRetry from 'fetch-retry';

const base = process.env.BASE_URL;
const retrying = fetchRetry(fetch);
await retrying(base, { retryOn: [503], retries: 2 });
