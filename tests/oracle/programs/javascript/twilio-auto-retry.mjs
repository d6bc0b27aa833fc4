// oracle: more; 429 503 400
import twilio from 'twilio';

const base = process.env.BASE_URL;
const client = new twilio.RequestClient({ autoRetry: true });
await client.request({ method: 'POST', uri: base });
