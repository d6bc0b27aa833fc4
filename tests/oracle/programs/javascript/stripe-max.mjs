// oracle: more; 503 400
import Stripe from 'stripe';

const url = new URL(process.env.BASE_URL);
const client = new Stripe('sk_test_x', { host: url.hostname, port: url.port, protocol: 'http', telemetry: false });
await client.customers.list({}, { maxNetworkRetries: 5 });
