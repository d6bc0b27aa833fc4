// oracle: core; 503 drop refuse
import needle from 'needle';

const base = process.env.BASE_URL;
await needle('get', base);
