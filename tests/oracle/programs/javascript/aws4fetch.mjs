// oracle: more; 503 429 500 409 400 drop refuse
import { AwsClient } from 'aws4fetch';

const base = process.env.BASE_URL;
const aws = new AwsClient({ accessKeyId: 'k', secretAccessKey: 's', service: 's3', region: 'us-east-1' });
const answer = await aws.fetch(`${base}/x`, { method: 'PUT', body: 'x' });
if (!answer.ok) throw new Error(String(answer.status));
