// oracle: core; 503 500 400 drop refuse
import axios from 'axios';
import axiosRetry from 'axios-retry';

const base = process.env.BASE_URL;
const client = axios.create();
axiosRetry(client);
await client.get(base);
