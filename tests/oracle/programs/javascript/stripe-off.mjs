// oracle: core; 503 500 drop
import Stripe from 'stripe';

const url = new URL(process.env.BASE_URL);
const client = new Stripe('sk_test_x', { host: url.hostname, port: url.port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 });
await client.customers.create({});
