// oracle: more; 503 429 400
import Replicate from 'replicate';

const base = process.env.BASE_URL;
const client = new Replicate({ auth: 'k', baseUrl: base });
await client.predictions.get('abc');
