# oracle: ai; 503 429 500 409 400 drop refuse
import os

import together

client = together.Together(api_key="k", base_url=os.environ["BASE_URL"])
client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
