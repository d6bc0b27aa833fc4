// oracle: more; 503 500 400 drop refuse
import { BlobServiceClient } from '@azure/storage-blob';

const base = process.env.BASE_URL;
const client = new BlobServiceClient(base);
await client.getContainerClient('c').getBlobClient('b').download();
