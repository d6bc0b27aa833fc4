// oracle: core; 503 400
import axios from 'axios';
import axiosRetry from 'axios-retry';

const base = process.env.BASE_URL;
const client = axios.create();
axiosRetry(client, { retries: 4, retryDelay: axiosRetry.exponentialDelay });
await client.get(base);
