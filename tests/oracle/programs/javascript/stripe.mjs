// oracle: core; 503 500 409 400 drop refuse
import Stripe from 'stripe';

const url = new URL(process.env.BASE_URL);
const client = new Stripe('sk_test_x', { host: url.hostname, port: url.port, protocol: 'http', telemetry: false });
await client.customers.create({});
