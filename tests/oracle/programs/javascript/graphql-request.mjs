// oracle: more; 503 refuse
import { GraphQLClient } from 'graphql-request';

const base = process.env.BASE_URL;
const client = new GraphQLClient(base);
await client.request('{ a }');
