// oracle: more; 503 400
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';

const base = process.env.BASE_URL;
const client = new S3Client({ endpoint: base, region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, forcePathStyle: true, maxAttempts: 6 });
await client.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }));
