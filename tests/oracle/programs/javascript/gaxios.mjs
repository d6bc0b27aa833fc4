// oracle: more; 503 429 500 400 drop
import { request } from 'gaxios';

const base = process.env.BASE_URL;
await request({ url: base, retry: true });
