// oracle: core; 503 429 500 400 drop refuse
const base = process.env.BASE_URL;
await fetch(base);
