// oracle: core; 503 400
import wretch from 'wretch';
import { retry } from 'wretch/middlewares';

const base = process.env.BASE_URL;
await wretch(base).middlewares([retry({ maxAttempts: 3 })]).post({}).text();
