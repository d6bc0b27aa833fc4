// oracle: core; 503 400
import ky from 'ky';

const base = process.env.BASE_URL;
await ky(base, { retry: 5, timeout: false });
