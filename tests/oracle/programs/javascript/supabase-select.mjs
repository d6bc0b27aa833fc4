// oracle: more; 503 500 400
import { createClient } from '@supabase/supabase-js';

const base = process.env.BASE_URL;
const client = createClient(base, 'k', { realtime: { transport: class {} } });
await client.from('t').select('*');
