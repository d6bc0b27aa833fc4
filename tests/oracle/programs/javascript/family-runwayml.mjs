// oracle: more; 503 429 500 409 400 drop refuse
import RunwayML from '@runwayml/sdk';

const base = process.env.BASE_URL;
const client = new RunwayML({ apiKey: 'k', baseURL: base, maxRetries: 4 });
await client.tasks.retrieve('17f20503-6c24-4c16-946b-35dbbce2af2f');
