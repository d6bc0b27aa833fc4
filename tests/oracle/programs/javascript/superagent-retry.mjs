// oracle: core; 503 500 400 drop refuse
import superagent from 'superagent';

const base = process.env.BASE_URL;
await superagent.post(base).retry(3).send({});
