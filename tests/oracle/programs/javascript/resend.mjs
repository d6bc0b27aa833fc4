// oracle: more; 503 400
import { Resend } from 'resend';

const base = process.env.BASE_URL;
const client = new Resend('re_k', { baseUrl: base });
await client.emails.send({ from: 'a@b.c', to: 'a@b.c', subject: 's', text: 't' });
