// oracle: core; 503 500 429 400 drop refuse
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';

const base = process.env.BASE_URL;
const client = new S3Client({ endpoint: base, region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, forcePathStyle: true });
await client.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }));
