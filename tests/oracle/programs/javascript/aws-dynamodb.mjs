// oracle: more; 503 500 400 refuse
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';

const base = process.env.BASE_URL;
const client = new DynamoDBClient({ endpoint: base, region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
await client.send(new GetItemCommand({ TableName: 't', Key: { id: { S: '1' } } }));
