// oracle: core; 503 drop refuse
import fetch from 'node-fetch';

const base = process.env.BASE_URL;
await fetch(base);
