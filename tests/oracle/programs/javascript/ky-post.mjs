// oracle: core; 503 400
import ky from 'ky';

const base = process.env.BASE_URL;
await ky.post(base, { json: {} });
