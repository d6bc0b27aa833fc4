# oracle: ai; 503 429 500 409 400 drop refuse
import os

import cohere

client = cohere.ClientV2(api_key="k", base_url=os.environ["BASE_URL"])
client.chat(model="m", messages=[{"role": "user", "content": "hi"}])
