// oracle: more; 503 400
import { request } from 'gaxios';

const base = process.env.BASE_URL;
await request({ url: base, method: 'POST', data: {}, retry: true });
