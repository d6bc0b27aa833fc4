// oracle: core; 503 500 429 409 400 drop refuse
import { $fetch } from 'ofetch';

const base = process.env.BASE_URL;
await $fetch(base);
