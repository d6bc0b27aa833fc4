// oracle: core; 503 429 500 400 drop
import ky from 'ky';

const base = process.env.BASE_URL;
await ky(base);
