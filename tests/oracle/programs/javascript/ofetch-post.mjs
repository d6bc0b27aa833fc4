// oracle: core; 503 drop refuse
import { $fetch } from 'ofetch';

const base = process.env.BASE_URL;
await $fetch(base, { method: 'POST', body: {} });
