// oracle: core; 503 500 429 400
import axios from 'axios';
import * as rax from 'retry-axios';

const base = process.env.BASE_URL;
const client = axios.create();
client.defaults.raxConfig = {};
rax.attach(client);
await client.get(base);
