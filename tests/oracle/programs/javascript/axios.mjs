// oracle: core; 503 429 500 400 drop refuse
import axios from 'axios';

const base = process.env.BASE_URL;
await axios.get(base);
