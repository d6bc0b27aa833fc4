// oracle: more; 503 400
import { AwsClient } from 'aws4fetch';

const base = process.env.BASE_URL;
const aws = new AwsClient({ accessKeyId: 'k', secretAccessKey: 's', service: 's3', region: 'us-east-1', retries: 3 });
await aws.fetch(`${base}/x`);
