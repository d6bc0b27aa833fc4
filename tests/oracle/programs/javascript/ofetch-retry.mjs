// oracle: core; 503 400
import { $fetch } from 'ofetch';

const base = process.env.BASE_URL;
await $fetch(base, { method: 'POST', body: {}, retry: 3 });
