// oracle: core; 503 drop refuse
import superagent from 'superagent';

const base = process.env.BASE_URL;
await superagent.get(base);
