// oracle: core; 503 500 400
import wretch from 'wretch';
import { retry } from 'wretch/middlewares';

const base = process.env.BASE_URL;
await wretch(base).middlewares([retry()]).get().text();
