// oracle: more; 503 drop
import { Client, fetchExchange, gql } from '@urql/core';
import { retryExchange } from '@urql/exchange-retry';

const base = process.env.BASE_URL;
const client = new Client({ url: base, preferGetMethod: false, exchanges: [retryExchange({ maxNumberAttempts: 4 }), fetchExchange] });
const { error } = await client.query(gql`{ a }`, {}).toPromise();
if (error) throw error;
