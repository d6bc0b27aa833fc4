// oracle: core; 503
import ky from 'ky';

const base = process.env.BASE_URL;
await ky(base, { retry: 0 });
