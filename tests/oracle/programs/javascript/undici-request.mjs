// oracle: core; 503 drop refuse
import { request } from 'undici';

const base = process.env.BASE_URL;
await request(base);
