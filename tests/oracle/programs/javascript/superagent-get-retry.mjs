// oracle: core; 503 400 drop refuse
import superagent from 'superagent';

const base = process.env.BASE_URL;
await superagent.get(base).set('accept', 'json').retry(2);
