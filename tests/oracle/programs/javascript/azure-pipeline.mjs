// oracle: more; 503 500 400 drop
import { createDefaultHttpClient, createPipelineFromOptions, createPipelineRequest } from '@azure/core-rest-pipeline';

const base = process.env.BASE_URL;
const pipeline = createPipelineFromOptions({});
await pipeline.sendRequest(createDefaultHttpClient(), createPipelineRequest({ url: base, allowInsecureConnection: true }));
