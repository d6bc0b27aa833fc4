// oracle: more; 503 500 429 400
import { Pinecone } from '@pinecone-database/pinecone';

const base = process.env.BASE_URL;
const client = new Pinecone({ apiKey: 'k', controllerHostUrl: base });
await client.listIndexes();
